"""Hidden cases of a3_gates: random inputs in which no two sizes are equal, and the properties that must hold."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograder.course.spec import Call, Module, Plot, call, call_module, case
from autograder.judge.checks import agree, close, same_prefix, untouched

GATES = ("f", "i", "o", "c_tilde")
LSTM_NAMES = tuple(f"{kind}_{gate}" for kind in "Wb" for gate in "fioc")
GRU_NAMES = tuple(f"{kind}_{gate}" for kind in "Wb" for gate in "zrh")


def _gradient_of(name: str) -> close:
    """Judge one entry of the dict of gradients that a result ends with."""
    return close(at=(-1, name), called=f"d{name}")


def _normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.normal(size=shape)


def _sigma(a: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-a))


def _share(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Draw numbers between 0 and 1, none of them near the middle."""
    return np.where(rng.random(shape) < 0.5, rng.uniform(0.05, 0.35, shape), rng.uniform(0.65, 0.95, shape))


def _params(rng: np.random.Generator, names: tuple[str, ...], features: int, hidden: int) -> dict[str, np.ndarray]:
    """Draw trained-scale weights and biases that are none of them small."""
    shapes = {"W": (hidden, hidden + features), "b": (hidden,)}
    signs = {name: rng.choice([-1.0, 1.0], size=shapes[name[0]]) for name in names}
    return {name: sign * rng.uniform(0.3, 1.0, size=sign.shape) for name, sign in signs.items()}


def _lstm(rng: np.random.Generator, features: int, hidden: int) -> dict[str, np.ndarray]:
    return _params(rng, LSTM_NAMES, features, hidden)


def _gru(rng: np.random.Generator, features: int, hidden: int) -> dict[str, np.ndarray]:
    return _params(rng, GRU_NAMES, features, hidden)


def _run_lstm(x: np.ndarray, h0: np.ndarray, c0: np.ndarray, params: dict[str, np.ndarray]) -> dict[str, Any]:
    """Read whole sequences, and keep what the backward pass needs."""
    h, c, kept = h0, c0, []
    for t in range(x.shape[1]):
        row = np.concatenate([h, x[:, t]], axis=1)
        f, i, o, a_c = (row @ params[f"W_{gate}"].T + params[f"b_{gate}"] for gate in "fioc")
        f, i, o, c_tilde = _sigma(f), _sigma(i), _sigma(o), np.tanh(a_c)
        c = f * c + i * c_tilde
        h = o * np.tanh(c)
        kept.append((h, c, f, i, o, c_tilde))
    stacks = (np.stack(arrays, axis=1) for arrays in zip(*kept, strict=True))
    return {"x": x, "h0": h0, "c0": c0, **dict(zip(("h", "c", *GATES), stacks, strict=True)), "params": params}


def _step_lstm(
    x_t: np.ndarray, h_prev: np.ndarray, c_prev: np.ndarray, params: dict[str, np.ndarray]
) -> dict[str, Any]:
    whole = _run_lstm(x_t[:, None], h_prev, c_prev, params)
    step = {name: whole[name][:, 0] for name in GATES}
    return {**step, "x_t": x_t, "h_prev": h_prev, "c_prev": c_prev, "c_t": whole["c"][:, 0], "params": params}


def _step_gru(x_t: np.ndarray, h_prev: np.ndarray, params: dict[str, np.ndarray]) -> dict[str, Any]:
    row = np.concatenate([h_prev, x_t], axis=1)
    z, r = (_sigma(row @ params[f"W_{gate}"].T + params[f"b_{gate}"]) for gate in "zr")
    h_tilde = np.tanh(np.concatenate([r * h_prev, x_t], axis=1) @ params["W_h"].T + params["b_h"])
    return {"x_t": x_t, "h_prev": h_prev, "z": z, "r": r, "h_tilde": h_tilde, "params": params}


def _anew(run: Callable[..., dict[str, Any]], *inputs: str) -> Callable[..., tuple[Any, ...]]:
    """Return what runs the forward pass of a smaller call again, so that its cache is that of its inputs."""

    def with_new_cache(*args: Any) -> tuple[Any, ...]:
        *gradients, cache = args
        return (*gradients, run(*(cache[name] for name in (*inputs, "params"))))

    return with_new_cache


ANEW = {
    "lstm_step_backward": _anew(_step_lstm, "x_t", "h_prev", "c_prev"),
    "lstm_backward": _anew(_run_lstm, "x", "h0", "c0"),
    "gru_step_backward": _anew(_step_gru, "x_t", "h_prev"),
}


