"""The student draws the new token from the large model as it is."""

import numpy as np


def accept(draft, p, q, u):
    out = []
    for i in range(len(draft)):
        t = int(draft[i])
        if u[i] < min(1.0, p[i, t] / q[i, t]):
            out.append(t)
        else:
            break
    c = np.cumsum(p[len(out)])
    for t in range(len(c)):
        if c[t] > u[-1]:
            return out + [t]
    return out + [len(c) - 1]
