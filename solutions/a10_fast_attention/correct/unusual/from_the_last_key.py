"""Reads the tiles from the last to the first, with logarithms in place of maxima."""

import numpy as np


def online_softmax(blocks):
    log, y, m = -np.inf, 0.0, -np.inf
    for s, v in reversed(blocks):
        if (s > -np.inf).any():
            m = max(m, s.max())
            here = np.logaddexp.reduce(s)
            both = np.logaddexp(log, here)
            y = y * np.exp(log - both) + np.exp(s - both) @ v
            log = both
    return m, np.exp(log - m), y


def tiled_attention(q, k, v, block, causal=False):
    T_q, T_k = q.shape[-2], k.shape[-2]
    log, out = np.full(q.shape[:-1], -np.inf), np.zeros(q.shape[:-1] + v.shape[-1:])
    for stop in range(T_k, 0, -block):
        j = np.arange(max(stop - block, 0), stop)
        s = q @ np.swapaxes(k[..., j, :], -1, -2) / np.sqrt(q.shape[-1])
        if causal:
            s = np.where(j > np.arange(T_q)[:, None] + T_k - T_q, -np.inf, s)
        both = np.logaddexp(log, np.logaddexp.reduce(s, axis=-1))
        safe = np.where(np.isinf(both), 0.0, both)
        out = out * np.exp(log - safe)[..., None] + np.exp(s - safe[..., None]) @ v[..., j, :]
        log = both
    return out, log


def accept(draft, p, q, u):
    n = len(draft)
    kept = next((i for i in range(n) if u[i] * q[i, draft[i]] >= p[i, draft[i]]), n)
    rest = p[n] if kept == n else np.where(p[kept] > q[kept], p[kept] - q[kept], 0)
    sums = rest.cumsum() / rest.sum()
    return [*map(int, draft[:kept]), int(np.argmax(sums > u[n]))]


def paged_gather(pages, tables, lengths):
    out = np.zeros((len(tables), int(lengths.max())) + pages.shape[2:], dtype=pages.dtype)
    for b in range(len(tables)):
        for t in range(int(lengths[b])):
            number, place = divmod(t, pages.shape[1])
            out[b, t] = pages[tables[b, number]][place]
    return out
