"""Does all in base two: exp2 and log2, and turns bits into nats at the very end."""

import numpy as numeric

NAT = 1.4426950408889634  # bits


def _bits(logits):
    """Log2 of the softmax."""
    in_bits = logits * NAT
    in_bits = in_bits - numeric.amax(in_bits, -1, keepdims=True)
    return in_bits - numeric.log2(numeric.exp2(in_bits).sum(-1, keepdims=True))


def softmax(x, axis=-1):
    in_bits = numeric.moveaxis(x, axis, -1)
    return numeric.moveaxis(numeric.exp2(_bits(in_bits)), -1, axis)


def next_token_loss(logits, targets, mask):
    rows, steps = mask.nonzero()
    return -_bits(logits)[rows, steps, targets[rows, steps]].mean() / NAT


def sequence_log_prob(logits, ids):
    grid = numeric.ogrid[tuple(map(slice, ids.shape))]
    return _bits(logits)[(*grid, ids)].sum(-1) / NAT


def perplexity(nll, n):
    return 2 ** bits_per_char(nll, n)


def bits_per_char(nll, n):
    return numeric.add.reduce(nll, axis=None) / numeric.add.reduce(n, axis=None) * NAT
