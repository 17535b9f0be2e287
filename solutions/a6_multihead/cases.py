"""Hidden cases of a6_multihead: random inputs in which no two sizes are equal, and the properties that must hold."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.course.spec import Answer, Call, Finding, Module, Tensor, call, call_module, case
from autograder.judge.checks import agree, close, permuted, same_prefix, untouched
from autograder.judge.compare import difference

BOTH = ("output", "weights")
ORDER = (3, 0, 4, 1, 2)


def _tensor(array: np.ndarray) -> Any:
    """Return an array as a tensor; numbers in single precision."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(array.astype(np.float32) if array.dtype.kind == "f" else array))


def _normal(rng: np.random.Generator, *shape: int) -> Any:
    return _tensor(rng.normal(size=shape))


def _attention(rng: np.random.Generator, d_model: int, heads: int, cotangents: tuple[Any, ...] = ()) -> Module:
    """Draw four layers at trained scale: scores of about 1, biases that matter, no entry near zero."""
    state = {}
    for name in ("W_q", "W_k", "W_v", "W_o"):
        for part, shape, low, high in (("weight", (d_model, d_model), 0.4, 1.6), ("bias", (d_model,), 0.3, 1.0)):
            size = rng.uniform(low, high, size=shape) / (d_model**0.5 if part == "weight" else 1.0)
            state[f"{name}.{part}"] = _tensor(rng.choice([-1.0, 1.0], size=shape) * size)
    return Module(init=(d_model, heads), state=state, cotangents=cotangents)


def _exact(rng: np.random.Generator, d_model: int, heads: int) -> Module:
    """Draw four layers of quarters: whole inputs have scores without rounding, so even large ones leave weights exact."""
    module = _attention(rng, d_model, heads)
    return replace(module, state={name: (4 * value).round() / 4 for name, value in module.state.items()})


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


def _positions(rng: np.random.Generator, *shape: int) -> Any:
    """Draw positions below 40 that neither start at 0 nor follow one on the other, nor are in order."""
    return _tensor(1 + rng.permuted(np.broadcast_to(np.arange(39), (*shape[:-1], 39)), axis=-1)[..., : shape[-1]])


@dataclass(frozen=True)
class _same_scores(close):  # noqa: N801 (reads as the checks it stands beside)
    """Of pairs of calls, on queries and on keys, the dot products agree with those of the first pair."""

    def judge(
        self,
        calls: tuple[Call, ...],  # noqa: ARG002 (one signature for all checks)
        got: tuple[Answer, ...],
        expected: tuple[Answer, ...],
    ) -> Finding | None:
        """Return the first difference between the scores of two pairs."""
        arrays = []
        for index, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
            finding = difference(mine.value, theirs.value)
            if finding and finding.kind != "values":
                return Finding(finding.kind, finding.headline, finding.where, finding.got, finding.expected, call=index)
            arrays.append(np.asarray(mine.value.array if isinstance(mine.value, Tensor) else mine.value))
        scores = [q @ np.swapaxes(k, -1, -2) for q, k in zip(arrays[::2], arrays[1::2], strict=True)]
        for index, moved in enumerate(scores[1:], start=1):
            finding = difference(moved, scores[0], tolerance=self.tolerance)
            if finding:
                text = "Queries and keys were moved on by the same number of positions, and their scores changed."
                return Finding("property", text, "", moved, scores[0], finding.index, 2 * index)
        plain = difference(scores[0], np.broadcast_to(scores[0].flat[0], scores[0].shape).copy())
        return None if plain else Finding("constant", "All scores are the same number.", got=scores[0])


# split_heads


@case("split_heads", check=close(), weight=2)
def heads_of_any_number(rng: np.random.Generator) -> Iterator[Call]:
    """Each head has its share of the features of every position, in order."""
    for batch, T, heads, d_head in ((2, 5, 3, 4), (3, 4, 2, 5), (4, 3, 5, 2)):
        yield call(_normal(rng, batch, T, heads * d_head), heads)


