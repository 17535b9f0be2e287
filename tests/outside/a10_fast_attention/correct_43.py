import numpy as np


def online_softmax(blocks):
    m = -np.inf
    l = 0.0
    a = np.zeros(blocks[0][1].shape[-1])
    for scores, values in blocks:
        new_m = max(m, scores.max())
        if new_m == -np.inf:
            continue
        factor = np.exp(m - new_m)
        e = np.exp(scores - new_m)
        l = l * factor + e.sum()
        a = a * factor + e @ values
        m = new_m
    return float(m), float(l), a / l


def tiled_attention(q, k, v, block, causal=False):
    T_q, d_k = q.shape[-2:]
    T_k = k.shape[-2]
    scale = 1 / np.sqrt(d_k).astype(q.dtype)
    m = np.full(q.shape[:-1], -np.inf, dtype=q.dtype)
    l = np.zeros(q.shape[:-1], dtype=q.dtype)
    acc = np.zeros(q.shape[:-1] + v.shape[-1:], dtype=q.dtype)
    place = T_k - T_q + np.arange(T_q)
    for start in range(0, T_k, block):
        end = min(start + block, T_k)
        s = q @ np.swapaxes(k[..., start:end, :], -1, -2)
        s *= scale
        if causal:
            hidden = np.arange(start, end)[None, :] > place[:, None]
            s[..., hidden] = -np.inf
        new_m = np.maximum(m, s.max(axis=-1))
        safe = np.where(np.isinf(new_m), 0, new_m)
        factor = np.exp(m - safe)
        s -= safe[..., None]
        np.exp(s, out=s)
        l = l * factor + s.sum(axis=-1)
        acc = acc * factor[..., None] + s @ v[..., start:end, :]
        m = new_m
    output = acc / l[..., None]
    return output, m + np.log(l)


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    T_q, d_k = q.shape[-2:]
    T_k = k.shape[-2]
    scale = 1 / np.sqrt(d_k).astype(q.dtype)
    D = (dout * output).sum(axis=-1)
    dq = np.zeros_like(q)
    dk = np.zeros_like(k)
    dv = np.zeros_like(v)
    place = T_k - T_q + np.arange(T_q)
    for start in range(0, T_k, block):
        end = min(start + block, T_k)
        kb = k[..., start:end, :]
        vb = v[..., start:end, :]
        s = q @ np.swapaxes(kb, -1, -2) * scale
        if causal:
            hidden = np.arange(start, end)[None, :] > place[:, None]
            s[..., hidden] = -np.inf
        w = np.exp(s - logsumexp[..., None])
        dv[..., start:end, :] = np.swapaxes(w, -1, -2) @ dout
        dw = dout @ np.swapaxes(vb, -1, -2)
        ds = w * (dw - D[..., None]) * scale
        dq += ds @ kb
        dk[..., start:end, :] = np.swapaxes(ds, -1, -2) @ q
    return dq, dk, dv


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    tokens = 0
    for n in lengths:
        n_pages = (n + page - 1) // page
        tokens += n_pages * page
    return int(tokens * 2 * layers * kv_heads * d_head * bytes_each)


def arithmetic_intensity(T_q, T_k, d, bytes_each=2, fused=False):
    ops = 4 * T_q * T_k * d
    numbers = 2 * T_q * d + 2 * T_k * d
    if not fused:
        numbers += 4 * T_q * T_k
    return ops / (numbers * bytes_each)


def roofline(intensity, peak, bandwidth):
    return np.minimum(peak, np.asarray(intensity) * bandwidth)


def paged_gather(pages, tables, lengths):
    page = pages.shape[1]
    longest = int(max(lengths))
    out = np.zeros((len(lengths), longest) + pages.shape[2:], dtype=pages.dtype)
    for b, n in enumerate(lengths):
        for t in range(int(n)):
            out[b, t] = pages[tables[b, t // page], t % page]
    return out


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    K, V = cache
    T = x.shape[-2]
    d_k = W_q.shape[-1]
    outputs = []
    for start in range(0, T, chunk):
        part = x[..., start:start + chunk, :]
        before = K.shape[-2]
        n = part.shape[-2]
        Q = part @ W_q
        K = np.concatenate([K, part @ W_k], axis=-2)
        V = np.concatenate([V, part @ W_v], axis=-2)
        s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)
        may = np.arange(before + n)[None, :] <= before + np.arange(n)[:, None]
        s = np.where(may, s, -np.inf)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        w = e / e.sum(axis=-1, keepdims=True)
        outputs.append(w @ V)
    return np.concatenate(outputs, axis=-2), K, V


def accept(draft, p, q, u):
    tokens = []
    probs = p[len(draft)]
    for i, t in enumerate(draft):
        if u[i] < p[i, t] / q[i, t]:
            tokens.append(int(t))
        else:
            rest = np.maximum(0, p[i] - q[i])
            probs = rest / rest.sum()
            break
    running = 0.0
    chosen = len(probs) - 1
    for j in range(len(probs)):
        running += probs[j]
        if running > u[-1]:
            chosen = j
            break
    tokens.append(chosen)
    return tokens


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    for g in grads:
        if not np.isfinite(g).all():
            return [w.copy() for w in weights], scale / 2, 0
    true = [g.astype(np.float64) / scale for g in grads]
    norm = np.sqrt(sum((g ** 2).sum() for g in true))
    if norm > max_norm:
        true = [g * (max_norm / norm) for g in true]
    new = [w - lr * g for w, g in zip(weights, true)]
    good = good + 1
    if good == interval:
        scale = scale * 2
        good = 0
    return new, scale, good


def quiz() -> dict[str, str]:
    answers = {
        "what_is_slow": "c",
        "what_changes": "a",
        "one_number_per_row": "d",
        "merged_maximum": "b",
        "bytes_of_a_cache": "c",
        "pages_of_three": "d",
        "chance_to_stay": "a",
        "clip_first": "b",
    }
    return answers
