"""Attention that gives the same numbers faster: in tiles, from pages, in chunks, by guessing ahead; in numpy.

Shapes: time is the axis before last, features are last, and any number of axes may stand in front.

    T_q, T_k      positions of the queries and of the keys (a key and its value share a position)
    d_k, d_v      features of a query or key, and of a value
    block         how many keys one tile holds; the last tile may hold fewer

Causal attention lets each query read itself and what came before. The queries are the LAST T_q of the T_k positions, so the
last query reads every key.

No function here changes the arrays it is given. Each may call any other of this file, also one further down.
"""

from math import ceil, exp, inf, sqrt
import numpy as np


def online_softmax(blocks: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, float, np.ndarray]:
    """Take the softmax of one query's scores, and the mean of the values under it, while the keys arrive in blocks."""
    m: float = -inf
    l: float = 0.0
    total: np.ndarray | None = None
    for scores, values in blocks:
        for j in range(len(scores)):
            s = float(scores[j])
            value = np.asarray(values[j], dtype=float)
            if total is None:
                total = np.zeros_like(value)
            if s == -inf:
                continue                      # must not be read
            if s > m:
                rescale = exp(m - s)
                l = l * rescale
                total = total * rescale
                m = s
            e = exp(s - m)
            l = l + e
            total = total + e * value
    y = total / l
    return m, l, y