@case("split_heads", check=close())
def one_head_and_many(rng: np.random.Generator) -> Iterator[Call]:
    """One head gets all features; as many heads as features get one each."""
    x = _normal(rng, 2, 5, 3)
    yield call(x, 1)
    yield call(x, 3)


@case("split_heads", check=close())
def equal_sizes_hide_no_wrong_split(rng: np.random.Generator) -> Iterator[Call]:
    """With batch, time, heads and d_head all equal, when no shape can warn of a slip, every number is in its place."""
    yield call(_normal(rng, 3, 3, 9), 3)


@case("split_heads", check=untouched())
def splitting_leaves_its_input_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The split is right, and x is as before."""
    yield call(_normal(rng, 2, 4, 6), 3)


@case("split_heads", check=close(at=("input_grads", 0), called="gradient of x"))
def gradients_pass_the_split(rng: np.random.Generator) -> Iterator[Call]:
    """The gradients of the heads come together again at x."""
    yield call_module(_normal(rng, 2, 4, 6), 3, module=Module(init=None, cotangents=(_normal(rng, 2, 3, 4, 2),)))


# merge_heads


@case("merge_heads", check=close(), weight=2)
def merged_from_any_number(rng: np.random.Generator) -> Iterator[Call]:
    """The heads of each position stand side by side, in order."""
    for batch, heads, T, d_head in ((2, 3, 5, 4), (3, 2, 4, 5), (4, 5, 3, 2)):
        yield call(_normal(rng, batch, heads, T, d_head))


@case("merge_heads", check=close())
def equal_sizes_hide_no_wrong_merge(rng: np.random.Generator) -> Iterator[Call]:
    """With all four sizes equal, when no shape can warn of a slip, every number is in its place."""
    yield call(_normal(rng, 3, 3, 3, 3))


@case("merge_heads", check=untouched())
def merging_leaves_its_input_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The merge is right, and x is as before."""
    yield call(_normal(rng, 2, 3, 4, 5))


@case("merge_heads", check=close(at=("input_grads", 0), called="gradient of x"))
def gradients_pass_the_merge(rng: np.random.Generator) -> Iterator[Call]:
    """Every head gets its share of the gradient."""
    yield call_module(_normal(rng, 2, 3, 4, 2), module=Module(init=None, cotangents=(_normal(rng, 2, 4, 6),)))


# MultiHeadAttention


@case("MultiHeadAttention", check=close(), weight=2)
def a_sequence_reads_itself(rng: np.random.Generator) -> Iterator[Call]:
    """Self-attention with two, three and four heads."""
    for batch, T, d_model, heads in ((3, 5, 8, 2), (2, 4, 15, 3), (2, 7, 12, 4)):
        yield call_module(*[_normal(rng, batch, T, d_model)] * 3, module=_attention(rng, d_model, heads))


@case("MultiHeadAttention", check=close(), weight=2)
def one_sequence_reads_another(rng: np.random.Generator) -> Iterator[Call]:
    """Cross-attention: T_q and T_k differ, and values are not the keys."""
    for T_q, T_k in ((4, 6), (5, 3)):
        key, value = _normal(rng, 2, T_k, 12), _normal(rng, 2, T_k, 12)
        yield call_module(_normal(rng, 2, T_q, 12), key, value, module=_attention(rng, 12, 3))


@case("MultiHeadAttention", check=close(names=BOTH, only="weights"))
def weights_of_every_head(rng: np.random.Generator) -> Iterator[Call]:
    """With need_weights the weights come along, those of every head, as they were used."""
    key, value = _normal(rng, 2, 6, 12), _normal(rng, 2, 6, 12)
    query, module = _normal(rng, 2, 4, 12), _attention(rng, 12, 3)
    yield call_module(query, key, value, module=module, need_weights=True)
    yield call_module(query, key, value, _tensor(_some_allowed(rng, 4, 6)), module=module, need_weights=True)


