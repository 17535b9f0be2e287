"""Attention that gives the same numbers faster: in tiles, from pages, in chunks, by guessing ahead; in numpy.

Shapes: time is the axis before last, features are last, and any number of axes may stand in front.

    T_q, T_k      positions of the queries and of the keys (a key and its value share a position)
    d_k, d_v      features of a query or key, and of a value
    block         how many keys one tile holds; the last tile may hold fewer

Causal attention lets each query read itself and what came before. The queries are the LAST T_q of the T_k positions, so the
last query reads every key.

No function here changes the arrays it is given. Each may call any other of this file, also one further down.
"""

import numpy as np


def online_softmax(blocks: list[tuple[np.ndarray, np.ndarray]]) -> tuple[float, float, np.ndarray]:
    """Take the softmax of one query's scores, and the mean of the values under it, while the keys arrive in blocks.

    After each block you know only what the scores so far give:

        m = max of all scores,    l = sum of exp(s_j - m),    y = sum of exp(s_j - m) v_j / l

    Args:
        blocks: pairs (scores, values) in the order of arrival; scores (n,) and values (n, d_v), with another n in each block,
            at least 1. Values are finite.

    Returns:
        m, l and y (d_v,), of all blocks together.

    Watch: when a block raises the maximum, what was summed before was measured from the old one. Scores of 1000 and of -1000
    are allowed. So is minus infinity, which means "must not be read", and all scores of a block may be that; at least one
    score of all is finite.
    Source: Milakov and Gimelshein 2018, algorithm 3.
    """
    m = -np.inf
    l = 0.0
    acc = 0.0
    for scores, values in blocks:
        scores = np.asarray(scores, dtype=np.float64)
        m_new = max(m, float(scores.max()))
        if m_new == -np.inf:
            # nothing readable so far, but remember the number of features
            acc = np.zeros(values.shape[1])
            continue
        factor = np.exp(m - m_new)
        e = np.exp(scores - m_new)
        l = l * factor + e.sum()
        acc = acc * factor + e @ values
        m = m_new
    return m, float(l), acc / l


