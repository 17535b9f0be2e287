"""Fast attention, short."""

import math

import numpy as np


def online_softmax(blocks):
    """Blend the mean so far with that of the block; L is the logarithm of the sum of all exponentials."""
    m, L, y = -np.inf, -np.inf, 0.0
    for s, v in blocks:
        m, top = max(m, s.max()), s.max()
        if top == -np.inf:
            continue
        e = np.exp(np.float64(s) - top)
        new = np.logaddexp(L, top + np.log(e.sum()))
        y = y * np.exp(L - new) + e @ v * np.exp(top - new)
        L = new
    return float(m), float(np.exp(L - m)), y


def _scores(q, k, j, causal):
    """Scores of all queries with the keys numbered j."""
    s = q @ k[..., j, :].swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if causal:
        i = np.arange(q.shape[-2])[:, None] + k.shape[-2] - q.shape[-2]
        s = np.where(j > i, -np.inf, s)
    return s


def _tiles(T, block):
    return (np.arange(a, min(a + block, T)) for a in range(0, T, block))


def tiled_attention(q, k, v, block, causal=False):
    """Two passes: the logsumexp of each row first, then the weights themselves, which need no correction any more."""
    T = k.shape[-2]
    L = np.full(q.shape[:-1], -np.inf)
    for j in _tiles(T, block):
        s = _scores(q, k, j, causal)
        top = s.max(-1, keepdims=True)
        top[top == -np.inf] = 0
        with np.errstate(divide="ignore"):
            L = np.logaddexp(L, top[..., 0] + np.log(np.exp(s - top).sum(-1)))
    out = sum(np.exp(_scores(q, k, j, causal) - L[..., None]) @ v[..., j, :] for j in _tiles(T, block))
    return out, L


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    D = (dout * output).sum(-1, keepdims=True)
    dq, dk, dv = 0.0, [], []
    for j in _tiles(k.shape[-2], block):
        P = np.exp(_scores(q, k, j, causal) - logsumexp[..., None])
        dS = P * (dout @ v[..., j, :].swapaxes(-1, -2) - D) / math.sqrt(q.shape[-1])
        dq = dq + dS @ k[..., j, :]
        dk.append(dS.swapaxes(-1, -2) @ q)
        dv.append(P.swapaxes(-1, -2) @ dout)
    return dq, np.concatenate(dk, -2), np.concatenate(dv, -2)


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    return sum(n + -n % page for n in lengths) * 2 * layers * kv_heads * d_head * bytes_each


def arithmetic_intensity(T_q, T_k, d, bytes_each=2, fused=False):
    moved = (T_q + T_k) * d + (not fused) * 2 * T_q * T_k  # half of all numbers
    return 2 * T_q * T_k * d / moved / bytes_each


def roofline(intensity, peak, bandwidth):
    return np.clip(np.asarray(intensity) * bandwidth, None, peak)


def paged_gather(pages, tables, lengths):
    n = max(lengths)
    out = []
    for table, length in zip(tables, lengths):
        text = pages[table[table >= 0]].reshape(-1, *pages.shape[2:])[:length]
        out.append(np.pad(text, [(0, n - length)] + [(0, 0)] * (text.ndim - 1)))
    return np.stack(out)


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    P, T = cache[0].shape[-2], x.shape[-2]
    K, V = (np.concatenate([old, np.zeros((*x.shape[:-1], W.shape[1]))], -2) for old, W in zip(cache, (W_k, W_v)))
    out = np.zeros((*x.shape[:-1], W_v.shape[1]))
    for a in range(0, T, chunk):
        b = min(a + chunk, T)
        new = x[..., a:b, :]
        K[..., P + a : P + b, :], V[..., P + a : P + b, :] = new @ W_k, new @ W_v
        out[..., a:b, :] = tiled_attention(new @ W_q, K[..., : P + b, :], V[..., : P + b, :], chunk, True)[0]
    return out, K, V


def accept(draft, p, q, u):
    out = []
    for t, pi, qi, ui in zip(map(int, draft), p, q, u):
        if ui >= pi[t] / qi[t]:
            law = (pi - qi).clip(0)
            law = law / law.sum()
            break
        out.append(t)
    else:
        law = p[-1]
    return out + [int(np.argmax(np.append(law.cumsum()[:-1], 2) > u[-1]))]


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    g = [np.float64(x) / scale for x in grads]
    norm = math.sqrt(sum((x * x).sum() for x in g))  # not finite as soon as one number is not
    if not math.isfinite(norm):
        return [w.copy() for w in weights], scale / 2, 0
    factor = min(1.0, max_norm / (norm or max_norm))
    good = (good + 1) % interval
    return [w - lr * factor * x for w, x in zip(weights, g)], scale if good else 2 * scale, good


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "what_is_slow": "",
        "what_changes": "",
        "one_number_per_row": "",
        "merged_maximum": "",
        "bytes_of_a_cache": "",
        "pages_of_three": "",
        "chance_to_stay": "",
        "clip_first": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
