"""Each step has a variable, as in code that is written and looked at line by line."""

import numpy as np


def average_context(x):
    sums = np.cumsum(x, axis=-2)
    counts = np.arange(1, x.shape[-2] + 1)[:, None]
    return sums / counts


def similarity_context(x):
    dots = x @ np.swapaxes(x, -1, -2)
    scores = dots / np.sqrt(x.shape[-1])
    past = np.tril(np.ones(scores.shape[-2:], dtype=bool))
    masked = np.where(past, scores, -np.inf)
    weights = attention_weights(masked)
    return weights @ x


def attention_weights(scores, mask=None):
    masked = scores if mask is None else np.where(mask, scores, -np.inf)
    largest = masked.max(axis=-1, keepdims=True)
    lowered = masked - largest
    e = np.exp(lowered)
    totals = e.sum(axis=-1, keepdims=True)
    return e / totals


def attention(Q, K, V, mask=None):
    dots = Q @ np.swapaxes(K, -1, -2)
    scores = dots / np.sqrt(Q.shape[-1])
    masked = scores if mask is None else np.where(mask, scores, -np.inf)
    weights = attention_weights(masked)
    return weights @ V


def folded_scores(X, W_q, W_k):
    W = W_q @ W_k.T
    left = X @ W
    unscaled = left @ np.swapaxes(X, -1, -2)
    return unscaled / np.sqrt(W_q.shape[-1])


def self_attention(X, W_q, W_k, W_v, causal=False):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = attention_scores(Q, K)
    mask = causal_mask(X.shape[-2], X.shape[-2]) if causal else None
    weights = attention_weights(scores, mask)
    return weights @ V


def attention_backward(dout, cache):
    Q, K, V, P = cache
    root = np.sqrt(Q.shape[-1])
    dV = np.swapaxes(P, -1, -2) @ dout
    dP = dout @ np.swapaxes(V, -1, -2)
    product = P * dP
    sums = product.sum(axis=-1, keepdims=True)
    inner = dP - sums
    dS = P * inner
    unscaled_dQ, unscaled_dK = dS @ K, np.swapaxes(dS, -1, -2) @ Q
    return unscaled_dQ / root, unscaled_dK / root, dV
