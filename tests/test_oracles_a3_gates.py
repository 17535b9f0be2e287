"""The reference of a3_gates against torch in float64: forward passes and every gradient, to ten digits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from small import module, sizes, small
from torch import nn

from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits

ROOT = Path(__file__).parents[1]
TOLERANCE = 1e-10
SIZES = sizes(4)  # batch, time, features, hidden
TORCH_LSTM = "ifco"  # the order in which torch packs, in our letters
TORCH_GRU = "rzh"


gates = module(ROOT / "solutions" / "a3_gates" / "gates.py")


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator of the same numbers for every test."""
    return np.random.default_rng(20250103)


def same(mine: Any, theirs: torch.Tensor) -> None:
    """Assert that the reference and torch agree in shape and to ten digits."""
    wanted = theirs.detach().numpy()
    assert mine.shape == wanted.shape
    assert np.abs(mine - wanted).max() < TOLERANCE


def params_of(rng: np.random.Generator, names: str, features: int, hidden: int) -> dict[str, np.ndarray]:
    """Draw trained-scale params for some gates."""
    weights = {f"W_{gate}": 0.8 * rng.normal(size=(hidden, hidden + features)) for gate in names}
    return weights | {f"b_{gate}": rng.normal(size=hidden) for gate in names}


def leaf(array: np.ndarray) -> torch.Tensor:
    """Return a tensor that collects a gradient."""
    return torch.tensor(array, dtype=torch.float64, requires_grad=True)


def load(net: nn.Module, packed: dict[str, np.ndarray], suffix: str = "") -> None:
    """Put packed weights into one of torch's recurrent modules."""
    net.load_state_dict({name + suffix: torch.tensor(value) for name, value in packed.items()})


def pack(params: dict[str, np.ndarray], order: str) -> dict[str, np.ndarray]:
    """Pack params as torch does: gates one below the other, state and input apart, all of the bias in one of two."""
    hidden = len(params[f"b_{order[0]}"])
    W = np.concatenate([params[f"W_{gate}"] for gate in order])
    b = np.concatenate([params[f"b_{gate}"] for gate in order])
    return {"weight_ih": W[:, hidden:], "weight_hh": W[:, :hidden], "bias_ih": b, "bias_hh": np.zeros_like(b)}


def compare_grads(grads: dict[str, np.ndarray], net: nn.Module, order: str, suffix: str = "") -> None:
    """Assert that our gradients by gate are torch's packed ones."""
    assert grads.keys() == {f"{kind}_{gate}" for kind in "Wb" for gate in order}
    packed = pack(grads, order)
    theirs = dict(net.named_parameters())
    for name in ("weight_ih", "weight_hh", "bias_ih"):
        gradient = theirs[name + suffix].grad
        assert gradient is not None
        same(packed[name], gradient)


def lstm_inputs(rng: np.random.Generator, size: tuple[int, ...]) -> tuple[Any, ...]:
    """Draw x, h0, c0 and the params of an LSTM."""
    batch, time, features, hidden = size
    states = rng.normal(size=(batch, hidden)), rng.normal(size=(batch, hidden))
    return rng.normal(size=(batch, time, features)), *states, params_of(rng, "fioc", features, hidden)


def lstm_cache(x: np.ndarray, h0: np.ndarray, c0: np.ndarray, params: dict[str, np.ndarray]) -> dict[str, Any]:
    """Run the reference forward, and keep what its backward pass needs."""
    h, c = gates.lstm_forward(x, h0, c0, params)
    before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)
    parts = [gates.lstm_gates(x[:, t], before[:, t], params) for t in range(x.shape[1])]
    stacks = (np.stack(part, axis=1) for part in zip(*parts, strict=True))
    return {"x": x, "h0": h0, "c0": c0, "h": h, "c": c, "params": params} | dict(
        zip(("f", "i", "o", "c_tilde"), stacks, strict=True)
    )


