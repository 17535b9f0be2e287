"""The student's cosine is that of the whole training."""

import math


def learning_rate(step, steps, peak, warmup, final):
    if step >= steps:
        return final
    half = (peak - final) / 2
    down = final + half + half * math.cos(step / steps * math.pi)
    return down if step >= warmup else peak / warmup * (step + 1)
