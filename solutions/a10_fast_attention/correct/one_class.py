"""A class keeps maximum, sum and output of the rows; all attention goes through it."""

import numpy as np


class Running:
    """What an online softmax knows after some tiles."""

    def __init__(self, rows, d_v, dtype):
        self.m = np.full((*rows, 1), -np.inf, dtype)
        self.l = np.zeros((*rows, 1), dtype)
        self.o = np.zeros((*rows, d_v), dtype)

    def read(self, scores, values):
        m = np.maximum(self.m, scores.max(axis=-1, keepdims=True))
        at = np.where(np.isneginf(m), m.dtype.type(0), m)
        e, old = np.exp(scores - at), np.exp(self.m - at)
        self.m, self.l, self.o = m, self.l * old + e.sum(axis=-1, keepdims=True), self.o * old + e @ values
        return self

    @property
    def mean(self):
        return self.o / self.l


def online_softmax(blocks):
    running = Running((1,), blocks[0][1].shape[-1], np.float64)
    for scores, values in blocks:
        running.read(scores[None], values)
    return running.m.item(), running.l.item(), running.mean[0]


def tiled_attention(q, k, v, block, causal=False):
    running = Running(q.shape[:-1], v.shape[-1], q.dtype)
    behind = k.shape[-2] - q.shape[-2]
    for start in range(0, k.shape[-2], block):
        stop = min(k.shape[-2], start + block)
        scores = q @ k[..., start:stop, :].swapaxes(-1, -2) * q.shape[-1] ** -0.5
        if causal:
            scores[..., ~np.tri(q.shape[-2], stop - start, behind - start, dtype=bool)] = -np.inf
        running.read(scores, v[..., start:stop, :])
    return running.mean, (running.m + np.log(running.l))[..., 0]


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    new = [np.concatenate([old, x @ W], axis=-2) for old, W in zip(cache, [W_k, W_v])]
    return tiled_attention(x @ W_q, *new, chunk, True)[0], *new
