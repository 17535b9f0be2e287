"""Public cases of a3_gates: the worked examples of the README, small enough to follow by hand."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.spec import Call, Module, call, call_module, case
from autograder.judge.checks import close, untouched

LSTM_GRADIENTS = ("dx", "dh_prev", "dc_prev", "grads")
SEQUENCE_GRADIENTS = ("dx", "dh0", "dc0", "grads")
GRU_GRADIENTS = ("dx", "dh_prev", "grads")

# One unit, one feature: the biases are chosen so that f = .75, i = .5, o = .8 and c_tilde = .6.
ONE_UNIT = {
    "W_f": np.array([[2.0, 0.5]]),
    "W_i": np.array([[1.0, -1.0]]),
    "W_o": np.array([[-2.0, 1.0]]),
    "W_c": np.array([[1.0, 0.5]]),
    "b_f": np.array([np.log(3.0) - 2.0]),
    "b_i": np.array([1.5]),
    "b_o": np.array([np.log(4.0) - 1.0]),
    "b_c": np.array([np.log(2.0) - 1.5]),
}
X_ONE, H_ONE, C_ONE = np.array([[2.0]]), np.array([[0.5]]), np.array([[1.6]])

# Another one, for the GRU: z = .75, r = .2 and h_tilde = -.6.
ONE_UNIT_GRU = {
    "W_z": np.array([[2.0, 0.5]]),
    "W_r": np.array([[1.0, -1.0]]),
    "W_h": np.array([[4.0, 0.5]]),
    "b_z": np.array([np.log(3.0) - 2.0]),
    "b_r": np.array([1.5 - np.log(4.0)]),
    "b_h": np.array([-np.log(2.0) - 1.4]),
}

# Two sequences of three steps, three features, two units.
W_1 = np.array([[0.5, -1.0, 0.8, 0.3, -0.6], [1.2, 0.4, -0.5, 0.7, 0.2]])
W_2 = np.array([[-0.7, 0.6, 0.4, -0.9, 0.5], [0.3, -0.8, 1.0, 0.2, -0.4]])
W_3 = np.array([[0.9, 0.2, -0.3, 0.6, 0.7], [-0.5, 1.1, 0.4, -0.2, 0.8]])
W_4 = np.array([[0.6, -0.4, 1.0, -0.7, 0.3], [-1.0, 0.5, 0.2, 0.9, -0.8]])
B_1, B_2, B_3, B_4 = np.array([0.5, 0.3]), np.array([0.7, 0.4]), np.array([-0.2, 0.3]), np.array([0.2, -0.5])
LSTM = {"W_f": W_1, "W_i": W_2, "W_o": W_3, "W_c": W_4, "b_f": B_1, "b_i": B_2, "b_o": B_3, "b_c": B_4}
GRU = {"W_z": W_1, "W_r": W_2, "W_h": W_4, "b_z": B_1, "b_r": B_2, "b_h": B_4}

X = np.array(
    [[[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [2.0, -1.0, 0.0]], [[-1.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 0.0, 1.0]]]
)
H0, C0 = np.array([[0.5, -0.5], [0.2, 0.8]]), np.array([[1.0, -2.0], [0.6, 1.4]])
DH = np.array([[[1.0, -1.0], [0.5, 2.0], [-1.0, 1.0]], [[2.0, 0.0], [-1.0, 1.0], [1.0, 3.0]]])
DC = np.array([[[0.5, 1.0], [-1.0, 0.0], [2.0, -0.5]], [[0.0, -1.0], [1.5, 0.5], [-0.5, 1.0]]])

# What the LSTM computes on them, rounded to seven decimals.
CACHE = {
    "x": X,
    "h0": H0,
    "c0": C0,
    "h": np.array(
        [
            [[0.7027872, -0.7905627], [0.4782422, -0.1162450], [0.2625255, -0.6162600]],
            [[-0.1516125, 0.5392742], [-0.1967967, 0.7952524], [-0.0081977, 0.6210014]],
        ]
    ),
    "c": np.array(
        [
            [[1.4944437, -2.0432788], [1.3755394, -1.5272359], [2.1103061, -1.2882864]],
            [[-0.2081558, 1.3454208], [-0.2519321, 1.6646780], [-0.0132612, 0.8655663]],
        ]
    ),
    "f": np.array(
        [
            [[0.7005671, 0.6456563], [0.9270313, 0.7903638], [0.8961692, 0.2947120]],
            [[0.3318122, 0.8869542], [0.6648358, 0.8074888], [0.2701916, 0.6415148]],
        ]
    ),
    "i": np.array(
        [
            [[0.8099984, 0.7595109], [0.1589196, 0.8633369], [0.8803221, 0.9195663]],
            [[0.4353637, 0.2728918], [0.5571722, 0.7156727], [0.8599541, 0.3328682]],
        ]
    ),
    "o": np.array(
        [
            [[0.7772999, 0.8175745], [0.5434888, 0.1277487], [0.2703533, 0.7176854]],
            [[0.7388500, 0.6177479], [0.7976068, 0.8543342], [0.6182043, 0.8882686]],
        ]
    ),
    "c_tilde": np.array(
        [
            [[0.9800964, -0.9900664], [-0.0620229, 0.1015799], [0.9968967, -0.9115075]],
            [[-0.9354091, 0.3799490], [-0.2037838, 0.8080031], [0.0637345, -0.6078958]],
        ]
    ),
    "params": LSTM,
}
FIRST_STEP = {
    "x_t": X[:, 0],
    "h_prev": H0,
    "c_prev": C0,
    **{name: CACHE[name][:, 0] for name in ("f", "i", "o", "c_tilde")},
    "c_t": CACHE["c"][:, 0],
    "params": LSTM,
}
GRU_H = np.array([[0.9, -0.7], [-0.8, 0.6]])
GRU_STEP = {
    "x_t": X[:, 1],
    "h_prev": GRU_H,
    "z": np.array([[0.9275735, 0.8320184], [0.5744425, 0.6637387]]),
    "r": np.array([[0.1480472, 0.8617617], [0.6726070, 0.6637387]]),
    "h_tilde": np.array([[-0.4452510, 0.6440951], [-0.3645720, 0.8931341]]),
    "params": GRU,
}

# Plain recurrent layers: two units that read three features, two that read two, and one or two that read leftwards.
LOWER = {
    "W_h": np.array([[0.5, -1.0], [0.8, 0.3]]),
    "W_x": np.array([[0.4, -0.2, 0.1], [0.3, 0.5, -0.6]]),
    "b": np.array([0.1, -0.3]),
    "h0": H0,
}
UPPER = {
    "W_h": np.array([[-0.7, 0.2], [0.6, 0.4]]),
    "W_x": np.array([[1.0, -0.9], [0.5, 0.7]]),
    "b": np.array([0.2, -0.1]),
    "h0": np.array([[0.4, 0.9], [-0.6, -0.2]]),
}
ONE_LEFTWARDS = {
    "W_h": np.array([[0.9]]),
    "W_x": np.array([[-0.5, 0.4, 1.0]]),
    "b": np.array([0.2]),
    "h0": np.array([[-0.3], [0.7]]),
}
TWO_LEFTWARDS = {
    "W_h": np.array([[0.9, -0.4], [0.3, -0.8]]),
    "W_x": np.array([[-0.5, 0.4, 1.0], [0.2, -0.7, 0.6]]),
    "b": np.array([0.2, 0.5]),
    "h0": np.array([[-0.3, 0.8], [0.7, 0.1]]),
}

THREE_ROWS = np.pad(np.concatenate([X, X[:1, ::-1]]), ((0, 0), (0, 1), (0, 0)), constant_values=9.0)
THREE_STATES = np.array([[0.5, -0.5], [0.2, 0.8], [-0.7, 0.1]])


# gated_update


@case("gated_update", check=close())
def keep_replace_or_mix(rng: np.random.Generator) -> Iterator[Call]:
    """One entry is kept, one is replaced, and of one a quarter is new: (1, .4, .225)."""
    yield call(np.array([[1.0, -2.0, 0.5]]), np.array([[0.2, 0.4, -0.6]]), np.array([[0.0, 1.0, 0.25]]))


@case("gated_update", check=close())
def every_row_decides_for_itself(rng: np.random.Generator) -> Iterator[Call]:
    """Two rows of two entries; then the first of them alone, without an axis in front."""
    candidate, z = np.array([[0.9, 0.3], [-1.0, 0.1]]), np.array([[0.1, 0.8], [0.6, 0.3]])
    yield call(H0, candidate, z)
    yield call(H0[0], candidate[0], z[0])


@case("gated_update", check=untouched(), weight=0.5)
def updates_leave_the_past_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same rows: afterwards h_prev, candidate and z are what they were."""
    yield from every_row_decides_for_itself.generate(rng)


