"""Fast attention, numpy only. Whole tiles at a time, all leading axes by broadcasting."""

import numpy as np


def online_softmax(blocks):
    m, l, a = -np.inf, 0.0, 0.0
    for scores, values in blocks:
        scores = np.asarray(scores, dtype=float)
        values = np.asarray(values, dtype=float)
        new_m = max(m, scores.max(initial=-np.inf))
        if new_m == -np.inf:
            a = a + np.zeros(values.shape[1])
            continue
        factor = np.exp(m - new_m)
        e = np.exp(scores - new_m)
        l = l * factor + e.sum()
        a = a * factor + e @ values
        m = new_m
    return float(m), float(l), a / l


def tiled_attention(q, k, v, block, causal=False):
    T_q, d_k = q.shape[-2:]
    T_k, d_v = v.shape[-2:]
    scale = 1.0 / np.sqrt(d_k)
    qs = q * np.asarray(scale, dtype=q.dtype) if q.dtype.kind == "f" else q * scale
    m = np.full(q.shape[:-1] + (1,), -np.inf, dtype=qs.dtype)
    l = np.zeros_like(m)
    acc = np.zeros(q.shape[:-1] + (d_v,), dtype=np.result_type(qs, v))
    places = np.arange(T_q)[:, None] + (T_k - T_q)
    for start in range(0, T_k, block):
        stop = min(start + block, T_k)
        s = qs @ np.swapaxes(k[..., start:stop, :], -1, -2)
        if causal:
            s = np.where(np.arange(start, stop)[None, :] <= places, s, -np.inf).astype(s.dtype)
        new_m = np.maximum(m, s.max(axis=-1, keepdims=True))
        factor = np.exp(m - new_m)
        s -= new_m
        np.exp(s, out=s)
        l = l * factor + s.sum(axis=-1, keepdims=True)
        acc = acc * factor + s @ v[..., start:stop, :]
        m = new_m
    return acc / l, (m + np.log(l))[..., 0]


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    T_q, d_k = q.shape[-2:]
    T_k = k.shape[-2]
    scale = 1.0 / np.sqrt(d_k)
    D = (dout * output).sum(axis=-1, keepdims=True)
    L = logsumexp[..., None]
    dq = np.zeros(q.shape)
    dk = np.zeros(k.shape)
    dv = np.zeros(v.shape)
    places = np.arange(T_q)[:, None] + (T_k - T_q)
    for start in range(0, T_k, block):
        stop = min(start + block, T_k)
        kb = k[..., start:stop, :]
        vb = v[..., start:stop, :]
        s = q @ np.swapaxes(kb, -1, -2) * scale
        if causal:
            s = np.where(np.arange(start, stop)[None, :] <= places, s, -np.inf)
        w = np.exp(s - L)
        dv[..., start:stop, :] = np.swapaxes(w, -1, -2) @ dout
        dw = dout @ np.swapaxes(vb, -1, -2)
        ds = w * (dw - D) * scale
        dq += ds @ kb
        dk[..., start:stop, :] = np.swapaxes(ds, -1, -2) @ q
    return dq, dk, dv


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    lengths = np.asarray(lengths, dtype=np.int64)
    room = ((lengths + page - 1) // page).sum() * page
    return int(room) * 2 * layers * kv_heads * d_head * bytes_each


def arithmetic_intensity(T_q, T_k, d, bytes_each=2, fused=False):
    operations = 4 * T_q * T_k * d
    numbers = 2 * T_q * d + 2 * T_k * d
    if not fused:
        numbers += 4 * T_q * T_k
    return operations / (numbers * bytes_each)


def roofline(intensity, peak, bandwidth):
    return np.minimum(peak, np.asarray(intensity) * bandwidth)


def paged_gather(pages, tables, lengths):
    page = pages.shape[1]
    T = int(np.max(lengths))
    t = np.arange(T)
    inside = t[None, :] < np.asarray(lengths)[:, None]
    number = np.minimum(t // page, tables.shape[1] - 1)
    which = np.where(inside, tables[:, number], 0)
    tokens = pages[which, (t % page)[None, :]]
    tokens[~inside] = 0
    return tokens


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    K, V = cache
    T = x.shape[-2]
    outs = []
    for start in range(0, T, chunk):
        piece = x[..., start : start + chunk, :]
        K = np.concatenate([K, piece @ W_k], axis=-2)
        V = np.concatenate([V, piece @ W_v], axis=-2)
        out, _ = tiled_attention(piece @ W_q, K, V, 64, causal=True)
        outs.append(out)
    return np.concatenate(outs, axis=-2), K, V


def accept(draft, p, q, u):
    n = len(draft)
    rows = np.arange(n)
    stays = u[:n] < p[rows, draft] / q[rows, draft]
    kept = n if stays.all() else int(np.argmin(stays))
    if kept == n:
        dist = p[n]
    else:
        dist = np.maximum(p[kept] - q[kept], 0)
        dist = dist / dist.sum()
    token = np.searchsorted(np.cumsum(dist), u[n], side="right")
    token = min(int(token), int(np.flatnonzero(dist)[-1]))
    return [int(t) for t in draft[:kept]] + [token]


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    if not all(np.isfinite(g).all() for g in grads):
        return [w.copy() for w in weights], scale / 2, 0
    wide = [g.astype(np.float64) / scale for g in grads]
    norm = np.sqrt(sum((g**2).sum() for g in wide))
    factor = min(1.0, max_norm / norm) if norm > 0 else 1.0
    new = [(w - lr * factor * g).astype(w.dtype) for w, g in zip(weights, wide)]
    good += 1
    if good >= interval:
        return new, scale * 2, 0
    return new, scale, good


def quiz():
    return {
        "what_is_slow": "c",
        "what_changes": "a",
        "one_number_per_row": "d",
        "merged_maximum": "b",
        "bytes_of_a_cache": "c",
        "pages_of_three": "d",
        "chance_to_stay": "a",
        "clip_first": "b",
    }
