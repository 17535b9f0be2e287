"""The same file, from the last exercise to the first: later functions are used before they are defined."""
import numpy as np


def quiz():
    return {"clip_first": "b", "chance_to_stay": "a", "pages_of_three": "d", "bytes_of_a_cache": "c",
            "merged_maximum": "b", "one_number_per_row": "d", "what_changes": "a", "what_is_slow": "c"}


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    flat = np.concatenate([np.ravel(g) for g in grads]).astype(np.float64) / scale
    if np.isnan(flat).any() or np.isinf(flat).any():
        return [w * 1 for w in weights], scale * 0.5, 0
    norm = np.linalg.norm(flat)
    if norm > max_norm:
        flat = flat * max_norm / norm
    result, at = [], 0
    for w in weights:
        g = flat[at : at + w.size].reshape(w.shape)
        result.append(np.asarray(w - lr * g, dtype=w.dtype))
        at += w.size
    if good + 1 >= interval:
        return result, scale * 2, 0
    return result, scale, good + 1


def accept(draft, p, q, u):
    n = draft.shape[0]
    kept = 0
    while kept < n and u[kept] < p[kept, draft[kept]] / q[kept, draft[kept]]:
        kept += 1
    if kept < n:
        dist = residual(p[kept], q[kept])
    else:
        dist = p[n]
    return draft[:kept].tolist() + [pick(dist, u[n])]


def pick(dist, number):
    above = np.flatnonzero(np.cumsum(dist) > number)
    if above.size:
        return int(above[0])
    return int(np.flatnonzero(dist > 0)[-1])


def residual(p, q):
    r = np.where(p > q, p - q, 0)
    return r / r.sum()


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    # All keys and values can be made at once: a token's key depends on that token alone.
    K = np.concatenate((cache[0], x @ W_k), axis=-2)
    V = np.concatenate((cache[1], x @ W_v), axis=-2)
    P, T = cache[0].shape[-2], x.shape[-2]
    pieces = []
    for start in range(0, T, chunk):
        stop = min(T, start + chunk)
        piece, _ = tiled_attention(x[..., start:stop, :] @ W_q, K[..., : P + stop, :], V[..., : P + stop, :], 128, True)
        pieces.append(piece)
    return np.concatenate(pieces, axis=-2), K, V


def paged_gather(pages, tables, lengths):
    size = pages.shape[1]
    longest = int(np.max(lengths))
    result = np.zeros((len(lengths), longest, *pages.shape[2:]), dtype=pages.dtype)
    for b, n in enumerate(lengths):
        used = tables[b, : -(-n // size)]
        result[b, :n] = np.concatenate(list(pages[used]), axis=0)[:n]
    return result


def roofline(intensity, peak, bandwidth):
    return np.clip(np.asarray(intensity, dtype=float) * bandwidth, None, peak)


def arithmetic_intensity(T_q, T_k, d, bytes_each=2, fused=False):
    small = 2 * d * (T_q + T_k)
    large = 4 * T_q * T_k
    return large * d / (bytes_each * (small if fused else small + large))


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    pages = sum(n // page + (n % page > 0) for n in lengths)
    return int(pages * page * 2 * layers * kv_heads * d_head * bytes_each)


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    D = row_sums(dout * output)
    dq = np.zeros(q.shape)
    dk = np.zeros(k.shape)
    dv = np.zeros(v.shape)
    for start in range(0, k.shape[-2], block):
        w = np.exp(tile(q, k, start, block, causal) - logsumexp[..., np.newaxis])
        ds = w * (dout @ T(v[..., start : start + block, :]) - D)
        dq += ds @ k[..., start : start + block, :]
        dk[..., start : start + block, :] = T(ds) @ q
        dv[..., start : start + block, :] = T(w) @ dout
    root = np.sqrt(q.shape[-1])
    return dq / root, dk / root, dv


def tiled_attention(q, k, v, block, causal=False):
    m = l = a = None
    for start in range(0, k.shape[-2], block):
        s = tile(q, k, start, block, causal)
        values = v[..., start : start + block, :]
        if m is None:
            # key 0 is read by every query, so no row of the first tile is empty
            m = s.max(axis=-1, keepdims=True)
            e = np.exp(s - m)
            l, a = row_sums(e), e @ values
            continue
        m_old, m = m, np.maximum(m, s.max(axis=-1, keepdims=True))
        factor, e = np.exp(m_old - m), np.exp(s - m)
        l, a = l * factor + row_sums(e), a * factor + e @ values
    return a / l, np.squeeze(m + np.log(l), axis=-1)


def tile(q, k, start, block, causal):
    s = q @ T(k[..., start : start + block, :]) / np.sqrt(q.shape[-1]).astype(np.float32)
    if causal:
        Tq, Tk = q.shape[-2], k.shape[-2]
        hidden = np.triu(np.ones((Tq, s.shape[-1]), dtype=bool), k=1 + Tk - Tq - start)
        s[..., hidden] = -np.inf
    return s


def T(x):
    return np.moveaxis(x, -1, -2)


def row_sums(x):
    return x.sum(axis=-1, keepdims=True)


def online_softmax(blocks):
    m, l, y = -np.inf, 0.0, 0.0
    for scores, values in blocks:
        if not np.any(scores > -np.inf):
            continue
        mb = np.max(scores)
        e = np.exp(scores - mb)
        lb, yb = e.sum(), e @ values / e.sum()
        # join two finished softmaxes
        mm = max(m, mb)
        la, lb = l * np.exp(m - mm), lb * np.exp(mb - mm)
        y = (la * y + lb * yb) / (la + lb)
        m, l = mm, la + lb
    return float(m), float(l), y
