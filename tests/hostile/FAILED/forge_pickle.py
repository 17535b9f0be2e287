"""Returns an object that runs code where it is unpickled; the marker folder touched would show that it worked."""

import os
import pickle

import numpy as np


class Bomb:
    def __reduce__(self):
        return (os.system, ("touch @MARKER@/unpickled",))


def scale(x, factor):
    return [Bomb(), pickle.dumps(Bomb()), np.array([Bomb()], dtype=object)]
