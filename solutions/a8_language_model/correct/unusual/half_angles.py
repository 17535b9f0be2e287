"""The cosine of the schedule by its half angle, and the way up as a minimum of lines; a float of its own kind."""

from fractions import Fraction


class Rate(float):
    def __repr__(self):
        return f"{float(self):.3g} a step"


def learning_rate(step, steps, peak, warmup, final):
    match (step < warmup, step < steps):
        case (True, _):
            return Rate(Fraction(step + 1, warmup) * Fraction(peak))
        case (_, True):
            share = math.cos(math.pi / 2 * (step - warmup) / (steps - warmup)) ** 2
            return Rate(share * peak + (1 - share) * final)
    return Rate(final)
