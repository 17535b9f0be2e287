"""Nothing is raised to a power: each row of the encoding is the one before it, turned once more by the sum formulas."""

import math


def turning(speeds, T):
    sines, cosines, rows = [0.0 for _ in speeds], [1.0 for _ in speeds], []
    for _ in range(T):
        rows.append((list(sines), list(cosines)))
        for i, f in enumerate(speeds):
            s, c = sines[i], cosines[i]
            sines[i], cosines[i] = s * math.cos(f) + c * math.sin(f), c * math.cos(f) - s * math.sin(f)
    return rows


def sinusoidal_encoding(T, d_model, base=10000):
    rows = turning([base ** (-i / d_model) for i in range(0, d_model, 2)], T)
    return torch.tensor([[wave for pair in zip(s, c) for wave in pair] for s, c in rows])


def timing_signal(T, d_model):
    last = d_model // 2 - 1
    return torch.tensor([s + c for s, c in turning([math.pow(10_000, -i / last) for i in range(last + 1)], T)])
