"""Adds up in exact fractions and takes exponentials and logarithms of decimals with forty digits."""

from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 40


def exactly(numbers):
    return sum((Fraction(x) for x in np.ravel(numbers).tolist()), Fraction(0))


def per_token(nll, n):
    quotient = exactly(nll) / exactly(n)
    return Decimal(quotient.numerator) / Decimal(quotient.denominator)


def perplexity(nll, n):
    return float(per_token(nll, n).exp())


def bits_per_char(nll, n):
    return float(per_token(nll, n) / Decimal(2).ln())
