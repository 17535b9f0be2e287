"""The student writes Adam with L2 regularisation."""


def adamw_step(w, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    m, v, t = state
    (b1, b2), t = betas, t + 1
    total = g + w * decay
    m, v = b1 * m + (1 - b1) * total, b2 * v + (1 - b2) * total * total
    return w - lr * (m / (1 - b1**t)) / ((v / (1 - b2**t)) ** 0.5 + eps), (m, v, t)