# lstm_gates


@case("lstm_gates", check=close(names=("f", "i", "o", "c_tilde")))
def gates_of_one_unit(rng: np.random.Generator) -> Iterator[Call]:
    """One unit, one feature: f = .75, i = .5, o = .8 and c_tilde = .6, as the README works out."""
    yield call(X_ONE, H_ONE, ONE_UNIT)


@case("lstm_gates", check=close(names=("f", "i", "o", "c_tilde")))
def gates_take_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two rows, three features, two units."""
    yield call(X[:, 0], H0, LSTM)


@case("lstm_gates", check=close(names=("f", "i", "o", "c_tilde")))
def gates_may_be_shut(rng: np.random.Generator) -> Iterator[Call]:
    """Sums of 1000 open a gate for good, and sums of -1000 shut it; the candidate becomes 1 and -1."""
    x_t = np.array([[500.0], [-500.0]])
    wide = {"W_f": np.array([[2.0, 2.0]]), "W_o": np.array([[2.0, -2.0]]), "W_c": np.array([[1.0, 2.0]])}
    yield call(x_t, np.array([[0.5], [0.5]]), ONE_UNIT | wide)


@case("lstm_gates", check=untouched(names=("f", "i", "o", "c_tilde")), weight=0.5)
def gates_leave_their_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two rows: afterwards x_t, h_prev and the params are what they were."""
    yield from gates_take_a_batch.generate(rng)


