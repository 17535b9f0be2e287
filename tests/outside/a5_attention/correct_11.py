"""Attention, from a plain average to softmax(Q K^T / sqrt(d_k)) V, in numpy. Written with plain loops."""

import math

import numpy as np


def average_context(x: np.ndarray) -> np.ndarray:
    y = np.zeros(x.shape, dtype=float)
    n_positions = x.shape[-2]
    total = np.zeros(x.shape[:-2] + x.shape[-1:], dtype=float)
    for t in range(n_positions):
        total = total + x[..., t, :]
        y[..., t, :] = total / (t + 1)
    return y


def similarity_context(x: np.ndarray) -> np.ndarray:
    y = np.zeros(x.shape, dtype=float)
    n_positions, d = x.shape[-2:]
    for lead in np.ndindex(x.shape[:-2]):
        seq = x[lead]
        for i in range(n_positions):
            # scores with everything up to and including i
            scores = []
            for j in range(i + 1):
                scores.append(float(np.dot(seq[i], seq[j])) / math.sqrt(d))
            biggest = max(scores)
            exps = [math.exp(s - biggest) for s in scores]
            total = sum(exps)
            for j in range(i + 1):
                y[lead + (i,)] += exps[j] / total * seq[j]
    return y


def project_qkv(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    Q = np.zeros(X.shape[:-1] + (W_q.shape[1],))
    K = np.zeros(X.shape[:-1] + (W_k.shape[1],))
    V = np.zeros(X.shape[:-1] + (W_v.shape[1],))
    for pos in np.ndindex(X.shape[:-1]):
        for c in range(W_q.shape[1]):
            Q[pos + (c,)] = np.sum(X[pos] * W_q[:, c])
        for c in range(W_k.shape[1]):
            K[pos + (c,)] = np.sum(X[pos] * W_k[:, c])
        for c in range(W_v.shape[1]):
            V[pos + (c,)] = np.sum(X[pos] * W_v[:, c])
    return Q, K, V


def attention_scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    T_q = Q.shape[-2]
    T_k = K.shape[-2]
    d_k = Q.shape[-1]
    scores = np.zeros(Q.shape[:-2] + (T_q, T_k))
    for i in range(T_q):
        for j in range(T_k):
            scores[..., i, j] = np.sum(Q[..., i, :] * K[..., j, :], axis=-1) / math.sqrt(d_k)
    return scores


def attention_weights(scores: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    weights = np.zeros(scores.shape, dtype=float)
    if mask is None:
        allowed = np.ones(scores.shape, dtype=bool)
    else:
        allowed = np.broadcast_to(mask, scores.shape)
    T_k = scores.shape[-1]
    for row in np.ndindex(scores.shape[:-1]):
        s = scores[row]
        ok = allowed[row]
        biggest = -math.inf
        for j in range(T_k):
            if ok[j] and s[j] > biggest:
                biggest = s[j]
        total = 0.0
        for j in range(T_k):
            if ok[j]:
                e = math.exp(s[j] - biggest)
                weights[row + (j,)] = e
                total += e
        for j in range(T_k):
            if ok[j]:
                weights[row + (j,)] /= total
    return weights


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    weights = attention_weights(attention_scores(Q, K), mask)
    output = np.zeros(Q.shape[:-1] + (V.shape[-1],))
    for i in range(Q.shape[-2]):
        for j in range(K.shape[-2]):
            share = weights[..., i, j]
            output[..., i, :] += share[..., np.newaxis] * V[..., j, :]
    return output


def folded_scores(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray) -> np.ndarray:
    d_model, d_k = W_q.shape
    folded = np.zeros((d_model, d_model))
    for a in range(d_model):
        for b in range(d_model):
            for c in range(d_k):
                folded[a, b] += W_q[a, c] * W_k[b, c]
            folded[a, b] /= math.sqrt(d_k)
    T = X.shape[-2]
    scores = np.zeros(X.shape[:-2] + (T, T))
    for lead in np.ndindex(X.shape[:-2]):
        for i in range(T):
            left = X[lead + (i,)] @ folded
            for j in range(T):
                scores[lead + (i, j)] = left @ X[lead + (j,)]
    return scores


def causal_mask(T_q: int, T_k: int) -> np.ndarray:
    mask = np.zeros((T_q, T_k), dtype=bool)
    already_read = T_k - T_q
    for i in range(T_q):
        for j in range(T_k):
            if j <= already_read + i:
                mask[i, j] = True
    return mask


def padding_mask(ids: np.ndarray, pad: int) -> np.ndarray:
    mask = np.ones(ids.shape[:-1] + (1, ids.shape[-1]), dtype=bool)
    for where in np.ndindex(ids.shape):
        if ids[where] == pad:
            mask[where[:-1] + (0, where[-1])] = False
    return mask


def self_attention(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, causal: bool = False
) -> np.ndarray:
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    if causal:
        T = X.shape[-2]
        mask = causal_mask(T, T)
    else:
        mask = None
    return attention(Q, K, V, mask)


def attention_backward(
    dout: np.ndarray, cache: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    Q, K, V, weights = cache
    T_q, d_k = Q.shape[-2:]
    T_k = K.shape[-2]
    dQ = np.zeros(Q.shape)
    dK = np.zeros(K.shape)
    dV = np.zeros(V.shape)
    for lead in np.ndindex(Q.shape[:-2]):
        q, k, v, w, g = Q[lead], K[lead], V[lead], weights[lead], dout[lead]
        for i in range(T_q):
            # output_i = sum_j w_ij v_j
            dw = np.zeros(T_k)
            for j in range(T_k):
                dV[lead + (j,)] += w[i, j] * g[i]
                dw[j] = np.dot(g[i], v[j])
            # softmax of row i
            mixed = 0.0
            for j in range(T_k):
                mixed += w[i, j] * dw[j]
            for j in range(T_k):
                ds = w[i, j] * (dw[j] - mixed)
                ddot = ds / math.sqrt(d_k)
                dQ[lead + (i,)] += ddot * k[j]
                dK[lead + (j,)] += ddot * q[i]
    return dQ, dK, dV


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
