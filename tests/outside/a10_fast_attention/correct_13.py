"""Fast attention, built from small parts: a running softmax, tiles, a cache, and a loss scale."""

import math

import numpy as np


class RunningSoftmax:
    """Keeps maximum, denominator and weighted sum of each row; the keys are on the last axis of the scores."""

    def __init__(self, rows: tuple[int, ...], d_v: int, dtype: np.dtype):
        self.maximum = np.full(rows, -np.inf, dtype=dtype)
        self.denominator = np.zeros(rows, dtype=dtype)
        self.total = np.zeros((*rows, d_v), dtype=dtype)

    def add(self, scores: np.ndarray, values: np.ndarray) -> None:
        maximum = np.maximum(self.maximum, scores.max(axis=-1))
        # a row that has read nothing yet is measured from 0, so that nothing becomes NaN
        anchor = np.where(np.isneginf(maximum), 0, maximum).astype(maximum.dtype)
        rescale = np.exp(self.maximum - anchor)
        weights = np.exp(scores - anchor[..., None])
        self.denominator = self.denominator * rescale + weights.sum(axis=-1)
        self.total = self.total * rescale[..., None] + weights @ values
        self.maximum = maximum

    def mean(self) -> np.ndarray:
        return self.total / self.denominator[..., None]

    def logsumexp(self) -> np.ndarray:
        return self.maximum + np.log(self.denominator)


def transpose(x: np.ndarray) -> np.ndarray:
    return np.swapaxes(x, -1, -2)


def tiles(length: int, block: int) -> list[slice]:
    return [slice(start, min(start + block, length)) for start in range(0, length, block)]


def tile_scores(q: np.ndarray, k: np.ndarray, tile: slice, causal: bool) -> np.ndarray:
    T_q, T_k, d_k = q.shape[-2], k.shape[-2], q.shape[-1]
    scores = q @ transpose(k[..., tile, :]) / math.sqrt(d_k)
    if causal:
        key_places = np.arange(tile.start, tile.stop)
        query_places = np.arange(T_q) + (T_k - T_q)
        hidden = key_places[None, :] > query_places[:, None]
        scores = np.where(hidden, -np.inf, scores).astype(scores.dtype)
    return scores


def online_softmax(blocks: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, float, np.ndarray]:
    state = RunningSoftmax((), blocks[0][1].shape[-1], np.dtype(np.float64))
    for scores, values in blocks:
        state.add(scores, values)
    return float(state.maximum), float(state.denominator), state.mean()


def tiled_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, block: int, causal: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    state = RunningSoftmax(q.shape[:-1], v.shape[-1], q.dtype)
    for tile in tiles(k.shape[-2], block):
        state.add(tile_scores(q, k, tile, causal), v[..., tile, :])
    return state.mean(), state.logsumexp()


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
    root = math.sqrt(q.shape[-1])
    row_sums = (dout * output).sum(axis=-1)[..., None]
    dq = np.zeros_like(q)
    dk_parts, dv_parts = [], []
    for tile in tiles(k.shape[-2], block):
        weights = np.exp(tile_scores(q, k, tile, causal) - logsumexp[..., None])
        dweights = dout @ transpose(v[..., tile, :])
        dscores = weights * (dweights - row_sums) / root
        dq = dq + dscores @ k[..., tile, :]
        dk_parts.append(transpose(dscores) @ q)
        dv_parts.append(transpose(weights) @ dout)
    return dq, np.concatenate(dk_parts, axis=-2), np.concatenate(dv_parts, axis=-2)


def pages_needed(length: int, page: int) -> int:
    return math.ceil(length / page)


def cache_bytes(lengths: list[int], layers: int, kv_heads: int, d_head: int, bytes_each: int = 2, page: int = 1) -> int:
    slots = sum(pages_needed(length, page) * page for length in lengths)
    key_bytes = layers * kv_heads * d_head * bytes_each
    value_bytes = key_bytes
    return slots * (key_bytes + value_bytes)


