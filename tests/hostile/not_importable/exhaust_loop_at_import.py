"""Loops while it is imported; a run longer than its limit would show that it worked."""


while True:
    pass
