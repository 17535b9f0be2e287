"""My solution of fast attention. I wrote loops where I could, so I can follow every step."""

import numpy as np


def online_softmax(blocks: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, float, np.ndarray]:
    m = -np.inf
    l = 0.0
    a = np.zeros(blocks[0][1].shape[1])
    for scores, values in blocks:
        biggest = float(np.max(scores))
        new_m = max(m, biggest)
        if new_m == -np.inf:
            # everything is hidden until now
            continue
        factor = np.exp(m - new_m)
        l = l * factor
        a = a * factor
        for j in range(len(scores)):
            e = float(np.exp(scores[j] - new_m))
            l = l + e
            a = a + e * values[j]
        m = new_m
    y = a / l
    return m, l, y


def tiled_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, block: int, causal: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    T_q = q.shape[-2]
    T_k = k.shape[-2]
    d_k = q.shape[-1]
    d_v = v.shape[-1]
    lead = q.shape[:-2]

    m = np.full(lead + (T_q, 1), -np.inf, dtype=q.dtype)
    l = np.zeros(lead + (T_q, 1), dtype=q.dtype)
    a = np.zeros(lead + (T_q, d_v), dtype=q.dtype)

    start = 0
    while start < T_k:
        end = min(start + block, T_k)
        k_tile = k[..., start:end, :]
        v_tile = v[..., start:end, :]
        scores = q @ np.swapaxes(k_tile, -1, -2)
        scores = scores / float(np.sqrt(d_k))
        if causal:
            for i in range(T_q):
                place = T_k - T_q + i
                first_hidden = max(place + 1 - start, 0)
                scores[..., i, first_hidden:] = -np.inf
        new_m = np.maximum(m, np.max(scores, axis=-1, keepdims=True))
        factor = np.exp(m - new_m)
        weights = np.exp(scores - new_m)
        l = l * factor + np.sum(weights, axis=-1, keepdims=True)
        a = a * factor + weights @ v_tile
        m = new_m
        start = start + block

    output = a / l
    logsumexp = m + np.log(l)
    return output, logsumexp[..., 0]