@small(size=SIZES)
def test_lstm_step_and_its_gradients_are_those_of_lstmcell(rng, size):
    """Both outputs, and every gradient, with a gradient arriving at h and at c."""
    x, h0, c0, params = lstm_inputs(rng, size)
    x_t = x[:, 0]
    cell = nn.LSTMCell(x_t.shape[1], h0.shape[1], dtype=torch.float64)
    load(cell, pack(params, TORCH_LSTM))
    tensors = [leaf(a) for a in (x_t, h0, c0)]
    outputs = cell(tensors[0], (tensors[1], tensors[2]))
    for mine, theirs in zip(gates.lstm_step(x_t, h0, c0, params), outputs, strict=True):
        same(mine, theirs)
    dh, dc = rng.normal(size=h0.shape), rng.normal(size=c0.shape)
    torch.autograd.backward(outputs, (torch.tensor(dh), torch.tensor(dc)))
    f, i, o, c_tilde = gates.lstm_gates(x_t, h0, params)
    cache = {"x_t": x_t, "h_prev": h0, "c_prev": c0, "f": f, "i": i, "o": o, "c_tilde": c_tilde}
    cache |= {"c_t": gates.lstm_step(x_t, h0, c0, params)[1], "params": params}
    *mine, grads = gates.lstm_step_backward(dh, dc, cache)
    for gradient, tensor in zip(mine, tensors, strict=True):
        assert tensor.grad is not None
        same(gradient, tensor.grad)
    compare_grads(grads, cell, TORCH_LSTM)


@small(size=SIZES)
def test_lstm_forward_and_backward_are_those_of_nn_lstm(rng, size):
    """States of every step and the last cell; every gradient, with a loss on every state and on the last cell."""
    x, h0, c0, params = lstm_inputs(rng, size)
    net = nn.LSTM(size[2], size[3], batch_first=True, dtype=torch.float64)
    load(net, pack(params, TORCH_LSTM), "_l0")
    tensors = [leaf(a) for a in (x, h0, c0)]
    out, (_, last) = net(tensors[0], (tensors[1][None], tensors[2][None]))
    h, c = gates.lstm_forward(x, h0, c0, params)
    same(h, out)
    same(c[:, -1], last[0])
    dh, dc = rng.normal(size=h.shape), np.zeros(c.shape)
    dc[:, -1] = rng.normal(size=c0.shape)
    torch.autograd.backward((out, last), (torch.tensor(dh), torch.tensor(dc[:, -1])[None]))
    *mine, grads = gates.lstm_backward(dh, dc, lstm_cache(x, h0, c0, params))
    for gradient, tensor in zip(mine, tensors, strict=True):
        assert tensor.grad is not None
        same(gradient, tensor.grad)
    compare_grads(grads, net, TORCH_LSTM, "_l0")


@small(size=SIZES)
def test_lstm_backward_takes_dc_at_every_step(rng, size):
    """A chain of nn.LSTMCell shows every cell, so a loss may read each of them."""
    x, h0, c0, params = lstm_inputs(rng, size)
    cell = nn.LSTMCell(size[2], size[3], dtype=torch.float64)
    load(cell, pack(params, TORCH_LSTM))
    tensors = [leaf(a) for a in (x, h0, c0)]
    dh, dc = rng.normal(size=(2, *x.shape[:2], size[3]))
    state, loss = (tensors[1], tensors[2]), torch.zeros((), dtype=torch.float64)
    for t in range(size[1]):
        state = cell(tensors[0][:, t], state)
        loss = loss + (state[0] * torch.tensor(dh[:, t])).sum() + (state[1] * torch.tensor(dc[:, t])).sum()
    loss.backward()
    *mine, grads = gates.lstm_backward(dh, dc, lstm_cache(x, h0, c0, params))
    for gradient, tensor in zip(mine, tensors, strict=True):
        assert tensor.grad is not None
        same(gradient, tensor.grad)
    compare_grads(grads, cell, TORCH_LSTM)


