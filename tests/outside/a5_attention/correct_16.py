"""Scaled dot-product attention, vectorised over everything."""

import numpy as np


def average_context(x: np.ndarray) -> np.ndarray:
    n = np.arange(1, x.shape[-2] + 1)[:, None]
    return np.cumsum(x, axis=-2) / n


def similarity_context(x: np.ndarray) -> np.ndarray:
    T, d = x.shape[-2:]
    sim = np.einsum("...id,...jd->...ij", x, x) / np.sqrt(d)
    past = np.tri(T, dtype=bool)
    sim = np.where(past, sim, -np.inf)
    a = np.exp(sim - sim.max(axis=-1, keepdims=True))
    a /= a.sum(axis=-1, keepdims=True)
    return a @ x


def project_qkv(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    # one wide product, cut apart afterwards
    d_k = W_q.shape[1]
    QKV = X @ np.concatenate([W_q, W_k, W_v], axis=1)
    Q, K, V = np.split(QKV, [d_k, 2 * d_k], axis=-1)
    return Q, K, V


def attention_scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return np.einsum("...qd,...kd->...qk", Q, K) * Q.shape[-1] ** -0.5


def attention_weights(scores: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    s = np.array(scores, dtype=float)
    if mask is not None:
        s[~np.broadcast_to(mask, s.shape)] = -np.inf
    s -= s.max(axis=-1, keepdims=True)
    np.exp(s, out=s)
    s /= s.sum(axis=-1, keepdims=True)
    return s


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    return np.einsum("...qk,...kv->...qv", attention_weights(attention_scores(Q, K), mask), V)


def folded_scores(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray) -> np.ndarray:
    M = (W_q @ W_k.T) / np.sqrt(W_q.shape[1])
    return np.einsum("...ia,ab,...jb->...ij", X, M, X)


def causal_mask(T_q: int, T_k: int) -> np.ndarray:
    return np.tri(T_q, T_k, T_k - T_q, dtype=bool)


def padding_mask(ids: np.ndarray, pad: int) -> np.ndarray:
    return (np.asarray(ids) != pad)[..., np.newaxis, :]


def self_attention(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, causal: bool = False
) -> np.ndarray:
    T = X.shape[-2]
    mask = causal_mask(T, T) if causal else None
    return attention(*project_qkv(X, W_q, W_k, W_v), mask)


def attention_backward(
    dout: np.ndarray, cache: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    Q, K, V, A = cache
    out = A @ V
    dV = np.swapaxes(A, -1, -2) @ dout
    dA = dout @ np.swapaxes(V, -1, -2)
    # sum_j a_j da_j of a row is dout . out (the trick of FlashAttention)
    delta = np.sum(dout * out, axis=-1, keepdims=True)
    dS = A * (dA - delta) / np.sqrt(Q.shape[-1])
    return dS @ K, np.swapaxes(dS, -1, -2) @ Q, dV


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "order_lost": "",
        "why_scale": "",
        "mask_before_softmax": "",
        "two_projections": "",
        "spread_of_scores": "",
        "one_weight": "",
        "shape_of_attention": "",
        "cost_in_time": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