# lstm_step


@case("lstm_step", check=close(names=("h_t", "c_t")))
def step_of_one_unit(rng: np.random.Generator) -> Iterator[Call]:
    """One unit: .75 of 1.6 is kept and .5 of .6 written, c_t = 1.5; .8 of its tanh is revealed, h_t = .7241."""
    yield call(X_ONE, H_ONE, C_ONE, ONE_UNIT)


@case("lstm_step", check=close(names=("h_t", "c_t")))
def step_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two rows, three features, two units."""
    yield call(X[:, 0], H0, C0, LSTM)


@case("lstm_step", check=untouched(names=("h_t", "c_t")), weight=0.4)
def a_step_leaves_c_prev_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two rows: afterwards x_t, h_prev, c_prev and the params are what they were."""
    yield from step_takes_a_batch.generate(rng)


# lstm_forward


@case("lstm_forward", check=close(names=("h", "c")))
def three_steps_of_one_unit(rng: np.random.Generator) -> Iterator[Call]:
    """One unit reads 2, -1, .5 from h0 = .5 and c0 = 1.6: the table of the README."""
    yield call(np.array([[[2.0], [-1.0], [0.5]]]), H_ONE, C_ONE, ONE_UNIT)


@case("lstm_forward", check=close(names=("h", "c")))
def sequences_take_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of three steps, three features, two units."""
    yield call(X, H0, C0, LSTM)


@case("lstm_forward", check=untouched(names=("h", "c")), weight=0.33)
def sequences_leave_h0_and_c0_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two sequences: afterwards x, h0, c0 and the params are what they were."""
    yield from sequences_take_a_batch.generate(rng)


