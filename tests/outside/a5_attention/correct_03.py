"""Attention, from a plain average to softmax(Q K^T / sqrt(d_k)) V, in numpy.

Shapes: time is the axis before last, features are last, and any number of axes may stand in front, so the same
function takes (T, d), (batch, T, d) and (batch, heads, T, d). Count axes from the end (-1, -2), never from the front.

    T, T_q, T_k   positions: of one sequence, of the queries, of the keys (a key and its value share a position)
    d_model       features of the input X
    d_k, d_v      features of a query or key, and of a value

Weights multiply from the right, as in Q = X W_q, so W_q and W_k are (d_model, d_k) and W_v is (d_model, d_v).
(Other assignments lay their weights out as (out, in); this one follows the formula as the papers print it.)

A mask holds truth values: True means "this query may read this key". It broadcasts to (..., T_q, T_k).

No function here changes the arrays it is given. Each may call any other of this file, also one further down.
"""

import math
import numpy as np


import torch


def to_torch(array):
    return torch.from_numpy(np.array(array, dtype=np.float64))


def average_context(x: np.ndarray) -> np.ndarray:
    t = to_torch(x)
    length = t.shape[-2]
    averaging = torch.tril(torch.ones(length, length, dtype=t.dtype))
    averaging = averaging / averaging.sum(dim=1, keepdim=True)
    return (averaging @ t).numpy()


def similarity_context(x: np.ndarray) -> np.ndarray:
    t = to_torch(x)
    length, width = t.shape[-2], t.shape[-1]
    similarity = t @ t.transpose(-2, -1) / math.sqrt(width)
    future = torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)
    similarity = similarity.masked_fill(future, float("-inf"))
    return (torch.softmax(similarity, dim=-1) @ t).numpy()


def project_qkv(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    d_k, d_v = W_k.shape[-1], W_v.shape[-1]
    together = np.concatenate([W_q, W_k, W_v], axis=-1)
    Q, K, V = np.split(X @ together, [d_k, 2 * d_k], axis=-1)
    return Q, K, V


def attention_scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    q, k = to_torch(Q), to_torch(K)
    q = q / math.sqrt(q.size(-1))
    return (q @ k.mT).numpy()


def attention_weights(scores: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    s = to_torch(scores)
    if mask is not None:
        allowed = torch.from_numpy(np.array(mask, dtype=bool))
        s = s.masked_fill(~allowed, -1e9)
    return torch.softmax(s, dim=-1).numpy()


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    scores = to_torch(Q) @ to_torch(K).mT / math.sqrt(Q.shape[-1])
    weights = attention_weights(scores.numpy(), mask)
    return (to_torch(weights) @ to_torch(V)).numpy()


def folded_scores(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray) -> np.ndarray:
    scale = 1.0 / math.sqrt(W_k.shape[1])
    folded = to_torch(W_q) @ to_torch(W_k).T * scale
    x = to_torch(X)
    return (x @ folded @ x.transpose(-1, -2)).numpy()


def causal_mask(T_q: int, T_k: int) -> np.ndarray:
    queries = torch.arange(T_k - T_q, T_k).unsqueeze(1)
    keys = torch.arange(T_k).unsqueeze(0)
    return (keys <= queries).numpy()


def padding_mask(ids: np.ndarray, pad: int) -> np.ndarray:
    real = np.not_equal(ids, pad)
    return real.reshape(*real.shape[:-1], 1, real.shape[-1])


def self_attention(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, causal: bool = False
) -> np.ndarray:
    q, k, v = project_qkv(X, W_q, W_k, W_v)
    length = X.shape[-2]
    if not causal:
        return attention(q, k, v)
    return attention(q, k, v, mask=causal_mask(length, length))


def attention_backward(
    dout: np.ndarray, cache: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, k, v, weights = (to_torch(part) for part in cache)
    grad = to_torch(dout)
    grad_v = weights.mT @ grad
    grad_weights = grad @ v.mT
    inner = (grad_weights * weights).sum(dim=-1, keepdim=True)
    grad_scores = weights * (grad_weights - inner)
    scale = math.sqrt(q.shape[-1])
    grad_q = grad_scores @ k / scale
    grad_k = grad_scores.mT @ q / scale
    return grad_q.numpy(), grad_k.numpy(), grad_v.numpy()


def quiz() -> dict[str, str]:
    answers = {
        "order_lost": "b",
        "query_key_value": "d",
        "why_scale": "c",
        "softmax_over_keys": "a",
        "what_mask_protects": "a",
        "mask_before_softmax": "d",
        "cost_in_time": "c",
        "two_projections": "c",
    }
    return answers
