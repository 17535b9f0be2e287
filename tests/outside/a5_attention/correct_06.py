import math

import numpy as np


def _each_matrix(*arrays):
    lead = arrays[0].shape[:-2]
    for index in np.ndindex(*lead):
        yield index, [a[index] for a in arrays]


def _softmax_1d(row):
    top = max(row)
    powers = [math.exp(r - top) for r in row]
    total = sum(powers)
    return [p / total for p in powers]


def average_context(x: np.ndarray) -> np.ndarray:
    out = np.zeros(x.shape, dtype=float)
    running = np.zeros(x[..., 0, :].shape, dtype=float)
    for t in range(x.shape[-2]):
        running = running + x[..., t, :]
        out[..., t, :] = running / (t + 1)
    return out


def similarity_context(x: np.ndarray) -> np.ndarray:
    out = np.zeros(x.shape, dtype=float)
    d = x.shape[-1]
    for index, (seq,) in _each_matrix(x):
        for i in range(seq.shape[0]):
            past = seq[: i + 1]
            shares = _softmax_1d([float(seq[i].dot(other)) / math.sqrt(d) for other in past])
            out[index][i] = sum(a * vec for a, vec in zip(shares, past))
    return out


def project_qkv(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    roles = []
    for W in (W_q, W_k, W_v):
        roles.append(np.einsum("...td,df->...tf", X, W))
    return tuple(roles)


def attention_scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    d_k = Q.shape[-1]
    scores = np.einsum("...if,...jf->...ij", Q, K)
    return scores * d_k**-0.5


def attention_weights(scores: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    scores = np.array(scores, dtype=np.float64)  # a copy of our own
    if mask is not None:
        allowed = np.broadcast_to(np.asarray(mask, dtype=bool), scores.shape)
        scores[~allowed] = -1e9
    scores -= np.amax(scores, axis=-1)[..., None]
    np.exp(scores, out=scores)
    scores /= np.sum(scores, axis=-1)[..., None]
    return scores


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    weights = attention_weights(attention_scores(Q, K), mask)
    return np.einsum("...ij,...jv->...iv", weights, V)


def folded_scores(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray) -> np.ndarray:
    d_model, d_k = W_q.shape
    folded = np.empty((d_model, d_model))
    for a in range(d_model):
        for b in range(d_model):
            folded[a, b] = np.dot(W_q[a], W_k[b]) / math.sqrt(d_k)
    return np.einsum("...ia,ab,...jb->...ij", X, folded, X)


def causal_mask(T_q: int, T_k: int) -> np.ndarray:
    rows = []
    for i in range(T_q):
        position = T_k - T_q + i
        rows.append([j <= position for j in range(T_k)])
    return np.array(rows, dtype=bool).reshape(T_q, T_k)


def padding_mask(ids: np.ndarray, pad: int) -> np.ndarray:
    real = np.logical_not(np.equal(ids, pad))
    return np.expand_dims(real, axis=-2)


def self_attention(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, causal: bool = False
) -> np.ndarray:
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    if not causal:
        return attention(Q, K, V)
    out = []
    for t in range(X.shape[-2]):
        # position t by itself: one query and the keys up to t
        out.append(attention(Q[..., t : t + 1, :], K[..., : t + 1, :], V[..., : t + 1, :])[..., 0, :])
    return np.stack(out, axis=-2)


def attention_backward(
    dout: np.ndarray, cache: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    Q, K, V, weights = cache
    dQ = np.zeros(Q.shape, dtype=float)
    dK = np.zeros(K.shape, dtype=float)
    dV = np.zeros(V.shape, dtype=float)
    scale = 1 / math.sqrt(Q.shape[-1])
    for index, (q, k, v, a, g) in _each_matrix(Q, K, V, weights, dout):
        for i in range(q.shape[0]):
            da = v @ g[i]
            jacobian = np.diag(a[i]) - np.outer(a[i], a[i])
            ddots = jacobian @ da * scale
            dQ[index][i] = ddots @ k
            dK[index] += np.outer(ddots, q[i])
            dV[index] += np.outer(a[i], g[i])
    return dQ, dK, dV


def quiz() -> dict[str, str]:
    answers = {
        "order_lost": "b",
        "query_key_value": "d",
        "why_scale": "c",
        "softmax_over_keys": "a",
        "what_mask_protects": "a",
        "mask_before_softmax": "d",
        "cost_in_time": "c",
        "two_projections": "c",
    }
    return answers
