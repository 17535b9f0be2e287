"""Folds all leading axes into one batch, works on exactly three axes, and unfolds at the end."""

import numpy as np


def _flat(a):
    return a.reshape(-1, *a.shape[-2:])


def average_context(x):
    flat = _flat(x)
    out = np.stack([flat[:, : t + 1].mean(axis=1) for t in range(flat.shape[1])], axis=1)
    return out.reshape(x.shape)


def similarity_context(x):
    flat = _flat(x)
    T = flat.shape[1]
    out = attention(flat, flat, flat, np.tril(np.ones((T, T))) == 1)
    return out.reshape(x.shape)


def project_qkv(X, W_q, W_k, W_v):
    joint = X.reshape(-1, X.shape[-1]) @ np.concatenate([W_q, W_k, W_v], axis=1)
    parts = np.split(joint, [W_q.shape[1], W_q.shape[1] + W_k.shape[1]], axis=1)
    return tuple(part.reshape(*X.shape[:-1], -1) for part in parts)


def attention_scores(Q, K):
    flat = np.matmul(_flat(Q), _flat(K).transpose(0, 2, 1)) / np.sqrt(Q.shape[-1])
    return flat.reshape(*Q.shape[:-1], K.shape[-2])


def attention_weights(scores, mask=None):
    flat = _flat(scores)
    if mask is not None:
        flat = np.where(_flat(np.broadcast_to(mask, scores.shape)), flat, float("-inf"))
    flat = np.exp(flat - np.max(flat, axis=2)[:, :, np.newaxis])
    return (flat / np.sum(flat, axis=2)[:, :, np.newaxis]).reshape(scores.shape)


def attention(Q, K, V, mask=None):
    weights = attention_weights(attention_scores(Q, K), mask)
    return np.matmul(_flat(weights), _flat(V)).reshape(*Q.shape[:-1], V.shape[-1])


def folded_scores(X, W_q, W_k):
    M = np.dot(W_q, W_k.T) / np.sqrt(W_q.shape[1])
    flat = _flat(X)
    return np.matmul(np.dot(flat, M), flat.transpose(0, 2, 1)).reshape(*X.shape[:-1], X.shape[-2])


def causal_mask(T_q, T_k):
    return np.tril(np.ones((T_k, T_k), dtype=bool))[T_k - T_q :]


def padding_mask(ids, pad):
    return np.logical_not(np.equal(np.expand_dims(ids, -2), pad))


def attention_backward(dout, cache):
    Q, K, V, A = (_flat(a) for a in cache)
    d = _flat(dout)
    dA = np.matmul(d, V.transpose(0, 2, 1))
    dS = A * (dA - np.sum(dA * A, axis=2)[:, :, None]) / np.sqrt(Q.shape[2])
    dQ, dK, dV = np.matmul(dS, K), np.matmul(dS.transpose(0, 2, 1), Q), np.matmul(A.transpose(0, 2, 1), d)
    return tuple(grad.reshape(a.shape) for grad, a in zip((dQ, dK, dV), cache))