def arithmetic_intensity(T_q: int, T_k: int, d: int, bytes_each: int = 2, fused: bool = False) -> float:
    multiply, add = 1, 1
    operations_of_a_product = (multiply + add) * T_q * T_k * d
    moved = {"q": T_q * d, "k": T_k * d, "v": T_k * d, "output": T_q * d}
    if not fused:
        moved["scores"] = 2 * T_q * T_k
        moved["weights"] = 2 * T_q * T_k
    return 2 * operations_of_a_product / (bytes_each * sum(moved.values()))


def roofline(intensity: np.ndarray, peak: float, bandwidth: float) -> np.ndarray:
    intensity = np.asarray(intensity, dtype=float)
    ridge = peak / bandwidth
    return np.where(intensity < ridge, intensity * bandwidth, peak)


def paged_gather(pages: np.ndarray, tables: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    page_size = pages.shape[1]
    result = np.zeros((len(lengths), int(max(lengths)), *pages.shape[2:]), dtype=pages.dtype)
    for row, (table, length) in enumerate(zip(tables, lengths)):
        own = table[: pages_needed(int(length), page_size)]
        together = pages[own].reshape(-1, *pages.shape[2:])
        result[row, :length] = together[:length]
    return result


class Cache:
    """Keys and values that grow at their end."""

    def __init__(self, keys: np.ndarray, values: np.ndarray):
        self.keys, self.values = keys, values

    def append(self, keys: np.ndarray, values: np.ndarray) -> None:
        self.keys = np.concatenate([self.keys, keys], axis=-2)
        self.values = np.concatenate([self.values, values], axis=-2)


def chunked_prefill(
    x: np.ndarray,
    cache: tuple[np.ndarray, np.ndarray],
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    chunk: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    store = Cache(*cache)
    outputs = []
    for piece in tiles(x.shape[-2], chunk):
        tokens = x[..., piece, :]
        store.append(tokens @ W_k, tokens @ W_v)
        output, _ = tiled_attention(tokens @ W_q, store.keys, store.values, block=chunk, causal=True)
        outputs.append(output)
    return np.concatenate(outputs, axis=-2), store.keys, store.values


def draw(probabilities: np.ndarray, u: float) -> int:
    """The smallest id whose running sum exceeds u."""
    exceeds = np.cumsum(probabilities) > u
    return int(np.argmax(exceeds))


def residual(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    lacking = np.clip(p - q, 0, None)
    return lacking / lacking.sum()


def accept(draft: np.ndarray, p: np.ndarray, q: np.ndarray, u: np.ndarray) -> list[int]:
    kept: list[int] = []
    for i, token in enumerate(draft):
        if u[i] * q[i, token] >= p[i, token]:
            return kept + [draw(residual(p[i], q[i]), u[-1])]
        kept.append(int(token))
    return kept + [draw(p[len(draft)], u[-1])]


def global_norm(arrays: list[np.ndarray]) -> float:
    return math.sqrt(sum(float(np.sum(a * a)) for a in arrays))


def clip_to(arrays: list[np.ndarray], max_norm: float) -> list[np.ndarray]:
    norm = global_norm(arrays)
    if norm <= max_norm:
        return arrays
    return [a * (max_norm / norm) for a in arrays]


def loss_scaled_step(
    weights: list[np.ndarray],
    grads: list[np.ndarray],
    scale: float,
    lr: float,
    max_norm: float,
    good: int = 0,
    interval: int = 2000,
) -> tuple[list[np.ndarray], float, int]:
    overflow = any(np.isinf(g).any() or np.isnan(g).any() for g in grads)
    if overflow:
        return [np.array(w) for w in weights], scale * 0.5, 0

    unscaled = [g.astype(np.float32) / np.float32(scale) for g in grads]
    clipped = clip_to(unscaled, max_norm)
    stepped = [w - lr * g for w, g in zip(weights, clipped)]

    good += 1
    if good == interval:
        return stepped, scale * 2.0, 0
    return stepped, scale, good


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
