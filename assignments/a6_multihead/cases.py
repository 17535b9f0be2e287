"""Public cases of a6_multihead: the worked examples of the README, small enough to follow by hand."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course.spec import Call, Module, call, call_module, case
from autograder.judge.checks import close, untouched

# "I like pizza" with four features for each token: what head 0 will see, and what head 1 will see.
PIZZA = np.array([[[1, 0, 0, 1], [0, 1, 0, 2], [1, 1, 2, 0]]])
IDENTITY, NOTHING = np.eye(4), np.zeros(4)
PIZZA_W_V = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
PIZZA_W_O = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, -1, 0], [0, 0, 0, 1]])
PIZZA_B_O = np.array([0, 0, 0, 1])

# Four layers that differ from each other and from their own transposes, each with a bias.
W_Q = np.array([[1, 0, 0.5, 0], [0, -1, 0, 1], [0, 2, 1, 0], [1, 0, 0, 1]])
W_K = np.array([[0, 1, 0, 1], [1, 0, 0, -0.5], [0, 0, 1, 1], [-1, 0, 2, 0]])
W_V = np.array([[2, 0, 0, 1], [1, 1, 0, 0], [0, -1, 1, 0], [0, 0, 3, 1]])
W_O = np.array([[1, 0, 0, -1], [2, 1, 0, 0], [0, 0.5, 1, 0], [0, 0, -1, 2]])
B_Q, B_K = np.array([0.5, -1, 0, 1]), np.array([1, 0, -0.5, 0.25])
B_V, B_O = np.array([0, 1, -1, 2]), np.array([0.5, -0.5, 1, -1])

# Two sequences of three positions, four features each.
BATCH = np.array([[[1, 0, -1, 2], [0, 1, 1, 0], [2, -1, 0, 1]], [[-1, 1, 0, 1], [1, 1, 0, -1], [0, 2, 1, 0]]])
OTHER = np.array([[[0, 1, 2, 0], [1, -1, 0, 1]], [[2, 0, 1, 1], [-1, 0, 1, 0]]])
MORE = np.array([[[1, 2, 0, 0], [0, 1, -1, 3], [2, 0, 1, 1]], [[0, -2, 1, 1], [3, 0, 0, 2], [1, 1, 1, -1]]])


def _t(array: np.ndarray) -> Any:
    """Return an array as a float32 tensor, or a mask as a boolean one."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(array if array.dtype == bool else array.astype(np.float32)))


def _state(*layers: tuple[np.ndarray, np.ndarray]) -> dict[str, Any]:
    """Return the state dict of W_q, W_k, W_v, W_o from pairs of weight and bias."""
    state = {}
    for name, (weight, bias) in zip(("W_q", "W_k", "W_v", "W_o"), layers, strict=True):
        state |= {f"{name}.weight": _t(weight), f"{name}.bias": _t(bias)}
    return state


def _pizza() -> Module:
    plain = (IDENTITY, NOTHING)
    return Module(init=(4, 2), state=_state(plain, plain, (PIZZA_W_V, NOTHING), (PIZZA_W_O, PIZZA_B_O)))


def _two_heads(cotangents: tuple[Any, ...] = ()) -> Module:
    state = _state((W_Q, B_Q), (W_K, B_K), (W_V, B_V), (W_O, B_O))
    return Module(init=(4, 2), state=state, cotangents=cotangents)


# split_heads


