"""Train an LSTM on the adding problem, beside a plain recurrent network that cannot learn it.

Fifty steps; at each the network reads a number between 0 and 1 and a mark. Two numbers are marked, one in each half,
and at the end their sum is asked for. Whoever always says 1 is off by 1/6 on average (squared). To do better, a network
has to carry the first of the two over dozens of steps, and to learn that from a loss at the very end.

The LSTM runs on your gates.py: lstm_forward and lstm_gates forwards, lstm_backward backwards (with lstm_step and
lstm_step_backward, if yours call them). The plain network is torch's.

    python training.py        trains both with the gates.py beside this file, and prints their losses
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import torch

TIME, HIDDEN, BATCH = 50, 32, 32
RATE = 0.01
MAX_NORM = 1.0

Params = dict[str, np.ndarray]


def draw_sequences(rng: np.random.Generator, count: int) -> np.ndarray:
    """Draw what is read: (count, TIME, 2), a number and a mark at each step."""
    marks = np.zeros((count, TIME))
    rows, half = np.arange(count), TIME // 2
    marks[rows, rng.integers(half, size=count)] = 1
    marks[rows, rng.integers(half, TIME, size=count)] = 1
    return np.stack([rng.random((count, TIME)), marks], axis=2)


def sums(x: np.ndarray) -> np.ndarray:
    """Return what is asked for: the sum of the two marked numbers of each sequence."""
    return (x[:, :, 0] * x[:, :, 1]).sum(axis=1)


def run(student: ModuleType, x: np.ndarray, params: Params) -> tuple[np.ndarray, dict[str, Any]]:
    """Run the LSTM over x: return what it says at the end, and the cache for the way back."""
    start = np.zeros((len(x), HIDDEN))
    h, c = student.lstm_forward(x, start, start, params)
    # The gates again, all steps as rows of one large batch: this is quicker than step by step.
    before = np.concatenate([start[:, None], h[:, :-1]], axis=1)
    gates = student.lstm_gates(x.reshape(-1, x.shape[2]), before.reshape(-1, HIDDEN), params)
    f, i, o, c_tilde = (gate.reshape(h.shape) for gate in gates)
    cache = {"x": x, "h0": start, "c0": start, "h": h, "c": c, "f": f, "i": i, "o": o, "c_tilde": c_tilde}
    return h[:, -1] @ params["w_y"] + params["b_y"], cache


def loss_and_gradient(student: ModuleType, x: np.ndarray, params: Params) -> tuple[float, Params]:
    """Return the mean squared error on a batch, and its gradient by the student's functions."""
    own = {name: value for name, value in params.items() if name not in ("w_y", "b_y")}
    said, cache = run(student, x, params)
    error = said - sums(x)
    derror = 2 * error / len(x)
    dh = np.zeros(cache["h"].shape)
    dh[:, -1] = derror[:, None] * params["w_y"]  # only the last state is asked
    *_, gradient = student.lstm_backward(dh, np.zeros(dh.shape), cache | {"params": own})
    outer = {"w_y": derror @ cache["h"][:, -1], "b_y": derror.sum(keepdims=True)}
    return float((error**2).mean()), dict(gradient) | outer


def shorten(gradient: Params) -> Params:
    """Clip a gradient by its global norm."""
    length = np.sqrt(sum((g**2).sum() for g in gradient.values()))
    return {name: g * min(1.0, MAX_NORM / max(length, 1e-12)) for name, g in gradient.items()}


def train_adding(
    student: ModuleType,
    report: Callable[[int, float], None],
    steps: int,
    params: Params,
    seed: int,
    held_out: np.ndarray,
) -> dict[str, Any]:
    """Train by Adam on fresh sequences at every step; return the losses and what is said of the held-out ones."""
    rng, losses = np.random.default_rng(seed), []
    mean = {name: np.zeros(value.shape) for name, value in params.items()}
    square = dict(mean)
    for step in range(1, steps + 1):
        loss, gradient = loss_and_gradient(student, draw_sequences(rng, BATCH), params)
        gradient = shorten(gradient)
        mean = {name: 0.9 * mean[name] + 0.1 * gradient[name] for name in params}
        square = {name: 0.999 * square[name] + 0.001 * gradient[name] ** 2 for name in params}
        scale = RATE * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        params = {n: params[n] - scale * mean[n] / (np.sqrt(square[n]) + 1e-8) for n in params}
        losses.append(loss)
        report(step - 1, loss)
    return {"losses": losses, "said": run(student, held_out, params)[0]}


def first_params(rng: np.random.Generator, forget_bias: float) -> Params:
    """Draw the parameters to start from."""
    bound = HIDDEN**-0.5
    weights = {f"W_{gate}": rng.uniform(-bound, bound, size=(HIDDEN, HIDDEN + 2)) for gate in "fioc"}
    biases = {f"b_{gate}": np.zeros(HIDDEN) for gate in "fioc"} | {"b_f": np.full(HIDDEN, forget_bias)}
    return weights | biases | {"w_y": rng.uniform(-bound, bound, size=HIDDEN), "b_y": np.zeros(1)}