@case("MultiHeadAttention", check=close())
def one_mask_for_all(rng: np.random.Generator) -> Iterator[Call]:
    """Masks (T_q, T_k), square and causal or not square, hold for all sequences and heads."""
    x, query = _normal(rng, 2, 5, 12), _normal(rng, 2, 3, 12)
    yield call_module(x, x, x, _tensor(np.tri(5, dtype=bool)), module=_attention(rng, 12, 3))
    yield call_module(query, x, x, _tensor(_some_allowed(rng, 3, 5)), module=_attention(rng, 12, 4))


@case("MultiHeadAttention", check=close())
def one_mask_for_each_sequence(rng: np.random.Generator) -> Iterator[Call]:
    """A mask (batch, T_q, T_k) hides in each sequence what it should, in all heads, however many there are."""
    for batch, heads in ((2, 3), (3, 3), (3, 2)):
        query, x = _normal(rng, batch, 4, 12), _normal(rng, batch, 5, 12)
        mask = _some_allowed(rng, batch, 4, 5)
        yield call_module(query, x, x, _tensor(mask), module=_attention(rng, 12, heads))


@case("MultiHeadAttention", check=close())
def one_mask_for_each_head(rng: np.random.Generator) -> Iterator[Call]:
    """A mask (batch, heads, T_q, T_k) hides other keys in each head."""
    query, x = _normal(rng, 2, 4, 12), _normal(rng, 2, 6, 12)
    yield call_module(query, x, x, _tensor(_some_allowed(rng, 2, 3, 4, 6)), module=_attention(rng, 12, 3))


@case("MultiHeadAttention", check=close())
def axes_of_one_count_for_all(rng: np.random.Generator) -> Iterator[Call]:
    """Masks of (batch, 1, T_k), (batch, 1, 1, T_k), (1, heads, T_q, T_k), (1, T_q, T_k) and (1, T_k)."""
    query, x, module = _normal(rng, 3, 4, 12), _normal(rng, 3, 6, 12), _attention(rng, 12, 3)
    real = _padding(rng, 3, 6)
    masks = (
        real[:, None],
        real[:, None, None],
        _some_allowed(rng, 1, 3, 4, 6),
        _some_allowed(rng, 1, 4, 6),
        _some_allowed(rng, 1, 6),
    )
    for mask in masks:
        yield call_module(query, x, x, _tensor(mask), module=module)


@case("MultiHeadAttention", check=close())
def causal_and_padded(rng: np.random.Generator) -> Iterator[Call]:
    """Both masks at once, (batch, T, T) and (batch, 1, T, T); sequences of the batch have different lengths."""
    x, module = _normal(rng, 3, 5, 12), _attention(rng, 12, 4)
    mask = np.tri(5, dtype=bool) & _padding(rng, 3, 5)[:, None]
    yield call_module(x, x, x, _tensor(mask), module=module)
    yield call_module(x, x, x, _tensor(mask[:, None]), module=module)


@case("MultiHeadAttention", check=close(names=BOTH), weight=2)
def blind_queries_read_zeros(rng: np.random.Generator) -> Iterator[Call]:
    """Queries that may look at nothing have weights of zero and get the bias of W_o; the others are as ever."""
    query, x, module = _normal(rng, 2, 4, 12), _normal(rng, 2, 5, 12), _attention(rng, 12, 3)
    mask = _some_allowed(rng, 2, 4, 5)
    mask[0, 1] = mask[1, 3] = False
    yield call_module(query, x, x, _tensor(mask), module=module, need_weights=True)
    nobody = np.array([True, False])[:, None, None, None]
    yield call_module(query, x, x, _tensor(nobody), module=module, need_weights=True)


@case("MultiHeadAttention", check=close(names=BOTH))
def large_scores_are_numbers(rng: np.random.Generator) -> Iterator[Call]:
    """Scores of thousands, of either sign, give weights that are nearly 0 and 1, and still numbers; also where a very
    low score is all that a query may look at. The second sequence has scores of about ten."""
    module, value = _exact(rng, 8, 2), rng.normal(size=(2, 4, 8))
    x = np.trunc(rng.integers(-60, 61, size=(2, 4, 8)) / np.array([1, 10])[:, None, None])
    yield call_module(_tensor(x), _tensor(x), _tensor(value), module=module, need_weights=True)
    both = _tensor(np.concatenate([x, -x])), *(_tensor(np.concatenate([part] * 2)) for part in (x, value))
    yield call_module(*both, _tensor(np.tri(4, dtype=bool)), module=module, need_weights=True)


