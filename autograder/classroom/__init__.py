"""A whole class: who handed in what, what it came to, and the gradebook that remembers it."""