def tiled_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, block: int, causal: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Compute softmax(q k^T / sqrt(d_k)) v without ever holding a matrix of T_q by T_k.

    Args:
        q: (..., T_q, d_k).
        k: (..., T_k, d_k), with the same leading axes; T_k is at least T_q.
        v: (..., T_k, d_v), with the same leading axes.
        block: how many keys to work on at a time, at least 1; it need not divide T_k. Cases see it in memory only.
        causal: whether each query reads only itself and what came before.

    Returns:
        output (..., T_q, d_v), and logsumexp (..., T_q): for each query the logarithm of the sum of exp(score) over the keys
            that it reads. The backward pass needs that one number for each row.

    Watch: the result does not depend on block. A tile knows where it lies among all keys, and the mask has to know it, too.
    In one hidden case a single matrix of scores, in single precision, needs more memory than there is.
    Source: Dao et al. 2022, algorithm 1.
    """
    T_q, d_k = q.shape[-2:]
    T_k = k.shape[-2]
    lead = q.shape[:-2]
    places = np.arange(T_k - T_q, T_k)[:, None]
    m = np.full(lead + (T_q,), -np.inf, dtype=q.dtype)
    l = np.zeros(lead + (T_q,), dtype=q.dtype)
    acc = np.zeros(lead + (T_q, v.shape[-1]), dtype=q.dtype)
    for start in range(0, T_k, block):
        stop = min(start + block, T_k)
        k_tile = k[..., start:stop, :]
        v_tile = v[..., start:stop, :]
        s = q @ np.swapaxes(k_tile, -1, -2) / d_k**0.5
        if causal:
            hidden = np.arange(start, stop)[None, :] > places
            s = np.where(hidden, -np.inf, s)
        m_new = np.maximum(m, s.max(axis=-1))
        # key 0 is read by every query, so m_new is finite from the first tile on
        factor = np.exp(m - m_new)
        p = np.exp(s - m_new[..., None])
        l = l * factor + p.sum(axis=-1)
        acc = acc * factor[..., None] + p @ v_tile
        m = m_new
    return acc / l[..., None], m + np.log(l)


def tiled_backward(
    dout: np.ndarray,
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    output: np.ndarray,
    logsumexp: np.ndarray,
    block: int,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Send a gradient back through `tiled_attention`: compute each tile of weights again instead of storing it.

        weights = exp(scores - logsumexp),    dscores = weights * (dweights - D),    D_i = sum over features of dout_i * output_i

    Args:
        dout: (..., T_q, d_v), the gradient of the loss with respect to the output.
        q, k, v: as they were in the forward pass.
        output: (..., T_q, d_v), and
        logsumexp: (..., T_q), what the forward pass returned.
        block: how many keys to work on at a time; it need not be that of the forward pass. Cases see it in memory only.
        causal: as it was in the forward pass.

    Returns:
        dq (..., T_q, d_k), dk (..., T_k, d_k) and dv (..., T_k, d_v), in this order.

    Watch: every tile adds to the gradient of every query, while a key and its value lie in one tile alone. Scores were
    divided by sqrt(d_k), and dscores are the gradients of what came of that: dq and dk need the division, too.
    In one hidden case two matrices of T_q by T_k, in single precision, need more memory than there is.
    Source: Dao et al. 2022, algorithm 4 and appendix B.2.
    """
    T_q, d_k = q.shape[-2:]
    T_k = k.shape[-2]
    places = np.arange(T_k - T_q, T_k)[:, None]
    root = d_k**0.5
    D = (dout * output).sum(axis=-1, keepdims=True)
    dq = np.zeros_like(q)
    dk = np.zeros_like(k)
    dv = np.zeros_like(v)
    for start in range(0, T_k, block):
        stop = min(start + block, T_k)
        k_tile = k[..., start:stop, :]
        v_tile = v[..., start:stop, :]
        s = q @ np.swapaxes(k_tile, -1, -2) / root
        if causal:
            hidden = np.arange(start, stop)[None, :] > places
            s = np.where(hidden, -np.inf, s)
        w = np.exp(s - logsumexp[..., None])
        dw = dout @ np.swapaxes(v_tile, -1, -2)
        ds = w * (dw - D) / root
        dq += ds @ k_tile
        dk[..., start:stop, :] = np.swapaxes(ds, -1, -2) @ q
        dv[..., start:stop, :] = np.swapaxes(w, -1, -2) @ dout
    return dq, dk, dv


