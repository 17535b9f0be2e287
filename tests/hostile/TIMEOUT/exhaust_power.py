"""Computes a power with more digits than there are atoms; a run longer than its limit would show that it worked."""


def scale(x, factor):
    big = 10
    while True:
        big = pow(3, big) % (1 << 4_000_000)