@small(shape=st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_gated_update_lies_between_its_two_ends(rng, shape):
    """It is torch's lerp from the old state to the candidate."""
    h_prev, candidate, z = (torch.tensor(rng.normal(size=shape)) for _ in range(3))
    z = z.sigmoid()
    same(gates.gated_update(h_prev.numpy(), candidate.numpy(), z.numpy()), torch.lerp(h_prev, candidate, z))


def torch_gru(x: torch.Tensor, h: torch.Tensor, params: dict[str, torch.Tensor], *, z_keeps: bool) -> torch.Tensor:
    """Write the GRU of Cho et al. down once more, in torch."""
    row = torch.cat([h, x], dim=1)
    z = torch.sigmoid(row @ params["W_z"].T + params["b_z"])
    r = torch.sigmoid(row @ params["W_r"].T + params["b_r"])
    h_tilde = torch.tanh(torch.cat([r * h, x], dim=1) @ params["W_h"].T + params["b_h"])
    return z * h + (1 - z) * h_tilde if z_keeps else (1 - z) * h + z * h_tilde


def gru_inputs(rng: np.random.Generator, size: tuple[int, ...]) -> tuple[Any, ...]:
    """Draw x_t, h_prev and the params of a GRU."""
    batch, _, features, hidden = size
    return rng.normal(size=(batch, features)), rng.normal(size=(batch, hidden)), params_of(rng, "zrh", features, hidden)


def gru_cache(x_t: np.ndarray, h_prev: np.ndarray, params: dict[str, np.ndarray]) -> dict[str, Any]:
    """Compute what the backward pass of a GRU step needs."""
    row = np.concatenate([h_prev, x_t], axis=1)
    z, r = (1 / (1 + np.exp(-(row @ params[f"W_{gate}"].T + params[f"b_{gate}"]))) for gate in "zr")
    h_tilde = np.tanh(np.concatenate([r * h_prev, x_t], axis=1) @ params["W_h"].T + params["b_h"])
    return {"x_t": x_t, "h_prev": h_prev, "z": z, "r": r, "h_tilde": h_tilde, "params": params}


@small(size=SIZES)
def test_gru_steps_and_gradients_are_those_of_autograd(rng, size):
    """Both conventions forward, and every gradient of the one that is asked for."""
    x_t, h_prev, params = gru_inputs(rng, size)
    x, h = leaf(x_t), leaf(h_prev)
    leaves = {name: leaf(value) for name, value in params.items()}
    same(gates.gru_step_keep(x_t, h_prev, params), torch_gru(x, h, leaves, z_keeps=True))
    out = torch_gru(x, h, leaves, z_keeps=False)
    same(gates.gru_step(x_t, h_prev, params), out)
    dh = rng.normal(size=h_prev.shape)
    out.backward(torch.tensor(dh))
    dx, dh_prev, grads = gates.gru_step_backward(dh, gru_cache(x_t, h_prev, params))
    assert grads.keys() == params.keys()
    for mine, tensor in ((dx, x), (dh_prev, h), *((grads[name], leaves[name]) for name in params)):
        assert tensor.grad is not None
        same(mine, tensor.grad)


@small(size=SIZES)
def test_gru_is_grucell_where_reset_and_matrix_commute(rng, size):
    """With a diagonal matrix on the state, before and after the matmul are one; then torch's own cell is the oracle."""
    x_t, h_prev, params = gru_inputs(rng, size)
    hidden = size[3]
    params["W_h"][:, :hidden] *= np.eye(hidden)
    cell = nn.GRUCell(size[2], hidden, dtype=torch.float64)
    load(cell, pack(params, TORCH_GRU))
    x, h = leaf(x_t), leaf(h_prev)
    out = cell(x, h)
    same(gates.gru_step_keep(x_t, h_prev, params), out)
    converted = gates.convert_gru(params)
    same(gates.gru_step(x_t, h_prev, converted), out)
    dh = rng.normal(size=h_prev.shape)
    out.backward(torch.tensor(dh))
    dx, dh_prev, grads = gates.gru_step_backward(dh, gru_cache(x_t, h_prev, converted))
    for mine, tensor in ((dx, x), (dh_prev, h)):
        assert tensor.grad is not None
        same(mine, tensor.grad)
    grads = gates.convert_gru(grads)  # d/da = -d/d(-a)
    theirs = pack(grads, TORCH_GRU)
    diagonal = np.concatenate([np.ones((2 * hidden, hidden)), np.eye(hidden)])
    assert cell.weight_hh.grad is not None
    assert cell.weight_ih.grad is not None
    assert cell.bias_ih.grad is not None
    same(theirs["weight_hh"] * diagonal, cell.weight_hh.grad * torch.tensor(diagonal))
    same(theirs["weight_ih"], cell.weight_ih.grad)
    same(theirs["bias_ih"], cell.bias_ih.grad)


@small(size=SIZES)
def test_convert_gru_makes_the_conventions_agree(rng, size):
    """In both directions; and converting twice gives the params back."""
    x_t, h_prev, params = gru_inputs(rng, size)
    converted = gates.convert_gru(params)
    assert np.abs(gates.gru_step_keep(x_t, h_prev, converted) - gates.gru_step(x_t, h_prev, params)).max() < TOLERANCE
    assert np.abs(gates.gru_step(x_t, h_prev, converted) - gates.gru_step_keep(x_t, h_prev, params)).max() < TOLERANCE
    for name, value in gates.convert_gru(converted).items():
        assert np.array_equal(value, params[name])


@pytest.mark.parametrize(
    ("name", "bias"), [("keep_reset_after_matmul", "bias_ih"), ("keep_reset_after_matmul_and_bias", "bias_hh")]
)
def test_the_message_about_torchs_gru_tells_the_truth(rng, name, bias):
    """The named mistake is exactly nn.GRUCell, and the reference is not."""
    assignment = load_assignment(ROOT, "a3_gates")
    mistake = next(m for m in assignment.misconceptions if m.name == name)
    source = apply_edits(assignment.reference, (mistake,))
    assert source
    variant: dict[str, Any] = {}
    exec(source, variant)
    x_t, h_prev, params = gru_inputs(rng, (2, 5, 3, 4))
    cell = nn.GRUCell(x_t.shape[1], h_prev.shape[1], dtype=torch.float64)
    packed = pack(params, TORCH_GRU)
    packed["bias_ih"], packed["bias_hh"] = 0 * packed["bias_ih"], 0 * packed["bias_hh"]
    packed[bias] = np.concatenate([params[f"b_{gate}"] for gate in TORCH_GRU])
    load(cell, packed)
    out = cell(torch.tensor(x_t), torch.tensor(h_prev))
    same(variant["gru_step_keep"](x_t, h_prev, params), out)
    assert np.abs(gates.gru_step_keep(x_t, h_prev, params) - out.detach().numpy()).max() > 0.01


def layer_of(rng: np.random.Generator, batch: int, features: int, hidden: int) -> dict[str, np.ndarray]:
    """Draw a plain recurrent layer."""
    return {
        "W_h": 0.8 * rng.normal(size=(hidden, hidden)),
        "W_x": rng.normal(size=(hidden, features)),
        "b": rng.normal(size=hidden),
        "h0": rng.normal(size=(batch, hidden)),
    }


def load_layer(net: nn.RNN, layer: dict[str, np.ndarray], suffix: str) -> None:
    """Put one of our layers into a part of torch's nn.RNN."""
    values = {"weight_ih": layer["W_x"], "weight_hh": layer["W_h"], "bias_ih": layer["b"], "bias_hh": 0 * layer["b"]}
    with torch.no_grad():
        for name, value in values.items():
            net.get_parameter(name + suffix).copy_(torch.tensor(value))


@small(size=SIZES)
def test_stacked_forward_is_a_deep_nn_rnn(rng, size):
    """Three layers, each with a starting state of its own."""
    batch, time, features, hidden = size
    x = rng.normal(size=(batch, time, features))
    layers = [layer_of(rng, batch, width, hidden) for width in (features, hidden, hidden)]
    net = nn.RNN(features, hidden, num_layers=3, batch_first=True, dtype=torch.float64)
    for number, layer in enumerate(layers):
        load_layer(net, layer, f"_l{number}")
    out, _ = net(torch.tensor(x), torch.tensor(np.stack([layer["h0"] for layer in layers])))
    same(gates.stacked_forward(x, layers), out)


@small(size=SIZES)
def test_bidirectional_forward_is_nn_rnn_on_packed_sequences(rng, size):
    """Rows of all lengths, the padding full of large numbers."""
    batch, time, features, hidden = size
    lengths = np.append(rng.integers(1, time + 1, size=batch - 1), time)
    x = rng.normal(size=(batch, time, features))
    x[np.arange(time) >= lengths[:, None]] = 1e3
    forward, backward = layer_of(rng, batch, features, hidden), layer_of(rng, batch, features, hidden)
    net = nn.RNN(features, hidden, batch_first=True, bidirectional=True, dtype=torch.float64)
    load_layer(net, forward, "_l0")
    load_layer(net, backward, "_l0_reverse")
    packed = nn.utils.rnn.pack_padded_sequence(
        torch.tensor(x), torch.tensor(lengths), batch_first=True, enforce_sorted=False
    )
    out, _ = net(packed, torch.tensor(np.stack([forward["h0"], backward["h0"]])))
    unpacked, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=time)
    same(gates.bidirectional_forward(x, lengths, forward, backward), unpacked)


