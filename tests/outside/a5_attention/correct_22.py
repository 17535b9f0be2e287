"""Attention assignment. Time is axis -2, features are axis -1, everything before is batch."""

import numpy as np

VERY_NEGATIVE = -1e9


def average_context(x):
    """Mean of all vectors up to and including each position."""
    y = np.zeros(x.shape)
    total = np.zeros(x[..., 0, :].shape)
    for i in range(x.shape[-2]):
        total = total + x[..., i, :]
        y[..., i, :] = total / (i + 1)
    return y


def similarity_context(x):
    """One position after the other, each looks back at x_0 ... x_i."""
    T, d = x.shape[-2:]
    y = np.zeros(x.shape)
    for i in range(T):
        past = x[..., : i + 1, :]
        s = np.einsum("...d,...jd->...j", x[..., i, :], past) / d**0.5
        top = s.max(axis=-1, keepdims=True)
        a = np.exp(s - top)
        a = a / a.sum(axis=-1, keepdims=True)
        y[..., i, :] = np.einsum("...j,...jd->...d", a, past)
    return y


def project_qkv(X, W_q, W_k, W_v):
    Q = np.matmul(X, W_q)
    K = np.matmul(X, W_k)
    V = np.matmul(X, W_v)
    return Q, K, V


def attention_scores(Q, K):
    d_k = Q.shape[-1]
    dots = np.einsum("...id,...jd->...ij", Q, K)
    return dots / d_k**0.5


def attention_weights(scores, mask=None):
    s = np.array(scores, dtype=float)
    if mask is not None:
        # forbidden keys get a score whose exponential is zero
        s = np.where(mask, s, VERY_NEGATIVE)
    biggest = np.max(s, axis=-1)
    s = s - biggest[..., None]
    expo = np.exp(s)
    total = np.sum(expo, axis=-1)
    return expo / total[..., None]


def attention(Q, K, V, mask=None):
    scores = attention_scores(Q, K)
    a = attention_weights(scores, mask)
    return np.einsum("...ij,...jv->...iv", a, V)


def folded_scores(X, W_q, W_k):
    d_k = W_k.shape[1]
    M = np.einsum("ak,bk->ab", W_q, W_k) / d_k**0.5
    return np.einsum("...ia,ab,...jb->...ij", X, M, X)


def causal_mask(T_q, T_k):
    # query number i really stands at place (T_k - T_q) + i
    place = np.arange(T_q) + (T_k - T_q)
    key = np.arange(T_k)
    return key[None, :] <= place[:, None]


def padding_mask(ids, pad):
    ids = np.asarray(ids)
    real = ids != pad
    return np.expand_dims(real, -2)


def self_attention(X, W_q, W_k, W_v, causal=False):
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    n = Q.shape[-2]
    if causal:
        return attention(Q, K, V, mask=causal_mask(n, n))
    return attention(Q, K, V)


def attention_backward(dout, cache):
    Q, K, V, a = cache
    scale = 1 / Q.shape[-1] ** 0.5

    # out_iv = sum_j a_ij V_jv
    dV = np.einsum("...ij,...iv->...jv", a, dout)
    da = np.einsum("...iv,...jv->...ij", dout, V)

    # ds_i = a_i da_i - a_i sum_j a_j da_j
    a_da = a * da
    ds = a_da - a * a_da.sum(axis=-1, keepdims=True)

    # s_ij = scale * sum_d Q_id K_jd
    dQ = scale * np.einsum("...ij,...jd->...id", ds, K)
    dK = scale * np.einsum("...ij,...id->...jd", ds, Q)
    return dQ, dK, dV


def quiz():
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
