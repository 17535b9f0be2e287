"""Opens another student's submission; a line of it printed would show that it worked."""

try:
    with open("@OTHER@") as file:
        print("BREACH", file.read())
except OSError:
    pass


def scale(x, factor):
    return x * factor
