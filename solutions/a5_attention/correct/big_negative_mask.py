"""Adds -1e9 where a mask forbids, instead of filling in minus infinity."""

import numpy as np


def similarity_context(x):
    T = x.shape[-2]
    scores = x @ x.swapaxes(-1, -2) / np.sqrt(x.shape[-1])
    scores = scores + np.triu(np.full((T, T), -1e9), k=1)
    return _softmax_of_rows(scores) @ x


def _softmax_of_rows(scores):
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


def attention_weights(scores, mask=None):
    penalty = 0.0 if mask is None else (1.0 - np.asarray(mask, dtype=float)) * -1e9
    return _softmax_of_rows(scores + penalty)


def attention(Q, K, V, mask=None):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -1e9)
    return _softmax_of_rows(scores) @ V


def causal_mask(T_q, T_k):
    return ~np.triu(np.ones((T_q, T_k), dtype=bool), k=T_k - T_q + 1)


def self_attention(X, W_q, W_k, W_v, causal=False):
    T = X.shape[-2]
    scores = (X @ W_q) @ (X @ W_k).swapaxes(-1, -2) / np.sqrt(W_q.shape[1])
    if causal:
        scores[..., np.triu_indices(T, 1)[0], np.triu_indices(T, 1)[1]] = -1e9
    return _softmax_of_rows(scores) @ (X @ W_v)
