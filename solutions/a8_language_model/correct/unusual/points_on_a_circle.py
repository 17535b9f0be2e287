"""The schedule goes down as a point on a circle does; numpy's interpolation does the way up."""

import cmath

import numpy


def learning_rate(step, steps, peak, warmup, final):
    if step < warmup:
        return numpy.interp(step + 1, [0, warmup], [0.0, peak])
    turn = cmath.rect(1, cmath.pi * min(1, (step - warmup) / max(1, steps - warmup)))
    turn = -1 if step >= steps else turn.real
    return numpy.float64((peak + final) / 2 + (peak - final) / 2 * turn)
