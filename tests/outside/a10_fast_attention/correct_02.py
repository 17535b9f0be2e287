"""Plain loops. No broadcasting tricks: one head at a time, one row at a time."""
import math

import numpy as np


def online_softmax(blocks):
    m = -math.inf
    l = 0.0
    a = None
    for scores, values in blocks:
        if a is None:
            a = [0.0] * values.shape[1]
        for j in range(len(scores)):
            s = float(scores[j])
            if s == -math.inf:
                continue
            if s > m:
                f = math.exp(m - s)          # exp(-inf) is 0 for the first
                l = l * f
                for c in range(len(a)):
                    a[c] = a[c] * f
                m = s
            e = math.exp(s - m)
            l = l + e
            for c in range(len(a)):
                a[c] = a[c] + e * float(values[j, c])
    y = np.array([x / l for x in a])
    return m, l, y


def tiled_attention(q, k, v, block, causal=False):
    lead = q.shape[:-2]
    T_q = q.shape[-2]
    d_k = q.shape[-1]
    T_k = k.shape[-2]
    d_v = v.shape[-1]
    output = np.zeros(lead + (T_q, d_v))
    logsumexp = np.zeros(lead + (T_q,))
    root = math.sqrt(d_k)
    for h in np.ndindex(lead):
        for i in range(T_q):
            # one whole row: T_k numbers at the most
            if causal:
                last = T_k - T_q + i + 1
            else:
                last = T_k
            s = k[h][:last] @ q[h][i] / root
            m = s.max()
            e = np.exp(s - m)
            l = e.sum()
            output[h][i] = e @ v[h][:last] / l
            logsumexp[h][i] = m + math.log(l)
    return output, logsumexp


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    lead = q.shape[:-2]
    T_q = q.shape[-2]
    T_k = k.shape[-2]
    root = math.sqrt(q.shape[-1])
    dq = np.zeros(q.shape)
    dk = np.zeros(k.shape)
    dv = np.zeros(v.shape)
    for h in np.ndindex(lead):
        for i in range(T_q):
            D = float(np.dot(dout[h][i], output[h][i]))
            for start in range(0, T_k, block):
                stop = min(start + block, T_k)
                if causal:
                    stop = min(stop, T_k - T_q + i + 1)
                if stop <= start:
                    break
                for j in range(start, stop):
                    s = float(np.dot(q[h][i], k[h][j])) / root
                    w = math.exp(s - float(logsumexp[h][i]))
                    dv[h][j] += w * dout[h][i]
                    dw = float(np.dot(dout[h][i], v[h][j]))
                    ds = w * (dw - D) / root
                    dq[h][i] += ds * k[h][j]
                    dk[h][j] += ds * q[h][i]
    return dq, dk, dv


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    total = 0
    for n in lengths:
        pages = 0
        while pages * page < n:
            pages += 1
        for what in ("key", "value"):
            total += pages * page * layers * kv_heads * d_head * bytes_each
    return int(total)


def arithmetic_intensity(T_q, T_k, d, bytes_each=2, fused=False):
    ops = 0
    ops += T_q * T_k * 2 * d      # q k^T
    ops += T_q * T_k * 2 * d      # weights v
    moved = 0
    moved += T_q * d              # q
    moved += T_k * d              # k
    moved += T_k * d              # v
    moved += T_q * d              # output
    if not fused:
        moved += T_q * T_k        # scores written
        moved += T_q * T_k        # scores read
        moved += T_q * T_k        # weights written
        moved += T_q * T_k        # weights read
    return ops / (moved * bytes_each)


def roofline(intensity, peak, bandwidth):
    intensity = np.asarray(intensity, dtype=float)
    speed = np.zeros(intensity.shape)
    for index in np.ndindex(intensity.shape):
        speed[index] = min(peak, intensity[index] * bandwidth)
    return speed


def paged_gather(pages, tables, lengths):
    page = pages.shape[1]
    longest = 0
    for n in lengths:
        if n > longest:
            longest = int(n)
    tokens = np.zeros((len(lengths), longest) + pages.shape[2:], dtype=pages.dtype)
    for b in range(len(lengths)):
        for t in range(int(lengths[b])):
            tokens[b, t] = pages[tables[b, t // page], t % page]
    return tokens


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    K_old, V_old = cache
    P = K_old.shape[-2]
    T = x.shape[-2]
    lead = x.shape[:-2]
    d_k = W_q.shape[1]
    K = np.zeros(lead + (P + T, d_k))
    V = np.zeros(lead + (P + T, W_v.shape[1]))
    K[..., :P, :] = K_old
    V[..., :P, :] = V_old
    output = np.zeros(lead + (T, W_v.shape[1]))
    start = 0
    while start < T:
        stop = start + chunk
        if stop > T:
            stop = T
        for t in range(start, stop):
            K[..., P + t, :] = x[..., t, :] @ W_k
            V[..., P + t, :] = x[..., t, :] @ W_v
        for t in range(start, stop):
            for h in np.ndindex(lead):
                query = x[h][t] @ W_q
                s = K[h][: P + t + 1] @ query / math.sqrt(d_k)
                e = np.exp(s - s.max())
                output[h][t] = e @ V[h][: P + t + 1] / e.sum()
        start = stop
    return output, K, V


def draw(probabilities, number):
    total = 0.0
    last = 0
    for i in range(len(probabilities)):
        total += float(probabilities[i])
        if probabilities[i] > 0:
            last = i
        if total > number:
            return i
    return last


def accept(draft, p, q, u):
    tokens = []
    for i in range(len(draft)):
        t = int(draft[i])
        if u[i] < p[i, t] / q[i, t]:
            tokens.append(t)
        else:
            residual = []
            for x in range(p.shape[1]):
                residual.append(max(0.0, float(p[i, x]) - float(q[i, x])))
            total = sum(residual)
            residual = [r / total for r in residual]
            tokens.append(draw(residual, u[len(draft)]))
            return tokens
    tokens.append(draw(p[len(draft)], u[len(draft)]))
    return tokens


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    for g in grads:
        for x in g.ravel():
            if math.isnan(x) or math.isinf(x):
                return [w + 0 for w in weights], scale / 2, 0
    total = 0.0
    for g in grads:
        for x in g.ravel():
            total += (float(x) / scale) ** 2
    norm = math.sqrt(total)
    factor = 1.0
    if norm > max_norm:
        factor = max_norm / norm
    result = []
    for w, g in zip(weights, grads):
        new = w.copy()
        for index in np.ndindex(w.shape):
            new[index] = w[index] - lr * factor * (float(g[index]) / scale)
        result.append(new)
    good = good + 1
    if good == interval:
        scale = scale * 2
        good = 0
    return result, scale, good


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
