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


def online_softmax(blocks: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, float, np.ndarray]:
    m, l, a = -np.inf, 0.0, 0.0
    for scores, values in blocks:
        new = max(m, scores.max())
        if new > -np.inf:
            factor, e = np.exp(m - new), np.exp(scores - new)
            m, l, a = new, l * factor + e.sum(), a * factor + e @ values
    return float(m), float(l), a / l


def tiled_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, block: int, causal: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    T_q, T_k, root = q.shape[-2], k.shape[-2], math.sqrt(q.shape[-1])
    place = np.arange(T_k - T_q, T_k)[:, None]
    m, l, a = np.full(q.shape[:-1], -np.inf, q.dtype), np.zeros(q.shape[:-1], q.dtype), 0
    for j in range(0, T_k, block):
        s = q @ k[..., j : j + block, :].swapaxes(-1, -2) / root
        if causal:
            s[..., np.arange(j, min(j + block, T_k)) > place] = -np.inf
        new = np.maximum(m, s.max(-1))
        factor, e = np.exp(m - new), np.exp(s - new[..., None])
        m, l = new, l * factor + e.sum(-1)
        a = a * factor[..., None] + e @ v[..., j : j + block, :]
    return a / l[..., None], m + np.log(l)


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
    T_q, T_k, root = q.shape[-2], k.shape[-2], math.sqrt(q.shape[-1])
    place = np.arange(T_k - T_q, T_k)[:, None]
    D = (dout * output).sum(-1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, T_k, block):
        tile = np.s_[..., j : j + block, :]
        p = np.exp(q @ k[tile].swapaxes(-1, -2) / root - logsumexp[..., None])
        if causal:
            p[..., np.arange(j, min(j + block, T_k)) > place] = 0
        ds = p * (dout @ v[tile].swapaxes(-1, -2) - D) / root
        dq += ds @ k[tile]
        dk[tile] = ds.swapaxes(-1, -2) @ q
        dv[tile] = p.swapaxes(-1, -2) @ dout
    return dq, dk, dv


def cache_bytes(lengths: list[int], layers: int, kv_heads: int, d_head: int, bytes_each: int = 2, page: int = 1) -> int:
    tokens = sum(-(-int(n) // page) * page for n in lengths)
    return 2 * layers * kv_heads * d_head * bytes_each * tokens


def arithmetic_intensity(T_q: int, T_k: int, d: int, bytes_each: int = 2, fused: bool = False) -> float:
    numbers = 2 * (T_q + T_k) * d + (0 if fused else 4 * T_q * T_k)
    return 4 * T_q * T_k * d / (numbers * bytes_each)


def roofline(intensity: np.ndarray, peak: float, bandwidth: float) -> np.ndarray:
    return np.minimum(peak, np.asarray(intensity) * bandwidth)


def paged_gather(pages: np.ndarray, tables: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    t, size = np.arange(np.max(lengths)), pages.shape[1]
    tokens = pages[tables[:, t // size], t % size]
    tokens[t >= np.asarray(lengths)[:, None]] = 0
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
    outputs = []
    for start in range(0, x.shape[-2], chunk):
        part = x[..., start : start + chunk, :]
        K, V = np.concatenate([K, part @ W_k], -2), np.concatenate([V, part @ W_v], -2)
        outputs.append(tiled_attention(part @ W_q, K, V, 64, causal=True)[0])
    return np.concatenate(outputs, -2), K, V


def accept(draft: np.ndarray, p: np.ndarray, q: np.ndarray, u: np.ndarray) -> list[int]:
    tokens, rest = [], p[-1]
    for i, t in enumerate(draft):
        if u[i] >= p[i, t] / q[i, t]:
            rest = np.maximum(0, p[i] - q[i])
            break
        tokens.append(int(t))
    sums = np.cumsum(rest / rest.sum())
    return [*tokens, min(int(np.searchsorted(sums, u[-1], side="right")), len(sums) - 1)]


def loss_scaled_step(
    weights: list[np.ndarray],
    grads: list[np.ndarray],
    scale: float,
    lr: float,
    max_norm: float,
    good: int = 0,
    interval: int = 2000,
) -> tuple[list[np.ndarray], float, int]:
    if not all(np.isfinite(g).all() for g in grads):
        return [w.copy() for w in weights], scale / 2, 0
    wide = [g.astype(np.float64) / scale for g in grads]
    norm = math.sqrt(sum((g * g).sum() for g in wide))
    factor = max_norm / norm if norm > max_norm else 1.0
    stepped = [(w - lr * factor * g).astype(w.dtype) for w, g in zip(weights, wide)]
    return (stepped, scale * 2, 0) if good + 1 >= interval else (stepped, scale, good + 1)


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
