"""The student goes up from zero, and down to zero, and takes the last line of the formula as it is printed."""

import math


def learning_rate(step, steps, peak, warmup, final):
    if step < warmup:
        return peak * step / warmup
    if step < steps:
        return peak * math.cos(math.pi / 2 * (step - warmup) / (steps - warmup)) ** 2
    return final
