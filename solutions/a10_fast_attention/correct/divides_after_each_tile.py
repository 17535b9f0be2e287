"""FlashAttention as first published: the output is a mean after each tile, and queries are cut as well as keys."""

import numpy as np


def online_softmax(blocks):
    m, z, y = -np.inf, 0.0, 0.0
    for s, v in blocks:
        top = np.max(s)
        if np.isneginf(top):
            continue
        e = np.exp(s - top)
        new = np.maximum(m, top)
        old, now = np.exp(m - new), np.exp(top - new)
        both = z * old + e.sum() * now
        y = (z * old * y + now * (e @ v)) / both
        m, z = new, both
    return m, z, y


def tiled_attention(q, k, v, block, causal=False):
    T_q, T_k = q.shape[-2], k.shape[-2]
    out = np.zeros((*q.shape[:-1], v.shape[-1]))
    lse = np.zeros(q.shape[:-1])
    for i in range(0, T_q, block):
        rows = slice(i, i + block)
        qi = q[..., rows, :]
        o = np.zeros((*qi.shape[:-1], v.shape[-1]))
        z = np.zeros(qi.shape[:-1])
        m = np.full(qi.shape[:-1], -1e30)
        for j in range(0, T_k, block):
            if causal and j > T_k - T_q + min(i + block, T_q) - 1:
                break  # all of the tile lies in the future
            kj, vj = k[..., j : j + block, :], v[..., j : j + block, :]
            s = np.einsum("...id,...jd->...ij", qi, kj) / np.sqrt(q.shape[-1])
            if causal:
                where = np.arange(i, i + qi.shape[-2])[:, None] + T_k - T_q
                s = np.where(j + np.arange(kj.shape[-2])[None] > where, -np.inf, s)
            new = np.maximum(m, s.max(-1))
            p = np.exp(s - new[..., None])
            old = z * np.exp(m - new)
            z = old + p.sum(-1)
            o = (o * old[..., None] + p @ vj) / z[..., None]
            m = new
        out[..., rows, :] = o
        lse[..., rows] = m + np.log(z)
    return out, lse


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    T_q, T_k = q.shape[-2], k.shape[-2]
    c = 1 / np.sqrt(q.shape[-1])
    D = np.einsum("...d,...d->...", dout, output)
    dq, dk, dv = (np.zeros(a.shape) for a in (q, k, v))
    for j in range(0, T_k, block):
        keys = slice(j, j + block)
        for i in range(0, T_q, block):
            rows = slice(i, i + block)
            s = c * q[..., rows, :] @ k[..., keys, :].swapaxes(-1, -2)
            p = np.exp(s - logsumexp[..., rows, None])
            if causal:
                p = p * (np.arange(T_k)[keys] <= np.arange(T_q)[rows, None] + T_k - T_q)
            dv[..., keys, :] += p.swapaxes(-1, -2) @ dout[..., rows, :]
            dp = dout[..., rows, :] @ v[..., keys, :].swapaxes(-1, -2)
            ds = c * p * (dp - D[..., rows, None])
            dq[..., rows, :] += ds @ k[..., keys, :]
            dk[..., keys, :] += ds.swapaxes(-1, -2) @ q[..., rows, :]
    return dq, dk, dv
