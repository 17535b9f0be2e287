"""From the bytes that a student handed in to source code."""
