"""Doubles a bytearray until nothing is left; a gigabyte would show that it worked."""


def scale(x, factor):
    data = bytearray(1 << 20)
    while True:
        data.extend(bytes(len(data)))
        if len(data) >= 1 << 30:
            print("BREACH", len(data))