def tiled_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, block: int, causal: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Compute softmax(q k^T / sqrt(d_k)) v without ever holding a matrix of T_q by T_k."""
    # one query after another: only one row of scores is there at a time
    T_q: int = q.shape[-2]
    T_k: int = k.shape[-2]
    root: float = sqrt(q.shape[-1])
    output = np.zeros(q.shape[:-1] + (v.shape[-1],), dtype=v.dtype)
    logsumexp = np.zeros(q.shape[:-1], dtype=q.dtype)
    for where in np.ndindex(*q.shape[:-2]):
        keys = k[where]
        values = v[where]
        for i in range(T_q):
            seen = T_k - T_q + i + 1 if causal else T_k
            scores = keys[:seen] @ q[where][i] / root
            m = scores.max()
            e = np.exp(scores - m)
            l = e.sum()
            output[where + (i,)] = e @ values[:seen] / l
            logsumexp[where + (i,)] = m + np.log(l)
    return output, logsumexp


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
    """Send a gradient back through `tiled_attention`: compute each tile of weights again instead of storing it."""
    T_q: int = q.shape[-2]
    T_k: int = k.shape[-2]
    root: float = sqrt(q.shape[-1])
    dq = np.zeros(q.shape, dtype=q.dtype)
    dk = np.zeros(k.shape, dtype=k.dtype)
    dv = np.zeros(v.shape, dtype=v.dtype)
    for where in np.ndindex(*q.shape[:-2]):
        for i in range(T_q):
            seen = T_k - T_q + i + 1 if causal else T_k
            query = q[where][i]
            keys = k[where][:seen]
            values = v[where][:seen]
            gradient = dout[where][i]
            scores = keys @ query / root
            weights = np.exp(scores - logsumexp[where][i])
            D = np.dot(gradient, output[where][i])
            d_weights = values @ gradient
            d_scores = weights * (d_weights - D)
            d_dots = d_scores / root
            dq[where][i] = d_dots @ keys
            dk[where][:seen] += np.outer(d_dots, query)
            dv[where][:seen] += np.outer(weights, gradient)
    return dq, dk, dv


def cache_bytes(lengths: list[int], layers: int, kv_heads: int, d_head: int, bytes_each: int = 2, page: int = 1) -> int:
    """Count the bytes of memory that the key-value cache of some sequences takes."""
    keys_and_values = 2
    bytes_per_token = keys_and_values * layers * kv_heads * d_head * bytes_each
    total = 0
    for length in lengths:
        pages_needed = ceil(length / page)
        total += pages_needed * page * bytes_per_token
    return total


def arithmetic_intensity(T_q: int, T_k: int, d: int, bytes_each: int = 2, fused: bool = False) -> float:
    """Count how many floating-point operations one head of attention does for each byte that it moves."""
    operations_scores = 2 * T_q * T_k * d
    operations_values = 2 * T_q * T_k * d
    operations = operations_scores + operations_values

    moved = 0
    moved += T_q * d       # q is read
    moved += T_k * d       # k is read
    moved += T_k * d       # v is read
    moved += T_q * d       # the output is written
    if not fused:
        moved += T_q * T_k     # scores are written
        moved += T_q * T_k     # and read
        moved += T_q * T_k     # weights are written
        moved += T_q * T_k     # and read
    return operations / (moved * bytes_each)


def roofline(intensity: np.ndarray, peak: float, bandwidth: float) -> np.ndarray:
    """Return how many operations a second a processor can reach at an intensity."""
    intensity = np.asarray(intensity, dtype=float)
    ridge = peak / bandwidth
    memory_bound = intensity < ridge
    return np.where(memory_bound, intensity * bandwidth, peak)


def paged_gather(pages: np.ndarray, tables: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Read the cached vectors of some sequences, in order, from the pages over which they are spread."""
    page: int = pages.shape[1]
    batch: int = len(lengths)
    longest: int = int(max(lengths))
    tokens = np.zeros((batch, longest) + pages.shape[2:], dtype=pages.dtype)
    for b in range(batch):
        for t in range(int(lengths[b])):
            number = tables[b, t // page]
            tokens[b, t] = pages[number, t % page]
    return tokens


def chunked_prefill(
    x: np.ndarray,
    cache: tuple[np.ndarray, np.ndarray],
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    chunk: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Read a long prompt in chunks, behind what is in the cache already: causal self-attention, as in one pass."""
    T: int = x.shape[-2]
    P: int = cache[0].shape[-2]
    d_k: int = W_k.shape[1]
    lead = x.shape[:-2]
    K = np.zeros(lead + (P + T, d_k))
    V = np.zeros(lead + (P + T, W_v.shape[1]))
    K[..., :P, :] = cache[0]
    V[..., :P, :] = cache[1]
    output = np.zeros(lead + (T, W_v.shape[1]))

    start = 0
    while start < T:
        end = min(start + chunk, T)
        part = x[..., start:end, :]
        queries = part @ W_q
        K[..., P + start : P + end, :] = part @ W_k
        V[..., P + start : P + end, :] = part @ W_v
        for i in range(end - start):
            seen = P + start + i + 1
            scores = (K[..., :seen, :] * queries[..., i : i + 1, :]).sum(axis=-1) / sqrt(d_k)
            scores = scores - scores.max(axis=-1, keepdims=True)
            weights = np.exp(scores)
            weights = weights / weights.sum(axis=-1, keepdims=True)
            output[..., start + i, :] = (weights[..., None] * V[..., :seen, :]).sum(axis=-2)
        start = end
    return output, K, V


def accept(draft: np.ndarray, p: np.ndarray, q: np.ndarray, u: np.ndarray) -> list[int]:
    """Decide which tokens of a draft stay, and write one more: the rule of speculative decoding."""
    n: int = len(draft)
    tokens: list[int] = []
    probabilities = p[n]
    for i in range(n):
        t = int(draft[i])
        if u[i] < p[i, t] / q[i, t]:
            tokens.append(t)
        else:
            lacking = []
            for token in range(p.shape[1]):
                lacking.append(max(0.0, float(p[i, token] - q[i, token])))
            probabilities = [x / sum(lacking) for x in lacking]
            break

    number = u[n]
    running = 0.0
    drawn = 0
    for token, probability in enumerate(probabilities):
        running += float(probability)
        drawn = token
        if running > number:
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
    """Take one step of gradient descent with gradients in half precision, whose loss was multiplied by a scale."""
    # 1. look for overflow
    for g in grads:
        if np.any(np.isinf(g)) or np.any(np.isnan(g)):
            return [np.array(w) for w in weights], 0.5 * scale, 0

    # 2. unscale, in single precision
    unscaled = []
    for g in grads:
        unscaled.append(g.astype(np.float32) / np.float32(scale))

    # 3. one norm for all of them
    total = 0.0
    for g in unscaled:
        total += float(np.sum(g.astype(np.float64) ** 2))
    norm = sqrt(total)
    shrink = 1.0
    if norm > max_norm:
        shrink = max_norm / norm

    # 4. step
    new_weights = []
    for w, g in zip(weights, unscaled):
        new_weights.append(w - (lr * shrink * g).astype(w.dtype))
    new_good = good + 1
    new_scale = scale
    if new_good >= interval:
        new_good = 0
        new_scale = 2 * scale
    return new_weights, new_scale, new_good


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option."""
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
