"""Attention that gives the same numbers faster: in tiles, from pages, in chunks, by guessing ahead; in numpy.

Shapes: time is the axis before last, features are last, and any number of axes may stand in front.

    T_q, T_k      positions of the queries and of the keys (a key and its value share a position)
    d_k, d_v      features of a query or key, and of a value
    block         how many keys one tile holds; the last tile may hold fewer

Causal attention lets each query read itself and what came before. The queries are the LAST T_q of the T_k positions, so the
last query reads every key.

No function here changes the arrays it is given. Each may call any other of this file, also one further down.
"""

import math

import numpy as np


QUERY_TILE = 1024  # how many queries I work on at a time


def online_softmax(blocks: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, float, np.ndarray]:
    """One score after the other; a block is only a way of arriving."""
    biggest = -math.inf
    total = 0.0
    weighted = np.zeros(blocks[0][1].shape[1])
    for scores, values in blocks:
        for score, value in zip(scores, values):
            score = float(score)
            if score == -math.inf:
                continue  # hidden, counts for nothing
            if score > biggest:
                # everything so far was measured from the old maximum
                shrink = math.exp(biggest - score)
                total = total * shrink
                weighted = weighted * shrink
                biggest = score
            e = math.exp(score - biggest)
            total = total + e
            weighted = weighted + e * np.asarray(value, dtype=float)
    return biggest, total, weighted / total


def flat_heads(x: np.ndarray) -> np.ndarray:
    """(..., T, d) to (heads, T, d): all leading axes in one."""
    return x.reshape((-1,) + x.shape[-2:])


def hidden_keys(first_query: int, n_queries: int, first_key: int, n_keys: int, shift: int) -> np.ndarray:
    """True where a key lies behind the place of the query; shift = T_k - T_q."""
    places = shift + first_query + np.arange(n_queries)
    keys = first_key + np.arange(n_keys)
    return keys[None, :] > places[:, None]


