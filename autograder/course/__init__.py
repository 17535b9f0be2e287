"""What an assignment is and where it lives."""
