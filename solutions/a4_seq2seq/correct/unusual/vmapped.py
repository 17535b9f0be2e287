"""Scores of one query and one key, and torch.vmap for everything else."""

from torch import vmap


def pairs(score):
    return vmap(vmap(vmap(score, in_dims=(None, 0)), in_dims=(0, None)))


dot_score = pairs(torch.dot)


def bilinear_score(q, k, W):
    return pairs(lambda one, other: one @ W @ other)(q, k)


def mlp_score(q, k, W, w):
    return pairs(lambda one, other: w @ torch.tanh(W @ torch.cat([one, other])))(q, k)


def attention_context(weights, values):
    return vmap(vmap(lambda row, v: (row[:, None] * v).sum(0), (0, None)))(weights, values)
