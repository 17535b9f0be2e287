"""Hidden cases of a5_attention: random inputs in which no two sizes are equal, and the properties that must hold."""

from collections.abc import Iterator

import numpy as np

from autograder.course.spec import Call, call, case
from autograder.judge.checks import (
    agree,
    boolean,
    close,
    permuted,
    same_prefix,
    stacked,
    sums_to_one,
    untouched,
)

ORDER = (3, 0, 4, 1, 2)


def _normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.normal(size=shape)


def _qkv(rng: np.random.Generator, *leading: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw 4 queries and 6 keys of 3 features, and 6 values of 5."""
    return _normal(rng, *leading, 4, 3), _normal(rng, *leading, 6, 3), _normal(rng, *leading, 6, 5)


def _some_allowed(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Draw a mask in which every row allows a key and forbids one."""
    mask = rng.random(shape) < 0.5
    mask[..., 0] = True
    mask[..., -1] = False
    return rng.permuted(mask, axis=-1)


def _padding(rng: np.random.Generator, batch: int, T: int) -> np.ndarray:
    """Draw which keys are real: another number of them in each row, at least two, never all."""
    lengths = 2 + rng.permutation(T - 2)[:batch]
    return np.arange(T) < lengths[:, None]


def _weights(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Draw rows that are positive and sum to one."""
    raw = rng.uniform(0.1, 1.0, size=shape)
    return raw / raw.sum(axis=-1, keepdims=True)


def _backward_inputs(
    rng: np.random.Generator, *leading: int, mask: np.ndarray | None = None
) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Draw (dout, cache) for 4 queries and 6 keys."""
    weights = _weights(rng, *leading, 4, 6)
    if mask is not None:
        weights = weights * mask / (weights * mask).sum(axis=-1, keepdims=True)
    return _normal(rng, *leading, 4, 5), (*_qkv(rng, *leading), weights)


# average_context


@case("average_context", check=close(), weight=3)
def averages_of_any_shape(rng: np.random.Generator) -> Iterator[Call]:
    """Every position is the mean of itself and all before it, with no, one or two axes in front."""
    yield call(_normal(rng, 5, 3))
    yield call(_normal(rng, 2, 6, 3))
    yield call(_normal(rng, 2, 3, 5, 4))


@case("average_context", check=close())
def one_token_averages_to_itself(rng: np.random.Generator) -> Iterator[Call]:
    """A sequence of one token has nothing to average, so it comes back as it was."""
    yield call(_normal(rng, 1, 4))


@case("average_context", check=same_prefix(axis=-2, upto=3))
def averages_ignore_the_future(rng: np.random.Generator) -> Iterator[Call]:
    """Changing a token leaves the averages of the tokens before it as they were."""
    x = _normal(rng, 2, 6, 3)
    yield call(x)
    later = x.copy()
    later[:, 3:] += 1.0 + rng.random((2, 3, 3))
    yield call(later)


@case("average_context", check=untouched())
def averaging_leaves_its_input_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The averages are right, and the array that was passed in still holds the tokens."""
    yield call(_normal(rng, 2, 5, 3))


# similarity_context


@case("similarity_context", check=close(), weight=3)
def similarities_of_any_shape(rng: np.random.Generator) -> Iterator[Call]:
    """Every position is the right mixture of the past, with no, one or two axes in front."""
    yield call(_normal(rng, 5, 3))
    yield call(_normal(rng, 2, 6, 3))
    yield call(_normal(rng, 2, 3, 5, 4))


@case("similarity_context", check=same_prefix(axis=-2, upto=3))
def similarities_ignore_the_future(rng: np.random.Generator) -> Iterator[Call]:
    """Changing a token leaves the outputs of the tokens before it as they were."""
    x = _normal(rng, 2, 6, 3)
    yield call(x)
    later = x.copy()
    later[:, 3:] += 1.0 + rng.random((2, 3, 3))
    yield call(later)


@case("similarity_context", check=close())
def long_vectors_do_not_overflow(rng: np.random.Generator) -> Iterator[Call]:
    """Vectors long enough for scores in the hundreds still give finite outputs."""
    entries = np.array([10.0, 20.0, 20.0, 30.0])
    x = np.stack([rng.permutation(entries) * rng.choice([-1.0, 1.0], 4) for _ in range(5)])
    x[1] = -x[0]  # the lowest score that there can be, in the row of one of the largest
    x[3] = x[0]  # but for two entries: a score near the largest one, and beyond the same bounds
    ten, twenty = (np.flatnonzero(np.abs(x[0]) == size)[0] for size in (10.0, 20.0))
    x[3, ten], x[3, twenty] = 2.0 * x[0, ten], x[0, twenty] / 2.0
    x[4] = x[0]  # equal tokens share their weight, so that it is seen over what each of them was normalised
    yield call(x)


@case("similarity_context", check=untouched())
def comparing_leaves_its_input_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The outputs are right, and the array that was passed in still holds the tokens."""
    yield call(_normal(rng, 2, 5, 3))


# project_qkv


@case("project_qkv", check=close(names=("Q", "K", "V")), weight=2)
def projections_of_any_shape(rng: np.random.Generator) -> Iterator[Call]:
    """Queries, keys and values come out right and in order, with no, one or two axes in front."""
    for leading in ((), (2,), (2, 3)):
        yield call(_normal(rng, *leading, 6, 4), _normal(rng, 4, 3), _normal(rng, 4, 3), _normal(rng, 4, 5))


@case("project_qkv", check=close(names=("Q", "K", "V")))
def square_matrices_are_not_transposed(rng: np.random.Generator) -> Iterator[Call]:
    """Also when all widths are equal, and no shape can warn of a slip, each matrix stands on the right side."""
    yield call(_normal(rng, 2, 5, 3), _normal(rng, 3, 3), _normal(rng, 3, 3), _normal(rng, 3, 3))


# attention_scores


@case("attention_scores", check=close(), weight=3)
def scores_of_any_shape(rng: np.random.Generator) -> Iterator[Call]:
    """Four queries against six keys, with no, one or two axes in front."""
    for leading in ((), (2,), (2, 3)):
        yield call(*_qkv(rng, *leading)[:2])


@case("attention_scores", check=close(), weight=2)
def scale_follows_the_query_length(rng: np.random.Generator) -> Iterator[Call]:
    """The scale changes with the number of features, and with nothing else."""
    for d_k in (1, 2, 7, 32):
        yield call(_normal(rng, 3, d_k), _normal(rng, 5, d_k))


@case("attention_scores", check=close())
def rows_are_queries(rng: np.random.Generator) -> Iterator[Call]:
    """With as many queries as keys, when no shape can warn of a slip, rows still belong to queries."""
    yield call(_normal(rng, 4, 4, 4), _normal(rng, 4, 4, 4))


@case("attention_scores", check=stacked())
def batched_scores_equal_single_ones(rng: np.random.Generator) -> Iterator[Call]:
    """Scoring a batch is the same as scoring its sequences one by one."""
    Q, K, _ = _qkv(rng, 3)
    yield call(Q, K)
    for q, k in zip(Q, K, strict=True):
        yield call(q, k)


# attention_weights


@case("attention_weights", check=close(), weight=2)
def softmax_is_over_keys(rng: np.random.Generator) -> Iterator[Call]:
    """Each query shares out its attention among the keys, with no, one or two axes in front."""
    for leading in ((), (2,), (2, 3)):
        yield call(2.0 * _normal(rng, *leading, 4, 6))


@case("attention_weights", check=sums_to_one(axis=-1))
def every_row_sums_to_one(rng: np.random.Generator) -> Iterator[Call]:
    """Shares are never negative and sum to one for each query, also under a mask."""
    yield call(_normal(rng, 2, 4, 6))
    yield call(_normal(rng, 2, 4, 6), _some_allowed(rng, 2, 4, 6))


@case("attention_weights", check=close(), weight=3)
def masks_of_every_kind(rng: np.random.Generator) -> Iterator[Call]:
    """Forbidden keys get exactly nothing: one mask for all, one for each sequence, one for each head."""
    yield call(_normal(rng, 4, 6), _some_allowed(rng, 4, 6))
    yield call(_normal(rng, 2, 4, 6), np.tri(4, 6, 2, dtype=bool))
    yield call(_normal(rng, 2, 4, 6), _padding(rng, 2, 6)[:, None, :])
    yield call(_normal(rng, 2, 3, 4, 6), _padding(rng, 2, 6)[:, None, None, :])
    yield call(_normal(rng, 2, 3, 4, 6), _some_allowed(rng, 2, 3, 4, 6))


@case("attention_weights", check=close())
def square_masks_keep_their_direction(rng: np.random.Generator) -> Iterator[Call]:
    """With as many queries as keys, rows of the mask still belong to queries."""
    yield call(_normal(rng, 2, 5, 5), np.tri(5, dtype=bool))


@case("attention_weights", check=close())
def every_row_has_its_own_maximum(rng: np.random.Generator) -> Iterator[Call]:
    """A row of scores near 1000 beside a row near -1000: both give ordinary shares."""
    bases = rng.permutation([1000.0, -1000.0, 0.0, 500.0])[:, None]
    yield call(bases + rng.integers(-3, 4, size=(4, 6)))


@case("attention_weights", check=close())
def a_row_may_span_thousands(rng: np.random.Generator) -> Iterator[Call]:
    """Scores near 1000 beside scores near -1000, few of one kind and many of the other: nothing overflows."""
    scores = -1000.0 + rng.integers(0, 4, size=(3, 7))
    scores[np.arange(3), rng.permutation(7)[:3]] = 1000.0
    yield call(scores)
    yield call(-scores)


@case("attention_weights", check=close())
def masked_rows_may_be_low(rng: np.random.Generator) -> Iterator[Call]:
    """A forbidden key gets nothing, even when all the allowed scores are far below zero."""
    yield call(-600.0 + rng.integers(-3, 4, size=(2, 4, 6)), _some_allowed(rng, 2, 4, 6))


@case("attention_weights", check=untouched())
def scores_are_left_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The weights are right, and the scores and the mask that were passed in are as before."""
    yield call(_normal(rng, 2, 4, 6))
    yield call(_normal(rng, 2, 4, 6), _some_allowed(rng, 2, 4, 6))


# attention


@case("attention", check=close(), weight=3)
def attention_of_any_shape(rng: np.random.Generator) -> Iterator[Call]:
    """Four queries read six values, with no, one or two axes in front."""
    for leading in ((), (2,), (2, 3)):
        yield call(*_qkv(rng, *leading))


@case("attention", check=close(), weight=3)
def attention_under_every_mask(rng: np.random.Generator) -> Iterator[Call]:
    """Causal, padding, both together, and another mask for each sequence or head."""
    causal, real = np.tri(4, 6, 2, dtype=bool), _padding(rng, 2, 6)[:, None, :]
    yield call(*_qkv(rng), causal)
    yield call(*_qkv(rng, 2), real)
    yield call(*_qkv(rng, 2), causal & real)
    yield call(*_qkv(rng, 2, 3), real[:, None])
    yield call(*_qkv(rng, 2, 3), _some_allowed(rng, 2, 3, 4, 6))


@case("attention", check=close())
def equal_sizes_hide_no_slip(rng: np.random.Generator) -> Iterator[Call]:
    """With as many queries as keys and as many features in all, every operand still stands in its place."""
    yield call(*(_normal(rng, 2, 5, 5) for _ in range(3)), np.tri(5, dtype=bool))


@case("attention", check=same_prefix(axis=-2, upto=2))
def future_cannot_leak(rng: np.random.Generator) -> Iterator[Call]:
    """Under a causal mask, changing later keys and values leaves earlier outputs as they were."""
    Q, K, V = _normal(rng, 2, 5, 3), _normal(rng, 2, 5, 3), _normal(rng, 2, 5, 4)
    causal = np.tri(5, dtype=bool)
    yield call(Q, K, V, causal)
    K, V = K.copy(), V.copy()
    K[:, 2:] += 1.0 + rng.random((2, 3, 3))
    V[:, 2:] += 1.0 + rng.random((2, 3, 4))
    yield call(Q, K, V, causal)


@case("attention", check=agree())
def padding_is_ignored(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever stands in padded keys and values, the output stays the same."""
    Q, K, V = _qkv(rng, 2)
    real = _padding(rng, 2, 6)
    yield call(Q, K, V, real[:, None, :])
    for size in (3.0, 30.0):
        noise_k, noise_v = size * _normal(rng, *K.shape), size * _normal(rng, *V.shape)
        yield call(Q, np.where(real[..., None], K, noise_k), np.where(real[..., None], V, noise_v), real[:, None, :])


@case("attention", check=agree())
def order_of_keys_does_not_matter(rng: np.random.Generator) -> Iterator[Call]:
    """Moving each key together with its value changes nothing: attention itself knows no order."""
    Q, K, V = _qkv(rng, 2)
    moved = rng.permutation(6)
    yield call(Q, K, V)
    yield call(Q, K[:, moved], V[:, moved])


@case("attention", check=close())
def large_dot_products_do_not_overflow(rng: np.random.Generator) -> Iterator[Call]:
    """Queries and keys long enough for scores in the hundreds still give finite outputs."""
    signs = rng.choice([-1.0, 1.0], 4)
    Q = np.array([[25.0, 20.0, 20.0, 2.0], [-25.0, 20.0, -20.0, 4.0]]) * signs
    K = np.array([[25.0, 20.0, 20.0, 1.0], [25.0, 20.0, 20.0, 0.0], [25.0, 20.0, 20.0, -1.0]]) * signs
    yield call(Q, K, _normal(rng, 3, 5))
    K[2] *= 20.0
    yield call(Q[:1], K, _normal(rng, 3, 5), np.array([[True, True, False]]))  # far above those that may be read


@case("attention", check=untouched())
def attention_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The output is right, and queries, keys, values and mask are as before."""
    yield call(*_qkv(rng, 2), _some_allowed(rng, 2, 4, 6))


# folded_scores


@case("folded_scores", check=close(), weight=3)
def folded_scores_of_any_shape(rng: np.random.Generator) -> Iterator[Call]:
    """Narrow and wide queries, with no, one or two axes in front: the numbers of the direct route."""
    yield call(_normal(rng, 5, 4), _normal(rng, 4, 3), _normal(rng, 4, 3))
    yield call(_normal(rng, 2, 5, 3), _normal(rng, 3, 6), _normal(rng, 3, 6))
    yield call(_normal(rng, 2, 3, 6, 5), _normal(rng, 5, 4), _normal(rng, 5, 4))


@case("folded_scores", check=close())
def square_folding_keeps_its_order(rng: np.random.Generator) -> Iterator[Call]:
    """With as many features in queries as in the input, both matrices still stand in their places."""
    yield call(_normal(rng, 3, 3, 3), _normal(rng, 3, 3), _normal(rng, 3, 3))


@case("folded_scores", check=stacked())
def batched_folding_equals_single_ones(rng: np.random.Generator) -> Iterator[Call]:
    """Folded scores of a batch are those of its sequences one by one."""
    X, W_q, W_k = _normal(rng, 3, 5, 4), _normal(rng, 4, 2), _normal(rng, 4, 2)
    yield call(X, W_q, W_k)
    for x in X:
        yield call(x, W_q, W_k)


# causal_mask


@case("causal_mask", check=boolean(), weight=2)
def square_masks(rng: np.random.Generator) -> Iterator[Call]:
    """With as many queries as keys, each position reads itself and all before it."""
    for T in (1, 2, int(rng.integers(5, 9))):
        yield call(T, T)


@case("causal_mask", check=boolean(), weight=2)
def last_query_sees_every_key(rng: np.random.Generator) -> Iterator[Call]:
    """With fewer queries than keys, the queries are the last positions; a single one reads everything."""
    T_q = int(rng.integers(2, 5))
    yield call(1, int(rng.integers(5, 9)))
    yield call(T_q, T_q + 1)
    yield call(T_q, T_q + int(rng.integers(2, 5)))


@case("causal_mask", check=boolean(strict=True))
def causal_mask_is_boolean(rng: np.random.Generator) -> Iterator[Call]:
    """The mask has dtype bool, so that `~mask` and `scores[mask]` mean what they say."""
    T_q = int(rng.integers(3, 6))
    yield call(T_q, T_q)
    yield call(T_q, T_q + 2)


# padding_mask


@case("padding_mask", check=boolean(), weight=2)
def any_number_may_be_the_filler(rng: np.random.Generator) -> Iterator[Call]:
    """The filler is what the caller says it is, and 0 may be a real token."""
    for pad in (0, 3, 9, -1):
        ids = rng.integers(0, 10, size=(3, 6))
        ids[:, 4:] = pad
        ids[:, :3] = rng.permuted(np.tile(np.setdiff1d(np.arange(10), [pad]), (3, 1)), axis=-1)[:, :3]
        yield call(ids, pad)


@case("padding_mask", check=boolean())
def filler_may_come_first(rng: np.random.Generator) -> Iterator[Call]:
    """Sentences may be padded on the left, as when a batch of prompts is to be continued."""
    ids = rng.integers(1, 10, size=(4, 7))
    ids[np.arange(7) < rng.permutation(4)[:, None]] = 0
    yield call(ids, 0)


@case("padding_mask", check=boolean())
def query_axis_stands_before_keys(rng: np.random.Generator) -> Iterator[Call]:
    """With no, one or two axes in front, the new axis of length one is the one before last."""
    for leading in ((), (3,), (2, 3)):
        yield call(rng.integers(0, 3, size=(*leading, 5)), 1)


@case("padding_mask", check=boolean(strict=True))
def padding_mask_is_boolean(rng: np.random.Generator) -> Iterator[Call]:
    """The mask has dtype bool, so that it can be combined with a causal mask by `&`."""
    yield call(np.concatenate([rng.integers(1, 9, size=(2, 4)), np.zeros((2, 3), int)], axis=1), 0)


# self_attention


def _sequence_and_matrices(rng: np.random.Generator, *leading: int) -> tuple[np.ndarray, ...]:
    """Draw X of 6 positions and 4 features, queries and keys of 3 and values of 5."""
    return _normal(rng, *leading, 6, 4), _normal(rng, 4, 3), _normal(rng, 4, 3), _normal(rng, 4, 5)


@case("self_attention", check=close(), weight=3)
def self_attention_of_any_shape(rng: np.random.Generator) -> Iterator[Call]:
    """Everybody reads everybody, with no, one or two axes in front; nothing is hidden unless asked for."""
    for leading in ((), (2,), (2, 3)):
        yield call(*_sequence_and_matrices(rng, *leading))


@case("self_attention", check=close(), weight=3)
def causal_self_attention_of_any_shape(rng: np.random.Generator) -> Iterator[Call]:
    """Each position reads itself and the past, with no, one or two axes in front."""
    for leading in ((), (2,), (2, 3)):
        yield call(*_sequence_and_matrices(rng, *leading), True)


@case("self_attention", check=close())
def equal_widths_hide_no_slip(rng: np.random.Generator) -> Iterator[Call]:
    """With as many features everywhere, each matrix still plays its own role."""
    matrices = [_normal(rng, 3, 3) for _ in range(3)]
    yield call(_normal(rng, 2, 5, 3), *matrices)
    yield call(_normal(rng, 2, 5, 3), *matrices, True)


@case("self_attention", check=close())
def a_batch_of_one(rng: np.random.Generator) -> Iterator[Call]:
    """A leading axis of length one is still a leading axis, and the future still hidden behind it."""
    yield call(*_sequence_and_matrices(rng, 1), True)
    yield call(*_sequence_and_matrices(rng, 1, 1), True)


@case("self_attention", check=same_prefix(axis=-2, upto=3))
def tokens_to_come_cannot_leak(rng: np.random.Generator) -> Iterator[Call]:
    """When causal, changing a token leaves the outputs before it as they were."""
    X, *matrices = (0.5 * array for array in _sequence_and_matrices(rng, 2))
    yield call(X, *matrices, True)
    later = X.copy()
    later[:, 3:] += 1.0 + rng.random((2, 3, 4))
    yield call(later, *matrices, True)


@case("self_attention", check=permuted(axis=-2, order=ORDER))
def reordered_tokens_reorder_the_output(rng: np.random.Generator) -> Iterator[Call]:
    """When not causal, moving tokens moves their outputs along: self-attention itself knows no order."""
    X, *matrices = _sequence_and_matrices(rng, 2)
    yield call(X[:, :5], *matrices)
    yield call(X[:, ORDER], *matrices)


@case("self_attention", check=stacked())
def batched_self_attention_equals_single_ones(rng: np.random.Generator) -> Iterator[Call]:
    """A batch gives what its sequences give one by one."""
    X, *matrices = _sequence_and_matrices(rng, 3)
    yield call(X, *matrices, True)
    for x in X:
        yield call(x, *matrices, True)


# attention_backward


@case("attention_backward", check=close(names=("dQ", "dK", "dV"), only="dV"))
def values_get_their_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dV is right, with no, one or two axes in front."""
    for leading in ((), (2,), (2, 3)):
        yield call(*_backward_inputs(rng, *leading))


@case("attention_backward", check=close(names=("dQ", "dK", "dV"), only="dQ"), weight=2)
def queries_get_their_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dQ is right, with no, one or two axes in front."""
    for leading in ((), (2,), (2, 3)):
        yield call(*_backward_inputs(rng, *leading))


@case("attention_backward", check=close(names=("dQ", "dK", "dV"), only="dK"), weight=2)
def keys_get_their_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dK is right, with no, one or two axes in front."""
    for leading in ((), (2,), (2, 3)):
        yield call(*_backward_inputs(rng, *leading))


@case("attention_backward", check=close(names=("dQ", "dK", "dV")), weight=2)
def gradients_under_masks(rng: np.random.Generator) -> Iterator[Call]:
    """What a mask hid from the forward pass gets no gradient: causal, padding, and another mask for each row."""
    causal, real = np.tri(4, 6, 2, dtype=bool), _padding(rng, 2, 6)[:, None, :]
    for mask in (causal, real, causal & real, _some_allowed(rng, 2, 4, 6)):
        yield call(*_backward_inputs(rng, 2, mask=mask))


@case("attention_backward", check=close(names=("dQ", "dK", "dV")))
def equal_sizes_hide_no_wrong_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """With all sizes equal, when no shape can warn of a slip, each gradient still is the right one."""
    yield call(_normal(rng, 5, 5, 5), (*(_normal(rng, 5, 5, 5) for _ in range(3)), _weights(rng, 5, 5, 5)))


@case("attention_backward", check=untouched(names=("dQ", "dK", "dV")))
def backward_leaves_the_cache_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The gradients are right, and dout and the cache can be used again."""
    yield call(*_backward_inputs(rng, 2))
