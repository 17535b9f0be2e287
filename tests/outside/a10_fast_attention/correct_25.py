"""Fast attention: tiles, pages, chunks, drafts. Same numbers as plain attention."""

import numpy as np


def swap(a):
    """Transpose the last two axes."""
    return np.swapaxes(a, -1, -2)


def tiles(T_k, block):
    """First key and end of every tile."""
    start = 0
    while start < T_k:
        yield start, min(start + block, T_k)
        start += block


def tile_scores(q, k, start, stop, causal):
    """Scores of all queries with the keys start ... stop - 1; q is already divided by sqrt(d_k)."""
    s = q @ swap(k[..., start:stop, :])
    if causal:
        T_q, T_k = q.shape[-2], k.shape[-2]
        query_place = np.arange(T_k - T_q, T_k)
        hidden = np.arange(start, stop)[None, :] > query_place[:, None]
        s[..., hidden] = -np.inf
    return s


def online_softmax(blocks):
    m, l, y = -np.inf, 0.0, None
    for scores, values in blocks:
        if y is None:
            y = np.zeros(values.shape[1])
        readable = scores > -np.inf
        if not readable.any():
            continue
        s, v = scores[readable], values[readable]
        m_old, m = m, max(m, float(np.max(s)))
        old = l * np.exp(m_old - m)
        w = np.exp(s - m)
        l = old + w.sum()
        # y is kept as a mean all the time
        y = (old * y + (w[:, None] * v).sum(axis=0)) / l
    return m, float(l), y


def tiled_attention(q, k, v, block, causal=False):
    T_k = k.shape[-2]
    qs = q / float(np.sqrt(q.shape[-1]))
    output, lse = None, None
    for start, stop in tiles(T_k, block):
        s = tile_scores(qs, k, start, stop, causal)
        top = s.max(axis=-1, keepdims=True)
        top[np.isinf(top)] = 0  # a row that reads nothing in this tile
        w = np.exp(s - top)
        l = w.sum(axis=-1, keepdims=True)
        a = w @ v[..., start:stop, :]
        with np.errstate(divide="ignore"):
            tile_lse = top + np.log(l)
        a = a / np.where(l == 0, 1, l)
        if output is None:
            output, lse = a, tile_lse
        else:
            # each of the two means counts with its share of the exponentials
            both = np.logaddexp(lse, tile_lse)
            output = output * np.exp(lse - both) + a * np.exp(tile_lse - both)
            lse = both
    return output, lse[..., 0]


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    root = float(np.sqrt(q.shape[-1]))
    qs = q / root
    D = (dout * output).sum(axis=-1)[..., None]
    dq = np.zeros(q.shape, q.dtype)
    dk_parts, dv_parts = [], []
    for start, stop in tiles(k.shape[-2], block):
        P = np.exp(tile_scores(qs, k, start, stop, causal) - logsumexp[..., None])
        dv_parts.append(swap(P) @ dout)
        dP = dout @ swap(v[..., start:stop, :])
        dS = P * (dP - D)
        dq = dq + dS @ k[..., start:stop, :] / root
        dk_parts.append(swap(dS) @ qs)
    return dq, np.concatenate(dk_parts, axis=-2), np.concatenate(dv_parts, axis=-2)


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    pages_needed = sum((int(n) + page - 1) // page for n in lengths)
    per_token = 2 * layers * kv_heads * d_head * bytes_each  # key and value
    return pages_needed * page * per_token


def arithmetic_intensity(T_q, T_k, d, bytes_each=2, fused=False):
    flops_scores = 2 * T_q * T_k * d
    flops_output = 2 * T_q * T_k * d
    moved = T_q * d + T_k * d + T_k * d + T_q * d  # q, k, v, output
    if not fused:
        moved += 2 * T_q * T_k  # scores: write, read
        moved += 2 * T_q * T_k  # weights: write, read
    return (flops_scores + flops_output) / (bytes_each * moved)


def roofline(intensity, peak, bandwidth):
    slope = np.asarray(intensity, dtype=float) * bandwidth
    return np.where(slope < peak, slope, peak)


def paged_gather(pages, tables, lengths):
    tables, lengths = np.asarray(tables), np.asarray(lengths)
    batch, n = tables.shape
    page = pages.shape[1]
    longest = lengths.max()
    tokens = pages[tables]  # (batch, n, page, ...), a copy
    tokens = tokens.reshape((batch, n * page) + pages.shape[2:])[:, :longest]
    behind_end = np.arange(longest)[None, :] >= lengths[:, None]
    tokens[behind_end] = 0
    return tokens


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    K, V = cache
    outputs = []
    for start, stop in tiles(x.shape[-2], chunk):
        part = x[..., start:stop, :]
        K = np.concatenate((K, part @ W_k), axis=-2)
        V = np.concatenate((V, part @ W_v), axis=-2)
        # the tokens of this chunk are the last queries of all keys so far
        y, _ = tiled_attention(part @ W_q, K, V, block=128, causal=True)
        outputs.append(y)
    return np.concatenate(outputs, axis=-2), K, V


def draw(probs, number):
    running = 0.0
    last = 0
    for token, prob in enumerate(probs):
        if prob > 0:
            last = token
        running += prob
        if running > number:
            return token
    return last


def accept(draft, p, q, u):
    kept = []
    for i, token in enumerate(draft):
        if u[i] >= p[i, token] / q[i, token]:
            lacking = np.clip(p[i] - q[i], 0, None)
            return kept + [draw(lacking / lacking.sum(), u[-1])]
        kept.append(int(token))
    return kept + [draw(p[len(draft)], u[-1])]


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    finite = all(np.isfinite(g).all() for g in grads)
    if not finite:
        return [np.array(w) for w in weights], scale / 2, 0

    true_grads = []
    squares = 0.0
    for g in grads:
        g = g.astype(np.float64) / scale
        squares += (g * g).sum()
        true_grads.append(g)
    norm = np.sqrt(squares)
    factor = 1.0 if norm <= max_norm else max_norm / norm

    new = []
    for w, g in zip(weights, true_grads):
        new.append(w - lr * factor * g)

    good = good + 1
    if good >= interval:
        scale, good = scale * 2, 0
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
