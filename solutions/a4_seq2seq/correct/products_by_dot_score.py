"""The small network's last layer, and the mean of the values, as scores of queries with keys."""

import torch


def mlp_score(q, k, W, w):
    batch, T_q, d = q.shape
    hidden = torch.tanh((q @ W[:, :d].T)[:, :, None] + (k @ W[:, d:].T)[:, None])
    return dot_score(w.expand(batch, 1, -1), hidden.flatten(1, 2)).view(batch, T_q, -1)


def attention_context(weights, values):
    return dot_score(weights, values.transpose(1, 2))
