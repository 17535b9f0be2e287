"""Is a number where a function is asked for; a GRADER_ERROR would show that it worked."""

scale = 6
