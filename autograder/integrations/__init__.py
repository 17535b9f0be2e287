"""The systems that a course plugs into: otter-grader and Gradescope."""
