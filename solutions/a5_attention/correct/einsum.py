"""Every sum is an einsum, with the axes named."""

import numpy as np


def average_context(x):
    T = x.shape[-2]
    shares = np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None]
    return np.einsum("ij,...jd->...id", shares, x)


def similarity_context(x):
    T, d = x.shape[-2:]
    scores = np.einsum("...id,...jd->...ij", x, x) / d**0.5
    scores = np.where(np.arange(T)[:, None] >= np.arange(T), scores, -np.inf)
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum("...ij,...jd,...i->...id", raised, x, 1.0 / raised.sum(axis=-1))


def project_qkv(X, W_q, W_k, W_v):
    return tuple(np.einsum("...tm,mk->...tk", X, W) for W in (W_q, W_k, W_v))


def attention_scores(Q, K):
    return np.einsum("...qd,...kd->...qk", Q, K) / Q.shape[-1] ** 0.5


def attention(Q, K, V, mask=None):
    weights = attention_weights(np.einsum("...qd,...kd->...qk", Q, K) * Q.shape[-1] ** -0.5, mask)
    return np.einsum("...qk,...kv->...qv", weights, V)


def folded_scores(X, W_q, W_k):
    return np.einsum("...ia,ak,bk,...jb->...ij", X, W_q, W_k, X) / W_q.shape[1] ** 0.5


def self_attention(X, W_q, W_k, W_v, causal=False):
    T = X.shape[-2]
    scores = np.einsum("...ia,ak,bk,...jb->...ij", X, W_q, W_k, X) / np.sqrt(W_k.shape[1])
    weights = attention_weights(scores, np.tri(T, dtype=bool) if causal else None)
    return np.einsum("...ij,...jm,mv->...iv", weights, X, W_v)


def attention_backward(dout, cache):
    Q, K, V, A = cache
    dA = np.einsum("...qv,...kv->...qk", dout, V)
    dS = A * dA - A * np.einsum("...qk,...qk->...q", A, dA)[..., None]
    dS = dS / Q.shape[-1] ** 0.5
    return (
        np.einsum("...qk,...kd->...qd", dS, K),
        np.einsum("...qk,...qd->...kd", dS, Q),
        np.einsum("...qk,...qv->...kv", A, dout),
    )
