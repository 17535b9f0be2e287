"""Assignment: fast attention.

This is my solution. I have written down every step with its shape, so that I can find mistakes.

Shapes: time is the axis before last, features are last, and any number of axes may stand in front.
"""

from typing import List, Optional, Tuple

import numpy as np


# ----------------------------------------------------------------------------------------------------------------------
# 1. online softmax
# ----------------------------------------------------------------------------------------------------------------------
def online_softmax(blocks: List[Tuple[np.ndarray, np.ndarray]]) -> Tuple[float, float, np.ndarray]:
    """Take the softmax of one query's scores, and the mean of the values under it, while the keys arrive in blocks."""
    number_of_features = blocks[0][1].shape[1]

    running_maximum = float("-inf")
    running_sum = 0.0
    running_values = np.zeros(number_of_features, dtype=np.float64)

    for block_scores, block_values in blocks:
        # Step 1: throw away the keys that must not be read.
        allowed = block_scores != float("-inf")
        visible_scores = np.asarray(block_scores, dtype=np.float64)[allowed]
        visible_values = np.asarray(block_values, dtype=np.float64)[allowed]

        # Step 2: a block of which nothing is visible counts for nothing.
        if len(visible_scores) == 0:
            continue

        # Step 3: the maximum of everything so far.
        block_maximum = float(np.max(visible_scores))
        if block_maximum > running_maximum:
            next_maximum = block_maximum
        else:
            next_maximum = running_maximum

        # Step 4: what was summed before was measured from the old maximum.
        if running_maximum == float("-inf"):
            rescale = 0.0
        else:
            rescale = float(np.exp(running_maximum - next_maximum))

        # Step 5: add the new block.
        exponentials = np.exp(visible_scores - next_maximum)
        running_sum = running_sum * rescale + float(np.sum(exponentials))
        weighted_values = exponentials[:, np.newaxis] * visible_values
        running_values = running_values * rescale + np.sum(weighted_values, axis=0)
        running_maximum = next_maximum

    mean = running_values / running_sum
    return running_maximum, running_sum, mean


# ----------------------------------------------------------------------------------------------------------------------
# helpers for 2 and 3
# ----------------------------------------------------------------------------------------------------------------------
def transpose_last_two(matrix: np.ndarray) -> np.ndarray:
    axes = list(range(matrix.ndim))
    axes[-1], axes[-2] = axes[-2], axes[-1]
    return np.transpose(matrix, axes)


def mask_of_tile(
    number_of_queries: int, number_of_keys: int, first_key: int, keys_in_tile: int
) -> np.ndarray:
    """True where the query may read the key. Shape (number_of_queries, keys_in_tile)."""
    mask = np.zeros((number_of_queries, keys_in_tile), dtype=bool)
    for column in range(keys_in_tile):
        place_of_key = first_key + column
        # query i stands at T_k - T_q + i, so it must be that i >= place_of_key - (T_k - T_q)
        first_query_that_reads_it = max(0, place_of_key - (number_of_keys - number_of_queries))
        mask[first_query_that_reads_it:, column] = True
    return mask


def scores_of_tile(
    q: np.ndarray, key_tile: np.ndarray, first_key: int, number_of_keys: int, causal: bool
) -> np.ndarray:
    """The scaled and masked scores of one tile: (..., T_q, keys in the tile)."""
    number_of_queries = q.shape[-2]
    d_k = q.shape[-1]
    scores = np.matmul(q, transpose_last_two(key_tile))
    scores = np.divide(scores, np.asarray(np.sqrt(d_k), dtype=scores.dtype))
    if causal is True or causal:
        mask = mask_of_tile(number_of_queries, number_of_keys, first_key, key_tile.shape[-2])
        scores[..., np.logical_not(mask)] = -np.inf
    return scores


