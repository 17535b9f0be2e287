import numpy as np


class Running:
    """What an online softmax keeps of rows of scores: maximum, sum, and weighted sum of values."""

    def __init__(self, rows, d_v):
        self.m = np.full(rows, -np.inf)
        self.l = np.zeros(rows)
        self.a = np.zeros(rows + (d_v,))

    def add(self, scores, values):
        """scores (..., n), values (..., n, d_v)"""
        m = np.maximum(self.m, scores.max(axis=-1))
        # where nothing can be read yet, measure from 0 (minus infinity minus itself is no number)
        safe = np.where(np.isneginf(m), 0.0, m)
        rescale = np.exp(self.m - safe)
        e = np.exp(scores - safe[..., None])
        self.l = self.l * rescale + e.sum(axis=-1)
        self.a = self.a * rescale[..., None] + e @ values
        self.m = m

    def result(self):
        return self.a / self.l[..., None]


def T(a):
    return np.swapaxes(a, -1, -2)


def tiles(T_k, block):
    return [slice(start, min(start + block, T_k)) for start in range(0, T_k, block)]


def visible(T_q, T_k, tile):
    """True where a query may read a key of this tile."""
    query = T_k - T_q + np.arange(T_q)
    key = np.arange(tile.start, tile.stop)
    return key[None, :] <= query[:, None]


def online_softmax(blocks: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, float, np.ndarray]:
    d_v = blocks[0][1].shape[-1]
    state = Running((1,), d_v)
    for scores, values in blocks:
        state.add(np.asarray(scores, dtype=float)[None, :], values)
    return float(state.m[0]), float(state.l[0]), state.result()[0]


def tiled_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, block: int, causal: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    T_q, T_k = q.shape[-2], k.shape[-2]
    state = Running(q.shape[:-1], v.shape[-1])
    q = q / np.sqrt(q.shape[-1])
    for tile in tiles(T_k, block):
        scores = q @ T(k[..., tile, :])
        if causal:
            scores[..., ~visible(T_q, T_k, tile)] = -np.inf
        state.add(scores, v[..., tile, :])
    return state.result(), state.m + np.log(state.l)


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
    T_q, T_k = q.shape[-2], k.shape[-2]
    q = q / np.sqrt(q.shape[-1])  # scores are the products of these with the keys
    D = np.sum(dout * output, axis=-1)[..., None]
    dq, dk, dv = np.zeros(q.shape), np.zeros(k.shape), np.zeros(v.shape)
    for tile in tiles(T_k, block):
        kt, vt = k[..., tile, :], v[..., tile, :]
        scores = q @ T(kt)
        if causal:
            scores[..., ~visible(T_q, T_k, tile)] = -np.inf
        P = np.exp(scores - logsumexp[..., None])
        dS = P * (dout @ T(vt) - D)
        dv[..., tile, :] = T(P) @ dout
        dk[..., tile, :] = T(dS) @ q
        dq += dS @ kt
    return dq / np.sqrt(q.shape[-1]), dk, dv


def cache_bytes(lengths: list[int], layers: int, kv_heads: int, d_head: int, bytes_each: int = 2, page: int = 1) -> int:
    n_pages = sum(-(-length // page) for length in lengths)
    keys = n_pages * page * layers * kv_heads * d_head
    return 2 * keys * bytes_each


def arithmetic_intensity(T_q: int, T_k: int, d: int, bytes_each: int = 2, fused: bool = False) -> float:
    flops = 2 * T_q * T_k * d * 2
    moved = T_q * d + T_k * d + T_k * d + T_q * d
    if not fused:
        moved += 4 * T_q * T_k
    return flops / moved / bytes_each


def roofline(intensity: np.ndarray, peak: float, bandwidth: float) -> np.ndarray:
    intensity = np.asarray(intensity, dtype=float)
    ridge = peak / bandwidth
    return np.where(intensity < ridge, intensity * bandwidth, peak)


def paged_gather(pages: np.ndarray, tables: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    t = np.arange(np.max(lengths))
    page = pages.shape[1]
    tokens = pages[tables[:, t // page], t % page]  # a table's -1 reads the last page, and is wiped out below
    behind = t[None, :] >= np.asarray(lengths)[:, None]
    tokens[behind] = 0
    return tokens


def chunked_prefill(
    x: np.ndarray,
    cache: tuple[np.ndarray, np.ndarray],
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    chunk: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    old_K, old_V = cache
    P, n = old_K.shape[-2], x.shape[-2]
    # room for everything at once
    K = np.concatenate([old_K, np.zeros(x.shape[:-1] + (W_k.shape[1],), np.result_type(x, W_k))], axis=-2)
    V = np.concatenate([old_V, np.zeros(x.shape[:-1] + (W_v.shape[1],), np.result_type(x, W_v))], axis=-2)
    output = np.zeros(x.shape[:-1] + (W_v.shape[1],), np.result_type(x, W_v))
    for piece in tiles(n, chunk):
        xs = x[..., piece, :]
        K[..., P + piece.start : P + piece.stop, :] = xs @ W_k
        V[..., P + piece.start : P + piece.stop, :] = xs @ W_v
        seen = P + piece.stop
        scores = xs @ W_q @ T(K[..., :seen, :]) / np.sqrt(W_q.shape[1])
        hidden = ~visible(xs.shape[-2], seen, slice(0, seen))
        scores = np.where(hidden, -np.inf, scores)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        output[..., piece, :] = weights @ V[..., :seen, :]
    return output, K, V


def accept(draft: np.ndarray, p: np.ndarray, q: np.ndarray, u: np.ndarray) -> list[int]:
    draft = np.asarray(draft, dtype=int)
    n = len(draft)
    rows = np.arange(n)
    stays = u[:n] < p[rows, draft] / q[rows, draft]
    kept = n if stays.all() else int(np.argmin(stays))  # argmin finds the first False
    if kept == n:
        last = np.array(p[n], dtype=float)
    else:
        last = np.maximum(p[kept] - q[kept], 0).astype(float)
        last /= last.sum()
    new = int(np.searchsorted(np.cumsum(last), u[n], side="right"))
    new = min(new, len(last) - 1)
    return draft[:kept].tolist() + [new]


def loss_scaled_step(
    weights: list[np.ndarray],
    grads: list[np.ndarray],
    scale: float,
    lr: float,
    max_norm: float,
    good: int = 0,
    interval: int = 2000,
) -> tuple[list[np.ndarray], float, int]:
    finite = all(np.all(np.isfinite(g)) for g in grads)
    if not finite:
        return [np.array(w) for w in weights], scale * 0.5, 0
    wide = [np.asarray(g, dtype=np.float64) / scale for g in grads]
    total = np.sqrt(sum(np.sum(g * g) for g in wide))
    clip = min(1.0, max_norm / total) if total > 0 else 1.0
    stepped = [(w - lr * clip * g).astype(w.dtype) for w, g in zip(weights, wide)]
    good += 1
    if good >= interval:
        scale, good = scale * 2, 0
    return stepped, scale, good


def quiz() -> dict[str, str]:
    return {
        "what_is_slow": "c",
        "what_changes": "a",
        "one_number_per_row": "d",
        "merged_maximum": "b",
        "bytes_of_a_cache": "c",
        "pages_of_three": "d",
        "chance_to_stay": "a",
        "clip_first": "b",
    }
