"""The student goes down to zero and cuts off at the final rate."""

import math


def learning_rate(step, steps, peak, warmup, final):
    if step < warmup:
        return peak * ((step + 1) / warmup)
    share = (step - warmup) / (steps - warmup) if step < steps else 1.0
    return max(final, peak * math.sin((1 - share) * math.pi / 2) ** 2)
