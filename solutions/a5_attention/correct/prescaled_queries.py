"""Scales before the dot product: the queries, or queries and keys by the fourth root each."""

import numpy as np


def similarity_context(x):
    scaled = x / x.shape[-1] ** 0.25
    weights = attention_weights(np.matmul(scaled, np.swapaxes(scaled, -2, -1)), np.tri(x.shape[-2]) > 0)
    return np.matmul(weights, x)


def attention_scores(Q, K):
    return (Q / np.sqrt(Q.shape[-1])) @ np.swapaxes(K, -1, -2)


def attention(Q, K, V, mask=None):
    scores = (Q * Q.shape[-1] ** -0.25) @ np.swapaxes(K * K.shape[-1] ** -0.25, -1, -2)
    return attention_weights(scores, mask) @ V


def folded_scores(X, W_q, W_k):
    return X @ (W_q / np.sqrt(W_q.shape[1])) @ W_k.T @ np.swapaxes(X, -1, -2)


def self_attention(X, W_q, W_k, W_v, causal=False):
    T = X.shape[-2]
    scores = X @ (W_q / W_q.shape[1] ** 0.5) @ np.swapaxes(X @ W_k, -1, -2)
    return attention_weights(scores, np.tri(T, T, dtype=bool) if causal else None) @ X @ W_v


def attention_backward(dout, cache):
    Q, K, V, A = cache
    scale = Q.shape[-1] ** -0.5
    dA = dout @ np.swapaxes(V, -1, -2)
    out = A @ V
    dS = A * (dA - (dout * out).sum(axis=-1, keepdims=True))
    return dS @ (K * scale), np.swapaxes(dS, -1, -2) @ (Q * scale), np.swapaxes(A, -1, -2) @ dout