@small(size=SIZES, with_state=st.booleans())
def test_lstm_cell_is_torchs_with_the_same_weights(rng, size, with_state):
    """A state dict moves over as it is; outputs and every gradient agree."""
    batch, _, features, hidden = size
    theirs = nn.LSTMCell(features, hidden, dtype=torch.float64)
    mine = gates.LSTMCell(features, hidden).double()
    mine.load_state_dict(theirs.state_dict())
    arrays = [rng.normal(size=(batch, width)) for width in (features, hidden, hidden)]
    dh, dc = (torch.tensor(rng.normal(size=(batch, hidden))) for _ in range(2))
    inputs = []
    outputs = []
    for cell in (mine, theirs):
        tensors = [leaf(a) for a in arrays]
        out = cell(tensors[0], (tensors[1], tensors[2])) if with_state else cell(tensors[0])
        torch.autograd.backward(out, (dh, dc))
        inputs.append(tensors if with_state else tensors[:1])
        outputs.append(out)
    for a, b in zip(*outputs, strict=True):
        same(a.detach().numpy(), b)
    for a, b in zip(*inputs, strict=True):
        same(a.grad.numpy(), b.grad)
    for name, parameter in mine.named_parameters():
        same(parameter.grad.numpy(), theirs.get_parameter(name).grad)


def test_lstm_cell_starts_with_its_forget_bias():
    """The constructor puts the forget bias into the rows of the forget gate, and nowhere else."""
    cell = gates.LSTMCell(3, 2, forget_bias=2.5)
    assert cell.bias_ih.tolist() == [0, 0, 2.5, 2.5, 0, 0, 0, 0]
    assert not cell.bias_hh.any()


def test_the_handout_shows_the_gradients_as_they_are():
    """The table by forget bias in the README is what the script computes."""
    figures = module(ROOT / "assignments" / "figures" / "a3_gates.py")
    text = (ROOT / "assignments" / "a3_gates" / "README.md").read_text(encoding="utf-8")
    for bias in (0, 1, 3):
        whole, direct = figures.cell_gradients(bias)
        assert f"{whole[-1]:.1e} | {direct[-1]:.1e} |" in text
