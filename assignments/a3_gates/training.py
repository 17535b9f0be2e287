"""Train an LSTM to add, and beside it the same network with its gates locked, which makes a plain one of it.

The adding problem: fifty steps, and at each the network reads a number between 0 and 1 and a mark. Two numbers are
marked, one in each half, and at the end their sum is asked for. Always saying 1 is off by 1/6 on average, squared.
To do better, a network has to carry the first number over dozens of steps, past other numbers that look just like it,
and it has to find that out from one error at the very end, whose gradient goes back through all of these steps.

Both networks run on your gates.py: lstm_forward and lstm_gates on the way there, lstm_backward on the way back (and
lstm_step and lstm_step_backward, if yours call them). They begin alike, read the same sequences and learn for as long.

    python training.py        trains both with the gates.py beside this file, and prints their losses
    python training.py relu   an experiment: another plain network, which needs nothing of yours
"""

import os
import sys
from collections import deque
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for matrices this small, more threads mostly wait for each other

import numpy as np

TIME, HIDDEN, BATCH = 50, 32, 32
STEPS = 400
RATE = 0.02  # of Adam, which makes the steps of all parameters about this large
MAX_NORM = 1.0  # a gradient with a larger norm is scaled down to this
RELU_STEPS, RELU_RATE = 1000, 0.01

Params = dict[str, np.ndarray]
Report = Callable[[int, float], None]
Slope = Callable[[np.ndarray, Params], tuple[float, Params]]


def draw_sequences(rng: np.random.Generator, count: int) -> np.ndarray:
    """Draw what is read: (count, TIME, 2), a number and a mark at each step."""
    marks, rows, half = np.zeros((count, TIME)), np.arange(count), TIME // 2
    marks[rows, rng.integers(half, size=count)] = 1
    marks[rows, rng.integers(half, TIME, size=count)] = 1
    return np.stack([rng.random((count, TIME)), marks], axis=2)


def sums(x: np.ndarray) -> np.ndarray:
    """Return what is asked for: the sum of the two marked numbers of each sequence."""
    return (x[:, :, 0] * x[:, :, 1]).sum(axis=1)


def run(student: ModuleType, x: np.ndarray, params: Params) -> tuple[np.ndarray, dict[str, Any]]:
    """Run the LSTM over x: return what it says at the end, and the cache for the way back."""
    lstm = {name: params[name] for name in params if name[:2] in ("W_", "b_")}
    h0, c0 = (np.repeat(params[name], len(x), axis=0) for name in ("h0", "c0"))
    h, c = student.lstm_forward(x, h0, c0, lstm)
    # All gates once more, for the cache. The states are known now, so every step is a row of one large batch.
    before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)
    gates = student.lstm_gates(x.reshape(-1, 2), before.reshape(-1, HIDDEN), lstm)
    cache = {"x": x, "h0": h0, "c0": c0, "h": h, "c": c, "params": lstm}
    cache |= {name: gate.reshape(h.shape) for name, gate in zip(("f", "i", "o", "c_tilde"), gates, strict=True)}
    return h[:, -1] @ params["read"] + params["shift"], cache


def loss_and_gradient(student: ModuleType, x: np.ndarray, params: Params) -> tuple[float, Params]:
    """Return the mean squared error on a batch, and its gradient by the student's functions."""
    said, cache = run(student, x, params)
    error = said - sums(x)
    slope = 2 * error / len(x)
    dh, dc = np.zeros(cache["h"].shape), np.zeros(cache["c"].shape)
    dh[:, -1] = slope[:, None] * params["read"]  # nothing but the last state is asked
    _, dh0, dc0, gradient = student.lstm_backward(dh, dc, cache)
    start = {"h0": dh0.sum(axis=0, keepdims=True), "c0": dc0.sum(axis=0, keepdims=True)}  # all rows start alike
    end = {"read": slope @ cache["h"][:, -1], "shift": slope.sum(keepdims=True)}
    return float((error**2).mean()), {**gradient, **start, **end}


def train(student: ModuleType, report: Report, steps: int, params: Params, seed: int) -> tuple[list[float], Params]:
    """Train the student's LSTM; return the losses and what the parameters have become."""
    return descend(partial(loss_and_gradient, student), report, steps, params, seed, RATE)


def descend(
    slope: Slope, report: Report, steps: int, params: Params, seed: int, full_rate: float
) -> tuple[list[float], Params]:
    """Train by Adam on fresh sequences at every step; return the losses and what the parameters have become."""
    rng, losses = np.random.default_rng(seed), []
    mean: dict[str, Any] = dict.fromkeys(params, 0.0)
    square: dict[str, Any] = dict.fromkeys(params, 0.0)
    for step in range(1, steps + 1):
        loss, gradient = slope(draw_sequences(rng, BATCH), params)
        length = np.sqrt(sum((g**2).sum() for g in gradient.values()))
        rate = full_rate * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
        for name, g in gradient.items():
            clipped = g * MAX_NORM / max(length, MAX_NORM)
            mean[name] = 0.9 * mean[name] + 0.1 * clipped
            square[name] = 0.999 * square[name] + 0.001 * clipped**2
            params = params | {name: params[name] - rate * mean[name] / (np.sqrt(square[name]) + 1e-8)}
        losses.append(loss)
        report(step - 1, loss)
    return losses, params


