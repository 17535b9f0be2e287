"""Attention is an online softmax for each query, over all the keys that it reads at once."""

import numpy as np


def tiled_attention(q, k, v, block, causal=False):
    T_q, T_k = q.shape[-2], k.shape[-2]
    output, logsumexp = np.zeros((*q.shape[:-1], v.shape[-1])), np.zeros(q.shape[:-1])
    for place in np.ndindex(q.shape[:-1]):
        *front, i = place
        read = T_k - T_q + i + 1 if causal else T_k
        keys, values = k[tuple(front)][:read], v[tuple(front)][:read]
        m, total, output[place] = online_softmax([(keys @ q[place] / q.shape[-1] ** 0.5, values)])
        logsumexp[place] = m + np.log(total)
    return output, logsumexp
