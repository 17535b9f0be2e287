"""Backpropagation through time: plain version with loops, one row at a time where that is clearer."""

import math
from collections.abc import Callable

import numpy as np

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Sequence = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def loss_backward(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Prediction minus target, by the number of targets that count."""
    batch, time, _ = logits.shape
    count = int(mask.sum())
    dlogits = np.zeros(logits.shape)
    for i in range(batch):
        for t in range(time):
            if not mask[i, t]:
                continue
            e = np.exp(logits[i, t] - logits[i, t].max())
            p = e / e.sum()
            p[targets[i, t]] -= 1.0
            dlogits[i, t] = p / count
    return dlogits


def rnn_step_backward(dh: np.ndarray, cache: Step) -> Gradients:
    """Through the tanh, then through the sum."""
    x_t, h_prev, h_t, W_x, W_h = cache
    dx = np.zeros(x_t.shape)
    dh_prev = np.zeros(h_prev.shape)
    dW_x = np.zeros(W_x.shape)
    dW_h = np.zeros(W_h.shape)
    db = np.zeros(len(W_h))
    for i in range(len(dh)):
        dz = dh[i] * (1 - h_t[i] ** 2)
        dx[i] = W_x.T @ dz
        dh_prev[i] = W_h.T @ dz
        dW_x += np.outer(dz, x_t[i])
        dW_h += np.outer(dz, h_prev[i])
        db += dz
    return dx, dh_prev, dW_x, dW_h, db


def rnn_backward(dh: np.ndarray, cache: Sequence) -> Gradients:
    """From the last step to the first."""
    x, h0, h, W_x, W_h = cache
    time = x.shape[1]
    dx = np.zeros(x.shape)
    dW_x = np.zeros(W_x.shape)
    dW_h = np.zeros(W_h.shape)
    db = np.zeros(len(W_h))
    dh_next = np.zeros(h0.shape)
    for t in range(time - 1, -1, -1):
        if t > 0:
            before = h[:, t - 1]
        else:
            before = h0
        step = (x[:, t], before, h[:, t], W_x, W_h)
        dx[:, t], dh_next, step_W_x, step_W_h, step_b = rnn_step_backward(dh[:, t] + dh_next, step)
        dW_x += step_W_x
        dW_h += step_W_h
        db += step_b
    return dx, dh_next, dW_x, dW_h, db


def embedding_backward(d_out: np.ndarray, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    """Each place gives its gradient to the row it was read from."""
    dE = np.zeros((vocab_size, d_out.shape[2]))
    for i in range(ids.shape[0]):
        for t in range(ids.shape[1]):
            dE[ids[i, t]] += d_out[i, t]
    return dE


def grad_check(f: Callable[[np.ndarray], float], x: np.ndarray, grad: np.ndarray, eps: float) -> float:
    """Central differences, entry by entry."""
    point = np.array(x, dtype=np.float64)
    worst = 0.0
    for place in np.ndindex(point.shape):
        old = point[place]
        point[place] = old + eps
        above = float(f(point))
        point[place] = old - eps
        below = float(f(point))
        point[place] = old
        numeric = (above - below) / (2 * eps)
        g = float(grad[place])
        if math.isnan(g):
            return math.nan
        error = abs(g - numeric) / max(abs(g) + abs(numeric), 1e-8)
        if error > worst:
            worst = error
    return worst


def forward(x: np.ndarray, h0: np.ndarray, params: dict[str, np.ndarray]) -> np.ndarray:
    """Return all states."""
    h = h0
    states = []
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ params["W_x"].T + h @ params["W_h"].T + params["b"])
        states.append(h)
    return np.stack(states, axis=1)


def total_loss(logits: np.ndarray, targets: np.ndarray) -> float:
    """Return the sum of -log softmax(logits)[target]."""
    total = 0.0
    for i in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            s = logits[i, t] - logits[i, t].max()
            total += np.log(np.exp(s).sum()) - s[targets[i, t]]
    return float(total)


def truncated_bptt(
    x: np.ndarray, targets: np.ndarray, h0: np.ndarray, params: dict[str, np.ndarray], k: int
) -> tuple[float, dict[str, np.ndarray]]:
    """Window after window: forward, backward, add up."""
    batch, time = targets.shape
    grads = {name: np.zeros(value.shape) for name, value in params.items()}
    loss = 0.0
    state = h0
    for start in range(0, time, k):
        x_w = x[:, start : start + k]
        y_w = targets[:, start : start + k]
        share = y_w.size / (batch * time)

        h = forward(x_w, state, params)
        logits = h @ params["W_y"].T + params["b_y"]
        loss += total_loss(logits, y_w) / (batch * time)

        dlogits = loss_backward(logits, y_w, np.ones(y_w.shape, dtype=bool)) * share
        dh = dlogits @ params["W_y"]
        _, _, dW_x, dW_h, db = rnn_backward(dh, (x_w, state, h, params["W_x"], params["W_h"]))
        grads["W_x"] += dW_x
        grads["W_h"] += dW_h
        grads["b"] += db
        for i in range(batch):
            grads["W_y"] += dlogits[i].T @ h[i]
            grads["b_y"] += dlogits[i].sum(axis=0)
        state = h[:, -1]
    return loss, grads


def clip_grad_norm(grads: dict[str, np.ndarray], max_norm: float) -> tuple[dict[str, np.ndarray], float]:
    """One norm for all, one factor for all."""
    total = 0.0
    for g in grads.values():
        total += float(np.sum(np.asarray(g, dtype=np.float64) ** 2))
    norm = math.sqrt(total)
    clipped = {}
    for name, g in grads.items():
        if norm > max_norm:
            clipped[name] = np.array(g * (max_norm / norm))
        else:
            clipped[name] = np.array(g)
    return clipped, norm


def gradient_norms(dh_last: np.ndarray, cache: Sequence) -> np.ndarray:
    """Walk back from the last state and write down the norms."""
    x, h0, h, W_x, W_h = cache
    time = h.shape[1]
    norms = np.zeros(time)
    d = dh_last
    norms[time - 1] = np.sqrt(np.sum(d**2))
    for t in range(time - 1, 0, -1):
        _, d, _, _, _ = rnn_step_backward(d, (x[:, t], h[:, t - 1], h[:, t], W_x, W_h))
        norms[t - 1] = np.sqrt(np.sum(d**2))
    return norms


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "", "run_2": "", "run_3": "", "run_4": "", "run_5": ""}
    raise NotImplementedError("debugging_lab is not written yet")
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "two_readers": "",
        "orthogonal_weights": "",
        "what_clipping_cannot": "",
        "what_is_cut": "",
        "what_is_left": "",
        "shared_weight": "",
        "clipped_array": "",
        "central_difference": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
