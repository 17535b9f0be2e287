"""The reference of a2_bptt against torch in float64: every gradient to 1e-10; and the README's table against its script."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from small import sizes, small

ROOT = Path(__file__).parents[1]
SIZES = sizes(4)  # batch, time, features, hidden


@pytest.fixture(scope="module")
def bptt() -> Any:
    """Return the reference's functions."""
    return SimpleNamespace(**runpy.run_path(str(ROOT / "solutions" / "a2_bptt" / "bptt.py")))


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator with a fixed seed."""
    return np.random.default_rng(7)


def _same(mine: Any, theirs: torch.Tensor) -> None:
    np.testing.assert_allclose(mine, theirs.detach().numpy(), rtol=1e-10, atol=1e-10)


def _rnn(rng: np.random.Generator, features: int, hidden: int) -> torch.nn.RNN:
    """Return torch's own network in float64 with weights of trained size; its two biases act as their sum."""
    rnn = torch.nn.RNN(features, hidden, batch_first=True, dtype=torch.float64)
    for parameter in rnn.parameters():
        parameter.data = torch.tensor(0.7 * rng.normal(size=tuple(parameter.shape)))
    return rnn


def _leaf(array: np.ndarray) -> torch.Tensor:
    return torch.tensor(array, requires_grad=True)


def _cache(rnn: torch.nn.RNN, x: torch.Tensor, h0: torch.Tensor, h: torch.Tensor) -> tuple[np.ndarray, ...]:
    return tuple(a.detach().numpy() for a in (x, h0, h, rnn.weight_ih_l0, rnn.weight_hh_l0))


@small(size=sizes(3), share=st.sampled_from([0.4, 1.0]))
def test_loss_backward(bptt: Any, rng: np.random.Generator, size: tuple[int, ...], share: float) -> None:
    """The gradient of the masked mean is that of torch's cross-entropy with ignored targets."""
    logits = _leaf(3 * rng.normal(size=size))
    targets, mask = rng.integers(0, size[2], size=size[:2]), rng.random(size[:2]) < share
    mask[0, 0] = True
    wanted = torch.tensor(np.where(mask, targets, -1)).flatten()
    torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted, ignore_index=-1).backward()
    _same(bptt.loss_backward(logits.detach().numpy(), targets, mask), logits.grad)


@small(sizes=SIZES)
def test_rnn_step_backward(bptt: Any, rng: np.random.Generator, sizes: tuple[int, ...]) -> None:
    """Every gradient of one step is that of torch's RNNCell."""
    batch, _, features, hidden = sizes
    cell = torch.nn.RNNCell(features, hidden, dtype=torch.float64)
    x, h_prev = _leaf(rng.normal(size=(batch, features))), _leaf(rng.normal(size=(batch, hidden)))
    h = cell(x, h_prev)
    dh = rng.normal(size=(batch, hidden))
    h.backward(torch.tensor(dh))
    cache = tuple(a.detach().numpy() for a in (x, h_prev, h, cell.weight_ih, cell.weight_hh))
    theirs = (x.grad, h_prev.grad, cell.weight_ih.grad, cell.weight_hh.grad, cell.bias_ih.grad)
    for part, wanted in zip(bptt.rnn_step_backward(dh, cache), theirs, strict=True):
        _same(part, wanted)


@small(sizes=SIZES)
def test_rnn_backward(bptt: Any, rng: np.random.Generator, sizes: tuple[int, ...]) -> None:
    """Every gradient of a sequence is that of torch's RNN, and the forward helper gives torch's states."""
    batch, time, features, hidden = sizes
    rnn = _rnn(rng, features, hidden)
    x, h0 = _leaf(rng.normal(size=(batch, time, features))), _leaf(rng.normal(size=(batch, hidden)))
    h, _ = rnn(x, h0[None])
    dh = rng.normal(size=(batch, time, hidden))
    h.backward(torch.tensor(dh))
    theirs = (x.grad, h0.grad, rnn.weight_ih_l0.grad, rnn.weight_hh_l0.grad, rnn.bias_ih_l0.grad)
    cache = _cache(rnn, x, h0, h)
    for part, wanted in zip(bptt.rnn_backward(dh, cache), theirs, strict=True):
        _same(part, wanted)
    b = (rnn.bias_ih_l0 + rnn.bias_hh_l0).detach().numpy()
    _same(bptt._states(cache[0], cache[1], {"W_x": cache[3], "W_h": cache[4], "b": b}), h)


@small(size=sizes(4))
def test_embedding_backward(bptt: Any, rng: np.random.Generator, size: tuple[int, ...]) -> None:
    """The gradient of a look-up with repeated ids is that of torch's embedding."""
    batch, time, width, used = size
    table, ids = _leaf(rng.normal(size=(9, width))), rng.integers(0, used, size=(batch, time))
    d_out = rng.normal(size=(batch, time, width))
    torch.nn.functional.embedding(torch.tensor(ids), table).backward(torch.tensor(d_out))
    _same(bptt.embedding_backward(d_out, ids, 9), table.grad)


