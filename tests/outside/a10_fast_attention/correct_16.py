"""Attention in tiles, from pages, in chunks and by guessing ahead.

The running softmax is a class of its own here; both the forward functions use it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np


class RunningSoftmax:
    """Maximum, sum and weighted values of some rows, of all scores that have come so far."""

    def __init__(self, rows: int, features: int, lead: tuple[int, ...] = ()) -> None:
        self.maximum = np.full((*lead, rows), -np.inf)
        self.total = np.zeros((*lead, rows))
        self.values = np.zeros((*lead, rows, features))

    def add(self, scores: np.ndarray, values: np.ndarray, first_row: int = 0) -> None:
        """Take scores (..., rows, n) and values (..., n, features) in, for the rows from first_row on."""
        rows = np.s_[..., first_row:]
        old = self.maximum[rows]
        new = np.maximum(old, scores.max(axis=-1))
        origin = np.where(np.isfinite(new), new, 0.0)  # where all is hidden so far, any origin will do
        shrink = np.exp(old - origin)
        powers = np.exp(scores - origin[..., None])
        self.total[rows] = self.total[rows] * shrink + powers.sum(axis=-1)
        self.values[..., first_row:, :] = self.values[..., first_row:, :] * shrink[..., None] + powers @ values
        self.maximum[rows] = new

    def mean(self) -> np.ndarray:
        return self.values / self.total[..., None]

    def logsumexp(self) -> np.ndarray:
        return self.maximum + np.log(self.total)


class Tile:
    """Some keys in a row, and the queries that read any of them."""

    def __init__(self, start: int, stop: int, T_q: int, T_k: int, causal: bool) -> None:
        self.start, self.stop = start, stop
        before = T_k - T_q  # the place of query 0
        self.first_query = max(0, start - before) if causal else 0
        queries = np.arange(self.first_query, T_q) + before
        self.hidden = np.arange(start, stop)[None, :] > queries[:, None] if causal else None

    def keys(self, x: np.ndarray) -> np.ndarray:
        return x[..., self.start : self.stop, :]

    def queries(self, x: np.ndarray) -> np.ndarray:
        return x[..., self.first_query :, :]

    def scores(self, q: np.ndarray, k: np.ndarray) -> np.ndarray:
        scores = self.queries(q) @ np.swapaxes(self.keys(k), -1, -2) / math.sqrt(q.shape[-1])
        if self.hidden is not None:
            scores[..., self.hidden] = -np.inf
        return scores


def tiles(T_q: int, T_k: int, block: int, causal: bool) -> Iterator[Tile]:
    for start in range(0, T_k, block):
        yield Tile(start, min(start + block, T_k), T_q, T_k, causal)


def online_softmax(blocks):
    state = None
    for scores, values in blocks:
        if state is None:
            state = RunningSoftmax(1, values.shape[-1])
        state.add(np.asarray(scores, dtype=float)[None, :], np.asarray(values, dtype=float))
    return float(state.maximum[0]), float(state.total[0]), state.mean()[0]


def tiled_attention(q, k, v, block, causal=False):
    T_q, T_k = q.shape[-2], k.shape[-2]
    state = RunningSoftmax(T_q, v.shape[-1], q.shape[:-2])
    for tile in tiles(T_q, T_k, block, causal):
        state.add(tile.scores(q, k), tile.keys(v), tile.first_query)
    return state.mean(), state.logsumexp()


def tiled_backward(dout, q, k, v, output, logsumexp, block, causal=False):
    row_sums = (dout * output).sum(axis=-1, keepdims=True)
    L = logsumexp[..., None]
    dq = np.zeros_like(q)
    dk = np.zeros_like(k)
    dv = np.zeros_like(v)
    root = math.sqrt(q.shape[-1])
    for tile in tiles(q.shape[-2], k.shape[-2], block, causal):
        weights = np.exp(tile.scores(q, k) - tile.queries(L))
        d_weights = tile.queries(dout) @ np.swapaxes(tile.keys(v), -1, -2)
        d_dots = weights * (d_weights - tile.queries(row_sums)) / root
        tile.queries(dq)[...] += d_dots @ tile.keys(k)
        tile.keys(dk)[...] = np.swapaxes(d_dots, -1, -2) @ tile.queries(q)
        tile.keys(dv)[...] = np.swapaxes(weights, -1, -2) @ tile.queries(dout)
    return dq, dk, dv


def pages_for(length: int, page: int) -> int:
    return (length + page - 1) // page


def cache_bytes(lengths, layers, kv_heads, d_head, bytes_each=2, page=1):
    key_and_value = 2 * d_head * bytes_each
    one_page = page * layers * kv_heads * key_and_value
    return sum(pages_for(length, page) for length in lengths) * one_page


def arithmetic_intensity(T_q, T_k, d, bytes_each=2, fused=False):
    def product(rows: int, columns: int, inner: int) -> int:
        return 2 * rows * columns * inner

    operations = product(T_q, T_k, d) + product(T_q, d, T_k)
    moved = {"q": T_q * d, "k": T_k * d, "v": T_k * d, "output": T_q * d}
    if not fused:
        for name in ("scores", "weights"):
            moved[name] = 2 * T_q * T_k
    return operations / (bytes_each * sum(moved.values()))


def roofline(intensity, peak, bandwidth):
    intensity = np.asarray(intensity, dtype=float)
    ridge = peak / bandwidth
    return np.where(intensity < ridge, intensity * bandwidth, peak)


def paged_gather(pages, tables, lengths):
    size = pages.shape[1]
    result = np.zeros((len(tables), int(np.max(lengths))) + pages.shape[2:], dtype=pages.dtype)
    for text, table, length in zip(result, tables, lengths):
        for number in range(pages_for(int(length), size)):
            begin = number * size
            end = min(begin + size, int(length))
            text[begin:end] = pages[table[number], : end - begin]
    return result


class KeyValueCache:
    """Keys and values of what was read; the arrays it began with stay as they are."""

    def __init__(self, keys: np.ndarray, values: np.ndarray) -> None:
        self.keys, self.values = keys, values

    def append(self, keys: np.ndarray, values: np.ndarray) -> None:
        self.keys = np.concatenate([self.keys, keys], axis=-2)
        self.values = np.concatenate([self.values, values], axis=-2)


def chunked_prefill(x, cache, W_q, W_k, W_v, chunk):
    store = KeyValueCache(*cache)
    outputs = []
    for start in range(0, x.shape[-2], chunk):
        piece = x[..., start : start + chunk, :]
        store.append(piece @ W_k, piece @ W_v)
        q = piece @ W_q
        # the queries are the last positions, which is what causal means in tiled_attention
        output, _ = tiled_attention(q, store.keys, store.values, 64, causal=True)
        outputs.append(output)
    return np.concatenate(outputs, axis=-2), store.keys, store.values


def draw_token(weights: np.ndarray, number: float) -> int:
    """Draw from weights that need not sum to 1."""
    running = np.cumsum(weights)
    above = np.flatnonzero(running > number * running[-1])
    return int(above[0])


def accept(draft, p, q, u):
    p = np.asarray(p, dtype=np.float64)
    # behind the draft the small model proposes nothing: with zeros there, what p has beyond q is all of p
    q = np.vstack([np.asarray(q, dtype=np.float64).reshape(-1, p.shape[1]), np.zeros(p.shape[1])])
    tokens = []
    for place, token in enumerate(draft):
        if u[place] * q[place, token] >= p[place, token]:
            break
        tokens.append(int(token))
    place = len(tokens)
    tokens.append(draw_token(np.clip(p[place] - q[place], 0.0, None), float(u[-1])))
    return tokens


def overflowed(grads) -> bool:
    return any(not np.isfinite(g).all() for g in grads)


def unscale(grads, scale):
    return [g.astype(np.float64) / scale for g in grads]


def clip(grads, max_norm):
    norm = math.sqrt(sum(float(np.sum(g * g)) for g in grads))
    if norm <= max_norm:
        return grads
    return [g * (max_norm / norm) for g in grads]


def loss_scaled_step(weights, grads, scale, lr, max_norm, good=0, interval=2000):
    if overflowed(grads):
        return [w.copy() for w in weights], scale / 2, 0
    grads = clip(unscale(grads, scale), max_norm)
    stepped = [w - lr * g for w, g in zip(weights, grads)]
    good += 1
    if good == interval:
        scale, good = scale * 2, 0
    return stepped, scale, good


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
