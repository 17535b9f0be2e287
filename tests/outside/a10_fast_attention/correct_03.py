"""Everything with einsum. tiled_attention makes two passes: first the logsumexp of all tiles, then the weights."""
import numpy as np


def online_softmax(blocks):
    m = -np.inf
    l = 0.0
    a = np.zeros(blocks[0][1].shape[-1])
    with np.errstate(invalid="ignore"):
        for s, v in blocks:
            m_new = np.max(np.append(s, m))
            shift = 0.0 if np.isneginf(m_new) else m_new
            w = np.exp(s - shift)
            r = np.exp(m - shift)
            l = r * l + np.einsum("j->", w)
            a = r * a + np.einsum("j,jd->d", w, v)
            m = m_new
    return float(m), float(l), np.einsum("d,->d", a, 1 / l)


def _scores(q, k, start, stop, causal):
    T_q, T_k = q.shape[-2], k.shape[-2]
    s = np.einsum("...id,...jd->...ij", q, k[..., start:stop, :], optimize=True) / np.sqrt(q.shape[-1]).astype(q.dtype)
    if causal:
        i, j = np.ogrid[T_k - T_q : T_k, start:stop]
        s[..., j > i] = -np.inf
    return s


def tiled_attention(q, k, v, block, causal=False):
    T_k = k.shape[-2]
    tiles = [(a, min(a + block, T_k)) for a in range(0, T_k, block)]
    lse = np.full(q.shape[:-1], -np.inf, dtype=q.dtype)
    for a, b in tiles:
        s = _scores(q, k, a, b, causal)
        top = s.max(axis=-1)
        top[np.isneginf(top)] = 0
        with np.errstate(divide="ignore"):
            lse = np.logaddexp(lse, top + np.log(np.exp(s - top[..., None]).sum(-1)))
    out = np.zeros(q.shape[:-1] + v.shape[-1:], dtype=np.result_type(q, v))
    for a, b in tiles:
        w = np.exp(_scores(q, k, a, b, causal) - lse[..., None])
        out += np.einsum("...ij,...jd->...id", w, v[..., a:b, :], optimize=True)
    return out, lse


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    T_k, scale = k.shape[-2], q.shape[-1] ** -0.5
    D = np.einsum("...id,...id->...i", dout, output)
    dq = np.zeros_like(q)
    dks, dvs = [], []
    for a in range(0, T_k, block):
        b = min(a + block, T_k)
        w = np.exp(_scores(q, k, a, b, causal) - logsumexp[..., None])
        dvs.append(np.einsum("...ij,...id->...jd", w, dout))
        dw = np.einsum("...id,...jd->...ij", dout, v[..., a:b, :])
        ds = np.einsum("...ij,...ij->...ij", w, dw - D[..., None]) * scale
        dq = dq + np.einsum("...ij,...jd->...id", ds, k[..., a:b, :])
        dks.append(np.einsum("...ij,...id->...jd", ds, q))
    return dq, np.concatenate(dks, -2), np.concatenate(dvs, -2)


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    pages = np.ceil(np.asarray(lengths) / page).astype(int)
    return int(np.einsum("i->", pages) * page * 2 * layers * kv_heads * d_head * bytes_each)


def arithmetic_intensity(T_q, T_k, d, bytes_each=2, fused=False):
    return 4 * T_q * T_k * d / bytes_each / (2 * (T_q + T_k) * d + (0 if fused else 4 * T_q * T_k))


def roofline(intensity, peak, bandwidth):
    return np.minimum(np.multiply(intensity, bandwidth), peak)


def paged_gather(pages, tables, lengths):
    batch, n = tables.shape
    page = pages.shape[1]
    flat = pages[np.maximum(tables, 0)].reshape((batch, n * page) + pages.shape[2:])
    longest = max(lengths)
    out = flat[:, :longest].copy()
    for b, length in enumerate(lengths):
        out[b, length:] = 0
    return out


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    K, V = cache
    out = []
    for a in range(0, x.shape[-2], chunk):
        c = x[..., a : a + chunk, :]
        K = np.concatenate((K, np.einsum("...td,de->...te", c, W_k)), -2)
        V = np.concatenate((V, np.einsum("...td,de->...te", c, W_v)), -2)
        s = _scores(np.einsum("...td,de->...te", c, W_q), K, 0, K.shape[-2], True)
        w = np.exp(s - s.max(-1, keepdims=True))
        w /= w.sum(-1, keepdims=True)
        out.append(np.einsum("...ij,...jd->...id", w, V))
    return np.concatenate(out, -2), K, V


def accept(draft, p, q, u):
    n = len(draft)
    out = []
    rest = p[n]
    for i, t in enumerate(draft):
        if u[i] >= p[i, t] / q[i, t]:
            r = np.clip(p[i] - q[i], 0, None)
            rest = np.einsum("v,->v", r, 1 / np.einsum("v->", r))
            break
        out.append(int(t))
    over = np.cumsum(rest) > u[n]
    out.append(int(np.argmax(over)) if over.any() else int(np.nonzero(rest)[0][-1]))
    return out


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    g32 = [np.asarray(g, dtype=np.float64) / scale for g in grads]
    norm = np.sqrt(sum(np.einsum("i,i->", g.ravel(), g.ravel()) for g in g32))
    if not np.isfinite(norm):
        return [np.array(w) for w in weights], scale / 2, 0
    if norm > max_norm:
        g32 = [g * (max_norm / norm) for g in g32]
    weights = [(w - lr * g).astype(w.dtype) for w, g in zip(weights, g32)]
    good, scale = (0, scale * 2) if good + 1 >= interval else (good + 1, scale)
    return weights, scale, good


def quiz():
    return dict(zip(
        ["what_is_slow", "what_changes", "one_number_per_row", "merged_maximum",
         "bytes_of_a_cache", "pages_of_three", "chance_to_stay", "clip_first"],
        "cadbcdab"))