# lstm_step_backward


@case("lstm_step_backward", check=close(names=LSTM_GRADIENTS))
def step_backward_by_hand(rng: np.random.Generator) -> Iterator[Call]:
    """One unit, dh = 1 and dc = .5: the example that the README works through."""
    gates = {name: np.array([[value]]) for name, value in (("f", 0.75), ("i", 0.5), ("o", 0.8), ("c_tilde", 0.6))}
    cache = {"x_t": X_ONE, "h_prev": H_ONE, "c_prev": C_ONE, **gates, "c_t": np.array([[1.5]]), "params": ONE_UNIT}
    yield call(np.array([[1.0]]), np.array([[0.5]]), cache)


@case("lstm_step_backward", check=close(names=LSTM_GRADIENTS))
def step_backward_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two rows that share the params, three features, two units."""
    yield call(DH[:, 0], DC[:, 0], FIRST_STEP)


@case("lstm_step_backward", check=untouched(names=LSTM_GRADIENTS), weight=0.14)
def dh_and_dc_stay_as_they_are(rng: np.random.Generator) -> Iterator[Call]:
    """The same two rows: afterwards dh, dc and the cache are what they were, so `dc += ...` is out of place."""
    yield from step_backward_takes_a_batch.generate(rng)


# lstm_backward


@case("lstm_backward", check=close(names=SEQUENCE_GRADIENTS))
def one_step_is_a_sequence_too(rng: np.random.Generator) -> Iterator[Call]:
    """A sequence of one step gives what the step alone gives."""
    first = {name: CACHE[name][:, :1] for name in ("x", "h", "c", "f", "i", "o", "c_tilde")}
    yield call(DH[:, :1], DC[:, :1], {**first, "h0": H0, "c0": C0, "params": LSTM})


@case("lstm_backward", check=close(names=SEQUENCE_GRADIENTS))
def two_sequences_backwards(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of three steps; dh and dc arrive at every step."""
    yield call(DH, DC, CACHE)


@case("lstm_backward", check=untouched(names=SEQUENCE_GRADIENTS))
def backwards_twice(rng: np.random.Generator) -> Iterator[Call]:
    """Going back twice with the same cache gives the same twice, and leaves dh, dc and the cache as they were."""
    yield call(DH, DC, CACHE)
    yield call(DH, DC, CACHE)


# gru_step, gru_step_keep, convert_gru


@case("gru_step", check=close())
def gru_of_one_unit(rng: np.random.Generator) -> Iterator[Call]:
    """One unit with z = .75 and h_tilde = -.6: a quarter of .5 is kept, h_t = -.325."""
    yield call(X_ONE, H_ONE, ONE_UNIT_GRU)


@case("gru_step", check=close())
def gru_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two rows, three features, two units: enough to see where the reset gate stands."""
    yield call(X[:, 1], GRU_H, GRU)


@case("gru_step", check=untouched(), weight=0.33)
def gru_leaves_h_prev_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two rows: afterwards x_t, h_prev and the params are what they were."""
    yield from gru_takes_a_batch.generate(rng)


@case("gru_step_keep", check=close())
def keeping_gru_of_one_unit(rng: np.random.Generator) -> Iterator[Call]:
    """The same unit in the other convention: three quarters of .5 are kept, h_t = .225."""
    yield call(X_ONE, H_ONE, ONE_UNIT_GRU)


@case("gru_step_keep", check=close())
def keeping_gru_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two rows, three features, two units."""
    yield call(X[:, 1], GRU_H, GRU)


@case("gru_step_keep", check=untouched(), weight=0.67)
def keeping_gru_leaves_h_prev_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two rows: afterwards x_t, h_prev and the params are what they were."""
    yield from keeping_gru_takes_a_batch.generate(rng)