def tiled_backward(
    dout: np.ndarray,
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    output: np.ndarray,
    logsumexp: np.ndarray,
    block: int,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    T_q = q.shape[-2]
    T_k = k.shape[-2]
    root = float(np.sqrt(q.shape[-1]))

    dq = np.zeros(q.shape, dtype=q.dtype)
    dk = np.zeros(k.shape, dtype=k.dtype)
    dv = np.zeros(v.shape, dtype=v.dtype)

    D = np.sum(dout * output, axis=-1, keepdims=True)
    L = logsumexp[..., np.newaxis]

    start = 0
    while start < T_k:
        end = min(start + block, T_k)
        k_tile = k[..., start:end, :]
        v_tile = v[..., start:end, :]
        scores = q @ np.swapaxes(k_tile, -1, -2) / root
        if causal:
            for i in range(T_q):
                for j in range(start, end):
                    if j > T_k - T_q + i:
                        scores[..., i, j - start] = -np.inf
        weights = np.exp(scores - L)
        dweights = dout @ np.swapaxes(v_tile, -1, -2)
        dscores = weights * (dweights - D)
        ddots = dscores / root
        dq += ddots @ k_tile
        dk[..., start:end, :] = np.swapaxes(ddots, -1, -2) @ q
        dv[..., start:end, :] = np.swapaxes(weights, -1, -2) @ dout
        start = start + block

    return dq, dk, dv


def cache_bytes(lengths: list[int], layers: int, kv_heads: int, d_head: int, bytes_each: int = 2, page: int = 1) -> int:
    per_token = 2 * layers * kv_heads * d_head * bytes_each
    total = 0
    for length in lengths:
        n_pages = length // page
        if length % page != 0:
            n_pages = n_pages + 1
        total = total + n_pages * page * per_token
    return total


def arithmetic_intensity(T_q: int, T_k: int, d: int, bytes_each: int = 2, fused: bool = False) -> float:
    operations = 4 * T_q * T_k * d
    numbers = 0
    numbers = numbers + 2 * T_q * d  # q and output
    numbers = numbers + 2 * T_k * d  # k and v
    if not fused:
        numbers = numbers + 2 * T_q * T_k  # scores
        numbers = numbers + 2 * T_q * T_k  # weights
    return operations / (numbers * bytes_each)


def roofline(intensity: np.ndarray, peak: float, bandwidth: float) -> np.ndarray:
    memory_speed = np.asarray(intensity) * bandwidth
    return np.minimum(peak, memory_speed)


def paged_gather(pages: np.ndarray, tables: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    page = pages.shape[1]
    batch = len(lengths)
    longest = int(np.max(lengths))
    shape = (batch, longest) + pages.shape[2:]
    tokens = np.zeros(shape, dtype=pages.dtype)
    for b in range(batch):
        for t in range(int(lengths[b])):
            which = tables[b, t // page]
            tokens[b, t] = pages[which, t % page]
    return tokens


def chunked_prefill(
    x: np.ndarray,
    cache: tuple[np.ndarray, np.ndarray],
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    chunk: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    K, V = cache
    T = x.shape[-2]
    outputs = []
    for start in range(0, T, chunk):
        piece = x[..., start : start + chunk, :]
        q = piece @ W_q
        new_k = piece @ W_k
        new_v = piece @ W_v
        K = np.concatenate([K, new_k], axis=-2)
        V = np.concatenate([V, new_v], axis=-2)
        scores = q @ np.swapaxes(K, -1, -2)
        scores = scores / np.sqrt(q.shape[-1])
        before = K.shape[-2] - q.shape[-2]
        for i in range(q.shape[-2]):
            scores[..., i, before + i + 1 :] = -np.inf
        scores = scores - np.max(scores, axis=-1, keepdims=True)
        weights = np.exp(scores)
        weights = weights / np.sum(weights, axis=-1, keepdims=True)
        outputs.append(weights @ V)
    output = np.concatenate(outputs, axis=-2)
    return output, K, V


def accept(draft: np.ndarray, p: np.ndarray, q: np.ndarray, u: np.ndarray) -> list[int]:
    tokens = []
    n = len(draft)
    probabilities = p[n]
    for i in range(n):
        t = int(draft[i])
        if u[i] < p[i, t] / q[i, t]:
            tokens.append(t)
        else:
            residual = np.maximum(0, p[i] - q[i])
            probabilities = residual / np.sum(residual)
            break

    running = 0.0
    drawn = len(probabilities) - 1
    for token in range(len(probabilities)):
        running = running + probabilities[token]
        if running > u[-1]:
            drawn = token
            break
    tokens.append(drawn)
    return tokens


def loss_scaled_step(
    weights: list[np.ndarray],
    grads: list[np.ndarray],
    scale: float,
    lr: float,
    max_norm: float,
    good: int = 0,
    interval: int = 2000,
) -> tuple[list[np.ndarray], float, int]:
    # 1. unscale in a wider precision
    true_grads = []
    for g in grads:
        true_grads.append(g.astype(np.float64) / scale)

    # 2. overflow?
    for g in true_grads:
        if not np.all(np.isfinite(g)):
            copies = []
            for w in weights:
                copies.append(w.copy())
            return copies, scale / 2, 0

    # 3. clip
    total = 0.0
    for g in true_grads:
        total = total + np.sum(g**2)
    norm = np.sqrt(total)
    shrink = 1.0
    if norm > max_norm:
        shrink = max_norm / norm

    # 4. step
    new_weights = []
    for w, g in zip(weights, true_grads):
        new_weights.append(w - lr * shrink * g)

    good = good + 1
    if good >= interval:
        scale = scale * 2
        good = 0
    return new_weights, scale, good


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
