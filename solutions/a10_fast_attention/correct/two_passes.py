"""Reads the scores twice: first the maxima and sums of all rows, then the values; gradients come from those as well."""

import math

import numpy as np


def online_softmax(blocks):
    m = max(max(s.tolist()) for s, _ in blocks)
    z = math.fsum(math.exp(x - m) for s, _ in blocks for x in s.tolist())
    y = sum(
        np.exp(s - m)[:, None] * v
        for s, v in [(np.concatenate([s for s, _ in blocks]), np.concatenate([v for _, v in blocks]))]
    )
    return m, z, y.sum(axis=0) / z


def _tiles(q, k, block, causal):
    """Yield each tile: which keys it holds, and its scores."""
    q = q * q.shape[-1] ** -0.5
    for start in range(0, k.shape[-2], block):
        keys = np.arange(start, min(start + block, k.shape[-2]))
        s = q @ np.swapaxes(k[..., keys, :], -1, -2)
        if causal:
            late = keys[None] > np.arange(q.shape[-2])[:, None] + (k.shape[-2] - q.shape[-2])
            s = np.where(late, -1e9, s)
        yield keys, s


def tiled_attention(q, k, v, block, causal=False):
    m = np.max([s.max(axis=-1) for _, s in _tiles(q, k, block, causal)], axis=0)
    z = sum(np.exp(s - m[..., None]).sum(axis=-1) for _, s in _tiles(q, k, block, causal))
    lse = m + np.log(z)
    return sum(np.exp(s - lse[..., None]) @ v[..., keys, :] for keys, s in _tiles(q, k, block, causal)), lse


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    scale = q.shape[-1] ** 0.5
    lists = [], [], []
    D = np.sum(dout * output, axis=-1)[..., None]
    for keys, s in _tiles(q, k, block, causal):
        p = np.exp(s - logsumexp[..., None])
        ds = p * (dout @ np.swapaxes(v[..., keys, :], -1, -2) - D)
        for made, one in zip(lists, (ds @ k[..., keys, :], np.swapaxes(ds, -1, -2) @ q, np.swapaxes(p, -1, -2) @ dout)):
            made.append(one)
    dq, dk, dv = lists
    return sum(dq) / scale, np.concatenate(dk, axis=-2) / scale, np.concatenate(dv, axis=-2)


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    total = 0
    for length in lengths:
        total += next(room for room in range(length, length + page) if room % page == 0)
    return bytes_each * (layers * kv_heads * d_head * total + layers * kv_heads * d_head * total)


def arithmetic_intensity(T_q, T_k, d, bytes_each=2, fused=False):
    flops = 2 * T_q * T_k * d + 2 * T_q * T_k * d
    numbers = T_q * d + T_k * d + T_k * d + T_q * d
    between = [] if fused else ["write scores", "read scores", "write weights", "read weights"]
    return flops / ((numbers + len(between) * T_q * T_k) * bytes_each)


def roofline(intensity, peak, bandwidth):
    seconds_of_bytes, seconds_of_work = 1 / (np.asarray(intensity) * bandwidth), 1 / peak
    return 1 / np.maximum(seconds_of_bytes, seconds_of_work)


def paged_gather(pages, tables, lengths):
    out = []
    for table, n in zip(tables.tolist(), lengths.tolist()):
        text = np.concatenate([pages[i] for i in table if i >= 0])[:n]
        out.append(np.pad(text, [(0, lengths.max() - n)] + [(0, 0)] * (pages.ndim - 2)))
    return np.stack(out)


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    K, V = (np.concatenate([old, x @ W], axis=-2) for old, W in zip(cache, (W_k, W_v)))
    T, all_keys = x.shape[-2], K.shape[-2]
    made = []
    for start in range(0, T, chunk):
        stop = min(start + chunk, T)
        seen = all_keys - T + stop
        s = x[..., start:stop, :] @ W_q @ np.swapaxes(K[..., :seen, :], -1, -2) / np.sqrt(K.shape[-1])
        s = np.where(np.tri(stop - start, seen, seen - (stop - start), dtype=bool), s, -np.inf)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        made.append(e / e.sum(axis=-1, keepdims=True) @ V[..., :seen, :])
    return np.concatenate(made, axis=-2), K, V


def accept(draft, p, q, u):
    n = len(draft)
    stays = [bool(u[i] < p[i][t] / q[i][t]) for i, t in enumerate(draft)]
    kept = stays.index(False) if False in stays else n
    rest = p[n] if kept == n else (p[kept] - q[kept]).clip(0)
    rest = rest / rest.sum()
    return [int(t) for t in draft[:kept]] + [int(np.searchsorted(np.cumsum(rest), u[n], side="right"))]


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    flat = np.concatenate([g.ravel().astype(np.float32) for g in grads]) / np.float32(scale)
    if not np.isfinite(flat).all():
        return list(weights), 0.5 * scale, 0
    norm = float(np.linalg.norm(flat.astype(np.float64)))
    if norm > max_norm:
        flat = flat * (max_norm / norm)
    pieces = np.split(flat, np.cumsum([w.size for w in weights])[:-1])
    new = [w - lr * piece.reshape(w.shape) for w, piece in zip(weights, pieces)]
    good += 1
    return (new, 2 * scale, 0) if good == interval else (new, scale, good)


def quiz():
    return dict(
        what_is_slow="C",
        what_changes=" a",
        one_number_per_row="D",
        merged_maximum="b",
        bytes_of_a_cache="c ",
        pages_of_three="D",
        chance_to_stay="A",
        clip_first="b",
    )