@case("convert_gru", check=close())
def convert_one_unit(rng: np.random.Generator) -> Iterator[Call]:
    """The unit whose z lets three quarters in becomes one whose z keeps a quarter, and computes the same."""
    yield call(ONE_UNIT_GRU)


@case("convert_gru", check=untouched())
def convert_two_units(rng: np.random.Generator) -> Iterator[Call]:
    """Three features, two units; the params that were passed in are as before."""
    yield call(GRU)


# gru_step_backward


@case("gru_step_backward", check=close(names=GRU_GRADIENTS))
def gru_backward_by_hand(rng: np.random.Generator) -> Iterator[Call]:
    """One unit, dh = 1: the example that the README works through."""
    gates = {name: np.array([[value]]) for name, value in (("z", 0.75), ("r", 0.2), ("h_tilde", -0.6))}
    yield call(np.array([[1.0]]), {"x_t": X_ONE, "h_prev": H_ONE, **gates, "params": ONE_UNIT_GRU})


@case("gru_step_backward", check=close(names=GRU_GRADIENTS))
def gru_backward_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two rows that share the params, three features, two units."""
    yield call(DH[:, 0], GRU_STEP)


@case("gru_step_backward", check=untouched(names=GRU_GRADIENTS), weight=0.19)
def gru_backward_leaves_dh_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two rows: afterwards dh and the cache are what they were."""
    yield from gru_backward_takes_a_batch.generate(rng)


# stacked_forward, bidirectional_forward


@case("stacked_forward", check=close())
def one_layer(rng: np.random.Generator) -> Iterator[Call]:
    """A stack of one layer is that layer: two units read three features."""
    yield call(X, [LOWER])


@case("stacked_forward", check=close())
def two_layers(rng: np.random.Generator) -> Iterator[Call]:
    """A second layer of two units reads what the two units of the first one say."""
    yield call(X, [LOWER, UPPER])


@case("stacked_forward", check=close())
def layers_may_differ_in_size(rng: np.random.Generator) -> Iterator[Call]:
    """One unit reads three features, and the two units above it read that one."""
    wider = UPPER | {"W_x": UPPER["W_x"][:, :1]}
    yield call(X, [ONE_LEFTWARDS, wider])


@case("stacked_forward", check=untouched(), weight=0.5)
def stacks_leave_x_alone(rng: np.random.Generator) -> Iterator[Call]:
    """Two features and two layers of two units: afterwards x and the layers are what they were."""
    yield call(X[..., :2], [LOWER | {"W_x": UPPER["W_x"]}, UPPER])


