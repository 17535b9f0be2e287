"""A page on this machine on which several graders decide about a class at once."""
