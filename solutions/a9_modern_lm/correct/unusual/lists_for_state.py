"""The state comes back as a list, with the number of steps as a tensor."""

import torch


def adamw_step(w, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    m, v, steps = state
    n = steps + 1
    m = m + (1 - betas[0]) * (g - m)
    v = v + (1 - betas[1]) * (g * g - v)
    size = lr * (1 - betas[1] ** n) ** 0.5 / (1 - betas[0] ** n)
    moved = size * m / (v.sqrt() + eps * (1 - betas[1] ** n) ** 0.5)
    return [(1 - lr * decay) * w - moved, [m, v, n]]
