"""Is it right, and what went wrong."""
