import numpy as np


class Rows:
    """Row-wise operations on stacks of matrices."""

    @staticmethod
    def softmax(z: np.ndarray) -> np.ndarray:
        work = np.array(z, dtype=np.float64, copy=True)
        work -= np.amax(work, axis=-1, keepdims=True)
        np.exp(work, out=work)
        work /= np.sum(work, axis=-1, keepdims=True)
        return work

    @staticmethod
    def softmax_backward(upstream: np.ndarray, shares: np.ndarray) -> np.ndarray:
        total = np.sum(upstream * shares, axis=-1, keepdims=True)
        return shares * upstream - shares * total

    @staticmethod
    def transpose(m: np.ndarray) -> np.ndarray:
        return np.moveaxis(m, -1, -2)


def average_context(x: np.ndarray) -> np.ndarray:
    """Attempt one: describe each position by the mean of everything up to and including itself.

        y_i = (x_1 + ... + x_i) / i

    Args:
        x: (..., T, d), one vector for each position.

    Returns:
        y: (..., T, d).

    Watch: how many vectors stand behind position i? And does it still work with a batch axis in front?
    Source: the "bag of words so far", where every attention lecture begins.
    """
    running = np.zeros_like(x[..., 0, :], dtype=np.float64)
    means = []
    for count in range(1, x.shape[-2] + 1):
        running = running + x[..., count - 1, :]
        means.append(running / count)
    return np.stack(means, axis=-2)


def similarity_context(x: np.ndarray) -> np.ndarray:
    """Attempt two: weight what came before by how similar it is to the present.

        y_i = sum over j <= i of a_ij x_j,    a_i = softmax over j <= i of (x_i . x_j / sqrt(d))

    Args:
        x: (..., T, d), one vector for each position.

    Returns:
        y: (..., T, d).

    Watch: the shares of one position are positive and sum to one over the positions it may read, itself included.
    Long vectors make large dot products; exp of a large number overflows unless you prevent it.
    Source: Luong et al. 2015, section 3.1 (the dot score); Vaswani et al. 2017, section 3.2.1 (the scale).
    """
    n, width = x.shape[-2], x.shape[-1]
    pieces = []
    for i in range(n):
        so_far = x[..., : i + 1, :]
        now = x[..., i : i + 1, :]
        dots = np.matmul(now, Rows.transpose(so_far)) / width**0.5
        shares = Rows.softmax(dots)
        pieces.append(np.matmul(shares, so_far))
    return np.concatenate(pieces, axis=-2)


