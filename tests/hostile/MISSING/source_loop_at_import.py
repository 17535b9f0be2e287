"""Loops while it is imported, which is left out; a run longer than its limit would show that it worked."""


while True:
    pass
