"""A chunk's own keys and those of the cache answer apart; their logsumexps say how to mix the two."""

import numpy as np


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    K, V = cache
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    rows = []
    for start in range(0, x.shape[-2], chunk):
        piece = np.s_[..., start : start + chunk, :]
        own, own_sum = tiled_attention(q[piece], k[piece], v[piece], chunk, causal=True)
        if K.shape[-2]:
            one_by_one = [tiled_attention(q[..., i : i + 1, :], K, V, 64) for i in range(start, start + own.shape[-2])]
            old, old_sum = (np.concatenate(parts, axis) for parts, axis in zip(zip(*one_by_one), (-2, -1)))
            both = np.logaddexp(own_sum, old_sum)
            own = own * np.exp(own_sum - both)[..., None] + old * np.exp(old_sum - both)[..., None]
        rows.append(own)
        K, V = np.concatenate([K, k[piece]], axis=-2), np.concatenate([V, v[piece]], axis=-2)
    return np.concatenate(rows, axis=-2), K, V
