"""Attention, from a plain average to softmax(Q K^T / sqrt(d_k)) V, in numpy.

Shapes: time is the axis before last, features are last, and any number of axes may stand in front, so the same
function takes (T, d), (batch, T, d) and (batch, heads, T, d). Count axes from the end (-1, -2), never from the front.

    T, T_q, T_k   positions: of one sequence, of the queries, of the keys (a key and its value share a position)
    d_model       features of the input X
    d_k, d_v      features of a query or key, and of a value

Weights multiply from the right, as in Q = X W_q, so W_q and W_k are (d_model, d_k) and W_v is (d_model, d_v).
(Other assignments lay their weights out as (out, in); this one follows the formula as the papers print it.)

A mask is a boolean array: True means "this query may read this key". It broadcasts to (..., T_q, T_k).

No function here changes the arrays it is given. Each may call any other of this file, also one further down.
"""

import numpy as np


def average_context(x: np.ndarray) -> np.ndarray:
    """Attempt one: return for each position the mean of all vectors up to and including its own."""
    y = np.zeros(x.shape)
    total = np.zeros(x.shape[:-2] + x.shape[-1:])
    for i in range(x.shape[-2]):
        total = total + x[..., i, :]
        y[..., i, :] = total / (i + 1)
    return y


def similarity_context(x: np.ndarray) -> np.ndarray:
    """Attempt two: return for each position a mean of the vectors so far, weighted by their similarity to its own."""
    T, d = x.shape[-2:]
    y = np.zeros(x.shape)
    for lead in np.ndindex(x.shape[:-2]):
        seq = x[lead]
        for i in range(T):
            past = seq[: i + 1]
            s = past @ seq[i] / np.sqrt(d)
            e = np.exp(s - np.max(s))
            share = e / np.sum(e)
            y[lead][i] = share @ past
    return y


def project_qkv(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the query, the key and the value of every position."""
    Q = np.matmul(X, W_q)
    K = np.matmul(X, W_k)
    V = np.matmul(X, W_v)
    return Q, K, V


def attention_scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Return the score of every query with every key: their scaled dot product."""
    T_q, d_k = Q.shape[-2:]
    T_k = K.shape[-2]
    scores = np.zeros(Q.shape[:-2] + (T_q, T_k))
    for i in range(T_q):
        for j in range(T_k):
            scores[..., i, j] = np.sum(Q[..., i, :] * K[..., j, :], axis=-1)
    return scores / d_k**0.5


def attention_weights(scores: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """Return the attention weights: a softmax of each query's scores over the keys that it may read."""
    if mask is None:
        mask = True
    allowed = np.broadcast_to(mask, scores.shape)
    weights = np.zeros(scores.shape)
    for index in np.ndindex(scores.shape[:-1]):
        row, ok = scores[index], allowed[index]
        e = np.exp(row[ok] - row[ok].max())
        weights[index][ok] = e / e.sum()
    return weights


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """Return scaled dot-product attention: for every query, the mean of the values under its attention weights."""
    weights = attention_weights(attention_scores(Q, K), mask)
    out = np.zeros(weights.shape[:-1] + V.shape[-1:])
    for j in range(V.shape[-2]):
        # every query takes its share of value j
        out += weights[..., :, j, None] * V[..., None, j, :]
    return out


def folded_scores(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray) -> np.ndarray:
    """Return the scores of self-attention by another route: with both projections folded into one matrix first."""
    d_k = W_k.shape[-1]
    M = np.dot(W_q, W_k.T) / d_k**0.5
    scores = np.zeros(X.shape[:-1] + (X.shape[-2],))
    for lead in np.ndindex(X.shape[:-2]):
        x = X[lead]
        scores[lead] = np.dot(np.dot(x, M), x.T)
    return scores


def causal_mask(T_q: int, T_k: int) -> np.ndarray:
    """Return the causal mask: each position may read itself and what came before."""
    mask = np.zeros((T_q, T_k), dtype=bool)
    for i in range(T_q):
        position = T_k - T_q + i
        mask[i, : position + 1] = True
    return mask


def padding_mask(ids: np.ndarray, pad: int) -> np.ndarray:
    """Return the padding mask, which hides the filler that makes the sequences of a batch equally long."""
    real = np.not_equal(ids, pad)
    return np.expand_dims(real, axis=-2)


def self_attention(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, causal: bool = False
) -> np.ndarray:
    """Return the self-attention of a sequence: queries, keys and values all come from X."""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    if not causal:
        return attention(Q, K, V)
    T = Q.shape[-2]
    return attention(Q, K, V, causal_mask(T, T))


def attention_backward(
    dout: np.ndarray, cache: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the gradients of `attention` with respect to Q, K and V."""
    Q, K, V, weights = cache
    dQ = np.zeros(Q.shape)
    dK = np.zeros(K.shape)
    dV = np.zeros(V.shape)
    root = Q.shape[-1] ** 0.5
    for lead in np.ndindex(Q.shape[:-2]):
        q, k, v, a, do = Q[lead], K[lead], V[lead], weights[lead], dout[lead]
        for i in range(q.shape[0]):
            dV[lead] += np.outer(a[i], do[i])
            da = v @ do[i]
            jacobian = np.diag(a[i]) - np.outer(a[i], a[i])
            ds = jacobian @ da / root
            dQ[lead][i] = ds @ k
            dK[lead] += np.outer(ds, q[i])
    return dQ, dK, dV


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option."""
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
