"""The student joins each chunk with the cache that was given, and puts the cache together in the end."""

import numpy as np


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    outs, ks, vs = [], [cache[0]], [cache[1]]
    for i in range(0, x.shape[-2], chunk):
        part = x[..., i : i + chunk, :]
        ks.append(part @ W_k)
        vs.append(part @ W_v)
        K, V = np.concatenate([cache[0], ks[-1]], -2), np.concatenate([cache[1], vs[-1]], -2)
        outs.append(tiled_attention(part @ W_q, K, V, 4, True)[0])
    return np.concatenate(outs, -2), np.concatenate(ks, -2), np.concatenate(vs, -2)
