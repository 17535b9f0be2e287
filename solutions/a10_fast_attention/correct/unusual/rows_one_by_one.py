"""Goes through the queries one by one, each with an online softmax of its own."""

import numpy as np


def tiled_attention(q, k, v, block, causal=False):
    T_q, T_k = q.shape[-2], k.shape[-2]
    out, lse = np.empty(q.shape[:-1] + v.shape[-1:]), np.empty(q.shape[:-1])
    for where in np.ndindex(*q.shape[:-1]):
        front, i = where[:-1], where[-1]
        end = T_k - T_q + i + 1 if causal else T_k
        scores = k[front][:end] @ q[where] / np.sqrt(q.shape[-1])
        pieces = [(scores[j : j + block], v[front][j : min(j + block, end)]) for j in range(0, end, block)]
        m, l, out[where] = online_softmax(pieces)
        lse[where] = m + np.log(l)
    return out, lse


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    T_q, T_k = q.shape[-2], k.shape[-2]
    dq, dk, dv = np.zeros(q.shape), np.zeros(k.shape), np.zeros(v.shape)
    for where in np.ndindex(*q.shape[:-1]):
        front, i = where[:-1], where[-1]
        end = T_k - T_q + i + 1 if causal else T_k
        keys, values = k[front][:end], v[front][:end]
        w = np.exp(keys @ q[where] / q.shape[-1] ** 0.5 - logsumexp[where])
        d = w * ((values - output[where]) @ dout[where]) / q.shape[-1] ** 0.5
        dv[front][:end] += w[:, None] * dout[where]
        dq[where] += d @ keys
        dk[front][:end] += d[:, None] * q[where]
    return dq, dk, dv