def train_adding(
    student: ModuleType, report: Report, steps: int, params: Params, locked: Params, seed: int, held_out: np.ndarray
) -> dict[str, Any]:
    """Train from two starts, one of them locked; return the losses, and what each says of the held-out sequences."""
    losses, learned = train(student, report, steps, params, seed)
    _, plain = train(student, lambda *_: None, steps, locked, seed)
    return {"losses": losses, "lstm": run(student, held_out, learned)[0], "plain": run(student, held_out, plain)[0]}


def first_params(rng: np.random.Generator) -> Params:
    """Draw the parameters to start from. A forget bias of 3 keeps 95 % of the cell at each step: sigma(3) = .95."""
    params = {"h0": rng.uniform(-1, 1, size=(1, HIDDEN)), "c0": rng.normal(size=(1, HIDDEN)), "shift": np.zeros(1)}
    params["read"] = rng.uniform(-1, 1, size=HIDDEN) / np.sqrt(HIDDEN)
    for gate in "fioc":
        states = rng.uniform(-0.5, 0.5, size=(HIDDEN, HIDDEN)) / np.sqrt(HIDDEN)
        params[f"W_{gate}"] = np.concatenate([states, rng.normal(size=(HIDDEN, 2))], axis=1)
        params[f"b_{gate}"] = np.full(HIDDEN, 3.0 if gate == "f" else 0.0)
    return params


def lock(params: Params, rng: np.random.Generator) -> Params:
    """Erase always, write always, reveal always: what is left is h = tanh(tanh(W_c [h_prev; x] + b_c)), a plain tanh network.

    Gates this far from their threshold have no slope, so they stay as they are. W_c starts as suits a plain network.
    """
    gates = {"b_f": np.full(HIDDEN, -100.0), "b_i": np.full(HIDDEN, 100.0), "b_o": np.full(HIDDEN, 100.0)}
    orthogonal = np.linalg.qr(rng.normal(size=(HIDDEN, HIDDEN)))[0]
    return params | gates | {"W_c": np.concatenate([orthogonal, 0.5 * rng.normal(size=(HIDDEN, 2))], axis=1)}


def relu_start(rng: np.random.Generator) -> Params:
    """Draw the parameters of a plain ReLU network. Its W_h is the identity, so that at first each unit adds up what it reads."""
    return {
        "W_h": np.eye(HIDDEN),
        "W_x": 0.5 * rng.normal(size=(HIDDEN, 2)),
        "b": np.zeros(HIDDEN),
        "read": rng.uniform(-1, 1, size=HIDDEN) / np.sqrt(HIDDEN),
        "shift": np.zeros(1),
    }


def relu_states(x: np.ndarray, params: Params) -> np.ndarray:
    """Run h = max(0, W_h h_prev + W_x x + b) over x; return the zeros before the first step and every state after it."""
    length = x.shape[1]
    h = np.zeros((len(x), length + 1, HIDDEN))
    for t in range(length):
        h[:, t + 1] = np.maximum(0, h[:, t] @ params["W_h"].T + x[:, t] @ params["W_x"].T + params["b"])
    return h


def relu_loss_and_gradient(x: np.ndarray, params: Params) -> tuple[float, Params]:
    """Return the mean squared error on a batch, and its gradient by backpropagation through time."""
    h = relu_states(x, params)
    error = h[:, -1] @ params["read"] + params["shift"] - sums(x)
    slope = 2 * error / len(x)
    gradient = {name: np.zeros_like(value) for name, value in params.items()}
    gradient |= {"read": slope @ h[:, -1], "shift": slope.sum(keepdims=True)}
    dh = slope[:, None] * params["read"]
    for t in range(x.shape[1] - 1, -1, -1):
        dz = dh * (h[:, t + 1] > 0)
        gradient["W_h"] += dz.T @ h[:, t]
        gradient["W_x"] += dz.T @ x[:, t]
        gradient["b"] += dz.sum(axis=0)
        dh = dz @ params["W_h"]
    return float((error**2).mean()), gradient


def experiment(show: Report) -> None:
    """Train the ReLU network on the same task."""
    rng = np.random.default_rng(2)
    start, test = relu_start(rng), draw_sequences(rng, 500)
    print("plain: ReLU, from the identity")
    _, learned = descend(relu_loss_and_gradient, show, RELU_STEPS, start, 2, RELU_RATE)
    said = relu_states(test, learned)[:, -1] @ learned["read"] + learned["shift"]
    print(f"on sequences it has not seen: {np.mean((said - sums(test)) ** 2):.4f}")


def compare(student: ModuleType, show: Report) -> None:
    """Train the LSTM, and the same network with its gates locked."""
    rng = np.random.default_rng(2)
    start = first_params(rng)
    test = draw_sequences(rng, 500)
    for name, params in (("LSTM", start), ("plain: the gates locked", lock(start, rng))):
        print(name)
        _, learned = train(student, show, STEPS, params, seed=2)
        print(f"on sequences it has not seen: {np.mean((run(student, test, learned)[0] - sums(test)) ** 2):.4f}")


if __name__ == "__main__":
    recent: deque[float] = deque(maxlen=20)

    def show(step: int, loss: float) -> None:
        """Print the mean of the last twenty losses, every fifty steps: a single one jumps about."""
        recent.append(loss)
        if step % 50 == 49:
            print(f"steps {step - 18:3} to {step + 1:3}   mean loss {np.mean(recent):.4f}", flush=True)

    if sys.argv[1:] == ["relu"]:
        experiment(show)
    else:
        import gates

        compare(gates, show)
