"""Applies the mask after the exponential and divides by what remains, which is the same softmax."""

import numpy as np


def similarity_context(x):
    scores = attention_scores(x, x)
    past = np.tri(x.shape[-2], dtype=bool)
    highest = scores.max(axis=-1, keepdims=True, where=past, initial=-np.inf)
    raised = np.exp(np.minimum(scores - highest, 0)) * past
    return raised @ x / raised.sum(axis=-1, keepdims=True)


def attention_weights(scores, mask=None):
    mask = np.broadcast_to(True if mask is None else mask, scores.shape)
    highest = scores.max(axis=-1, keepdims=True, where=mask, initial=-np.inf)
    raised = np.exp(np.minimum(scores - highest, 0)) * mask
    return raised / raised.sum(axis=-1, keepdims=True)


def attention(Q, K, V, mask=None):
    scores = attention_scores(Q, K)
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    highest = scores.max(axis=-1, keepdims=True, where=allowed, initial=-np.inf)
    raised = np.exp(np.minimum(scores - highest, 0)) * allowed
    return (raised @ V) / raised.sum(axis=-1, keepdims=True)


def padding_mask(ids, pad):
    return np.invert(ids == pad)[..., np.newaxis, :]
