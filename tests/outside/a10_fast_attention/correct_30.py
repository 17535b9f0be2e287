# My solution. The head of a batch is done one after the other; inside a head everything is two-dimensional.
from math import ceil, exp, inf, sqrt

import numpy as np


def online_softmax(blocks):
    m, l = -inf, 0.0
    a = np.zeros(np.shape(blocks[0][1])[1])
    for scores, values in blocks:
        for j in range(len(scores)):
            s = float(scores[j])
            if s == -inf:
                continue
            if s > m:
                # measure everything from the new maximum
                factor = exp(m - s)
                l = l * factor
                a = a * factor
                m = s
            w = exp(s - m)
            l = l + w
            a = a + w * values[j]
    return m, l, a / l


def one_head(q, k, v, block, causal):
    T_q, d_k = q.shape
    T_k = k.shape[0]
    first = T_k - T_q
    output = np.zeros((T_q, v.shape[1]))
    logsumexp = np.zeros(T_q)
    # cut the queries as well, as real kernels do
    step = 512
    for a in range(0, T_q, step):
        b = min(a + step, T_q)
        m = np.full(b - a, -np.inf)
        l = np.zeros(b - a)
        y = np.zeros((b - a, v.shape[1]))
        for start in range(0, T_k, block):
            if causal and start > first + b - 1:
                break  # no query of this piece stands that far back
            end = min(start + block, T_k)
            scores = q[a:b] @ k[start:end].T / sqrt(d_k)
            if causal:
                for i in range(a, b):
                    scores[i - a, max(first + i + 1 - start, 0) :] = -np.inf
            new_m = np.maximum(m, np.max(scores, axis=1))
            factor = np.exp(m - new_m)
            e = np.exp(scores - new_m[:, None])
            l = factor * l + np.sum(e, axis=1)
            y = factor[:, None] * y + e @ v[start:end]
            m = new_m
        output[a:b] = y / l[:, None]
        logsumexp[a:b] = m + np.log(l)
    return output, logsumexp


def tiled_attention(q, k, v, block, causal=False):
    lead = q.shape[:-2]
    output = np.zeros(lead + (q.shape[-2], v.shape[-1]))
    logsumexp = np.zeros(lead + (q.shape[-2],))
    for head in np.ndindex(*lead):
        output[head], logsumexp[head] = one_head(q[head], k[head], v[head], block, causal)
    return output, logsumexp


def one_head_backward(dout, q, k, v, output, logsumexp, block, causal):
    T_q, d_k = q.shape
    T_k = k.shape[0]
    first = T_k - T_q
    D = np.sum(dout * output, axis=1)
    dq = np.zeros(q.shape)
    dk = np.zeros(k.shape)
    dv = np.zeros(v.shape)
    for start in range(0, T_k, block):
        end = min(start + block, T_k)
        # queries before this one read nothing of the tile
        a = max(start - first, 0) if causal else 0
        scores = q[a:] @ k[start:end].T / sqrt(d_k)
        if causal:
            place = np.arange(first + a, T_k)
            key = np.arange(start, end)
            scores[key[None, :] > place[:, None]] = -np.inf
        w = np.exp(scores - logsumexp[a:, None])
        dv[start:end] = w.T @ dout[a:]
        dw = dout[a:] @ v[start:end].T
        ds = w * (dw - D[a:, None])
        dq[a:] += ds @ k[start:end] / sqrt(d_k)
        dk[start:end] = ds.T @ q[a:] / sqrt(d_k)
    return dq, dk, dv


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    dq = np.zeros(q.shape)
    dk = np.zeros(k.shape)
    dv = np.zeros(v.shape)
    for head in np.ndindex(*q.shape[:-2]):
        dq[head], dk[head], dv[head] = one_head_backward(
            dout[head], q[head], k[head], v[head], output[head], logsumexp[head], block, causal
        )
    return dq, dk, dv


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    total = 0
    for n in lengths:
        room = ceil(n / page) * page
        keys = room * layers * kv_heads * d_head * bytes_each
        values = keys
        total += keys + values
    return total


def arithmetic_intensity(T_q, T_k, d, bytes_each=2, fused=False):
    first_product = 2 * d * T_q * T_k
    second_product = 2 * d * T_q * T_k
    q_and_output = 2 * T_q * d
    k_and_v = 2 * T_k * d
    scores = 0 if fused else 2 * T_q * T_k
    weights = 0 if fused else 2 * T_q * T_k
    bytes_moved = (q_and_output + k_and_v + scores + weights) * bytes_each
    return (first_product + second_product) / bytes_moved


def roofline(intensity, peak, bandwidth):
    memory = np.multiply(intensity, bandwidth)
    return np.clip(memory, None, peak)


def paged_gather(pages, tables, lengths):
    page = pages.shape[1]
    rest = pages.shape[2:]
    tokens = np.zeros((len(lengths), np.max(lengths), *rest), dtype=pages.dtype)
    for b, length in enumerate(lengths):
        needed = ceil(length / page)
        mine = pages[tables[b, :needed]].reshape(needed * page, *rest)
        tokens[b, :length] = mine[:length]
    return tokens


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    K, V = cache
    T = x.shape[-2]
    outputs = []
    done = 0
    while done < T:
        part = x[..., done : done + chunk, :]
        n = part.shape[-2]
        past = K.shape[-2]
        K = np.concatenate((K, part @ W_k), axis=-2)
        V = np.concatenate((V, part @ W_v), axis=-2)
        scores = (part @ W_q) @ np.swapaxes(K, -1, -2) / sqrt(W_q.shape[1])
        for i in range(n):
            scores[..., i, past + i + 1 :] = -np.inf
        scores = scores - scores.max(axis=-1, keepdims=True)
        weights = np.exp(scores)
        weights = weights / weights.sum(axis=-1, keepdims=True)
        outputs.append(weights @ V)
        done += n
    return np.concatenate(outputs, axis=-2), K, V


def accept(draft, p, q, u):
    n = len(draft)
    tokens = []
    i = 0
    while i < n and u[i] * q[i][draft[i]] < p[i][draft[i]]:
        tokens.append(int(draft[i]))
        i += 1
    if i < n:
        rest = [max(0.0, float(a) - float(b)) for a, b in zip(p[i], q[i])]
        total = sum(rest)
        rest = [r / total for r in rest]
    else:
        rest = [float(a) for a in p[n]]
    total = 0.0
    for token in range(len(rest)):
        total += rest[token]
        if total > u[n]:
            break
    tokens.append(token)
    return tokens


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    overflow = False
    for g in grads:
        if np.any(np.isnan(g)) or np.any(np.isinf(g)):
            overflow = True
    if overflow:
        return [w.copy() for w in weights], scale / 2, 0

    unscaled = []
    sum_of_squares = 0.0
    for g in grads:
        g = g.astype(np.float64) / scale
        unscaled.append(g)
        sum_of_squares += np.sum(g ** 2)
    norm = sqrt(sum_of_squares)

    new_weights = []
    for w, g in zip(weights, unscaled):
        if norm > max_norm:
            g = g / norm * max_norm
        new_weights.append((w - lr * g).astype(w.dtype))

    good += 1
    if good >= interval:
        scale = scale * 2
        good = 0
    return new_weights, scale, good


def quiz():
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