def _lstm_cache(
    rng: np.random.Generator,
    batch: int,
    time: int,
    features: int,
    hidden: int,
    params: dict[str, np.ndarray] | None = None,
) -> dict[str, Any]:
    """Run an LSTM on random inputs, and keep what its backward pass needs."""
    params = params or _lstm(rng, features, hidden)
    x, h0, c0 = _normal(rng, batch, time, features), _normal(rng, batch, hidden), _normal(rng, batch, hidden)
    return _run_lstm(x, h0, c0, params)


def _lstm_step_inputs(
    rng: np.random.Generator, batch: int = 4, features: int = 3, hidden: int = 5
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    whole = _lstm_cache(rng, batch, 1, features, hidden)
    cache = _step_lstm(whole["x"][:, 0], whole["h0"], whole["c0"], whole["params"])
    return _normal(rng, batch, hidden), _normal(rng, batch, hidden), cache


def _lstm_sequence_inputs(
    rng: np.random.Generator, batch: int = 3, time: int = 5, features: int = 4, hidden: int = 2
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    cache = _lstm_cache(rng, batch, time, features, hidden)
    return _normal(rng, batch, time, hidden), _normal(rng, batch, time, hidden), cache


def _gru_step_inputs(
    rng: np.random.Generator, batch: int = 4, features: int = 3, hidden: int = 5
) -> tuple[np.ndarray, dict[str, Any]]:
    params = _gru(rng, features, hidden)
    x_t, h_prev = _normal(rng, batch, features), _normal(rng, batch, hidden)
    return _normal(rng, batch, hidden), _step_gru(x_t, h_prev, params)


def _layer(rng: np.random.Generator, batch: int, features: int, hidden: int) -> dict[str, np.ndarray]:
    return {
        "W_h": _normal(rng, hidden, hidden) * 0.8,
        "W_x": _normal(rng, hidden, features) * 0.8,
        "b": _normal(rng, hidden) * 0.5,
        "h0": _normal(rng, batch, hidden),
    }


# gated_update


@case("gated_update", check=close(), weight=2)
def updates_of_any_shape(rng: np.random.Generator) -> Iterator[Call]:
    """Every entry has a z of its own, with no, one or two axes in front."""
    for shape in ((4,), (3, 4), (2, 3, 5)):
        yield call(_normal(rng, *shape), _normal(rng, *shape), _share(rng, *shape))


@case("gated_update", check=close())
def zero_keeps_the_past(rng: np.random.Generator) -> Iterator[Call]:
    """Where z is zero, the past comes back as it was, whatever the candidate."""
    yield call(_normal(rng, 3, 4), 100.0 * _normal(rng, 3, 4), np.zeros((3, 4)))


@case("gated_update", check=close())
def one_takes_the_candidate(rng: np.random.Generator) -> Iterator[Call]:
    """Where z is one, nothing is left of the past."""
    yield call(100.0 * _normal(rng, 3, 4), _normal(rng, 3, 4), np.ones((3, 4)))


@case("gated_update", check=untouched())
def updating_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The update is right, and past, candidate and gate are as before."""
    yield call(_normal(rng, 3, 4), _normal(rng, 3, 4), _share(rng, 3, 4))


# lstm_gates


def _gate_inputs(rng: np.random.Generator) -> Iterator[Call]:
    for batch, features, hidden in ((2, 3, 4), (3, 5, 2), (4, 2, 5)):
        yield call(_normal(rng, batch, features), _normal(rng, batch, hidden), _lstm(rng, features, hidden))


@case("lstm_gates", check=close(names=GATES, only="f"))
def forget_gate(rng: np.random.Generator) -> Iterator[Call]:
    """f is right: wide and narrow inputs, more units and fewer."""
    yield from _gate_inputs(rng)


@case("lstm_gates", check=close(names=GATES, only="i"))
def input_gate(rng: np.random.Generator) -> Iterator[Call]:
    """i is right: wide and narrow inputs, more units and fewer."""
    yield from _gate_inputs(rng)


@case("lstm_gates", check=close(names=GATES, only="o"))
def output_gate(rng: np.random.Generator) -> Iterator[Call]:
    """o is right: wide and narrow inputs, more units and fewer."""
    yield from _gate_inputs(rng)


@case("lstm_gates", check=close(names=GATES, only="c_tilde"))
def candidate(rng: np.random.Generator) -> Iterator[Call]:
    """c_tilde is right: wide and narrow inputs, more units and fewer."""
    yield from _gate_inputs(rng)


@case("lstm_gates", check=close(names=GATES))
def equal_sizes_hide_no_order(rng: np.random.Generator) -> Iterator[Call]:
    """With as many features as units, the state still comes first in the row."""
    yield call(_normal(rng, 2, 3), _normal(rng, 2, 3), _lstm(rng, 3, 3))


@case("lstm_gates", check=close(names=GATES))
def saturated_gates_are_numbers(rng: np.random.Generator) -> Iterator[Call]:
    """Sums in the thousands, of both signs, give gates of 0 and 1 and candidates of -1 and 1."""
    x_t = 1500.0 * rng.choice([-1.0, 1.0], size=(4, 1)) * np.ones((4, 3))
    # Four units, of which each gate opens two: no two gates agree in all units, and f, i and o in two each.
    signs = rng.permutation([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1], [-1, 1, 1, -1]], axis=1)
    params = _lstm(rng, 3, 4)
    params |= {
        f"W_{gate}": np.abs(params[f"W_{gate}"]) * sign[:, None] for gate, sign in zip("fioc", signs, strict=True)
    }
    yield call(x_t, _normal(rng, 4, 4), params)


@case("lstm_gates", check=untouched(names=GATES))
def gating_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The gates are right, and input, state and params are as before."""
    yield call(_normal(rng, 2, 3), _normal(rng, 2, 4), _lstm(rng, 3, 4))


# lstm_step


def _step_inputs(rng: np.random.Generator) -> Iterator[Call]:
    for batch, features, hidden in ((2, 3, 4), (3, 5, 2)):
        states = (_normal(rng, batch, hidden), 1.5 * _normal(rng, batch, hidden))
        yield call(_normal(rng, batch, features), *states, _lstm(rng, features, hidden))


@case("lstm_step", check=close(names=("h_t", "c_t"), only="c_t"), weight=2)
def cell_state(rng: np.random.Generator) -> Iterator[Call]:
    """c_t is right, from states that are not zero."""
    yield from _step_inputs(rng)


@case("lstm_step", check=close(names=("h_t", "c_t"), only="h_t"), weight=2)
def revealed_state(rng: np.random.Generator) -> Iterator[Call]:
    """h_t is right, from states that are not zero."""
    yield from _step_inputs(rng)


@case("lstm_step", check=close(names=("h_t", "c_t")))
def an_open_cell_keeps_what_it_holds(rng: np.random.Generator) -> Iterator[Call]:
    """With f = 1 and i = 0 the cell passes on what it held, also where that is far above one."""
    params = _lstm(rng, 3, 2) | {"b_f": np.full(2, 60.0), "b_i": np.full(2, -60.0)}
    for size in (4.0, 30.0):
        yield call(_normal(rng, 4, 3), _normal(rng, 4, 2), size * _normal(rng, 4, 2), params)


@case("lstm_step", check=untouched(names=("h_t", "c_t")))
def stepping_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The step is right, also where a cell holds more than one, and input, states and params are as before."""
    yield call(_normal(rng, 8, 4), _normal(rng, 8, 2), 3.0 * _normal(rng, 8, 2), _lstm(rng, 4, 2))


# lstm_forward


def _sequences(
    rng: np.random.Generator, batch: int = 2, time: int = 5, features: int = 3, hidden: int = 4
) -> tuple[Any, ...]:
    states = _normal(rng, batch, hidden), _normal(rng, batch, hidden)
    return _normal(rng, batch, time, features), *states, _lstm(rng, features, hidden)


@case("lstm_forward", check=close(names=("h", "c"), only="h"), weight=2)
def states_of_every_step(rng: np.random.Generator) -> Iterator[Call]:
    """h is right, more steps than rows and fewer."""
    yield call(*_sequences(rng))
    yield call(*_sequences(rng, 4, 3, 5, 2))


@case("lstm_forward", check=close(names=("h", "c"), only="c"), weight=2)
def cells_of_every_step(rng: np.random.Generator) -> Iterator[Call]:
    """c is right, more steps than rows and fewer."""
    yield call(*_sequences(rng))
    yield call(*_sequences(rng, 4, 3, 5, 2))


@case("lstm_forward", check=close(names=("h", "c")))
def as_many_steps_as_rows(rng: np.random.Generator) -> Iterator[Call]:
    """With as many sequences as steps, each sequence still is read by itself; so it is where all inputs of a step are zero."""
    yield call(*_sequences(rng, 3, 3, 2, 4))
    x, *rest = _sequences(rng, 3, 3, 2, 4)
    x[:, 1] = 0.0
    yield call(x, *rest)


@case("lstm_forward", check=close(names=("h", "c")))
def a_sequence_of_one_step(rng: np.random.Generator) -> Iterator[Call]:
    """One step still has an axis of time."""
    yield call(*_sequences(rng, 3, 1, 2, 4))


@case("lstm_forward", check=untouched(names=("h", "c")))
def running_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The states are right, and a second run from the same h0 and c0 gives them again."""
    inputs = _sequences(rng)
    yield call(*inputs)
    yield call(*inputs)


# lstm_step_backward


STEP = ("dx", "dh_prev", "dc_prev", "grads")


def _two_steps(rng: np.random.Generator) -> Iterator[Call]:
    yield call(*_lstm_step_inputs(rng))
    yield call(*_lstm_step_inputs(rng, 3, 6, 2))


@case("lstm_step_backward", check=close(names=STEP, only="dx"), weight=2)
def inputs_get_their_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dx is right: four gates read x_t."""
    yield from _two_steps(rng)


@case("lstm_step_backward", check=close(names=STEP, only="dh_prev"), weight=2)
def states_get_their_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dh_prev is right: four gates read h_prev."""
    yield from _two_steps(rng)


@case("lstm_step_backward", check=close(names=STEP, only="dc_prev"), weight=2)
def cells_get_their_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dc_prev is right: what comes from the next step and what comes by way of h_t."""
    yield from _two_steps(rng)


@case("lstm_step_backward", check=_gradient_of("W_f"))
def forget_weights(rng: np.random.Generator) -> Iterator[Call]:
    """dW_f, the gradient of the forget gate's weights, is right."""
    yield from _two_steps(rng)


@case("lstm_step_backward", check=_gradient_of("W_i"))
def input_weights(rng: np.random.Generator) -> Iterator[Call]:
    """dW_i, the gradient of the input gate's weights, is right."""
    yield from _two_steps(rng)


@case("lstm_step_backward", check=_gradient_of("W_o"))
def output_weights(rng: np.random.Generator) -> Iterator[Call]:
    """dW_o, the gradient of the output gate's weights, is right."""
    yield from _two_steps(rng)


@case("lstm_step_backward", check=_gradient_of("W_c"))
def candidate_weights(rng: np.random.Generator) -> Iterator[Call]:
    """dW_c, the gradient of the candidate's weights, is right."""
    yield from _two_steps(rng)


@case("lstm_step_backward", check=_gradient_of("b_f"), weight=0.5)
def forget_bias(rng: np.random.Generator) -> Iterator[Call]:
    """db_f, the gradient of the forget gate's bias, is right."""
    yield from _two_steps(rng)


@case("lstm_step_backward", check=_gradient_of("b_i"), weight=0.5)
def input_bias(rng: np.random.Generator) -> Iterator[Call]:
    """db_i, the gradient of the input gate's bias, is right."""
    yield from _two_steps(rng)


@case("lstm_step_backward", check=_gradient_of("b_o"), weight=0.5)
def output_bias(rng: np.random.Generator) -> Iterator[Call]:
    """db_o, the gradient of the output gate's bias, is right."""
    yield from _two_steps(rng)


@case("lstm_step_backward", check=_gradient_of("b_c"), weight=0.5)
def candidate_bias(rng: np.random.Generator) -> Iterator[Call]:
    """db_c, the gradient of the candidate's bias, is right."""
    yield from _two_steps(rng)


@case("lstm_step_backward", check=close(names=STEP))
def gradient_from_the_cell_alone(rng: np.random.Generator) -> Iterator[Call]:
    """With dh zero, dc alone reaches everything but the output gate."""
    dh, dc, cache = _lstm_step_inputs(rng)
    yield call(np.zeros_like(dh), dc, cache)


@case("lstm_step_backward", check=close(names=STEP))
def equal_sizes_hide_no_wrong_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """With rows, features and units equally many, when no shape can warn of a slip, each gradient still is right."""
    yield call(*_lstm_step_inputs(rng, 3, 3, 3))


@case("lstm_step_backward", check=untouched(names=STEP))
def step_backward_leaves_the_cache_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The gradients are right twice in a row, and dh, dc and the cache can be used again."""
    inputs = _lstm_step_inputs(rng)
    yield call(*inputs)
    yield call(*inputs)


# lstm_backward


SEQUENCE = ("dx", "dh0", "dc0", "grads")


def _two_sequences(rng: np.random.Generator) -> Iterator[Call]:
    yield call(*_lstm_sequence_inputs(rng))
    yield call(*_lstm_sequence_inputs(rng, 4, 3, 2, 5))


@case("lstm_backward", check=close(names=SEQUENCE, only="dx"), weight=2)
def every_input_gets_its_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dx is right at every step, with dh and dc arriving at every step."""
    yield from _two_sequences(rng)


@case("lstm_backward", check=close(names=SEQUENCE, only="dh0"))
def first_state_gets_its_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dh0 is right, with dh and dc arriving at every step."""
    yield from _two_sequences(rng)


@case("lstm_backward", check=close(names=SEQUENCE, only="dc0"))
def first_cell_gets_its_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dc0 is right, with dh and dc arriving at every step."""
    yield from _two_sequences(rng)


@case("lstm_backward", check=_gradient_of("W_f"), weight=0.5)
def forget_weights_over_time(rng: np.random.Generator) -> Iterator[Call]:
    """dW_f, the gradient of the forget gate's weights, is right."""
    yield from _two_sequences(rng)


@case("lstm_backward", check=_gradient_of("W_i"), weight=0.5)
def input_weights_over_time(rng: np.random.Generator) -> Iterator[Call]:
    """dW_i, the gradient of the input gate's weights, is right."""
    yield from _two_sequences(rng)


@case("lstm_backward", check=_gradient_of("W_o"), weight=0.5)
def output_weights_over_time(rng: np.random.Generator) -> Iterator[Call]:
    """dW_o, the gradient of the output gate's weights, is right."""
    yield from _two_sequences(rng)


@case("lstm_backward", check=_gradient_of("W_c"), weight=0.5)
def candidate_weights_over_time(rng: np.random.Generator) -> Iterator[Call]:
    """dW_c, the gradient of the candidate's weights, is right."""
    yield from _two_sequences(rng)


@case("lstm_backward", check=_gradient_of("b_f"), weight=0.25)
def forget_bias_over_time(rng: np.random.Generator) -> Iterator[Call]:
    """db_f, the gradient of the forget gate's bias, is right."""
    yield from _two_sequences(rng)


@case("lstm_backward", check=_gradient_of("b_i"), weight=0.25)
def input_bias_over_time(rng: np.random.Generator) -> Iterator[Call]:
    """db_i, the gradient of the input gate's bias, is right."""
    yield from _two_sequences(rng)


@case("lstm_backward", check=_gradient_of("b_o"), weight=0.25)
def output_bias_over_time(rng: np.random.Generator) -> Iterator[Call]:
    """db_o, the gradient of the output gate's bias, is right."""
    yield from _two_sequences(rng)


@case("lstm_backward", check=_gradient_of("b_c"), weight=0.25)
def candidate_bias_over_time(rng: np.random.Generator) -> Iterator[Call]:
    """db_c, the gradient of the candidate's bias, is right."""
    yield from _two_sequences(rng)


@case("lstm_backward", check=close(names=SEQUENCE))
def gradient_of_the_last_step_reaches_the_first(rng: np.random.Generator) -> Iterator[Call]:
    """With a loss on the last step alone, all earlier steps still get their gradients."""
    dh, dc, cache = _lstm_sequence_inputs(rng)
    dh[:, :-1], dc[:, :-1] = 0.0, 0.0
    yield call(dh, dc, cache)


@case("lstm_backward", check=close(names=SEQUENCE))
def gradient_of_an_early_step_stays_early(rng: np.random.Generator) -> Iterator[Call]:
    """With a loss on the second step alone, later inputs get no gradient and earlier ones do."""
    dh, dc, cache = _lstm_sequence_inputs(rng, 2, 4, 3, 5)
    dh[:, [0, 2, 3]], dc[:, [0, 2, 3]] = 0.0, 0.0
    yield call(dh, dc, cache)


def _lengths(value: Any) -> np.ndarray:
    """Return the length of each step's dx, over batch and features."""
    return np.sqrt((value[0] ** 2).sum(axis=(0, 2)))


@case(
    "lstm_backward",
    check=close(names=SEQUENCE),
    plot=Plot("|dL/dx_t|", ("forget bias 0", "forget bias 1", "forget bias 3"), _lengths),
)
def the_forget_bias_keeps_the_way_open(rng: np.random.Generator) -> Iterator[Call]:
    """Forty steps, a loss on the last cell alone, and forget biases of 0, 1 and 3. Your feedback shows the plot."""
    rng = np.random.default_rng(0)
    weights = {f"W_{gate}": _normal(rng, 8, 12) / np.sqrt(12) for gate in "fioc"}
    for bias in (0.0, 1.0, 3.0):
        biases = {f"b_{gate}": np.full(8, bias if gate == "f" else 0.0) for gate in "fioc"}
        cache = _lstm_cache(np.random.default_rng(1), 2, 40, 4, 8, weights | biases)
        dc = np.zeros((2, 40, 8))
        dc[:, -1] = 1.0
        yield call(np.zeros((2, 40, 8)), dc, cache)


@case("lstm_backward", check=untouched(names=SEQUENCE))
def backward_leaves_the_cache_alone(rng: np.random.Generator) -> Iterator[Call]:
    """Two runs in a row give the same gradients, and dh, dc and the cache are as before."""
    inputs = _lstm_sequence_inputs(rng)
    yield call(*inputs)
    yield call(*inputs)


# gru_step


def _gru_inputs(
    rng: np.random.Generator, batch: int = 2, features: int = 3, hidden: int = 4
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    return _normal(rng, batch, features), 1.5 * _normal(rng, batch, hidden), _gru(rng, features, hidden)


@case("gru_step", check=close(), weight=3)
def gru_steps_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Wide and narrow inputs, more units and fewer, from states that are not zero."""
    yield call(*_gru_inputs(rng))
    yield call(*_gru_inputs(rng, 3, 5, 2))
    yield call(*_gru_inputs(rng, 4, 2, 5))


@case("gru_step", check=close())
def equal_sizes_of_state_and_input(rng: np.random.Generator) -> Iterator[Call]:
    """With as many features as units, the state still comes first, and the reset gate still finds it."""
    for batch in (2, 4):
        yield call(*_gru_inputs(rng, batch, 3, 3))


@case("gru_step", check=close())
def low_z_keeps_the_past(rng: np.random.Generator) -> Iterator[Call]:
    """Units with z near zero stay as they were, whatever the input says; another takes its candidate."""
    x_t, h_prev, params = _gru_inputs(rng, 3, 4, 3)
    yield call(x_t, h_prev, params | {"b_z": rng.permutation([-60.0, -60.0, 60.0])})


@case("gru_step", check=close())
def closed_reset_gate_hides_the_past_from_the_candidate(rng: np.random.Generator) -> Iterator[Call]:
    """With r zero and z one, the new state is made from the input alone, and the bias of course."""
    x_t, h_prev, params = _gru_inputs(rng, 3, 4, 2)
    yield call(x_t, h_prev, params | {"b_r": np.full(2, -60.0), "b_z": np.full(2, 60.0)})


@case("gru_step", check=untouched())
def gru_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The step is right, and input, state and params are as before."""
    yield call(*_gru_inputs(rng))


# gru_step_keep


@case("gru_step_keep", check=close(), weight=2)
def keeping_gru_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Wide and narrow inputs, more units and fewer, from states that are not zero."""
    yield call(*_gru_inputs(rng))
    yield call(*_gru_inputs(rng, 3, 5, 2))
    yield call(*_gru_inputs(rng, 2, 3, 3))


@case("gru_step_keep", check=close())
def high_z_keeps_the_past(rng: np.random.Generator) -> Iterator[Call]:
    """Units with z near one stay as they were, whatever the input says; another takes its candidate."""
    x_t, h_prev, params = _gru_inputs(rng, 3, 4, 3)
    yield call(x_t, h_prev, params | {"b_z": rng.permutation([60.0, 60.0, -60.0])})


@case("gru_step_keep", check=untouched())
def keeping_gru_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The step is right, and input, state and params are as before."""
    yield call(*_gru_inputs(rng))


# convert_gru


@case("convert_gru", check=close(), weight=2)
def conversions_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Every array is there, with the shape it had and the values that make the two conventions agree."""
    yield call(_gru(rng, 3, 4))
    yield call(_gru(rng, 5, 2))


@case("convert_gru", check=close())
def there_and_back(rng: np.random.Generator) -> Iterator[Call]:
    """Params and the params that they convert to: each converts to the other."""
    params = _gru(rng, 4, 3)
    yield call(params)
    yield call(params | {"W_z": -params["W_z"], "b_z": -params["b_z"]})


@case("convert_gru", check=untouched())
def converting_leaves_the_params_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The conversion is right, and the params that were passed in still belong to their own convention."""
    yield call(_gru(rng, 3, 4))


# gru_step_backward


GRU_STEP = ("dx", "dh_prev", "grads")


def _two_gru_steps(rng: np.random.Generator) -> Iterator[Call]:
    yield call(*_gru_step_inputs(rng))
    yield call(*_gru_step_inputs(rng, 3, 6, 2))


@case("gru_step_backward", check=close(names=GRU_STEP, only="dx"), weight=2)
def gru_inputs_get_their_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dx is right: both gates and the candidate read x_t."""
    yield from _two_gru_steps(rng)


@case("gru_step_backward", check=close(names=GRU_STEP, only="dh_prev"), weight=3)
def gru_states_get_their_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dh_prev is right: h_prev is read four times."""
    yield from _two_gru_steps(rng)


@case("gru_step_backward", check=_gradient_of("W_z"))
def update_weights(rng: np.random.Generator) -> Iterator[Call]:
    """dW_z, the gradient of the update gate's weights, is right."""
    yield from _two_gru_steps(rng)


@case("gru_step_backward", check=_gradient_of("W_r"))
def reset_weights(rng: np.random.Generator) -> Iterator[Call]:
    """dW_r, the gradient of the reset gate's weights, is right."""
    yield from _two_gru_steps(rng)


@case("gru_step_backward", check=_gradient_of("W_h"))
def gru_candidate_weights(rng: np.random.Generator) -> Iterator[Call]:
    """dW_h, the gradient of the candidate's weights, is right."""
    yield from _two_gru_steps(rng)


@case("gru_step_backward", check=_gradient_of("b_z"), weight=0.5)
def update_bias(rng: np.random.Generator) -> Iterator[Call]:
    """db_z, the gradient of the update gate's bias, is right."""
    yield from _two_gru_steps(rng)


@case("gru_step_backward", check=_gradient_of("b_r"), weight=0.5)
def reset_bias(rng: np.random.Generator) -> Iterator[Call]:
    """db_r, the gradient of the reset gate's bias, is right."""
    yield from _two_gru_steps(rng)


@case("gru_step_backward", check=_gradient_of("b_h"), weight=0.5)
def gru_candidate_bias(rng: np.random.Generator) -> Iterator[Call]:
    """db_h, the gradient of the candidate's bias, is right."""
    yield from _two_gru_steps(rng)


@case("gru_step_backward", check=close(names=GRU_STEP))
def equal_sizes_hide_no_wrong_gru_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """With rows, features and units equally many, when no shape can warn of a slip, each gradient still is right."""
    yield call(*_gru_step_inputs(rng, 3, 3, 3))


@case("gru_step_backward", check=untouched(names=GRU_STEP))
def gru_backward_leaves_the_cache_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The gradients are right twice in a row, and dh and the cache can be used again."""
    inputs = _gru_step_inputs(rng)
    yield call(*inputs)
    yield call(*inputs)


# stacked_forward


@case("stacked_forward", check=close(), weight=2)
def stacks_of_any_height(rng: np.random.Generator) -> Iterator[Call]:
    """One, two and three layers, each of another size."""
    yield call(_normal(rng, 2, 5, 3), [_layer(rng, 2, 3, 4)])
    yield call(_normal(rng, 3, 4, 2), [_layer(rng, 3, 2, 5), _layer(rng, 3, 5, 3)])
    yield call(_normal(rng, 2, 3, 4), [_layer(rng, 2, 4, 3), _layer(rng, 2, 3, 6), _layer(rng, 2, 6, 2)])


@case("stacked_forward", check=close())
def layers_of_equal_size_are_not_mixed_up(rng: np.random.Generator) -> Iterator[Call]:
    """Three layers as wide as the input: each reads the one below it, with its own weights and its own h0."""
    yield call(_normal(rng, 3, 4, 2), [_layer(rng, 3, 2, 2) for _ in range(3)])


@case("stacked_forward", check=same_prefix(axis=1, upto=3))
def later_inputs_cannot_change_earlier_states(rng: np.random.Generator) -> Iterator[Call]:
    """Changing the input from the fourth step on leaves the first three states of the top layer as they were."""
    x, layers = _normal(rng, 2, 6, 3), [_layer(rng, 2, 3, 4), _layer(rng, 2, 4, 2)]
    later = x.copy()
    later[:, 3:] += 1.0 + rng.random((2, 3, 3))
    yield call(x, layers)
    yield call(later, layers)


@case("stacked_forward", check=untouched())
def stacking_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The states are right, and input, layers and their h0 are as before."""
    yield call(_normal(rng, 2, 3, 4), [_layer(rng, 2, 4, 4), _layer(rng, 2, 4, 4)])


# bidirectional_forward


def _lengths(rng: np.random.Generator, batch: int, time: int) -> np.ndarray:
    """Draw another length for each row, the full one among them, never the longest first.

    To sort three rows or more twice does not put them back.
    """
    while True:
        shorter = 1 + rng.permutation(time - 1)[: batch - 1]
        lengths = np.append(shorter[0], rng.permutation(np.append(shorter[1:], time)))
        order = np.argsort(-lengths)
        if batch < 3 or (order[order] != np.arange(batch)).any():
            return lengths


def _both_ways(
    rng: np.random.Generator, batch: int, time: int, features: int, right: int, left: int
) -> tuple[Any, ...]:
    layers = _layer(rng, batch, features, right), _layer(rng, batch, features, left)
    return _normal(rng, batch, time, features), _lengths(rng, batch, time), *layers


@case("bidirectional_forward", check=close())
def both_directions_without_padding(rng: np.random.Generator) -> Iterator[Call]:
    """All sequences equally long; the two directions have different numbers of units, or the same."""
    for right, left in ((4, 3), (2, 2)):
        x, _, forward, backward = _both_ways(rng, 2, 5, 3, right, left)
        yield call(x, np.full(2, 5), forward, backward)


@case("bidirectional_forward", check=close(), weight=2)
def padding_at_the_end(rng: np.random.Generator) -> Iterator[Call]:
    """Rows of different lengths: the backward direction starts at each row's last real position."""
    yield call(*_both_ways(rng, 3, 6, 2, 4, 5))
    yield call(*_both_ways(rng, 4, 5, 3, 2, 2))


@case("bidirectional_forward", check=agree())
def padding_is_never_read(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever stands in the padding, the output stays the same."""
    x, lengths, forward, backward = _both_ways(rng, 3, 6, 4, 2, 3)
    real = (np.arange(6) < lengths[:, None])[..., None]
    yield call(x, lengths, forward, backward)
    for size in (3.0, 30.0):
        yield call(np.where(real, x, size * _normal(rng, *x.shape)), lengths, forward, backward)


@case("bidirectional_forward", check=close())
def a_single_real_position(rng: np.random.Generator) -> Iterator[Call]:
    """Where only the first position is real, both directions read just that, each from its own h0."""
    x, _, *layers = _both_ways(rng, 3, 4, 2, 4, 3)
    yield call(x, np.array([1, 4, 1]), *layers)
    yield call(x[:, :1], np.array([1, 1, 1]), *layers)


@case("bidirectional_forward", check=untouched())
def reading_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The states are right, and input, lengths and layers are as before."""
    yield call(*_both_ways(rng, 2, 4, 3, 3, 2))


# LSTMCell


def _packed(rng: np.random.Generator, features: int, hidden: int) -> dict[str, Any]:
    """Draw a state dict of torch.nn.LSTMCell; no entry is small."""
    import torch

    shapes = {"weight_ih": (features,), "weight_hh": (hidden,), "bias_ih": (), "bias_hh": ()}
    state = {}
    for name, rest in shapes.items():
        shape = (4 * hidden, *rest)
        values = rng.choice([-1.0, 1.0], size=shape) * rng.uniform(0.2, 0.9, size=shape)
        state[name] = torch.tensor(values, dtype=torch.float32)
    return state


def _tensors(rng: np.random.Generator, *shapes: tuple[int, ...]) -> tuple[Any, ...]:
    import torch

    return tuple(torch.tensor(rng.normal(size=shape), dtype=torch.float32) for shape in shapes)


def _cell_call(rng: np.random.Generator, batch: int, features: int, hidden: int, *, gradients: bool = False) -> Call:
    x_t, *state = _tensors(rng, (batch, features), (batch, hidden), (batch, hidden))
    cotangents = _tensors(rng, (batch, hidden), (batch, hidden)) if gradients else ()
    module = Module(init=(features, hidden), state=_packed(rng, features, hidden), cotangents=cotangents)
    return call_module(x_t, tuple(state), module=module)


@case("LSTMCell", check=close(names=("h_t", "c_t"), only="h_t"), weight=2)
def torch_cell_reveals(rng: np.random.Generator) -> Iterator[Call]:
    """h_t is that of torch.nn.LSTMCell with the same weights and states."""
    yield _cell_call(rng, 2, 3, 5)
    yield _cell_call(rng, 3, 4, 2)


@case("LSTMCell", check=close(names=("h_t", "c_t"), only="c_t"), weight=2)
def torch_cell_remembers(rng: np.random.Generator) -> Iterator[Call]:
    """c_t is that of torch.nn.LSTMCell with the same weights and states."""
    yield _cell_call(rng, 2, 3, 5)
    yield _cell_call(rng, 3, 4, 2)


@case("LSTMCell", check=close(names=("h_t", "c_t")))
def torch_cell_without_a_state(rng: np.random.Generator) -> Iterator[Call]:
    """A state of None, given or left out, means that h_prev and c_prev are zeros."""
    module = Module(init=(3, 4), state=_packed(rng, 3, 4))
    (x_t,) = _tensors(rng, (2, 3))
    yield call_module(x_t, module=module)
    yield call_module(x_t, None, module=module)


@case("LSTMCell", check=close(at=("param_grads",), called="gradients"))
def gradients_reach_the_parameters(rng: np.random.Generator) -> Iterator[Call]:
    """Torch finds its way back to all four parameters."""
    yield _cell_call(rng, 3, 4, 2, gradients=True)


@case("LSTMCell", check=close(at=("input_grads", 0), called="gradient of x_t"))
def gradients_reach_the_input(rng: np.random.Generator) -> Iterator[Call]:
    """Torch finds its way back to x_t."""
    yield _cell_call(rng, 3, 4, 2, gradients=True)


@case("LSTMCell", check=close(at=("input_grads", 1), called="gradient of (h_prev, c_prev)"))
def gradients_reach_the_state(rng: np.random.Generator) -> Iterator[Call]:
    """Torch finds its way back to h_prev and c_prev, and so to every earlier step."""
    yield _cell_call(rng, 3, 4, 2, gradients=True)


@case("LSTMCell", check=untouched(names=("h_t", "c_t")))
def torch_cell_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The step is right, and x_t, h_prev and c_prev are as before."""
    yield _cell_call(rng, 2, 3, 4)