def project_qkv(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give every position three roles: a query that asks, a key that is matched, a value that is handed on.

        Q = X W_q,    K = X W_k,    V = X W_v

    Args:
        X: (..., T, d_model).
        W_q: (d_model, d_k).
        W_k: (d_model, d_k).
        W_v: (d_model, d_v).

    Returns:
        Q (..., T, d_k), K (..., T, d_k) and V (..., T, d_v), in this order.

    Watch: three matrices, three results, no scale yet.
    Source: Vaswani et al. 2017, section 3.2.2, for one head.
    """
    queries = np.tensordot(X, W_q, axes=(-1, 0))
    keys = np.tensordot(X, W_k, axes=(-1, 0))
    values = np.tensordot(X, W_v, axes=(-1, 0))
    return queries, keys, values


def attention_scores(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Score every query against every key by their scaled dot product.

        scores = Q K^T / sqrt(d_k)

    Args:
        Q: (..., T_q, d_k).
        K: (..., T_k, d_k), with the same leading axes.

    Returns:
        scores: (..., T_q, T_k); entry [..., i, j] is how well key j answers query i.

    Watch: only the last two axes of K trade places; numpy's `.T` reverses all of them. d_k is the length of one query.
    Source: Vaswani et al. 2017, section 3.2.1, equation 1.
    """
    d_k = K.shape[-1]
    products = np.matmul(Q, Rows.transpose(K)).astype(np.float64)
    products *= d_k**-0.5
    return products


def attention_weights(scores: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """Turn each query's scores into shares of one: a softmax over the keys it may read.

    Args:
        scores: (..., T_q, T_k).
        mask: truth values, broadcastable to (..., T_q, T_k); True where the query may read the key. None: everywhere.

    Returns:
        weights: (..., T_q, T_k); every row sums to one, and entries the mask forbids are exactly zero.

    Watch: scores of 1000 and of -1000 are allowed, and exp(1000) is not a number a computer can hold. Which constant
    may you subtract from a row without changing its softmax? Leave `scores` itself as it was. A row in which no key
    is allowed has no right answer, and is never tested.
    Source: Vaswani et al. 2017, sections 3.2.1 and 3.2.3.
    """
    z = np.array(scores, dtype=np.float64, copy=True)
    if mask is not None:
        hidden = np.logical_not(np.broadcast_to(mask, z.shape))
        z[hidden] = -np.inf
    return Rows.softmax(z)


def attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
    """Let every query read the values, each in proportion to how well its key answers.

        attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V

    Args:
        Q: (..., T_q, d_k).
        K: (..., T_k, d_k), with the same leading axes.
        V: (..., T_k, d_v), with the same leading axes.
        mask: truth values, broadcastable to (..., T_q, T_k), or None.

    Returns:
        output: (..., T_q, d_v), the output alone.

    Watch: which axis of the weights meets the positions of V? Follow the shapes.
    Source: Vaswani et al. 2017, section 3.2.1, equation 1.
    """
    shares = attention_weights(scores=attention_scores(Q=Q, K=K), mask=mask)
    return np.matmul(shares, V)


def folded_scores(X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray) -> np.ndarray:
    """Reach the scores of self-attention by another route: fold both projections into one matrix first.

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
    root = np.sqrt(float(W_q.shape[1]))
    bilinear = np.matmul(W_q, np.transpose(W_k)) / root
    left = np.matmul(X, bilinear)
    return np.matmul(left, Rows.transpose(X))


def causal_mask(T_q: int, T_k: int) -> np.ndarray:
    """Let each position read itself and what came before.

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
    future = np.triu(np.ones((T_q, T_k)), k=T_k - T_q + 1)
    return future == 0


def padding_mask(ids: np.ndarray, pad: int) -> np.ndarray:
    """Let nobody read the filler that makes the sequences of a batch equally long.

    Args:
        ids: (..., T) of int, the token ids.
        pad: the id that means "no token here"; it may be any number, and may stand at either end.

    Returns:
        mask: (..., 1, T) of bool, True where there is a real token; the axis of length one is that of the queries.

    Watch: does the mask hide padded keys, or padded queries?
    Source: Vaswani et al. 2017, section 3.2.1, "Mask (opt.)" in figure 2; every batched implementation since.
    """
    ids = np.asarray(ids)
    mask = np.ones(ids.shape, dtype=bool)
    mask[ids == pad] = False
    return mask[..., np.newaxis, :]


def self_attention(
    X: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray, causal: bool = False
) -> np.ndarray:
    """Let a sequence attend to itself: queries, keys and values all come from X.

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
    queries, keys, values = project_qkv(X=X, W_q=W_q, W_k=W_k, W_v=W_v)
    steps = queries.shape[-2]
    mask = causal_mask(T_q=steps, T_k=steps) if causal else np.ones((steps, steps), dtype=bool)
    return attention(Q=queries, K=keys, V=values, mask=mask)


def attention_backward(
    dout: np.ndarray, cache: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Send a gradient back through `attention`.

    Args:
        dout: (..., T_q, d_v), the gradient of the loss with respect to the output.
        cache: (Q, K, V, weights) of the forward pass; weights (..., T_q, T_k) already are zero where a mask forbade.
            Use them as they are; some cases make them up.

    Returns:
        dQ (..., T_q, d_k), dK (..., T_k, d_k) and dV (..., T_k, d_v), in this order.

    Watch: go backwards one operation at a time, and let each gradient have the shape of what it belongs to. In the
    softmax every score moves every weight of its row. The scale is part of the forward pass, too.
    Source: the chain rule; the README derives the pieces.
    """
    Q, K, V, weights = cache
    d_k = Q.shape[-1]
    # output = weights @ V
    dV = np.matmul(Rows.transpose(weights), dout)
    dweights = np.matmul(dout, Rows.transpose(V))
    # weights = softmax(scores)
    dscores = Rows.softmax_backward(dweights, weights)
    # scores = Q @ K^T / sqrt(d_k)
    ddots = dscores / np.sqrt(d_k)
    dQ = np.matmul(ddots, K)
    dK = np.matmul(Rows.transpose(ddots), Q)
    return dQ, dK, dV


def quiz() -> dict[str, str]:
    """Answer eight questions, each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.

    order_lost: why does averaging word vectors lose the order of the words?
        a: later words get a smaller share
        b: reordering the terms of a sum does not change it
        c: the mean has fewer features than the words
        d: long and short sentences get vectors of the same size
    query_key_value: what is each for?
        a: the query is matched, the key asks, the value is handed on
        b: the query asks, the value is matched, the key is handed on
        c: the query asks, the key is both matched and handed on, the value scales the result
        d: the query asks, the key is matched, the value is handed on
    why_scale: why are dot products divided by sqrt(d_k)?
        a: so that each row of weights sums to one
        b: so that longer sequences do not get larger scores
        c: so that the softmax does not saturate as d_k grows
        d: so that queries and keys have length one
    softmax_over_keys: the scores are (T_q, T_k); what does one softmax run over?
        a: all the keys of one query
        b: all the queries of one key
        c: all the entries of the matrix
        d: all the features of one value
    what_mask_protects: what does the causal mask make sure of in training?
        a: that no prediction reads what it has to predict
        b: that padding is not read as if it were text
        c: that the softmax does not overflow on long texts
        d: that early tokens are not forgotten later on
    mask_before_softmax: why not multiply the weights by the mask after the softmax instead?
        a: it would be one more operation, and slower
        b: hidden keys would keep a small part of the weight
        c: there is no reason: both ways give the same weights
        d: the weights that remain would not sum to one
    cost_in_time: a sequence gets twice as long; what becomes of the work for scores and weighted sums?
        a: it stays the same, as positions run in parallel
        b: it is twice as much
        c: it is four times as much
        d: it is eight times as much
    two_projections: why W_q and W_k, and not one matrix for both?
        a: so that queries and keys can have different widths
        b: with one, the dot product would not be defined
        c: with one, i would always score j as j scores i
        d: so that the weights of a row can sum to one
    """
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
