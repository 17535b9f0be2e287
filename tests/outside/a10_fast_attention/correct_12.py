"""Fast attention, short."""

import numpy as np


def online_softmax(blocks: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, float, np.ndarray]:
    m, l, y = -np.inf, 0.0, 0.0
    for s, v in blocks:
        new = max(m, s.max())
        if np.isneginf(new):
            y = np.zeros(v.shape[-1])
            continue
        w, old = np.exp(s - new), l * np.exp(m - new)
        l = old + w.sum()
        y = (old * y + w @ v) / l
        m = new
    return float(m), float(l), y


def tiled_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, block: int, causal: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    T_q, T_k = q.shape[-2], k.shape[-2]
    rows = np.arange(T_k - T_q, T_k)[:, None]
    m, l, a = np.full(q.shape[:-1], -np.inf, q.dtype), np.zeros(q.shape[:-1], q.dtype), 0
    for j in range(0, T_k, block):
        kj, vj = k[..., j : j + block, :], v[..., j : j + block, :]
        s = q @ kj.swapaxes(-1, -2) * q.shape[-1] ** -0.5
        if causal:
            s[..., np.arange(j, j + kj.shape[-2]) > rows] = -np.inf
        new = np.maximum(m, s.max(-1))
        w, c = np.exp(s - new[..., None]), np.exp(m - new)
        l = l * c + w.sum(-1)
        a = a * c[..., None] + w @ vj
        m = new
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
    T_q, T_k = q.shape[-2], k.shape[-2]
    rows = np.arange(T_k - T_q, T_k)[:, None]
    qs = q / np.sqrt(q.shape[-1]).astype(q.dtype)
    D = (dout * output).sum(-1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, T_k, block):
        t = np.s_[..., j : j + block, :]
        s = qs @ k[t].swapaxes(-1, -2)
        w = np.exp(s - logsumexp[..., None])
        if causal:
            w = np.where(np.arange(j, j + s.shape[-1]) > rows, 0, w)
        ds = w * (dout @ v[t].swapaxes(-1, -2) - D)
        dq += ds @ k[t]
        dk[t] = ds.swapaxes(-1, -2) @ qs
        dv[t] = w.swapaxes(-1, -2) @ dout
    return dq / np.sqrt(q.shape[-1]).astype(q.dtype), dk, dv


def cache_bytes(lengths: list[int], layers: int, kv_heads: int, d_head: int, bytes_each: int = 2, page: int = 1) -> int:
    return 2 * layers * kv_heads * d_head * bytes_each * page * sum(-(-n // page) for n in lengths)


def arithmetic_intensity(T_q: int, T_k: int, d: int, bytes_each: int = 2, fused: bool = False) -> float:
    moved = 2 * d * (T_q + T_k) + (0 if fused else 4 * T_q * T_k)
    return 4 * T_q * T_k * d / (moved * bytes_each)


def roofline(intensity: np.ndarray, peak: float, bandwidth: float) -> np.ndarray:
    return np.minimum(peak, np.multiply(intensity, bandwidth))


def paged_gather(pages: np.ndarray, tables: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    t = np.arange(lengths.max())
    rows = pages[tables[:, t // pages.shape[1]], t % pages.shape[1]]
    rows[t >= lengths[:, None]] = 0
    return rows


def chunked_prefill(
    x: np.ndarray,
    cache: tuple[np.ndarray, np.ndarray],
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    chunk: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    (K, V), out = cache, []
    for i in range(0, x.shape[-2], chunk):
        c = x[..., i : i + chunk, :]
        K, V = np.concatenate((K, c @ W_k), -2), np.concatenate((V, c @ W_v), -2)
        out.append(tiled_attention(c @ W_q, K, V, 64, causal=True)[0])
    return np.concatenate(out, -2), K, V


def accept(draft: np.ndarray, p: np.ndarray, q: np.ndarray, u: np.ndarray) -> list[int]:
    n = len(draft)
    at = np.arange(n)
    stays = u[:n] < p[at, draft] / q[at, draft]
    k = n if stays.all() else int(stays.argmin())
    r = p[n] if k == n else np.maximum(0, p[k] - q[k])
    return [int(t) for t in draft[:k]] + [int(np.searchsorted(np.cumsum(r / r.sum()), u[-1], side="right"))]


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
    true = [g.astype(np.float64) / scale for g in grads]
    norm = np.sqrt(sum((g**2).sum() for g in true))
    clip = max_norm / max(norm, max_norm)
    new = [(w - lr * clip * g).astype(w.dtype) for w, g in zip(weights, true)]
    return (new, scale * 2, 0) if good + 1 >= interval else (new, scale, good + 1)


def quiz() -> dict[str, str]:
    return dict(
        what_is_slow="c",
        what_changes="a",
        one_number_per_row="d",
        merged_maximum="b",
        bytes_of_a_cache="c",
        pages_of_three="d",
        chance_to_stay="a",
        clip_first="b",
    )