def cache_bytes(lengths: list[int], layers: int, kv_heads: int, d_head: int, bytes_each: int = 2, page: int = 1) -> int:
    """Count the bytes of memory that the key-value cache of some sequences takes.

    Args:
        lengths: how many tokens each sequence has, at least 1.
        layers: how many layers the model has; each has a cache of its own.
        kv_heads: how many heads of keys and values a layer has (with grouped queries fewer than it has of queries).
        d_head: features of one head's key, and of its value.
        bytes_each: bytes of one number; 2 in float16 and bfloat16.
        page: how many tokens one page holds. A sequence takes whole pages, as many as it needs; a page belongs to one sequence.

    Returns:
        bytes: a whole number.

    Watch: what is kept for each token? And who pays for the empty end of a page?
    Source: Pope et al. 2022 (what a cache costs); Kwon et al. 2023, section 4.1 (pages).
    """
    n_pages = sum((n + page - 1) // page for n in lengths)
    per_token = 2 * layers * kv_heads * d_head * bytes_each
    return n_pages * page * per_token


def arithmetic_intensity(T_q: int, T_k: int, d: int, bytes_each: int = 2, fused: bool = False) -> float:
    """Count how many floating-point operations one head of attention does for each byte that it moves.

    Count the two matrix products, each multiplication and each addition as one operation, and not the softmax. Count what
    goes from the main memory to the processor and back: q, k and v are read once, and the output is written once. Without
    fusing, each step is a program of its own, so the scores are written and read again, and then the weights are, too. Nothing else counts.

    Args:
        T_q: number of queries.
        T_k: number of keys.
        d: features of queries, keys and values.
        bytes_each: bytes of one number.
        fused: whether scores and weights never leave the processor.

    Returns:
        intensity: operations per byte.

    Watch: a dot product of d features takes d multiplications and, near enough, d additions.
    Source: Williams et al. 2009 (operational intensity); Dao et al. 2022, section 2.2 (what standard attention moves).
    """
    operations = 4 * T_q * T_k * d
    numbers = 2 * T_q * d + 2 * T_k * d
    if not fused:
        numbers += 4 * T_q * T_k
    return operations / (numbers * bytes_each)


def roofline(intensity: np.ndarray, peak: float, bandwidth: float) -> np.ndarray:
    """Return how many operations a second a processor can reach at an intensity.

    Args:
        intensity: an array of any shape, or a number: operations per byte.
        peak: the most operations that the processor does in a second.
        bandwidth: the most bytes that the memory moves in a second.

    Returns:
        speed: operations per second, in the shape of intensity.

    Watch: two things take their time, side by side: the operations and the bytes. Which of them does the other wait for?
    Source: Williams et al. 2009, the figure of the roofline.
    """
    return np.minimum(peak, np.asarray(intensity) * bandwidth)


def paged_gather(pages: np.ndarray, tables: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Read the cached vectors of some sequences, in order, from the pages over which they are spread.

    Token t of a sequence stands in its page number t // page, at place t % page of that page. Its table says which of all
    pages that is.

    Args:
        pages: (n_pages, page, ...): all pages that there are, of all sequences; any number of axes may follow, or none.
            Places that no token has been written to may hold anything, NaN and infinities among it.
        tables: (batch, n) of int, for each sequence its pages in order; -1 where it has no page yet.
        lengths: (batch,) of int, how many tokens each sequence has, at least 1.

    Returns:
        tokens: (batch, max of lengths, ...) in the dtype of pages, zero behind the end of each sequence.

    Watch: the pages of a sequence stand in any order, and its last one may be half full.
    Source: Kwon et al. 2023, section 4.1.
    """
    page = pages.shape[1]
    T = int(lengths.max())
    tokens = np.zeros((len(lengths), T) + pages.shape[2:], dtype=pages.dtype)
    for i, n in enumerate(lengths):
        t = np.arange(n)
        tokens[i, :n] = pages[tables[i, t // page], t % page]
    return tokens


def chunked_prefill(
    x: np.ndarray,
    cache: tuple[np.ndarray, np.ndarray],
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    chunk: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Read a long prompt in chunks, behind what is in the cache already: causal self-attention, as in one pass.

    Args:
        x: (..., T, d_model), the tokens of the prompt; T is at least 1.
        cache: K (..., P, d_k) and V (..., P, d_v) of the P tokens that were read before, with the leading axes of x; P may be 0.
        W_q, W_k, W_v: (d_model, d_k), (d_model, d_k) and (d_model, d_v); they multiply from the right.
        chunk: how many tokens to read at a time, at least 1; the last chunk may hold fewer. The result does not depend on it.

    Returns:
        output (..., T, d_v) of the new tokens, and the cache with them: K (..., P + T, d_k) and V (..., P + T, d_v).

    Watch: a token reads everything in the cache, and the tokens of its own chunk up to itself. Scores are divided by
    sqrt(d_k), as in tiled_attention.
    Source: Agrawal et al. 2023 (chunked prefills).
    """
    K, V = cache
    T = x.shape[-2]
    outputs = []
    for start in range(0, T, chunk):
        piece = x[..., start : start + chunk, :]
        q = piece @ W_q
        K = np.concatenate([K, piece @ W_k], axis=-2)
        V = np.concatenate([V, piece @ W_v], axis=-2)
        out, _ = tiled_attention(q, K, V, 128, causal=True)
        outputs.append(out)
    return np.concatenate(outputs, axis=-2), K, V


def accept(draft: np.ndarray, p: np.ndarray, q: np.ndarray, u: np.ndarray) -> list[int]:
    """Decide which tokens of a draft stay, and write one more: the rule of speculative decoding.

    A small model has proposed n tokens; the large one has read them all at once. From the first token on:

    - token t at place i stays if u[i] < p[i, t] / q[i, t];
    - at the first that does not stay, the draft ends; in its place comes a token drawn from max(0, p[i] - q[i]), divided by
      its sum;
    - if all stay, one more token is drawn from p[n].

    To draw from probabilities with a number u is to take the smallest id whose p_0 + ... + p_id exceeds u. No case hangs on how
    a sum is rounded.

    Args:
        draft: (n,) of int, the proposed tokens; n may be 0.
        p: (n + 1, vocab), the large model's probabilities at each place, and at the one after the draft.
        q: (n, vocab), the small model's probabilities, from which the draft was drawn; above 0 for each of its tokens.
        u: (n + 1,), numbers in [0, 1): one for each token of the draft, and the last one for the token that is drawn.

    Returns:
        tokens: a list of 1 to n + 1 whole numbers.

    Watch: the drawn token takes the last number of u, wherever the draft ended. No random numbers but those given.
    Source: Leviathan et al. 2023, algorithm 1; Chen et al. 2023, algorithm 2.
    """
    def pick(probs, number):
        # smallest id whose running sum exceeds the number
        running = np.cumsum(probs)
        return min(int(np.searchsorted(running, number, side="right")), len(probs) - 1)

    n = len(draft)
    tokens = []
    for i in range(n):
        t = int(draft[i])
        if u[i] < p[i, t] / q[i, t]:
            tokens.append(t)
        else:
            rest = np.maximum(p[i] - q[i], 0)
            tokens.append(pick(rest / rest.sum(), u[-1]))
            return tokens
    tokens.append(pick(p[n], u[-1]))
    return tokens


def loss_scaled_step(
    weights: list[np.ndarray],
    grads: list[np.ndarray],
    scale: float,
    lr: float,
    max_norm: float,
    good: int = 0,
    interval: int = 2000,
) -> tuple[list[np.ndarray], float, int]:
    """Take one step of gradient descent with gradients in half precision, whose loss was multiplied by a scale.

    Where any gradient holds an infinity or a NaN, nothing is learned from it: the weights stay, the scale is halved, and the
    count of good steps starts again at 0. Otherwise: divide the gradients by the scale, clip them to one global norm of at
    most max_norm, and step. After `interval` good steps in a row the scale is doubled, and the count starts again at 0.

    Args:
        weights: arrays in single or double precision.
        grads: for each of them the gradient of scale * loss, an array of float16 of the same shape.
        scale: by what the loss was multiplied, before the backward pass; a Python number.
        lr: the learning rate.
        max_norm: the largest norm that all gradients together may have.
        good: how many good steps came one after the other just before this one.
        interval: how many it takes to double the scale.

    Returns:
        weights: a list of arrays in single or double precision; the old ones stay as they are. Then the
            scale, and the count of good steps, for the next step: the step that completes the interval returns the doubled
            scale and 0.

    Watch: in which precision do you divide, and which norm is compared with max_norm?
    Source: Micikevicius et al. 2018, section 3.2.
    """
    if not all(np.isfinite(g).all() for g in grads):
        return [w.copy() for w in weights], scale / 2, 0
    true = [g.astype(np.float64) / scale for g in grads]
    norm = np.sqrt(sum((g**2).sum() for g in true))
    if norm > max_norm:
        true = [g * (max_norm / norm) for g in true]
    stepped = [(w - lr * g).astype(w.dtype) for w, g in zip(weights, true)]
    good += 1
    if good >= interval:
        return stepped, scale * 2, 0
    return stepped, scale, good


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "what_is_slow": "",
        "what_changes": "",
        "one_number_per_row": "",
        "merged_maximum": "",
        "bytes_of_a_cache": "",
        "pages_of_three": "",
        "chance_to_stay": "",
        "clip_first": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
