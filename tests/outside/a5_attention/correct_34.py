import numpy as np


def average_context(x: np.ndarray) -> np.ndarray:
    T = x.shape[-2]
    return np.cumsum(x, axis=-2) / np.arange(1, T + 1)[:, None]


def similarity_context(x: np.ndarray) -> np.ndarray:
    T = x.shape[-2]
    return attention(x, x, x, causal_mask(T, T))


def project_qkv(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return X @ W_q, X @ W_k, X @ W_v


def attention_scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])


def attention_weights(scores: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    s = scores if mask is None else np.where(mask, scores, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    return attention_weights(attention_scores(Q, K), mask) @ V


def folded_scores(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray) -> np.ndarray:
    M = W_q @ W_k.T / np.sqrt(W_q.shape[1])
    return X @ M @ np.swapaxes(X, -1, -2)


def causal_mask(T_q: int, T_k: int) -> np.ndarray:
    return np.tril(np.ones((T_q, T_k), dtype=bool), k=T_k - T_q)


def padding_mask(ids: np.ndarray, pad: int) -> np.ndarray:
    return (np.asarray(ids) != pad)[..., None, :]


def self_attention(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, causal: bool = False
) -> np.ndarray:
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    T = X.shape[-2]
    return attention(Q, K, V, causal_mask(T, T) if causal else None)


def attention_backward(
    dout: np.ndarray, cache: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    Q, K, V, A = cache
    scale = 1 / np.sqrt(Q.shape[-1])
    dV = np.swapaxes(A, -1, -2) @ dout
    dA = dout @ np.swapaxes(V, -1, -2)
    dS = A * (dA - (A * dA).sum(axis=-1, keepdims=True)) * scale
    return dS @ K, np.swapaxes(dS, -1, -2) @ Q, dV


def quiz() -> dict[str, str]:
    answers = {
        "order_lost": "b",
        "why_scale": "c",
        "mask_before_softmax": "d",
        "two_projections": "a",
        "spread_of_scores": "b",
        "one_weight": "d",
        "shape_of_attention": "a",
        "cost_in_time": "c",
    }
    return answers
