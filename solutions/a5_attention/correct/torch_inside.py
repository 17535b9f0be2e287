"""Lets torch do the work and returns numpy arrays."""

import numpy as np
import torch


def _t(a):
    return torch.tensor(np.ascontiguousarray(a))


def average_context(x):
    x = _t(x)
    return (x.cumsum(-2) / torch.arange(1, x.shape[-2] + 1, dtype=x.dtype)[:, None]).numpy()


def similarity_context(x):
    x = _t(x)
    scores = x @ x.mT / x.shape[-1] ** 0.5
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return (scores.masked_fill(later, -torch.inf).softmax(-1) @ x).numpy()


def project_qkv(X, W_q, W_k, W_v):
    return tuple(torch.matmul(_t(X), _t(W)).numpy() for W in (W_q, W_k, W_v))


def attention_scores(Q, K):
    return (_t(Q) @ _t(K).mT / Q.shape[-1] ** 0.5).numpy()


def attention_weights(scores, mask=None):
    scores = _t(scores)
    if mask is not None:
        scores = scores.masked_fill(~_t(mask), float("-inf"))
    return scores.softmax(dim=-1).numpy()


def attention(Q, K, V, mask=None):
    scores = torch.einsum("...td,...sd->...ts", _t(Q) * Q.shape[-1] ** -0.5, _t(K))
    bias = 0.0 if mask is None else torch.where(_t(mask), 0.0, float("-inf"))
    return (torch.nn.functional.softmax(scores + bias, dim=-1) @ _t(V)).numpy()


def folded_scores(X, W_q, W_k):
    X = _t(X)
    return (X @ (_t(W_q) @ _t(W_k).T / W_q.shape[1] ** 0.5) @ X.transpose(-1, -2)).numpy()


def causal_mask(T_q, T_k):
    return torch.ones(T_q, T_k, dtype=torch.bool).tril(T_k - T_q).numpy()


def padding_mask(ids, pad):
    return _t(ids).ne(pad).unsqueeze(-2).numpy()


def self_attention(X, W_q, W_k, W_v, causal=False):
    Q, K, V = (_t(X) @ _t(W) for W in (W_q, W_k, W_v))
    scores = torch.matmul(Q, K.mT) / W_k.shape[1] ** 0.5
    if causal:
        scores += torch.full(scores.shape[-2:], float("-inf")).triu(1)
    return torch.matmul(scores.softmax(-1), V).numpy()


def attention_backward(dout, cache):
    Q, K, V, weights = (_t(a) for a in cache)
    d_weights = _t(dout) @ V.mT
    d_scores = weights * (d_weights - (d_weights * weights).sum(-1, keepdim=True)) / Q.shape[-1] ** 0.5
    return (d_scores @ K).numpy(), (d_scores.mT @ Q).numpy(), (weights.mT @ _t(dout)).numpy()
