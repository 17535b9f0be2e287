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

import numpy as np


def average_context(x: np.ndarray) -> np.ndarray:
    """Attempt one: return for each position the mean of all vectors up to and including its own.

        y_i = (x_1 + ... + x_i) / i

    Args:
        x: (..., T, d), one vector for each position.

    Returns:
        y: (..., T, d).

    Watch: how many vectors stand behind position i? And does it still work with a batch axis in front?
    Source: the "bag of words so far", where every attention lecture begins.
    """
    n_positions = x.shape[-2]
    counts = np.arange(1, n_positions + 1)[:, None]
    return np.cumsum(x, axis=-2) / counts


def similarity_context(x: np.ndarray) -> np.ndarray:
    """Attempt two: return for each position a mean of the vectors so far, weighted by their similarity to its own.

        y_i = sum over j <= i of a_ij x_j,    a_i = softmax over j <= i of (x_i . x_j / sqrt(d))

    Args:
        x: (..., T, d), one vector for each position.

    Returns:
        y: (..., T, d).

    Watch: the shares of one position are positive and sum to one over the positions it may read, itself included.
    Long vectors make large dot products; exp of a large number overflows unless you prevent it.
    Source: Luong et al. 2015, section 3.1 (the dot score); Vaswani et al. 2017, section 3.2.1 (the scale).
    """
    n_positions = x.shape[-2]
    return attention(x, x, x, causal_mask(n_positions, n_positions))


