"""Plain Python: one number at a time, recursion over leading axes, lists where others return tuples."""

import math

import numpy as np


def average_context(x):
    if x.ndim > 2:
        return np.array([average_context(row) for row in x])
    T, d = x.shape
    return np.array([[sum(x[j][f] for j in range(i + 1)) / (i + 1) for f in range(d)] for i in range(T)])


def similarity_context(x):
    if x.ndim > 2:
        return np.array([similarity_context(row) for row in x])
    T, d = x.shape
    y = []
    for i in range(T):
        scores = [sum(x[i][f] * x[j][f] for f in range(d)) / math.sqrt(d) for j in range(i + 1)]
        raised = [math.exp(s - max(scores)) for s in scores]
        y.append([sum(raised[j] * x[j][f] for j in range(i + 1)) / sum(raised) for f in range(d)])
    return np.array(y)


def _project(X, W):
    if X.ndim > 2:
        return np.array([_project(row, W) for row in X])
    return np.array([[sum(x[m] * W[m][n] for m in range(W.shape[0])) for n in range(W.shape[1])] for x in X])


def project_qkv(X, W_q, W_k, W_v):
    return [_project(X, W_q), _project(X, W_k), _project(X, W_v)]


def attention_scores(Q, K):
    if Q.ndim > 2:
        return np.array([attention_scores(q, k) for q, k in zip(Q, K)])
    root = math.sqrt(len(Q[0]))
    return np.array([[sum(a * b for a, b in zip(q, k)) / root for k in K] for q in Q])


def attention_weights(scores, mask=None):
    if mask is None:
        mask = np.ones(scores.shape, dtype=bool)
    mask = np.broadcast_to(mask, scores.shape)
    if scores.ndim > 1:
        return np.array([attention_weights(s, m) for s, m in zip(scores, mask)])
    largest = max(s for s, m in zip(scores, mask) if m)
    raised = [math.exp(s - largest) if m else 0.0 for s, m in zip(scores, mask)]
    return np.array([r / sum(raised) for r in raised])


def attention(Q, K, V, mask=None):
    return _mix(attention_weights(attention_scores(Q, K), mask), V)


def _mix(weights, V):
    if V.ndim > 2:
        return np.array([_mix(w, v) for w, v in zip(weights, V)])
    return np.array([[sum(w[j] * V[j][f] for j in range(len(V))) for f in range(V.shape[1])] for w in weights])


def folded_scores(X, W_q, W_k):
    if X.ndim > 2:
        return np.array([folded_scores(x, W_q, W_k) for x in X])
    d_model, d_k = W_q.shape
    M = [
        [sum(W_q[a][n] * W_k[b][n] for n in range(d_k)) / math.sqrt(d_k) for b in range(d_model)]
        for a in range(d_model)
    ]
    sizes = range(d_model)
    return np.array([[sum(x[a] * M[a][b] * z[b] for a in sizes for b in sizes) for z in X] for x in X])


def causal_mask(T_q, T_k):
    return np.array([[j <= i + T_k - T_q for j in range(T_k)] for i in range(T_q)])


def padding_mask(ids, pad):
    if ids.ndim > 1:
        return np.array([padding_mask(row, pad) for row in ids])
    return np.array([[bool(token != pad) for token in ids]])


def self_attention(X, W_q, W_k, W_v, causal=False):
    if X.ndim > 2:
        return np.array([self_attention(x, W_q, W_k, W_v, causal) for x in X])
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    if not causal:
        return attention(Q, K, V)
    return np.array([attention(Q[i : i + 1], K[: i + 1], V[: i + 1])[0] for i in range(len(X))])


def attention_backward(dout, cache):
    Q, K, V, weights = cache
    if dout.ndim > 2:
        parts = [attention_backward(d, c) for d, c in zip(dout, zip(Q, K, V, weights))]
        return [np.array(part) for part in zip(*parts)]
    dQ, dK, dV = np.zeros(Q.shape), np.zeros(K.shape), np.zeros(V.shape)
    root = math.sqrt(Q.shape[1])
    for i in range(len(Q)):
        da = [sum(dout[i][f] * V[j][f] for f in range(V.shape[1])) for j in range(len(K))]
        for j in range(len(K)):
            ds = sum(da[n] * weights[i][n] * ((n == j) - weights[i][j]) for n in range(len(K)))
            for f in range(Q.shape[1]):
                dQ[i][f] += ds * K[j][f] / root
                dK[j][f] += ds * Q[i][f] / root
            for f in range(V.shape[1]):
                dV[j][f] += weights[i][j] * dout[i][f]
    return [dQ, dK, dV]
