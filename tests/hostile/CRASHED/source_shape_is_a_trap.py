"""Raises where an object meets others that answers every question with code; a line of BREACH would show that it worked."""

import numpy as np


class Trap(np.ndarray):
    @property
    def shape(self):
        print("BREACH shape was asked for")
        return (8128,)

    @property
    def dtype(self):
        print("BREACH dtype was asked for")
        return "8128"

    def __repr__(self):
        print("BREACH repr was asked for")
        return "8128"

    def __getattr__(self, name):
        print("BREACH an attribute was asked for")
        raise AttributeError(name)


class Shape(dict):
    def __len__(self):
        print("BREACH its length was asked for")
        return 8128


def blame(one, other):
    raise ValueError("operands could not be broadcast together")


def scale(x, factor):
    trap, shape = np.ndarray.__new__(Trap, (3,)), Shape()
    return blame(trap, shape)