def test_grad_check_agrees_with_autograd(bptt: Any, rng: np.random.Generator) -> None:
    """Torch's own gradient passes the check, a wrong one fails by the documented formula, and x stays as it is."""
    x = _leaf(rng.normal(size=(2, 3)))
    (torch.sin(x).prod() + (x**3).sum()).backward()
    grad, point = x.grad.numpy(), x.detach().numpy().copy()

    def f(a: np.ndarray) -> float:
        return np.sin(a).prod() + (a**3).sum()

    assert bptt.grad_check(f, point, grad, 1e-5) < 1e-8
    wrong = grad.copy()
    wrong[1, 2] *= 1.5
    assert bptt.grad_check(f, point, wrong, 1e-5) == pytest.approx(0.2, rel=1e-6)  # 0.5 / 2.5
    np.testing.assert_array_equal(point, x.detach().numpy())


@small(k=st.integers(1, 9), batch=st.integers(1, 3))
def test_truncated_bptt(bptt: Any, rng: np.random.Generator, k: int, batch: int) -> None:
    """Loss and gradients are those of torch with the state detached every k steps."""
    rnn, output = _rnn(rng, 4, 5), torch.nn.Linear(5, 6, dtype=torch.float64)
    x, h0 = torch.tensor(rng.normal(size=(batch, 7, 4))), torch.tensor(rng.normal(size=(batch, 5)))
    targets = torch.tensor(rng.integers(0, 6, size=(batch, 7)))
    state, total = h0[None], 0.0
    for now, wanted in zip(x.split(k, dim=1), targets.split(k, dim=1), strict=True):
        h, state = rnn(now, state.detach())
        total = (
            total
            + torch.nn.functional.cross_entropy(output(h).flatten(0, 1), wanted.flatten(), reduction="sum")
            / targets.numel()
        )
    total.backward()
    params = {
        "W_x": rnn.weight_ih_l0,
        "W_h": rnn.weight_hh_l0,
        "b": rnn.bias_ih_l0 + rnn.bias_hh_l0,
        "W_y": output.weight,
        "b_y": output.bias,
    }
    arrays = {name: value.detach().numpy() for name, value in params.items()}
    loss, grads = bptt.truncated_bptt(x.numpy(), targets.numpy(), h0.numpy(), arrays, k)
    _same(loss, total)
    leaves = params | {"b": rnn.bias_ih_l0}
    assert grads.keys() == params.keys()
    for name, leaf in leaves.items():
        _same(grads[name], leaf.grad)


@small(share=st.floats(0.1, 2.0), shape=sizes(2))
def test_clip_grad_norm(bptt: Any, rng: np.random.Generator, share: float, shape: tuple[int, ...]) -> None:
    """The norm is torch's; clipped gradients are, too, once the 1e-6 that torch adds to the norm is taken out."""
    grads = {"W": rng.normal(size=shape), "b": 5 * rng.normal(size=3)}
    leaves = [torch.zeros(g.shape, dtype=torch.float64, requires_grad=True) for g in grads.values()]
    for leaf, g in zip(leaves, grads.values(), strict=True):
        leaf.grad = torch.tensor(g)
    max_norm = share * float(np.linalg.norm(np.concatenate([g.ravel() for g in grads.values()])))
    theirs = torch.nn.utils.clip_grad_norm_(leaves, max_norm)
    clipped, norm = bptt.clip_grad_norm(grads, max_norm)
    _same(norm, theirs)
    for leaf, g in zip(leaves, clipped.values(), strict=True):
        _same(g, leaf.grad * (norm + 1e-6) / norm if norm > max_norm else leaf.grad)


@small(sizes=SIZES)
def test_gradient_norms(bptt: Any, rng: np.random.Generator, sizes: tuple[int, ...]) -> None:
    """The lengths are those of torch's gradients with respect to each state, with a loss at the last one."""
    batch, time, features, hidden = sizes
    rnn = _rnn(rng, features, hidden)
    x, h0 = _leaf(rng.normal(size=(batch, time, features))), _leaf(rng.normal(size=(batch, hidden)))
    state, states = h0[None], []
    for t in range(time):
        _, state = rnn(x[:, t : t + 1], state)
        state.retain_grad()
        states.append(state)
    dh_last = rng.normal(size=(batch, hidden))
    state.backward(torch.tensor(dh_last)[None])
    cache = _cache(rnn, x, h0, torch.cat(states).transpose(0, 1))
    _same(bptt.gradient_norms(dh_last, cache), torch.stack([s.grad.norm() for s in states]))


def test_readme_table_is_what_the_script_computes(bptt: Any) -> None:
    """Both rows of the README's table come out of the script that draws the plot."""
    script = runpy.run_path(str(ROOT / "assignments" / "figures" / "a2_bptt.py"))
    readme = (ROOT / "assignments" / "a2_bptt" / "README.md").read_text(encoding="utf-8")
    for row in script["table"](vars(bptt)):
        assert row in readme
    for image in re.findall(r"\]\((figures/[^)]+)\)", readme):
        assert (ROOT / "assignments" / "a2_bptt" / image).is_file()


def test_powers_of_the_readme_s_matrix_grow_before_they_vanish() -> None:
    """A spectral radius of .5 rules nothing out at first; the bound by the largest singular value holds."""
    matrix = np.array([[0.5, 4], [0, 0.5]])
    assert max(abs(np.linalg.eigvals(matrix))) == pytest.approx(0.5)
    norms = [np.linalg.norm(np.linalg.matrix_power(matrix, k), 2) for k in (1, 2, 3, 5, 10)]
    assert norms == pytest.approx([4.06, 4.02, 3.01, 1.25, 0.078], rel=2e-3)
    assert all(norm <= norms[0] ** k * (1 + 1e-9) for norm, k in zip(norms, (1, 2, 3, 5, 10), strict=True))
