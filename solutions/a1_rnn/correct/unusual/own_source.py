"""Reads its own source, to say how long it is."""

import inspect


def softmax(x, axis=-1):
    print(len(inspect.getsource(softmax).splitlines()), "lines")
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)
