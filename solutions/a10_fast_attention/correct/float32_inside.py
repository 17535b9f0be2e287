"""Works in single precision throughout, and returns it."""

import numpy as np

F = np.float32


def online_softmax(blocks):
    m, z, y = F(-1e30), F(0), F(0)
    for s, v in [(s.astype(F), v.astype(F)) for s, v in blocks]:
        new = np.maximum(m, s.max())
        z = z * np.exp(m - new) + np.exp(s - new).sum(dtype=F)
        y = y * np.exp(m - new) + np.exp(s - new) @ v
        m = new
    return m, z, y / z


def tiled_attention(q, k, v, block, causal=False):
    q, k, v = (a.astype(F) for a in (q, k, v))
    T_q, T_k = q.shape[-2], k.shape[-2]
    m = np.full((*q.shape[:-1], 1), -1e30, dtype=F)
    z = np.zeros_like(m)
    o = np.zeros((*q.shape[:-1], v.shape[-1]), dtype=F)
    for j in range(0, T_k, block):
        s = q @ np.swapaxes(k[..., j : j + block, :], -1, -2) / F(np.sqrt(q.shape[-1]))
        if causal:
            s += np.triu(np.full((T_q, T_k), F(-1e30)), T_k - T_q + 1)[:, j : j + block]
        new = np.maximum(m, s.max(axis=-1, keepdims=True))
        e, shrink = np.exp(s - new), np.exp(m - new)
        z = z * shrink + e.sum(axis=-1, keepdims=True)
        o = o * shrink + e @ v[..., j : j + block, :]
        m = new
    return o / z, (m + np.log(z))[..., 0]


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    dout, q, k, v, output, lse = (a.astype(F) for a in (dout, q, k, v, output, logsumexp))
    T_q, T_k = q.shape[-2], k.shape[-2]
    root = F(np.sqrt(q.shape[-1]))
    dq, dk, dv = (np.zeros_like(a) for a in (q, k, v))
    for j in range(T_k - 1, -1, -1):  # one key at a time, from the last
        key, value = k[..., j : j + 1, :], v[..., j : j + 1, :]
        p = np.exp((q * key).sum(axis=-1) / root - lse)[..., None]
        if causal:
            p = p * (np.arange(T_q) + T_k - T_q >= j)[:, None]
        ds = p * ((dout * (value - output)).sum(axis=-1, keepdims=True)) / root
        dv[..., j, :] = (p * dout).sum(axis=-2)
        dq += ds * key
        dk[..., j, :] = (ds * q).sum(axis=-2)
    return dq, dk, dv


def paged_gather(pages, tables, lengths):
    flat = pages.reshape(-1, *pages.shape[2:])
    slots = (tables[:, :, None] * pages.shape[1] + np.arange(pages.shape[1])).reshape(len(tables), -1)
    slots = slots[:, : max(lengths)]
    real = np.arange(slots.shape[1]) < lengths[:, None]
    picked = flat[np.where(real, slots, 0)]
    return np.where(real.reshape(*real.shape, *[1] * (picked.ndim - 2)), picked, flat.dtype.type(0))


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    keys, values, out = [cache[0]], [cache[1]], []
    x = x.astype(F)
    for t in range(x.shape[-2]):  # one token is a chunk, too
        one = x[..., t : t + 1, :]
        keys.append(one @ W_k.astype(F))
        values.append(one @ W_v.astype(F))
        out.append(tiled_attention(one @ W_q.astype(F), np.concatenate(keys, -2), np.concatenate(values, -2), chunk)[0])
    return np.concatenate(out, -2), np.concatenate(keys, -2), np.concatenate(values, -2)


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    true = [g.astype(F) / F(scale) for g in grads]
    if np.isnan(sum((g * 0).sum() for g in true)):
        return [w.astype(F) for w in weights], scale / 2, 0
    norm = np.sqrt(sum((g * g).sum() for g in true))
    factor = F(1) if norm <= max_norm else F(max_norm) / norm
    new = [w.astype(F) - F(lr) * (g * factor) for w, g in zip(weights, true)]
    return (new, scale * 2, 0) if (good + 1) % interval == 0 else (new, scale, good + 1)
