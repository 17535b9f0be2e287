import numpy as np
import math


def average_context(x: np.ndarray) -> np.ndarray:
    x = np.asarray(x, dtype=float)
    y = np.zeros_like(x)
    T = x.shape[-2]
    for t in range(T):
        y[..., t, :] = x[..., : t + 1, :].mean(axis=-2)
    return y


def similarity_context(x: np.ndarray) -> np.ndarray:
    x = np.asarray(x, dtype=float)
    y = np.zeros(x.shape)
    T, d = x.shape[-2:]
    for where in np.ndindex(x.shape[:-2]):
        seq = x[where]
        for i in range(T):
            past = seq[: i + 1]
            s = past.dot(seq[i]) / math.sqrt(d)
            s = s - max(s)
            a = np.exp(s)
            a = a / sum(a)
            for j in range(i + 1):
                y[where][i] += a[j] * past[j]
    return y


def project_qkv(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    Q = np.matmul(X, W_q)
    K = np.matmul(X, W_k)
    V = np.matmul(X, W_v)
    return (Q, K, V)


def attention_scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    d_k = Q.shape[-1]
    out = np.zeros(Q.shape[:-1] + (K.shape[-2],))
    for i in range(Q.shape[-2]):
        for j in range(K.shape[-2]):
            # dot product of query i and key j for all sequences at once
            out[..., i, j] = (Q[..., i, :] * K[..., j, :]).sum(axis=-1)
    return out / math.sqrt(d_k)


def attention_weights(scores: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    if mask is None:
        allowed = np.ones(scores.shape, dtype=bool)
    else:
        allowed = np.broadcast_to(mask, scores.shape)
    weights = np.zeros(scores.shape)
    for row in np.ndindex(scores.shape[:-1]):
        keys = np.flatnonzero(allowed[row])
        s = scores[row][keys]
        e = np.exp(s - s.max())
        weights[row][keys] = e / e.sum()
    return weights


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    w = attention_weights(attention_scores(Q, K), mask)
    output = np.zeros(w.shape[:-1] + (V.shape[-1],))
    for j in range(V.shape[-2]):
        output += w[..., :, j, None] * V[..., None, j, :]
    return output


def folded_scores(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray) -> np.ndarray:
    folded = np.dot(W_q, W_k.T) / math.sqrt(W_k.shape[1])
    scores = np.zeros(X.shape[:-1] + (X.shape[-2],))
    for where in np.ndindex(X.shape[:-2]):
        scores[where] = X[where].dot(folded).dot(X[where].T)
    return scores


def causal_mask(T_q: int, T_k: int) -> np.ndarray:
    mask = np.zeros((T_q, T_k), dtype=bool)
    past = T_k - T_q
    for i in range(T_q):
        for j in range(T_k):
            if j <= i + past:
                mask[i, j] = True
    return mask


def padding_mask(ids: np.ndarray, pad: int) -> np.ndarray:
    real = np.not_equal(ids, pad)
    return np.expand_dims(real, axis=-2)


def self_attention(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, causal: bool = False
) -> np.ndarray:
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    if causal:
        length = X.shape[-2]
        return attention(Q, K, V, causal_mask(length, length))
    else:
        return attention(Q, K, V)


def attention_backward(
    dout: np.ndarray, cache: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    Q, K, V, weights = cache
    dQ, dK, dV = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
    scale = math.sqrt(Q.shape[-1])
    for n in np.ndindex(Q.shape[:-2]):
        for i in range(Q.shape[-2]):
            a = weights[n][i]
            dV[n] += np.outer(a, dout[n][i])
            da = V[n].dot(dout[n][i])
            jacobian = np.diag(a) - np.outer(a, a)
            ds = jacobian.dot(da)
            ddot = ds / scale
            dQ[n][i] = ddot.dot(K[n])
            dK[n] += np.outer(ddot, Q[n][i])
    return dQ, dK, dV


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