# ----------------------------------------------------------------------------------------------------------------------
# 2. tiled attention
# ----------------------------------------------------------------------------------------------------------------------
def tiled_attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, block: int, causal: bool = False
) -> Tuple[np.ndarray, np.ndarray]:
    """Compute softmax(q k^T / sqrt(d_k)) v without ever holding a matrix of T_q by T_k."""
    number_of_keys = k.shape[-2]
    row_shape = q.shape[:-1]                                      # (..., T_q)

    maximum = np.full(row_shape, -np.inf)                         # (..., T_q)
    denominator = np.zeros(row_shape)                             # (..., T_q)
    numerator = np.zeros(row_shape + (v.shape[-1],))              # (..., T_q, d_v)

    first_key = 0
    while first_key < number_of_keys:
        end_of_tile = first_key + block
        if end_of_tile > number_of_keys:
            end_of_tile = number_of_keys                          # the last tile may hold fewer

        key_tile = k[..., first_key:end_of_tile, :]
        value_tile = v[..., first_key:end_of_tile, :]

        scores = scores_of_tile(q, key_tile, first_key, number_of_keys, causal)
        maximum_of_tile = np.max(scores, axis=-1)
        next_maximum = np.maximum(maximum, maximum_of_tile)

        rescale = np.exp(maximum - next_maximum)
        exponentials = np.exp(scores - next_maximum[..., np.newaxis])
        denominator = denominator * rescale + np.sum(exponentials, axis=-1)
        numerator = numerator * rescale[..., np.newaxis] + np.matmul(exponentials, value_tile)

        maximum = next_maximum
        first_key = end_of_tile

    output = numerator / denominator[..., np.newaxis]
    logsumexp = maximum + np.log(denominator)
    return output, logsumexp


# ----------------------------------------------------------------------------------------------------------------------
# 3. tiled backward
# ----------------------------------------------------------------------------------------------------------------------
def tiled_backward(
    dout: np.ndarray,
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    output: np.ndarray,
    logsumexp: np.ndarray,
    block: int,
    causal: bool = False,
) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Send a gradient back through tiled_attention."""
    number_of_keys = k.shape[-2]
    root = float(np.sqrt(q.shape[-1]))

    dq = np.zeros(q.shape)
    dk = np.zeros(k.shape)
    dv = np.zeros(v.shape)

    # D_i = dO_i . O_i, known before the first tile
    row_sums = np.sum(dout * output, axis=-1)                     # (..., T_q)

    first_key = 0
    while first_key < number_of_keys:
        end_of_tile = min(first_key + block, number_of_keys)
        key_tile = k[..., first_key:end_of_tile, :]
        value_tile = v[..., first_key:end_of_tile, :]

        scores = scores_of_tile(q, key_tile, first_key, number_of_keys, causal)
        weights = np.exp(scores - logsumexp[..., np.newaxis])

        # output = weights @ v
        d_values = np.matmul(transpose_last_two(weights), dout)
        d_weights = np.matmul(dout, transpose_last_two(value_tile))

        # softmax
        d_scores = weights * (d_weights - row_sums[..., np.newaxis])

        # scores = q @ k^T / root
        d_dots = d_scores / root
        d_queries = np.matmul(d_dots, key_tile)
        d_keys = np.matmul(transpose_last_two(d_dots), q)

        dq = dq + d_queries                                       # every tile adds
        dk[..., first_key:end_of_tile, :] = d_keys                # this tile alone
        dv[..., first_key:end_of_tile, :] = d_values

        first_key = end_of_tile

    return dq, dk, dv


# ----------------------------------------------------------------------------------------------------------------------
# 4. to 6. counting
# ----------------------------------------------------------------------------------------------------------------------
def cache_bytes(
    lengths: List[int], layers: int, kv_heads: int, d_head: int, bytes_each: int = 2, page: int = 1
) -> int:
    """Count the bytes of memory that the key-value cache of some sequences takes."""
    keys_and_values = 2
    bytes_per_token = keys_and_values * layers * kv_heads * d_head * bytes_each
    total_bytes = 0
    for length in lengths:
        full_pages, tokens_left_over = divmod(int(length), page)
        if tokens_left_over > 0:
            pages_of_this_sequence = full_pages + 1
        else:
            pages_of_this_sequence = full_pages
        tokens_with_room = pages_of_this_sequence * page
        total_bytes += tokens_with_room * bytes_per_token
    return total_bytes


def arithmetic_intensity(T_q: int, T_k: int, d: int, bytes_each: int = 2, fused: bool = False) -> float:
    """Count how many floating-point operations one head of attention does for each byte that it moves."""
    multiplications = T_q * T_k * d
    additions = T_q * T_k * d
    operations_of_one_product = multiplications + additions
    operations = 2 * operations_of_one_product

    numbers_of_q = T_q * d
    numbers_of_output = T_q * d
    numbers_of_k = T_k * d
    numbers_of_v = T_k * d
    numbers = numbers_of_q + numbers_of_output + numbers_of_k + numbers_of_v
    if not fused:
        scores_written = scores_read = T_q * T_k
        weights_written = weights_read = T_q * T_k
        numbers = numbers + scores_written + scores_read + weights_written + weights_read

    moved_bytes = numbers * bytes_each
    return operations / moved_bytes


def roofline(intensity: np.ndarray, peak: float, bandwidth: float) -> np.ndarray:
    """Return how many operations a second a processor can reach at an intensity."""
    intensity_array = np.asarray(intensity, dtype=np.float64)
    what_the_memory_feeds = intensity_array * bandwidth
    what_the_processor_does = np.full(intensity_array.shape, float(peak))
    speed = np.where(what_the_memory_feeds < what_the_processor_does, what_the_memory_feeds, what_the_processor_does)
    return speed


# ----------------------------------------------------------------------------------------------------------------------
# 7. paged gather
# ----------------------------------------------------------------------------------------------------------------------
def paged_gather(pages: np.ndarray, tables: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Read the cached vectors of some sequences, in order, from the pages over which they are spread."""
    batch = tables.shape[0]
    tokens_per_page = pages.shape[1]
    shape_of_a_token = pages.shape[2:]
    longest = int(np.max(lengths))

    tokens = np.zeros((batch, longest) + shape_of_a_token, dtype=pages.dtype)
    for sequence in range(batch):
        read_so_far = 0
        column = 0
        while read_so_far < lengths[sequence]:
            still_to_read = int(lengths[sequence]) - read_so_far
            count = min(tokens_per_page, still_to_read)
            page_number = tables[sequence, column]
            tokens[sequence, read_so_far : read_so_far + count] = pages[page_number, :count]
            read_so_far += count
            column += 1
    return tokens


