"""What students get."""
