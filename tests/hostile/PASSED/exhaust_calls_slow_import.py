"""Takes two seconds to import, again for every round of questions; a run of minutes would show that it worked."""


import time

time.sleep(2)


def size(x):
    return len(x)


def stride(x):
    return 5.0


def settle(x):
    return 3
