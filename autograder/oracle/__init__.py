"""What only the grader knows: the reference, and everything that follows from it. It never ships."""
