"""Backpropagation through time: step by step, as the handout tells it."""

from collections.abc import Callable

import numpy as np


def loss_backward(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Prediction minus target at each position that counts, over their number."""
    count = np.sum(mask)
    dlogits = np.zeros(logits.shape)
    for n in range(logits.shape[0]):
        for t in range(logits.shape[1]):
            if not mask[n, t]:
                continue
            shares = np.exp(logits[n, t] - np.max(logits[n, t]))
            shares = shares / np.sum(shares)
            shares[targets[n, t]] -= 1
            dlogits[n, t] = shares / count
    return dlogits


def rnn_step_backward(dh: np.ndarray, cache: tuple) -> tuple:
    """Through the tanh, then through the sum, one row of the batch after the other."""
    x_t, h_prev, h_t, W_x, W_h = cache
    dx = np.zeros(x_t.shape)
    dh_prev = np.zeros(h_prev.shape)
    dW_x = np.zeros(W_x.shape)
    dW_h = np.zeros(W_h.shape)
    db = np.zeros(len(W_h))
    for n in range(len(dh)):
        dz = dh[n] * (1 - h_t[n] ** 2)
        dx[n] = W_x.T @ dz
        dh_prev[n] = W_h.T @ dz
        dW_x += np.outer(dz, x_t[n])
        dW_h += np.outer(dz, h_prev[n])
        db += dz
    return dx, dh_prev, dW_x, dW_h, db


def rnn_backward(dh: np.ndarray, cache: tuple) -> tuple:
    """From the last step to the first."""
    x, h0, h, W_x, W_h = cache
    time = x.shape[1]
    dx = np.zeros(x.shape)
    dW_x, dW_h, db = np.zeros(W_x.shape), np.zeros(W_h.shape), np.zeros(len(W_h))
    dh_next = np.zeros(h0.shape)
    for t in reversed(range(time)):
        if t > 0:
            before = h[:, t - 1]
        else:
            before = h0
        step = (x[:, t], before, h[:, t], W_x, W_h)
        dx_t, dh_next, dW_x_t, dW_h_t, db_t = rnn_step_backward(dh[:, t] + dh_next, step)
        dx[:, t] = dx_t
        dW_x += dW_x_t
        dW_h += dW_h_t
        db += db_t
    return dx, dh_next, dW_x, dW_h, db


def embedding_backward(d_out: np.ndarray, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    """Add each vector to the row that it came from."""
    dE = np.zeros((vocab_size, d_out.shape[-1]))
    for n in range(ids.shape[0]):
        for t in range(ids.shape[1]):
            dE[ids[n, t]] += d_out[n, t]
    return dE


def grad_check(f: Callable[[np.ndarray], float], x: np.ndarray, grad: np.ndarray, eps: float) -> float:
    """Largest relative error among all entries."""
    point = np.array(x, dtype=np.float64)
    claimed = np.array(grad, dtype=np.float64)
    worst = 0.0
    for place in np.ndindex(point.shape):
        kept = point[place]
        point[place] = kept + eps
        up = float(f(point.copy()))
        point[place] = kept - eps
        down = float(f(point.copy()))
        point[place] = kept
        numeric = (up - down) / (2 * eps)
        g = claimed[place]
        if np.isnan(g):
            return float("nan")
        error = abs(g - numeric) / max(abs(g) + abs(numeric), 1e-8)
        worst = max(worst, error)
    return float(worst)


def run_window(x: np.ndarray, h0: np.ndarray, params: dict) -> np.ndarray:
    """Forward pass over a few steps."""
    h = np.zeros((x.shape[0], x.shape[1], len(params["b"])))
    state = h0
    for t in range(x.shape[1]):
        state = np.tanh(x[:, t] @ params["W_x"].T + state @ params["W_h"].T + params["b"])
        h[:, t] = state
    return h


def sum_of_losses(logits: np.ndarray, targets: np.ndarray) -> float:
    """Sum of the negative log-likelihoods over all positions."""
    total = 0.0
    for n in range(logits.shape[0]):
        for t in range(logits.shape[1]):
            s = logits[n, t] - np.max(logits[n, t])
            total += np.log(np.sum(np.exp(s))) - s[targets[n, t]]
    return total


def truncated_bptt(x: np.ndarray, targets: np.ndarray, h0: np.ndarray, params: dict, k: int) -> tuple:
    """Window after window; the state goes on, the gradient does not."""
    time = x.shape[1]
    everything = targets.size
    loss = 0.0
    grads = {name: np.zeros(np.shape(value)) for name, value in params.items()}
    state = h0
    for start in range(0, time, k):
        xs, ys = x[:, start : start + k], targets[:, start : start + k]
        h = run_window(xs, state, params)
        logits = h @ params["W_y"].T + params["b_y"]
        loss += sum_of_losses(logits, ys) / everything
        # loss_backward takes the mean over the window, which has this share of all targets
        share = ys.size / everything
        dlogits = loss_backward(logits, ys, np.ones(ys.shape, dtype=bool)) * share
        for n in range(h.shape[0]):
            grads["W_y"] += dlogits[n].T @ h[n]
            grads["b_y"] += dlogits[n].sum(axis=0)
        _, _, dW_x, dW_h, db = rnn_backward(dlogits @ params["W_y"], (xs, state, h, params["W_x"], params["W_h"]))
        grads["W_x"] += dW_x
        grads["W_h"] += dW_h
        grads["b"] += db
        state = h[:, -1]
    return float(loss), grads


def clip_grad_norm(grads: dict, max_norm: float) -> tuple:
    """Scale all arrays by the same number if together they are too long."""
    total = 0.0
    for g in grads.values():
        total += np.sum(np.asarray(g, dtype=float) ** 2)
    norm = float(np.sqrt(total))
    if norm > max_norm:
        return {name: g * (max_norm / norm) for name, g in grads.items()}, norm
    return {name: np.array(g) for name, g in grads.items()}, norm


def gradient_norms(dh_last: np.ndarray, cache: tuple) -> np.ndarray:
    """Follow the gradient of the last state back."""
    x, h0, h, W_x, W_h = cache
    time = h.shape[1]
    norms = np.zeros(time)
    d = dh_last
    for t in range(time - 1, -1, -1):
        norms[t] = np.sqrt(np.sum(d**2))
        d = (d * (1 - h[:, t] ** 2)) @ W_h
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
