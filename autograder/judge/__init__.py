"""Is it right, and what went wrong. It ships to students whole."""