@case("MultiHeadAttention", check=same_prefix(axis=1, upto=3))
def the_future_cannot_leak(rng: np.random.Generator) -> Iterator[Call]:
    """Under a causal mask, changing the last two positions leaves the outputs before them as they were."""
    x, module, causal = rng.normal(size=(2, 5, 12)), _attention(rng, 12, 3), _tensor(np.tri(5, dtype=bool))
    changed = np.concatenate([x[:, :3], rng.normal(size=(2, 2, 12))], axis=1)
    for variant in (x, changed):
        yield call_module(*[_tensor(variant)] * 3, causal, module=module)


@case("MultiHeadAttention", check=agree())
def padding_is_never_read(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever stands at padded positions, the output is the same."""
    query, x, module = _normal(rng, 3, 4, 12), rng.normal(size=(3, 6, 12)), _attention(rng, 12, 3)
    real = _padding(rng, 3, 6)
    for filler in (0.0, 300.0, -300.0, rng.normal(size=x.shape)):
        filled = _tensor(np.where(real[:, :, None], x, filler))
        yield call_module(query, filled, filled, _tensor(real[:, None, None]), module=module)


@case("MultiHeadAttention", check=same_prefix(axis=0, upto=1))
def sequences_do_not_see_each_other(rng: np.random.Generator) -> Iterator[Call]:
    """Changing the second and third sequence of a batch leaves the output of the first as it was."""
    x, module = rng.normal(size=(3, 4, 12)), _attention(rng, 12, 3)
    for variant in (x, np.concatenate([x[:1], rng.normal(size=(2, 4, 12))])):
        yield call_module(*[_tensor(variant)] * 3, module=module)


@case("MultiHeadAttention", check=agree())
def the_order_of_keys_does_not_matter(rng: np.random.Generator) -> Iterator[Call]:
    """Keys and values reordered together, and the mask with them, give the same output."""
    query, module = _normal(rng, 2, 4, 12), _attention(rng, 12, 3)
    key, value, mask = rng.normal(size=(2, 5, 12)), rng.normal(size=(2, 5, 12)), _some_allowed(rng, 4, 5)
    for order in ([0, 1, 2, 3, 4], list(ORDER)):
        shuffled = (_tensor(key[:, order]), _tensor(value[:, order]), _tensor(mask[:, order]))
        yield call_module(query, *shuffled, module=module)


@case("MultiHeadAttention", check=permuted(axis=1, order=ORDER))
def shuffled_words_shuffle_the_outputs(rng: np.random.Generator) -> Iterator[Call]:
    """Without positions and without a mask, self-attention of shuffled words gives the same outputs, shuffled."""
    x, module = rng.normal(size=(2, 5, 12)), _attention(rng, 12, 3)
    for variant in (x, x[:, list(ORDER)]):
        yield call_module(*[_tensor(variant)] * 3, module=module)


@case("MultiHeadAttention", check=untouched())
def attending_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The output is right, and query, key, value and mask are as before."""
    query, key, value = (_normal(rng, 2, T, 12) for T in (4, 6, 6))
    yield call_module(query, key, value, _tensor(_some_allowed(rng, 2, 4, 6)), module=_attention(rng, 12, 3))


def _learning(rng: np.random.Generator, *, blind: bool = False) -> Call:
    """Draw a call that goes backward, with a mask for each sequence; `blind` hides everything from two queries."""
    query, key, value, cotangent = (_normal(rng, 2, T, 12) for T in (4, 6, 6, 4))
    mask = _some_allowed(rng, 2, 4, 6)
    if blind:
        mask[0, 1] = mask[1, 2] = False
    return call_module(query, key, value, _tensor(mask), module=_attention(rng, 12, 3, (cotangent,)))


@case("MultiHeadAttention", check=close(at=("param_grads", "W_k.weight")), weight=0.5)
def keys_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient finds its way through the softmax to the weight of W_k."""
    yield _learning(rng)


@case("MultiHeadAttention", check=close(at=("param_grads", "W_v.weight")), weight=0.5)
def values_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient finds its way to the weight of W_v."""
    yield _learning(rng)


@case("MultiHeadAttention", check=close(at=("param_grads", "W_q.weight")), weight=0.5)
def blind_queries_spoil_no_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """With queries that may look at nothing, the gradient of W_q's weight is that of the others, and not NaN."""
    yield _learning(rng, blind=True)


@case("MultiHeadAttention", check=close(at=("input_grads", 0)), weight=0.5)
def gradients_reach_the_query(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient finds its way to the query that was handed in, which is the output of some other layer."""
    yield _learning(rng)


@case("MultiHeadAttention", check=close(at=("input_grads", 1)), weight=0.5)
def gradients_reach_the_key(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient finds its way to the key, which may come from another network than the query."""
    yield _learning(rng)


@case("MultiHeadAttention", check=close(at=("input_grads", 2)), weight=0.5)
def gradients_reach_the_value(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient finds its way to the value."""
    yield _learning(rng)


@case("MultiHeadAttention", check=close(at=("param_grads", "W_o.weight")), weight=0.5)
def outputs_beside_weights_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """Asking for the weights too takes nothing from the output: its gradient finds its way to the weight of W_o."""
    # None into the weights: they are for looking at, and code that detaches them before returning them is right as well.
    query, key, value = (_normal(rng, 2, T, 6) for T in (4, 5, 5))
    module = _attention(rng, 6, 3, (_normal(rng, 2, 4, 6), _tensor(np.zeros((2, 3, 4, 5)))))
    yield call_module(query, key, value, module=module, need_weights=True)


# sinusoidal_encoding


@case("sinusoidal_encoding", check=close(), weight=2)
def encodings_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """The formula, for more positions than features and the other way round."""
    for T, d_model in ((7, 10), (30, 6), (5, 32)):
        yield call(T, d_model)


@case("sinusoidal_encoding", check=close())
def base_is_an_argument(rng: np.random.Generator) -> Iterator[Call]:
    """With the base given, by position and by name."""
    yield call(9, 8, 50.0)
    yield call(9, 8, base=500000)


@case("sinusoidal_encoding", check=close())
def long_texts_have_their_positions(rng: np.random.Generator) -> Iterator[Call]:
    """Two hundred positions; and a single one, which is position 0."""
    yield call(200, 16)
    yield call(1, 12)


@case("sinusoidal_encoding", check=close())
def one_pair_is_enough(rng: np.random.Generator) -> Iterator[Call]:
    """Two features are one pair, with frequency 1."""
    yield call(6, 2)


# timing_signal


@case("timing_signal", check=close(), weight=2)
def signals_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Sines first, then cosines, for other sizes."""
    for T, d_model in ((7, 10), (30, 6), (5, 32)):
        yield call(T, d_model)


@case("timing_signal", check=close())
def the_slowest_wave_is_a_ten_thousandth(rng: np.random.Generator) -> Iterator[Call]:
    """Over two thousand positions the slowest sine rises to .2; over two hundred, the slowest of eight, to .02."""
    yield call(2000, 4)
    yield call(200, 16)  # not many more: the phases of the frequencies between have seven digits in single precision


# shift_matrix


@case("shift_matrix", check=close(), weight=2)
def shifts_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """The matrix for other shifts and widths."""
    for k, d_model in ((3, 8), (17, 6), (1, 12)):
        yield call(k, d_model)


@case("shift_matrix", check=close())
def backwards_is_negative(rng: np.random.Generator) -> Iterator[Call]:
    """A negative k moves back."""
    yield call(-1, 8)
    yield call(-11, 4)


@case("shift_matrix", check=close())
def standing_still_is_the_identity(rng: np.random.Generator) -> Iterator[Call]:
    """Zero positions on, nothing moves; one pair turns by the whole angle."""
    yield call(0, 6)
    yield call(2, 2)


@case("shift_matrix", check=close())
def a_long_way_turns_slow_pairs(rng: np.random.Generator) -> Iterator[Call]:
    """A hundred positions on, slow pairs have turned as well."""
    yield call(100, 16)


# apply_rope


@case("apply_rope", check=close(), weight=2)
def turns_at_any_positions(rng: np.random.Generator) -> Iterator[Call]:
    """Positions with gaps and out of order; no two sizes are equal."""
    for batch, heads, T, d_head in ((2, 3, 5, 8), (3, 2, 4, 6), (2, 4, 3, 10)):
        yield call(_normal(rng, batch, heads, T, d_head), _positions(rng, T))


@case("apply_rope", check=close())
def a_cache_has_an_offset(rng: np.random.Generator) -> Iterator[Call]:
    """A single new token, whose position is not 0 but after all the cached ones; then three more."""
    yield call(_normal(rng, 2, 3, 1, 8), _tensor(np.array([23])))
    yield call(_normal(rng, 2, 3, 3, 8), _tensor(np.arange(24, 27)))


@case("apply_rope", check=close())
def every_sequence_has_its_positions(rng: np.random.Generator) -> Iterator[Call]:
    """Positions of shape (batch, time), with as many heads as sequences and with other numbers of them."""
    for batch, heads, T in ((2, 3, 5), (3, 3, 4), (4, 2, 3)):
        yield call(_normal(rng, batch, heads, T, 6), _positions(rng, batch, T))


@case("apply_rope", check=close())
def rope_has_a_base(rng: np.random.Generator) -> Iterator[Call]:
    """With the base given, by position and by name."""
    x, positions = _normal(rng, 2, 3, 5, 8), _positions(rng, 5)
    yield call(x, positions, 50.0)
    yield call(x, positions, base=500000)


@case("apply_rope", check=close())
def position_zero_changes_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """At position 0 every angle is 0; with two features there is one pair, which turns by the position itself."""
    yield call(_normal(rng, 2, 3, 4, 6), _tensor(np.zeros(4, dtype=np.int64)))
    yield call(_normal(rng, 2, 3, 4, 2), _positions(rng, 4))


@case("apply_rope", check=close())
def equal_sizes_hide_no_wrong_axis(rng: np.random.Generator) -> Iterator[Call]:
    """With all four sizes equal, when no shape can warn of a slip, every number is right."""
    yield call(_normal(rng, 4, 4, 4, 4), _positions(rng, 4))
    yield call(_normal(rng, 4, 4, 4, 4), _positions(rng, 4, 4))


@case("apply_rope", check=_same_scores())
def scores_depend_on_differences(rng: np.random.Generator) -> Iterator[Call]:
    """Moving queries and keys on by the same number of positions leaves their dot products as they were."""
    query, key = _normal(rng, 2, 3, 4, 8), _normal(rng, 2, 3, 5, 8)
    where, there = _positions(rng, 4) % 8, _positions(rng, 5) % 8
    for step in (0, 1, 30):
        yield call(query, where + step)
        yield call(key, there + step)


@case("apply_rope", check=untouched())
def turning_leaves_its_input_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The turned features are right, and x and positions are as before."""
    yield call(_normal(rng, 2, 3, 5, 8), _positions(rng, 5))


@case("apply_rope", check=close(at=("input_grads", 0), called="gradient of x"))
def gradients_turn_back(rng: np.random.Generator) -> Iterator[Call]:
    """A gradient passes the rotation, turned by the same angles the other way."""
    module = Module(init=None, cotangents=(_normal(rng, 2, 3, 5, 8),))
    yield call_module(_normal(rng, 2, 3, 5, 8), _positions(rng, 5), module=module)