@case("split_heads", check=close())
def pizza_in_two_heads(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza: head 0 gets the first two features of every token, head 1 the last two."""
    yield call(_t(PIZZA), 2)


@case("split_heads", check=close())
def numbered_features_in_three_heads(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of two positions, their features numbered from 0 to 23: head 0 begins with 0 1, then 6 7."""
    yield call(_t(np.arange(24).reshape(2, 2, 6)), 3)


@case("split_heads", check=close(at=("input_grads", 0), called="gradient of x"), weight=0.5)
def split_vectors_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """A batch of two in two heads: each head sends a gradient of its own back, and x gets all of it."""
    cotangent = np.stack([MORE[..., :2], BATCH[..., 2:]], axis=1)
    yield call_module(_t(BATCH), 2, module=Module(init=None, cotangents=(_t(cotangent),)))


@case("split_heads", check=untouched(), weight=0.4)
def splitting_leaves_x_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same numbers: afterwards x is what it was."""
    yield from numbered_features_in_three_heads.generate(rng)


# merge_heads


@case("merge_heads", check=close())
def pizza_put_together(rng: np.random.Generator) -> Iterator[Call]:
    """What the two heads read for I, like, pizza is put side by side, token by token."""
    yield call(_t(np.array([[[[1, 0], [0, 1], [1, 1]], [[0, 1], [0, 2], [2, 0]]]])))


@case("merge_heads", check=close())
def numbered_features_come_together(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences, three heads, two positions, two features, numbered from 0 to 23: the first row is 0 1 4 5 8 9."""
    yield call(_t(np.arange(24).reshape(2, 3, 2, 2)))


@case("merge_heads", check=close(at=("input_grads", 0), called="gradient of x"), weight=0.5)
def merged_vectors_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of two heads, three positions and two features, for the loss sum(output * MORE): x gets a gradient."""
    x = np.stack([BATCH[..., :2], OTHER[:, [0, 1, 0], 2:]], axis=1)
    yield call_module(_t(x), module=Module(init=None, cotangents=(_t(MORE),)))


@case("merge_heads", check=untouched(), weight=0.5)
def merging_leaves_x_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same numbers: afterwards x is what it was."""
    yield from numbered_features_come_together.generate(rng)


# MultiHeadAttention


@case("MultiHeadAttention", check=close(names=("output", "weights")))
def pizza_read_by_two_heads(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza: the worked example of the README; the weights of both heads are asked for, too."""
    yield call_module(*[_t(PIZZA)] * 3, module=_pizza(), need_weights=True)


@case("MultiHeadAttention", check=close())
def pizza_reads_only_the_past(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza under a causal mask of shape (3, 3), which holds for both heads."""
    yield call_module(*[_t(PIZZA)] * 3, _t(np.tri(3, dtype=bool)), module=_pizza())


@case("MultiHeadAttention", check=close())
def four_layers_that_differ(rng: np.random.Generator) -> Iterator[Call]:
    """A batch of two attends to itself; W_q, W_k, W_v and W_o all differ, and have biases. Then with four heads, of one
    feature each."""
    yield call_module(*[_t(BATCH)] * 3, module=_two_heads())
    yield call_module(*[_t(BATCH)] * 3, module=replace(_two_heads(), init=(4, 4)))


@case("MultiHeadAttention", check=close())
def two_queries_read_another_sequence(rng: np.random.Generator) -> Iterator[Call]:
    """Cross-attention: two queries, three keys, and values that are not the keys."""
    yield call_module(_t(OTHER), _t(BATCH), _t(MORE), module=_two_heads())


@case("MultiHeadAttention", check=close(names=("output", "weights")))
def each_sequence_has_a_mask(rng: np.random.Generator) -> Iterator[Call]:
    """A mask (batch, T_q, T_k), with as many heads as sequences, so that a wrong axis raises no error: the first sequence
    is read causally, of the second everyone looks at two positions. Then with two queries and three keys."""
    mask = np.array([[[True, False, False], [True, True, False], [True, True, True]], [[False, True, True]] * 3])
    yield call_module(*[_t(BATCH)] * 3, _t(mask), module=_two_heads(), need_weights=True)
    yield call_module(_t(OTHER), _t(BATCH), _t(MORE), _t(mask[:, :2]), module=_two_heads(), need_weights=True)


@case("MultiHeadAttention", check=close(names=("output", "weights")))
def masks_with_four_axes(rng: np.random.Generator) -> Iterator[Call]:
    """Padding as (batch, 1, 1, T_k), then another mask for each head, (1, heads, T_q, T_k)."""
    padding = np.array([[True, True, False], [False, True, True]])[:, None, None]
    heads = np.stack([np.tri(3, dtype=bool), np.tri(3, dtype=bool).T])[None]
    yield call_module(*[_t(BATCH)] * 3, _t(padding), module=_two_heads(), need_weights=True)
    yield call_module(*[_t(BATCH)] * 3, _t(heads), module=_two_heads(), need_weights=True)


@case("MultiHeadAttention", check=close(names=("output", "weights")))
def nothing_to_look_at(rng: np.random.Generator) -> Iterator[Call]:
    """The first query may look at nothing: its weights are zero, and its output is the bias of W_o. Then the first sequence
    is all padding, in a mask (batch, 1, 1, T_k)."""
    mask = np.array([[False, False, False], [True, False, True], [False, True, False]])
    yield call_module(*[_t(BATCH)] * 3, _t(mask), module=_two_heads(), need_weights=True)
    padding = np.array([[False, False, False], [True, True, False]])[:, None, None]
    yield call_module(*[_t(BATCH)] * 3, _t(padding), module=_two_heads(), need_weights=True)


@case("MultiHeadAttention", check=close(names=("output", "weights")), weight=0.5)
def pizza_ten_times_as_long(rng: np.random.Generator) -> Iterator[Call]:
    """I, like, pizza with vectors ten times as long: single precision cannot hold the exponentials of such scores. Then under
    a causal mask, with queries turned round: all that one may look at has a very low score."""
    pizza = _t(10 * PIZZA)
    yield call_module(*[pizza] * 3, module=_pizza(), need_weights=True)
    yield call_module(-pizza, pizza, pizza, _t(np.tri(3, dtype=bool)), module=_pizza(), need_weights=True)


@case("MultiHeadAttention", check=close(at=("param_grads", "W_q.weight")))
def queries_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """For the loss sum(output * MORE), the weight of W_q gets its gradient."""
    yield call_module(*[_t(BATCH)] * 3, module=_two_heads((_t(MORE),)))


@case("MultiHeadAttention", check=close(at=("input_grads",), called="gradients"))
def whoever_is_read_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """Two queries read another sequence; for a loss on the output, query, key and value all get a gradient."""
    yield call_module(_t(OTHER), _t(BATCH), _t(MORE), module=_two_heads((_t(OTHER[::-1]),)))


@case("MultiHeadAttention", check=close(at=("param_grads", "W_q.weight")), weight=0.5)
def a_blind_query_learns_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """The same loss as for W_q before, when the first query may look at nothing: the gradient is that of the others, not NaN."""
    mask = np.array([[False, False, False], [True, False, True], [False, True, True]])
    yield call_module(*[_t(BATCH)] * 3, _t(mask), module=_two_heads((_t(MORE),)))


@case("MultiHeadAttention", check=close(at=("param_grads", "W_o.weight")), weight=0.5)
def the_output_learns_beside_its_weights(rng: np.random.Generator) -> Iterator[Call]:
    """The loss sum(output * MORE) once more, with the weights asked for, too: the weight of W_o gets its gradient."""
    module = _two_heads((_t(MORE), _t(np.zeros((2, 2, 3, 3)))))
    yield call_module(*[_t(BATCH)] * 3, module=module, need_weights=True)


@case("MultiHeadAttention", check=untouched(names=("output", "weights")), weight=0.42)
def attention_leaves_the_mask_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two sequences: afterwards query, key, value and mask are what they were."""
    yield from each_sequence_has_a_mask.generate(rng)


# sinusoidal_encoding


@case("sinusoidal_encoding", check=close())
def three_rows_of_four(rng: np.random.Generator) -> Iterator[Call]:
    """Three positions, four features: 0 1 0 1, then .8415 .5403 .0100 .99995, then .9093 -.4161 .0200 .9998."""
    yield call(3, 4)


@case("sinusoidal_encoding", check=close())
def another_base(rng: np.random.Generator) -> Iterator[Call]:
    """Four positions, six features, base 50."""
    yield call(4, 6, 50)


# timing_signal


@case(
    "timing_signal",
    check=close(tolerance=1e-5, because="the slowest sine of the example is .0002, and has to be right as well"),
)
def the_well_known_figure(rng: np.random.Generator) -> Iterator[Call]:
    """Three positions, four features: 0 0 1 1, then .84 .0001 .54 1, then .91 .0002 -.42 1."""
    yield call(3, 4)


@case("timing_signal", check=close())
def three_frequencies(rng: np.random.Generator) -> Iterator[Call]:
    """Four positions, six features: the frequencies are 1, 1/100 and 1/10000."""
    yield call(4, 6)


# shift_matrix


@case("shift_matrix", check=close())
def one_position_on(rng: np.random.Generator) -> Iterator[Call]:
    """One position on, four features: the worked example of the README."""
    yield call(1, 4)


@case("shift_matrix", check=close())
def two_positions_back(rng: np.random.Generator) -> Iterator[Call]:
    """Two positions back, six features. Then five positions on, sixteen features."""
    yield call(-2, 6)
    yield call(5, 16)


# apply_rope


@case("apply_rope", check=close())
def one_vector_at_two_positions(rng: np.random.Generator) -> Iterator[Call]:
    """The vector (1, 0, 0, 1) at positions 1 and 3: the worked example of the README. Then six features, which are three pairs."""
    import torch

    yield call(_t(np.array([[[[1, 0, 0, 1], [1, 0, 0, 1]]]])), torch.tensor([1, 3]))
    yield call(_t(np.array([[[[1, 0, 0, 1, 1, 0]]]])), torch.tensor([2]), 100)


@case("apply_rope", check=close())
def two_heads_turn_alike(rng: np.random.Generator) -> Iterator[Call]:
    """A batch of two with two heads, at positions 0, 5 and 2, with base 100: position decides, not head or batch."""
    import torch

    x = np.stack([BATCH, MORE])
    yield call(_t(x), torch.tensor([0, 5, 2]), 100)


@case("apply_rope", check=close())
def each_sequence_at_its_own_positions(rng: np.random.Generator) -> Iterator[Call]:
    """A batch of two, whose second sequence begins later: positions of shape (batch, time)."""
    import torch

    yield call(_t(np.stack([BATCH, MORE])), torch.tensor([[0, 1, 2], [4, 5, 6]]))


@case("apply_rope", check=close(at=("input_grads", 0), called="gradient of x"))
def turned_vectors_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The vector (1, 0, 0, 1) at position 1, for the loss that is the sum of its four numbers: x gets a gradient."""
    import torch

    module = Module(init=None, cotangents=(torch.ones(1, 1, 1, 4),))
    yield call_module(_t(np.array([[[[1, 0, 0, 1]]]])), torch.tensor([1]), module=module)


@case("apply_rope", check=untouched(), weight=0.44)
def turning_leaves_x_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same batch: afterwards x and positions are what they were."""
    yield from two_heads_turn_alike.generate(rng)
