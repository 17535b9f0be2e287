"""Is saved in Latin-1 without saying so (é); a GRADER_ERROR would show that it worked."""


def scale(x, factor):
    return x * factor
