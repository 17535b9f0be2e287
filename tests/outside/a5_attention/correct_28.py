"""Attention, from a plain average to softmax(Q K^T / sqrt(d_k)) V, in numpy.

Shapes: time is the axis before last, features are last, and any number of axes may stand in front, so the same
function takes (T, d), (batch, T, d) and (batch, heads, T, d). Count axes from the end (-1, -2), never from the front.

    T, T_q, T_k   positions: of one sequence, of the queries, of the keys (a key and its value share a position)
    d_model       features of the input X
    d_k, d_v      features of a query or key, and of a value

Weights multiply from the right, as in Q = X W_q, so W_q and W_k are (d_model, d_k) and W_v is (d_model, d_v).
(Other assignments lay their weights out as (out, in); this one follows the formula as the papers print it.)

A mask is a boolean array: True means "this query may read this key". It broadcasts to (..., T_q, T_k).

No function here changes the arrays it is given. Each may call any other of this file, also one further down.
"""

import math

import numpy as np
import torch


def to_torch(a):
    return torch.tensor(np.ascontiguousarray(a), dtype=torch.float64)


def average_context(x: np.ndarray) -> np.ndarray:
    """Attempt one: return for each position the mean of all vectors up to and including its own."""
    t = to_torch(x)
    n = torch.arange(1, t.shape[-2] + 1, dtype=t.dtype).unsqueeze(-1)
    return (t.cumsum(dim=-2) / n).numpy()


def similarity_context(x: np.ndarray) -> np.ndarray:
    """Attempt two: return for each position a mean of the vectors so far, weighted by their similarity to its own."""
    # plain attention in which x plays all three roles
    T = x.shape[-2]
    return attention(x, x, x, causal_mask(T, T))


def project_qkv(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the query, the key and the value of every position."""
    x = to_torch(X)
    return (x @ to_torch(W_q)).numpy(), (x @ to_torch(W_k)).numpy(), (x @ to_torch(W_v)).numpy()


def attention_scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Return the score of every query with every key: their scaled dot product."""
    q, k = to_torch(Q), to_torch(K)
    dots = torch.matmul(q, k.transpose(-2, -1))
    return (dots / math.sqrt(q.size(-1))).numpy()


def attention_weights(scores: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """Return the attention weights: a softmax of each query's scores over the keys that it may read."""
    s = to_torch(scores)
    if mask is not None:
        forbidden = torch.tensor(np.logical_not(mask))
        s = s.masked_fill(forbidden, float("-inf"))
    return torch.softmax(s, dim=-1).numpy()


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """Return scaled dot-product attention: for every query, the mean of the values under its attention weights."""
    scores = attention_scores(Q, K)
    weights = attention_weights(scores, mask)
    return np.matmul(weights, V)


def folded_scores(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray) -> np.ndarray:
    """Return the scores of self-attention by another route: with both projections folded into one matrix first."""
    q, k = to_torch(W_q), to_torch(W_k)
    x = to_torch(X)
    folded = (q @ k.t()) / math.sqrt(q.size(-1))
    return (x @ folded @ x.transpose(-2, -1)).numpy()


def causal_mask(T_q: int, T_k: int) -> np.ndarray:
    """Return the causal mask: each position may read itself and what came before."""
    # the triangle for all T_k positions, of which only the last T_q ask
    square = np.tril(np.ones((T_k, T_k), dtype=bool))
    return square[T_k - T_q :]


def padding_mask(ids: np.ndarray, pad: int) -> np.ndarray:
    """Return the padding mask, which hides the filler that makes the sequences of a batch equally long."""
    is_pad = ids == pad
    shape = is_pad.shape[:-1] + (1, is_pad.shape[-1])
    return ~is_pad.reshape(shape)


def self_attention(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, causal: bool = False
) -> np.ndarray:
    """Return the self-attention of a sequence: queries, keys and values all come from X."""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    scores = attention_scores(Q, K)
    if causal:
        weights = attention_weights(scores, causal_mask(scores.shape[-2], scores.shape[-1]))
    else:
        weights = attention_weights(scores)
    return weights @ V


def attention_backward(
    dout: np.ndarray, cache: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the gradients of `attention` with respect to Q, K and V."""
    q, k, v, w = [to_torch(a) for a in cache]
    g = to_torch(dout)
    dv = w.transpose(-2, -1) @ g
    dw = g @ v.transpose(-2, -1)
    wdw = w * dw
    ds = wdw - w * wdw.sum(dim=-1, keepdim=True)
    ds = ds / math.sqrt(q.size(-1))
    dq = ds @ k
    dk = ds.transpose(-2, -1) @ q
    return dq.numpy(), dk.numpy(), dv.numpy()


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option."""
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
