"""Works in single precision throughout, and returns it."""

import numpy as np


def _single(*arrays):
    return tuple(np.asarray(a, dtype=np.float32) for a in arrays)


def average_context(x):
    (x,) = _single(x)
    return np.cumsum(x, axis=-2) / np.arange(1, x.shape[-2] + 1, dtype=np.float32)[:, None]


def similarity_context(x):
    (x,) = _single(x)
    return attention(x, x, x, causal_mask(x.shape[-2], x.shape[-2]))


def project_qkv(X, W_q, W_k, W_v):
    X, W_q, W_k, W_v = _single(X, W_q, W_k, W_v)
    return X @ W_q, X @ W_k, X @ W_v


def attention_scores(Q, K):
    Q, K = _single(Q, K)
    return Q @ np.swapaxes(K, -1, -2) / np.float32(np.sqrt(Q.shape[-1]))


def attention_weights(scores, mask=None):
    (scores,) = _single(scores)
    if mask is not None:
        scores = np.where(mask, scores, np.float32(-np.inf))
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


def attention(Q, K, V, mask=None):
    Q, K, V = _single(Q, K, V)
    return attention_weights(attention_scores(Q, K), mask) @ V


def folded_scores(X, W_q, W_k):
    X, W_q, W_k = _single(X, W_q, W_k)
    return X @ (W_q @ W_k.T / np.float32(np.sqrt(W_q.shape[1]))) @ np.swapaxes(X, -1, -2)


def self_attention(X, W_q, W_k, W_v, causal=False):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    return attention(Q, K, V, causal_mask(X.shape[-2], X.shape[-2]) if causal else None)


def attention_backward(dout, cache):
    dout, Q, K, V, A = _single(dout, *cache)
    dA = dout @ np.swapaxes(V, -1, -2)
    dS = A * (dA - (dA * A).sum(axis=-1, keepdims=True)) / np.float32(np.sqrt(Q.shape[-1]))
    return dS @ K, np.swapaxes(dS, -1, -2) @ Q, np.swapaxes(A, -1, -2) @ dout
