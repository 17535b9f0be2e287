"""Has Greek names, a byte order mark's worth of accents and an emoji in its text. αβγ é 🐍"""

import numpy as np


def scale(x, factor):
    λ, été = factor, "🐍"
    return x * λ


Σ = np.sum


def total(x):
    return float(Σ(x))


def grid(n):
    return np.arange(float(n * n)).reshape(n, n)