def attend_one_head(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, block: int, causal: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Tiled attention for q (T_q, d_k), k (T_k, d_k), v (T_k, d_v)."""
    T_q, d_k = q.shape
    T_k, d_v = v.shape
    maximum = np.full(T_q, -np.inf, dtype=q.dtype)
    total = np.zeros(T_q, dtype=q.dtype)
    weighted = np.zeros((T_q, d_v), dtype=q.dtype)
    for first_key in range(0, T_k, block):
        keys = k[first_key : first_key + block]
        values = v[first_key : first_key + block]
        for first_query in range(0, T_q, QUERY_TILE):
            rows = slice(first_query, min(first_query + QUERY_TILE, T_q))
            n_rows = rows.stop - rows.start
            scores = np.dot(q[rows], keys.T) / math.sqrt(d_k)
            if causal:
                hide = hidden_keys(first_query, n_rows, first_key, len(keys), T_k - T_q)
                scores[hide] = -np.inf
            old_maximum = maximum[rows]
            new_maximum = np.maximum(old_maximum, scores.max(axis=1))
            shrink = np.exp(old_maximum - new_maximum)
            exponentials = np.exp(scores - new_maximum[:, None])
            total[rows] = total[rows] * shrink + exponentials.sum(axis=1)
            weighted[rows] = weighted[rows] * shrink[:, None] + np.dot(exponentials, values)
            maximum[rows] = new_maximum
    output = weighted / total[:, None]
    logsumexp = maximum + np.log(total)
    return output, logsumexp


def tiled_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, block: int, causal: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Head by head, tile by tile."""
    outputs = []
    sums = []
    for q_head, k_head, v_head in zip(flat_heads(q), flat_heads(k), flat_heads(v)):
        output, logsumexp = attend_one_head(q_head, k_head, v_head, block, causal)
        outputs.append(output)
        sums.append(logsumexp)
    leading = q.shape[:-2]
    output = np.stack(outputs).reshape(leading + (q.shape[-2], v.shape[-1]))
    logsumexp = np.stack(sums).reshape(leading + (q.shape[-2],))
    return output, logsumexp


def backward_one_head(
    dout: np.ndarray,
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    output: np.ndarray,
    logsumexp: np.ndarray,
    block: int,
    causal: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The gradients of one head, all arrays with two axes."""
    T_q, d_k = q.shape
    T_k = k.shape[0]
    root = math.sqrt(d_k)
    row_sums = np.sum(dout * output, axis=1)
    dq = np.zeros_like(q)
    dk = np.zeros_like(k)
    dv = np.zeros_like(v)
    for first_key in range(0, T_k, block):
        cols = slice(first_key, min(first_key + block, T_k))
        keys = k[cols]
        values = v[cols]
        for first_query in range(0, T_q, QUERY_TILE):
            rows = slice(first_query, min(first_query + QUERY_TILE, T_q))
            n_rows = rows.stop - rows.start
            scores = np.dot(q[rows], keys.T) / root
            weights = np.exp(scores - logsumexp[rows][:, None])
            if causal:
                hide = hidden_keys(first_query, n_rows, first_key, len(keys), T_k - T_q)
                weights[hide] = 0.0
            dweights = np.dot(dout[rows], values.T)
            dscores = weights * (dweights - row_sums[rows][:, None])
            dv[cols] += np.dot(weights.T, dout[rows])
            dq[rows] += np.dot(dscores, keys) / root
            dk[cols] += np.dot(dscores.T, q[rows]) / root
    return dq, dk, dv


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
    """Head by head again."""
    heads = flat_heads(q).shape[0]
    sums = logsumexp.reshape(heads, q.shape[-2])
    all_dq, all_dk, all_dv = [], [], []
    for head in range(heads):
        dq, dk, dv = backward_one_head(
            flat_heads(dout)[head],
            flat_heads(q)[head],
            flat_heads(k)[head],
            flat_heads(v)[head],
            flat_heads(output)[head],
            sums[head],
            block,
            causal,
        )
        all_dq.append(dq)
        all_dk.append(dk)
        all_dv.append(dv)
    return (
        np.stack(all_dq).reshape(q.shape),
        np.stack(all_dk).reshape(k.shape),
        np.stack(all_dv).reshape(v.shape),
    )


def pages_for(length: int, page: int) -> int:
    """How many whole pages one sequence takes."""
    full = length // page
    if length % page > 0:
        full += 1
    return full


def cache_bytes(lengths: list[int], layers: int, kv_heads: int, d_head: int, bytes_each: int = 2, page: int = 1) -> int:
    """Add up the rooms of all sequences."""
    key_and_value = 2
    per_token = key_and_value * layers * kv_heads * d_head * bytes_each
    total = 0
    for length in lengths:
        room = pages_for(int(length), page) * page
        total += room * per_token
    return total


def arithmetic_intensity(T_q: int, T_k: int, d: int, bytes_each: int = 2, fused: bool = False) -> float:
    """Operations divided by bytes."""
    # q k^T: one dot product of d features for each pair; weights v: as many again
    operations = 2 * T_q * T_k * d
    operations += 2 * T_q * T_k * d

    moved = T_q * d  # q
    moved += T_k * d  # k
    moved += T_k * d  # v
    moved += T_q * d  # output
    if not fused:
        moved += 2 * T_q * T_k  # scores, written and read
        moved += 2 * T_q * T_k  # weights, written and read
    return operations / (moved * bytes_each)


def roofline(intensity: np.ndarray, peak: float, bandwidth: float) -> np.ndarray:
    """A slope, then a flat roof."""
    intensity = np.asarray(intensity, dtype=float)
    fed_by_memory = intensity * bandwidth
    return np.where(fed_by_memory < peak, fed_by_memory, peak)


def paged_gather(pages: np.ndarray, tables: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Token by token."""
    page = pages.shape[1]
    batch = len(lengths)
    longest = int(max(lengths))
    tokens = np.zeros((batch, longest) + pages.shape[2:], dtype=pages.dtype)
    for b in range(batch):
        for t in range(int(lengths[b])):
            number = tables[b, t // page]
            place = t % page
            tokens[b, t] = pages[number, place]
    return tokens


def chunked_prefill(
    x: np.ndarray,
    cache: tuple[np.ndarray, np.ndarray],
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    chunk: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Chunk by chunk, each with plain attention to everything in the cache."""
    all_keys, all_values = cache
    T = x.shape[-2]
    d_k = W_k.shape[1]
    outputs = []
    start = 0
    while start < T:
        stop = min(start + chunk, T)
        piece = x[..., start:stop, :]
        queries = np.matmul(piece, W_q)
        keys = np.matmul(piece, W_k)
        values = np.matmul(piece, W_v)
        n_old = all_keys.shape[-2]
        all_keys = np.concatenate([all_keys, keys], axis=-2)
        all_values = np.concatenate([all_values, values], axis=-2)

        scores = np.matmul(queries, np.swapaxes(all_keys, -1, -2)) / math.sqrt(d_k)
        for i in range(stop - start):
            scores[..., i, n_old + i + 1 :] = -np.inf
        scores = scores - scores.max(axis=-1, keepdims=True)
        weights = np.exp(scores)
        weights = weights / weights.sum(axis=-1, keepdims=True)
        outputs.append(np.matmul(weights, all_values))
        start = stop
    return np.concatenate(outputs, axis=-2), all_keys, all_values


def draw(probabilities: np.ndarray, u: float) -> int:
    """The smallest id whose running sum exceeds u."""
    running = 0.0
    for token in range(len(probabilities)):
        running += float(probabilities[token])
        if running > u:
            return token
    return len(probabilities) - 1


def accept(draft: np.ndarray, p: np.ndarray, q: np.ndarray, u: np.ndarray) -> list[int]:
    """Go through the draft until a token has to go."""
    tokens = []
    n = len(draft)
    for i in range(n):
        token = int(draft[i])
        ratio = p[i, token] / q[i, token]
        if u[i] < ratio:
            tokens.append(token)
        else:
            residual = np.maximum(p[i] - q[i], 0.0)
            residual = residual / residual.sum()
            tokens.append(draw(residual, u[-1]))
            return tokens
    # all of them stay: one more from the target
    tokens.append(draw(p[n], u[-1]))
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
    """Unscale, look for overflow, clip, step."""
    overflow = False
    for g in grads:
        if not np.all(np.isfinite(g)):
            overflow = True
    if overflow:
        unchanged = [np.array(w) for w in weights]
        return unchanged, scale / 2, 0

    true_grads = []
    for g in grads:
        wide = g.astype(np.float64)
        true_grads.append(wide / scale)

    squares = 0.0
    for g in true_grads:
        squares += float(np.sum(g**2))
    norm = math.sqrt(squares)
    if norm > max_norm:
        true_grads = [g * (max_norm / norm) for g in true_grads]

    new_weights = []
    for w, g in zip(weights, true_grads):
        stepped = w - lr * g
        new_weights.append(stepped.astype(w.dtype))

    good = good + 1
    if good >= interval:
        scale = scale * 2
        good = 0
    return new_weights, scale, good


def quiz() -> dict[str, str]:
    """My answers."""
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
