import numpy as np

t = lambda x: x.swapaxes(-1, -2)


def online_softmax(blocks):
    s, v = map(np.concatenate, zip(*blocks))
    m = s.max()
    e = np.exp(s - m)
    return float(m), float(e.sum()), e @ v / e.sum()


def S(q, k, i, n, causal):
    s = q @ t(k[..., i:i + n, :]) / np.float32(q.shape[-1] ** .5)
    if causal: s += np.triu(np.full(s.shape[-2:], -np.inf, s.dtype), 1 + k.shape[-2] - q.shape[-2] - i)
    return s


def tiled_attention(q, k, v, block, causal=False):
    m, l, a = -np.inf, 0, 0
    for i in range(0, k.shape[-2], block):
        s = S(q, k, i, block, causal)
        M = np.maximum(m, s.max(-1, keepdims=True))
        f, e = np.exp(m - M), np.exp(s - M)
        m, l, a = M, l * f + e.sum(-1, keepdims=True), a * f + e @ v[..., i:i + block, :]
    return a / l, (m + np.log(l))[..., 0]


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    r, D, dq, dk, dv = q.shape[-1] ** .5, (dout * output).sum(-1, keepdims=True), 0, [], []
    for i in range(0, k.shape[-2], block):
        kb, w = k[..., i:i + block, :], np.exp(S(q, k, i, block, causal) - logsumexp[..., None])
        ds = w * (dout @ t(v[..., i:i + block, :]) - D) / r
        dq = dq + ds @ kb; dk += [t(ds) @ q]; dv += [t(w) @ dout]
    return dq, np.concatenate(dk, -2), np.concatenate(dv, -2)


cache_bytes = lambda lengths, layers, kv_heads, d_head, bytes_each=2, page=1: 2 * layers * kv_heads * d_head * bytes_each * page * sum(-(-n // page) for n in lengths)
arithmetic_intensity = lambda T_q, T_k, d, bytes_each=2, fused=False: 4 * T_q * T_k * d / bytes_each / (2 * d * (T_q + T_k) + 4 * T_q * T_k * (1 - fused))
roofline = lambda intensity, peak, bandwidth: np.minimum(peak, bandwidth * np.asarray(intensity))


def paged_gather(pages, tables, lengths):
    x = pages[tables].reshape(len(tables), -1, *pages.shape[2:])[:, :max(lengths)]
    x[np.arange(x.shape[1]) >= np.asarray(lengths)[:, None]] = 0
    return x


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    (K, V), o = cache, []
    for i in range(0, x.shape[-2], chunk):
        c = x[..., i:i + chunk, :]
        K, V = np.concatenate([K, c @ W_k], -2), np.concatenate([V, c @ W_v], -2)
        o += [tiled_attention(c @ W_q, K, V, 99, True)[0]]
    return np.concatenate(o, -2), K, V


def accept(draft, p, q, u):
    n = len(draft)
    k = next((i for i, x in enumerate(draft) if not u[i] < p[i, x] / q[i, x]), n)
    r = p[n] if k == n else np.maximum(p[k] - q[k], 0)
    r = r if k == n else r / r.sum()
    return [int(x) for x in draft[:k]] + [min(int((np.cumsum(r) <= u[n]).sum()), int(np.nonzero(r)[0][-1]))]


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    g = [np.float64(x) / scale for x in grads]
    n = sum(np.sum(x * x) for x in g) ** .5
    if not n < np.inf: return [+w for w in weights], scale / 2, 0
    c = lr * min(1, max_norm / n) if n else 0
    return [(w - c * x).astype(w.dtype) for w, x in zip(weights, g)], *((scale, good + 1) if good + 1 < interval else (scale * 2, 0))


def quiz():
    return dict(zip("what_is_slow what_changes one_number_per_row merged_maximum bytes_of_a_cache pages_of_three chance_to_stay clip_first".split(), "cadbcdab"))