# ----------------------------------------------------------------------------------------------------------------------
# 8. chunked prefill
# ----------------------------------------------------------------------------------------------------------------------
def chunked_prefill(
    x: np.ndarray,
    cache: Tuple[np.ndarray, np.ndarray],
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    chunk: int,
) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Read a long prompt in chunks, behind what is in the cache already."""
    keys, values = cache
    number_of_tokens = x.shape[-2]
    output: Optional[np.ndarray] = None

    first_token = 0
    while first_token < number_of_tokens:
        end_of_chunk = min(first_token + chunk, number_of_tokens)
        tokens = x[..., first_token:end_of_chunk, :]

        new_queries = np.matmul(tokens, W_q)
        new_keys = np.matmul(tokens, W_k)
        new_values = np.matmul(tokens, W_v)

        places_of_old = keys.shape[-2]
        keys = np.concatenate([keys, new_keys], axis=-2)
        values = np.concatenate([values, new_values], axis=-2)

        scores = np.matmul(new_queries, transpose_last_two(keys)) / np.sqrt(W_q.shape[1])
        place_of_query = places_of_old + np.arange(end_of_chunk - first_token)
        place_of_key = np.arange(keys.shape[-2])
        hidden = place_of_key[np.newaxis, :] > place_of_query[:, np.newaxis]
        scores = np.where(hidden, -np.inf, scores)

        exponentials = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
        weights = exponentials / np.sum(exponentials, axis=-1, keepdims=True)
        output_of_chunk = np.matmul(weights, values)

        if output is None:
            output = output_of_chunk
        else:
            output = np.concatenate([output, output_of_chunk], axis=-2)
        first_token = end_of_chunk

    return output, keys, values


# ----------------------------------------------------------------------------------------------------------------------
# 9. accept
# ----------------------------------------------------------------------------------------------------------------------
def draw_with_number(probabilities: np.ndarray, number: float) -> int:
    """The smallest id whose p_0 + ... + p_id exceeds the number."""
    sum_so_far = 0.0
    last_possible = -1
    for token in range(len(probabilities)):
        if probabilities[token] > 0:
            last_possible = token
        sum_so_far = sum_so_far + float(probabilities[token])
        if sum_so_far > number:
            return token
    # rounding can leave the sum a little below 1
    return last_possible


def accept(draft: np.ndarray, p: np.ndarray, q: np.ndarray, u: np.ndarray) -> List[int]:
    """Decide which tokens of a draft stay, and write one more."""
    number_of_drafted = len(draft)
    number_for_the_draw = float(u[number_of_drafted])
    tokens: List[int] = []

    for place in range(number_of_drafted):
        token = int(draft[place])
        probability_of_target = float(p[place, token])
        probability_of_draft = float(q[place, token])
        chance_to_stay = min(1.0, probability_of_target / probability_of_draft)
        it_stays = float(u[place]) < chance_to_stay
        if not it_stays:
            lacking = np.maximum(0.0, p[place] - q[place])
            residual = lacking / np.sum(lacking)
            tokens.append(draw_with_number(residual, number_for_the_draw))
            return tokens
        tokens.append(token)

    tokens.append(draw_with_number(p[number_of_drafted], number_for_the_draw))
    return tokens


# ----------------------------------------------------------------------------------------------------------------------
# 10. loss scaled step
# ----------------------------------------------------------------------------------------------------------------------
def loss_scaled_step(
    weights: List[np.ndarray],
    grads: List[np.ndarray],
    scale: float,
    lr: float,
    max_norm: float,
    good: int = 0,
    interval: int = 2000,
) -> Tuple[List[np.ndarray], float, int]:
    """Take one step of gradient descent with gradients in half precision, whose loss was multiplied by a scale."""
    # 1. unscale, in a wider precision
    true_gradients = []
    for gradient in grads:
        wide = gradient.astype(np.float64)
        true_gradients.append(wide / scale)

    # 2. look for overflow
    overflow = False
    for gradient in grads:
        if np.any(np.isinf(gradient)) or np.any(np.isnan(gradient)):
            overflow = True
    if overflow:
        unchanged = [weight.copy() for weight in weights]
        return unchanged, scale / 2, 0

    # 3. clip to one global norm
    sum_of_squares = 0.0
    for gradient in true_gradients:
        sum_of_squares += float(np.sum(gradient * gradient))
    norm = float(np.sqrt(sum_of_squares))
    if norm > max_norm:
        clipped = [gradient * (max_norm / norm) for gradient in true_gradients]
    else:
        clipped = true_gradients

    # 4. step
    new_weights = []
    for weight, gradient in zip(weights, clipped):
        new_weight = weight - lr * gradient
        new_weights.append(new_weight.astype(weight.dtype))

    # and look after the scale
    next_good = good + 1
    next_scale = scale
    if next_good >= interval:
        next_scale = scale * 2
        next_good = 0
    return new_weights, next_scale, next_good


# ----------------------------------------------------------------------------------------------------------------------
# quiz
# ----------------------------------------------------------------------------------------------------------------------
def quiz() -> dict:
    """Answer the questions of README.md."""
    answers = {
        "what_is_slow": "c",          # memory traffic
        "what_changes": "a",          # exact
        "one_number_per_row": "d",    # logsumexp
        "merged_maximum": "b",        # 3 * e^0 + 1 + 1
        "bytes_of_a_cache": "c",      # 2 * 2 * 4 * 8 * 2
        "pages_of_three": "d",        # 2 texts * 3 pages * 16
        "chance_to_stay": "a",        # .2 / .5
        "clip_first": "b",            # too short
    }
    return answers