@case("bidirectional_forward", check=close())
def both_directions(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences without padding: two units read rightwards, one unit reads leftwards. Then of two features, as many as units."""
    yield call(X, np.array([3, 3]), LOWER, ONE_LEFTWARDS)
    yield call(X[..., :2], np.array([3, 3]), UPPER, UPPER | {"h0": H0})


@case("bidirectional_forward", check=close())
def second_row_is_padded(rng: np.random.Generator) -> Iterator[Call]:
    """The second sequence has two real positions; what stands at the third is no business of the network."""
    yield call(X, np.array([3, 2]), LOWER, TWO_LEFTWARDS)


@case("bidirectional_forward", check=close())
def no_row_fills_the_width(rng: np.random.Generator) -> Iterator[Call]:
    """Rows of one, three and two real positions in a batch that is four wide: they keep their order, and the width stays."""
    yield call(
        THREE_ROWS, np.array([1, 3, 2]), LOWER | {"h0": THREE_STATES}, ONE_LEFTWARDS | {"h0": THREE_STATES[:, :1]}
    )


@case("bidirectional_forward", check=untouched(), weight=0.4)
def reading_leaves_the_padding_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two sequences: afterwards x, its padding included, the lengths and both layers are what they were."""
    yield from second_row_is_padded.generate(rng)


# LSTMCell


def _packed_unit() -> dict[str, Any]:
    import torch

    return {
        "weight_ih": torch.tensor([[-1.0], [0.5], [0.5], [1.0]]),
        "weight_hh": torch.tensor([[1.0], [2.0], [1.0], [-2.0]]),
        "bias_ih": torch.tensor([1.0, -1.0, -0.5, 0.25]),
        "bias_hh": torch.tensor([0.5, 0.0986123, -0.3068528, 0.1362944]),
    }


@case("LSTMCell", check=close(names=("h_t", "c_t")))
def torch_cell_of_one_unit(rng: np.random.Generator) -> Iterator[Call]:
    """The unit of the README, packed in torch's order i, f, g, o: h_t = .7241 and c_t = 1.5 again."""
    import torch

    yield call_module(
        torch.tensor([[2.0]]),
        (torch.tensor([[0.5]]), torch.tensor([[1.6]])),
        module=Module(init=(1, 1), state=_packed_unit()),
    )


@case("LSTMCell", check=close(names=("h_t", "c_t")))
def torch_cell_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """The two rows of lstm_step with the same weights, packed: the same h_t and c_t; then from a state of None."""
    x_t, states, parameters = _packed_rows()
    yield call_module(x_t, states, module=Module(init=(3, 2), state=parameters))
    yield call_module(x_t, module=Module(init=(3, 2), state=parameters))


@case("LSTMCell", check=close(names=("h_t", "c_t")), weight=0.5)
def torch_cell_begins_anew(rng: np.random.Generator) -> Iterator[Call]:
    """The same two rows from a state of None, by a cell that has read others before: nothing goes on from one text to the next."""
    x_t, states, parameters = _packed_rows()
    yield call_module(x_t, module=Module(init=(3, 2), state=parameters, before=(x_t + 1, states)))


def _packed_rows() -> tuple[Any, tuple[Any, Any], dict[str, Any]]:
    """Return two rows, their states (h, c), and the weights of lstm_step as torch packs them."""
    import torch

    packed = np.concatenate([W_2, W_1, W_4, W_3])
    parameters = {
        "weight_ih": torch.tensor(packed[:, 2:], dtype=torch.float32),
        "weight_hh": torch.tensor(packed[:, :2], dtype=torch.float32),
        "bias_ih": torch.tensor(np.concatenate([B_2, B_1, B_4, B_3]) - 0.25, dtype=torch.float32),
        "bias_hh": torch.full((8,), 0.25),
    }
    x_t, h_prev, c_prev = (torch.tensor(a, dtype=torch.float32) for a in (X[:, 0], H0, C0))
    return x_t, (h_prev, c_prev), parameters


def _cell_with_a_loss() -> Call:
    import torch

    cotangents = (torch.tensor([[1.0]]), torch.tensor([[0.5]]))
    state = (torch.tensor([[0.5]]), torch.tensor([[1.6]]))
    module = Module(init=(1, 1), state=_packed_unit(), cotangents=cotangents)
    return call_module(torch.tensor([[2.0]]), state, module=module)


@case("LSTMCell", check=close(at=("param_grads",), called="gradients"))
def torch_cell_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The unit of the README with the loss h_t + .5 c_t: all four parameters get a gradient."""
    yield _cell_with_a_loss()


@case("LSTMCell", check=close(at=("input_grads", 0), called="gradient of x_t"))
def torch_cell_lets_gradients_through(rng: np.random.Generator) -> Iterator[Call]:
    """The same unit with the same loss: x_t gets a gradient."""
    yield _cell_with_a_loss()


@case("LSTMCell", check=close(at=("input_grads", 1), called="gradient of (h_prev, c_prev)"))
def torch_cell_lets_the_past_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The same unit with the same loss: h_prev gets the gradient .4000 and c_prev .4834, as in section 3 of the README."""
    yield _cell_with_a_loss()


@case("LSTMCell", check=untouched(names=("h_t", "c_t")), weight=0.62)
def torch_cell_leaves_its_state_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two rows: afterwards x_t, h_prev and c_prev are what they were."""
    yield from torch_cell_takes_a_batch.generate(rng)