def project_qkv(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the query, the key and the value of every position.

        Q = X W_q,    K = X W_k,    V = X W_v

    Args:
        X: (..., T, d_model).
        W_q: (d_model, d_k).
        W_k: (d_model, d_k).
        W_v: (d_model, d_v).

    Returns:
        Q (..., T, d_k), K (..., T, d_k) and V (..., T, d_v), in this order.

    Watch: three matrices, three results, and nothing else. The scale is part of `attention_scores`.
    Source: Vaswani et al. 2017, section 3.2.2, for one head.
    """
    Q = X @ W_q
    K = X @ W_k
    V = X @ W_v
    return Q, K, V


def attention_scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Return the score of every query with every key: their scaled dot product.

        scores = Q K^T / sqrt(d_k)

    Args:
        Q: (..., T_q, d_k).
        K: (..., T_k, d_k), with the same leading axes.

    Returns:
        scores: (..., T_q, T_k); entry [..., i, j] is how well key j answers query i.

    Watch: only the last two axes of K trade places; numpy's `.T` reverses all of them. d_k is the length of one query.
    Source: Vaswani et al. 2017, section 3.2.1, equation 1.
    """
    d_k = Q.shape[-1]
    return Q @ np.swapaxes(K, -1, -2) / np.sqrt(d_k)


def attention_weights(scores: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """Return the attention weights: a softmax of each query's scores over the keys that it may read.

    Args:
        scores: (..., T_q, T_k).
        mask: booleans, broadcastable to (..., T_q, T_k); True where the query may read the key. None: everywhere.

    Returns:
        weights: (..., T_q, T_k); every row sums to one, and entries the mask forbids are exactly zero. Minus infinity before
            the softmax does that, and so does -1e9: its exponential is zero to a computer.

    Watch: scores of 1000 and of -1000 are allowed, and exp(1000) is not a number a computer can hold. Which constant
    may you subtract from a row without changing its softmax? Leave `scores` itself as it was. A row in which no key
    is allowed has no right answer, and is never tested.
    Source: Vaswani et al. 2017, sections 3.2.1 and 3.2.3.
    """
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    shifted = scores - scores.max(axis=-1, keepdims=True)
    exps = np.exp(shifted)
    return exps / exps.sum(axis=-1, keepdims=True)


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """Return scaled dot-product attention: for every query, the mean of the values under its attention weights.

        attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V

    Args:
        Q: (..., T_q, d_k).
        K: (..., T_k, d_k), with the same leading axes.
        V: (..., T_k, d_v), with the same leading axes.
        mask: booleans, broadcastable to (..., T_q, T_k), or None.

    Returns:
        output: (..., T_q, d_v), the output alone.

    Watch: which axis of the weights meets the positions of V? Follow the shapes.
    Source: Vaswani et al. 2017, section 3.2.1, equation 1.
    """
    scores = attention_scores(Q, K)
    weights = attention_weights(scores, mask)
    return weights @ V


def folded_scores(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray) -> np.ndarray:
    """Return the scores of self-attention by another route: with both projections folded into one matrix first.

        scores = X (W_q W_k^T / sqrt(d_k)) X^T

    Args:
        X: (..., T, d_model).
        W_q: (d_model, d_k).
        W_k: (d_model, d_k).

    Returns:
        scores: (..., T, T), the same numbers as `attention_scores(X W_q, X W_k)`.

    Watch: the folded matrix is (d_model, d_model), yet the scale is still that of a query's length. Is the matrix
    symmetric?
    Source: the bilinear score of Luong et al. 2015, section 3.1 ("general").
    """
    d_k = W_q.shape[-1]
    folded = W_q @ W_k.T / np.sqrt(d_k)
    return X @ folded @ np.swapaxes(X, -1, -2)


def causal_mask(T_q: int, T_k: int) -> np.ndarray:
    """Return the causal mask: each position may read itself and what came before.

    When there are fewer queries than keys, the queries are the LAST T_q positions (as when a model writes on from a
    text it has already read), so the last query sees every key.

    Args:
        T_q: number of queries, at most T_k.
        T_k: number of keys.

    Returns:
        mask: (T_q, T_k) of bool, True where the query may read the key.

    Watch: is a position allowed to read itself? Draw the 2 by 4 mask on paper before you write it.
    Source: Vaswani et al. 2017, section 3.2.3 (masking in the decoder).
    """
    return np.tril(np.ones((T_q, T_k), dtype=bool), k=T_k - T_q)


def padding_mask(ids: np.ndarray, pad: int) -> np.ndarray:
    """Return the padding mask, which hides the filler that makes the sequences of a batch equally long.

    Args:
        ids: (..., T) of int, the token ids.
        pad: the id that means "no token here"; it may be any number, and may stand at either end. (Joined with a causal mask,
            padding in front would leave rows without any key; that is never asked for.)

    Returns:
        mask: (..., 1, T) of bool, True where there is a real token; the axis of length one is that of the queries.

    Watch: does the mask hide padded keys, or padded queries?
    Source: Vaswani et al. 2017, section 3.2.1, "Mask (opt.)" in figure 2; every batched implementation since.
    """
    return (ids != pad)[..., None, :]


def self_attention(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, causal: bool = False
) -> np.ndarray:
    """Return the self-attention of a sequence: queries, keys and values all come from X.

    Args:
        X: (..., T, d_model).
        W_q: (d_model, d_k).
        W_k: (d_model, d_k).
        W_v: (d_model, d_v).
        causal: whether each position may read only itself and what came before.

    Returns:
        output: (..., T, d_v).

    Watch: `causal` is False unless the caller says otherwise. Where in the shape of X does T stand?
    Source: Vaswani et al. 2017, sections 3.2.2 and 3.2.3, for one head.
    """
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    mask = None
    if causal:
        n_positions = X.shape[-2]
        mask = causal_mask(n_positions, n_positions)
    return attention(Q, K, V, mask)


def attention_backward(
    dout: np.ndarray, cache: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the gradients of `attention` with respect to Q, K and V.

    Args:
        dout: (..., T_q, d_v), the gradient of the loss with respect to the output.
        cache: (Q, K, V, weights) of the forward pass; weights (..., T_q, T_k) already are zero where a mask forbade.
            Use them as they are; some cases make them up, in rows that sum to one.

    Returns:
        dQ (..., T_q, d_k), dK (..., T_k, d_k) and dV (..., T_k, d_v), in this order.

    Watch: go backwards one operation at a time, and let each gradient have the shape of what it belongs to. In the
    softmax every score moves every weight of its row. The scale is part of the forward pass, too.
    Source: the chain rule; the README derives the pieces.
    """
    Q, K, V, weights = cache
    scale = np.sqrt(Q.shape[-1])
    dV = np.swapaxes(weights, -1, -2) @ dout
    d_weights = dout @ np.swapaxes(V, -1, -2)
    row_sums = (weights * d_weights).sum(axis=-1, keepdims=True)
    d_scores = weights * (d_weights - row_sums)
    d_dots = d_scores / scale
    dQ = d_dots @ K
    dK = np.swapaxes(d_dots, -1, -2) @ Q
    return dQ, dK, dV


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "order_lost": "",
        "why_scale": "",
        "mask_before_softmax": "",
        "two_projections": "",
        "spread_of_scores": "",
        "one_weight": "",
        "shape_of_attention": "",
        "cost_in_time": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
