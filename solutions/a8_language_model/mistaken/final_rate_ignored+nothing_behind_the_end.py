"""The student lets the cosine go all the way down and stay there."""

import math


def learning_rate(step, steps, peak, warmup, final):
    def height(t):
        if t >= steps:
            return 0.0
        return math.cos((t - warmup) / (steps - warmup) * math.pi) / 2 + 0.5

    return peak * (min(1.0, (step + 1) / warmup) if step < warmup else height(step))
