"""Attention that gives the same numbers faster: in tiles, from pages, in chunks, by guessing ahead; in numpy.

Shapes: time is the axis before last, features are last, and any number of axes may stand in front.

    T_q, T_k      positions of the queries and of the keys (a key and its value share a position)
    d_k, d_v      features of a query or key, and of a value
    block         how many keys one tile holds; the last tile may hold fewer

Causal attention lets each query read itself and what came before. The queries are the LAST T_q of the T_k positions, so the
last query reads every key.

No function here changes the arrays it is given. Each may call any other of this file, also one further down.
"""

import numpy as np


def _tiles(n, size):
    return (slice(s, min(s + size, n)) for s in range(0, n, size))


def _draw(probabilities, number):
    return int(np.argmax(np.cumsum(probabilities) > number))


def online_softmax(blocks: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, float, np.ndarray]:
    # keep the result so far and the logarithm of its denominator; two results are merged by their shares
    m, L, y = -np.inf, -np.inf, 0.0
    for s, values in blocks:
        s = s.astype(np.float64)
        if np.isneginf(s).all():
            continue
        top = s.max()
        e = np.exp(s - top)
        L_block = top + np.log(e.sum())
        L_new = np.logaddexp(L, L_block)
        y = y * np.exp(L - L_new) + (e / e.sum()) @ values * np.exp(L_block - L_new)
        m, L = max(m, top), L_new
    return float(m), float(np.exp(L - m)), y


def tiled_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, block: int, causal: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    T_q, T_k, scale = q.shape[-2], k.shape[-2], float(q.shape[-1]) ** -0.5
    out = np.zeros((*q.shape[:-1], v.shape[-1]), v.dtype)
    lse = np.full(q.shape[:-1], -np.inf, q.dtype)
    for tile in _tiles(T_k, block):
        # queries in front of the tile see nothing of it
        first = max(0, tile.start - (T_k - T_q)) if causal else 0
        rows = slice(first, T_q)
        s = np.einsum("...qd,...kd->...qk", q[..., rows, :], k[..., tile, :]) * scale
        if causal:
            behind = np.arange(tile.start, tile.stop) > np.arange(first, T_q)[:, None] + T_k - T_q
            np.copyto(s, -np.inf, where=behind)
        top = s.max(-1, keepdims=True)
        s -= top
        np.exp(s, out=s)
        total = s.sum(-1, keepdims=True)
        tile_lse = (top + np.log(total))[..., 0]
        both = np.logaddexp(lse[..., rows], tile_lse)
        out[..., rows, :] *= np.exp(lse[..., rows] - both)[..., None]
        out[..., rows, :] += np.einsum("...qk,...kd->...qd", s, v[..., tile, :]) * np.exp(tile_lse - both)[..., None] / total
        lse[..., rows] = both
    return out, lse


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
    T_q, T_k, scale = q.shape[-2], k.shape[-2], float(q.shape[-1]) ** -0.5
    D = np.einsum("...qe,...qe->...q", dout, output)[..., None]
    dq, dk, dv = (np.zeros(t.shape, t.dtype) for t in (q, k, v))
    for tile in _tiles(T_k, block):
        first = max(0, tile.start - (T_k - T_q)) if causal else 0
        q_r, g_r = q[..., first:, :], dout[..., first:, :]
        w = np.einsum("...qd,...kd->...qk", q_r, k[..., tile, :]) * scale
        w -= logsumexp[..., first:, None]
        np.exp(w, out=w)
        if causal:
            w *= np.arange(tile.start, tile.stop) <= np.arange(first, T_q)[:, None] + T_k - T_q
        dv[..., tile, :] += np.einsum("...qk,...qe->...ke", w, g_r)
        ds = np.einsum("...qe,...ke->...qk", g_r, v[..., tile, :])
        ds -= D[..., first:, :]
        ds *= w
        ds *= scale
        dq[..., first:, :] += np.einsum("...qk,...kd->...qd", ds, k[..., tile, :])
        dk[..., tile, :] += np.einsum("...qk,...qd->...kd", ds, q_r)
    return dq, dk, dv


def cache_bytes(lengths: list[int], layers: int, kv_heads: int, d_head: int, bytes_each: int = 2, page: int = 1) -> int:
    n_pages = sum((n + page - 1) // page for n in lengths)
    per_page = np.prod([2, layers, kv_heads, d_head, bytes_each, page], dtype=object)
    return int(n_pages * per_page)


def arithmetic_intensity(T_q: int, T_k: int, d: int, bytes_each: int = 2, fused: bool = False) -> float:
    per_pair = 0 if fused else 4
    return 4 * T_q * T_k * d / bytes_each / (2 * d * (T_q + T_k) + per_pair * T_q * T_k)


def roofline(intensity: np.ndarray, peak: float, bandwidth: float) -> np.ndarray:
    return np.clip(np.multiply(intensity, bandwidth), None, peak)


def paged_gather(pages: np.ndarray, tables: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    t = np.arange(lengths.max())
    there = t < lengths[:, None]
    row, place = np.nonzero(there)
    size = pages.shape[1]
    out = np.zeros(there.shape + pages.shape[2:], dtype=pages.dtype)
    out[row, place] = pages[tables[row, place // size], place % size]
    return out


def chunked_prefill(
    x: np.ndarray,
    cache: tuple[np.ndarray, np.ndarray],
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    chunk: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    K, V = cache
    out = []
    for part in np.split(x, range(chunk, x.shape[-2], chunk), axis=-2):
        past = K.shape[-2]
        K, V = (np.concatenate((old, part @ W), -2) for old, W in ((K, W_k), (V, W_v)))
        s = np.einsum("...qd,...kd->...qk", part @ W_q, K) / np.sqrt(K.shape[-1])
        s = s + np.triu(np.full(s.shape[-2:], -np.inf), past + 1)
        w = np.exp(s - s.max(-1, keepdims=True))
        out.append(np.einsum("...qk,...kd->...qd", w / w.sum(-1, keepdims=True), V))
    return np.concatenate(out, -2), K, V


def accept(draft: np.ndarray, p: np.ndarray, q: np.ndarray, u: np.ndarray) -> list[int]:
    n = len(draft)
    draft = np.asarray(draft, dtype=int)
    at = np.arange(n)
    stay = u[:n] * q[at, draft] < p[at, draft]
    kept = int(np.logical_and.accumulate(stay).sum())
    if kept == n:
        return draft.tolist() + [_draw(p[n], u[n])]
    rest = (p[kept] - q[kept]).clip(min=0)
    return draft[:kept].tolist() + [_draw(rest / rest.sum(), u[n])]


def loss_scaled_step(
    weights: list[np.ndarray],
    grads: list[np.ndarray],
    scale: float,
    lr: float,
    max_norm: float,
    good: int = 0,
    interval: int = 2000,
) -> tuple[list[np.ndarray], float, int]:
    flat = np.concatenate([g.astype(np.float64).ravel() for g in grads])
    if not np.isfinite(flat).all():
        return [w.copy() for w in weights], scale / 2, 0
    flat /= scale
    flat *= min(1.0, max_norm / max(np.linalg.norm(flat), 1e-300))
    ends = np.cumsum([w.size for w in weights])[:-1]
    steps = np.split(lr * flat, ends)
    new = [(w - s.reshape(w.shape)).astype(w.dtype) for w, s in zip(weights, steps)]
    done = good + 1 >= interval
    return new, (scale * 2 if done else scale), (0 if done else good + 1)


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
