"""Attention in pieces: each piece gives (output, logsumexp), and two pieces are merged by their logsumexps."""

from functools import reduce

import numpy as np

Piece = tuple[np.ndarray, np.ndarray]


def attend(scores: np.ndarray, values: np.ndarray) -> Piece:
    """Ordinary attention over one piece; a row that reads nothing has the output 0 and the logsumexp -inf."""
    top = scores.max(axis=-1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    e = np.exp(scores - top)
    total = e.sum(axis=-1, keepdims=True)
    empty = total == 0
    output = (e @ values) / np.where(empty, 1, total)
    lse = np.where(empty, -np.inf, top + np.log(np.where(empty, 1, total)))
    return output, lse[..., 0]


def merge(one: Piece, two: Piece) -> Piece:
    lse = np.logaddexp(one[1], two[1])
    base = np.where(np.isneginf(lse), 0, lse)
    share = [np.exp(piece[1] - base)[..., None] for piece in (one, two)]
    return share[0] * one[0] + share[1] * two[0], lse


def tile_scores(q: np.ndarray, k: np.ndarray, start: int, stop: int, causal: bool) -> np.ndarray:
    T_q, T_k = q.shape[-2], k.shape[-2]
    scores = np.einsum("...id,...jd->...ij", q, k[..., start:stop, :]) / np.sqrt(q.shape[-1])
    if causal:
        # np.tri: ones where j <= i + shift
        may = np.tri(T_q, stop - start, T_k - T_q - start, dtype=bool)
        scores = np.where(may, scores, -np.inf)
    return scores


def online_softmax(blocks: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, float, np.ndarray]:
    pieces = [attend(np.asarray(scores, dtype=np.float64)[None, :], values) for scores, values in blocks]
    y, lse = reduce(merge, pieces)
    m = max(float(np.max(scores)) for scores, _ in blocks)
    return m, float(np.exp(lse[0] - m)), y[0]


def tiled_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, block: int, causal: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    T_k = k.shape[-2]
    so_far = None
    for start in range(0, T_k, block):
        stop = min(start + block, T_k)
        piece = attend(tile_scores(q, k, start, stop, causal), v[..., start:stop, :])
        so_far = piece if so_far is None else merge(so_far, piece)
    return so_far


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
    T_k = k.shape[-2]
    row_sums = np.einsum("...id,...id->...i", dout, output)
    dq, dks, dvs = 0, [], []
    for start in range(0, T_k, block):
        stop = min(start + block, T_k)
        weights = np.exp(tile_scores(q, k, start, stop, causal) - logsumexp[..., np.newaxis])
        dvs.append(np.einsum("...ij,...id->...jd", weights, dout))
        dweights = np.einsum("...id,...jd->...ij", dout, v[..., start:stop, :])
        ddot = weights * (dweights - row_sums[..., np.newaxis]) / np.sqrt(q.shape[-1])
        dq = dq + np.einsum("...ij,...jd->...id", ddot, k[..., start:stop, :])
        dks.append(np.einsum("...ij,...id->...jd", ddot, q))
    return dq, np.concatenate(dks, axis=-2), np.concatenate(dvs, axis=-2)


def cache_bytes(lengths: list[int], layers: int, kv_heads: int, d_head: int, bytes_each: int = 2, page: int = 1) -> int:
    tokens = 0
    for length in lengths:
        full, rest = divmod(length, page)
        tokens += (full + (rest > 0)) * page
    return int(2 * layers * kv_heads * d_head * bytes_each * tokens)


def arithmetic_intensity(T_q: int, T_k: int, d: int, bytes_each: int = 2, fused: bool = False) -> float:
    numbers = 2 * d * (T_q + T_k) + (0 if fused else 4 * T_q * T_k)
    return 4 * T_q * T_k * d / (bytes_each * numbers)


def roofline(intensity: np.ndarray, peak: float, bandwidth: float) -> np.ndarray:
    # seconds for one operation: the slower of both decides
    intensity = np.asarray(intensity, dtype=np.float64)
    with np.errstate(divide="ignore"):
        seconds = np.maximum(1 / peak, 1 / (intensity * bandwidth))
    return 1 / seconds


def paged_gather(pages: np.ndarray, tables: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    n_pages, page = pages.shape[:2]
    flat = pages.reshape(n_pages * page, *pages.shape[2:])
    tokens = np.zeros((len(lengths), max(lengths), *pages.shape[2:]), pages.dtype)
    for row, (table, length) in enumerate(zip(tables, lengths)):
        t = np.arange(length)
        tokens[row, :length] = flat[table[t // page] * page + t % page]
    return tokens


def chunked_prefill(
    x: np.ndarray,
    cache: tuple[np.ndarray, np.ndarray],
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    chunk: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    def read(cache, tokens):
        K = np.concatenate([cache[0], tokens @ W_k], axis=-2)
        V = np.concatenate([cache[1], tokens @ W_v], axis=-2)
        output, _ = attend(tile_scores(tokens @ W_q, K, 0, K.shape[-2], True), V)
        return output, (K, V)

    outputs = []
    for tokens in np.split(x, range(chunk, x.shape[-2], chunk), axis=-2):
        output, cache = read(cache, tokens)
        outputs.append(output)
    return np.concatenate(outputs, axis=-2), *cache


def accept(draft: np.ndarray, p: np.ndarray, q: np.ndarray, u: np.ndarray) -> list[int]:
    *judges, die = u
    tokens: list[int] = []
    wanted = p[-1]
    for token, target, guess, number in zip(draft, p, q, judges):
        if number >= target[token] / guess[token]:
            lacking = np.clip(target - guess, 0, None)
            wanted = lacking / lacking.sum()
            break
        tokens.append(int(token))
    exceeds = np.cumsum(wanted) > die
    last = int(exceeds.argmax()) if exceeds.any() else int(np.argmax(wanted))
    return tokens + [last]


def loss_scaled_step(
    weights: list[np.ndarray],
    grads: list[np.ndarray],
    scale: float,
    lr: float,
    max_norm: float,
    good: int = 0,
    interval: int = 2000,
) -> tuple[list[np.ndarray], float, int]:
    flat = np.concatenate([g.ravel() for g in grads]).astype(np.float64) / scale
    if not np.isfinite(flat).all():
        return [w.copy() for w in weights], scale / 2, 0
    norm = np.linalg.norm(flat)
    if norm > max_norm:
        flat *= max_norm / norm
    new, at = [], 0
    for w in weights:
        g = flat[at : at + w.size].reshape(w.shape)
        at += w.size
        new.append((w - lr * g).astype(w.dtype))
    completed = good + 1 >= interval
    return new, scale * (2 if completed else 1), 0 if completed else good + 1


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
