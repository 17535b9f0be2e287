"""Backpropagation through time, one number at a time."""

import math
from collections.abc import Callable

import numpy as np

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Sequence = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def loss_backward(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Prediction less target, divided by the number of positions that count."""
    batch, time, vocab = logits.shape
    count = 0
    for n in range(batch):
        for t in range(time):
            if mask[n, t]:
                count += 1
    dlogits = np.zeros((batch, time, vocab))
    for n in range(batch):
        for t in range(time):
            if not mask[n, t]:
                continue
            scores = logits[n, t].tolist()
            top = max(scores)
            exponentials = [math.exp(s - top) for s in scores]
            total = sum(exponentials)
            for v in range(vocab):
                prediction = exponentials[v] / total
                truth = 1.0 if v == targets[n, t] else 0.0
                dlogits[n, t, v] = (prediction - truth) / count
    return dlogits


def rnn_step_backward(dh: np.ndarray, cache: Step) -> Gradients:
    """Each row adds its part."""
    x_t, h_prev, h_t, W_x, W_h = [a.tolist() for a in cache]
    batch, hidden = dh.shape
    features = len(W_x[0])
    up = dh.tolist()
    dx = [[0.0] * features for _ in range(batch)]
    dh_prev = [[0.0] * hidden for _ in range(batch)]
    dW_x = [[0.0] * features for _ in range(hidden)]
    dW_h = [[0.0] * hidden for _ in range(hidden)]
    db = [0.0] * hidden
    for n in range(batch):
        for i in range(hidden):
            dz = up[n][i] * (1.0 - h_t[n][i] ** 2)
            db[i] += dz
            for j in range(features):
                dx[n][j] += dz * W_x[i][j]
                dW_x[i][j] += dz * x_t[n][j]
            for j in range(hidden):
                dh_prev[n][j] += dz * W_h[i][j]
                dW_h[i][j] += dz * h_prev[n][j]
    return np.array(dx), np.array(dh_prev), np.array(dW_x), np.array(dW_h), np.array(db)


def rnn_backward(dh: np.ndarray, cache: Sequence) -> Gradients:
    """From the last step to the first."""
    x, h0, h, W_x, W_h = cache
    batch, time, hidden = dh.shape
    dx = np.zeros(x.shape)
    dW_x = np.zeros(W_x.shape)
    dW_h = np.zeros(W_h.shape)
    db = np.zeros(hidden)
    handed_back = np.zeros((batch, hidden))
    for t in range(time - 1, -1, -1):
        if t > 0:
            before = h[:, t - 1]
        else:
            before = h0
        arriving = dh[:, t] + handed_back
        dx_t, handed_back, dW_x_t, dW_h_t, db_t = rnn_step_backward(arriving, (x[:, t], before, h[:, t], W_x, W_h))
        dx[:, t] = dx_t
        dW_x += dW_x_t
        dW_h += dW_h_t
        db += db_t
    return dx, handed_back, dW_x, dW_h, db


def embedding_backward(d_out: np.ndarray, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    """Each place adds to the row that it was read from."""
    batch, time, d = d_out.shape
    dE = np.zeros((vocab_size, d))
    for n in range(batch):
        for t in range(time):
            row = ids[n, t]
            for j in range(d):
                dE[row, j] += d_out[n, t, j]
    return dE


def grad_check(f: Callable[[np.ndarray], float], x: np.ndarray, grad: np.ndarray, eps: float) -> float:
    """Central differences, one entry after another."""
    point = np.array(x, dtype=np.float64)
    largest = 0.0
    for place in np.ndindex(point.shape):
        original = point[place]
        point[place] = original + eps
        above = float(f(point))
        point[place] = original - eps
        below = float(f(point))
        point[place] = original
        numeric = (above - below) / (2 * eps)
        claimed = float(grad[place])
        error = abs(claimed - numeric) / max(abs(claimed) + abs(numeric), 1e-8)
        if math.isnan(error):
            return math.nan
        if error > largest:
            largest = error
    return largest


def truncated_bptt(
    x: np.ndarray, targets: np.ndarray, h0: np.ndarray, params: dict[str, np.ndarray], k: int
) -> tuple[float, dict[str, np.ndarray]]:
    """Forward over everything, then back through each window."""
    W_x, W_h, b, W_y, b_y = params["W_x"], params["W_h"], params["b"], params["W_y"], params["b_y"]
    batch, time = targets.shape
    hidden, vocab = W_h.shape[0], len(b_y)

    # forward
    h = np.zeros((batch, time, hidden))
    logits = np.zeros((batch, time, vocab))
    state = h0
    loss = 0.0
    for t in range(time):
        state = np.tanh(x[:, t] @ W_x.T + state @ W_h.T + b)
        h[:, t] = state
        logits[:, t] = state @ W_y.T + b_y
        for n in range(batch):
            scores = logits[n, t].tolist()
            top = max(scores)
            loss += top + math.log(sum(math.exp(s - top) for s in scores)) - scores[targets[n, t]]
    loss /= batch * time

    # backward
    grads = {}
    for name in params:
        grads[name] = np.zeros(params[name].shape)
    dlogits = loss_backward(logits, targets, np.ones((batch, time), dtype=bool))
    for n in range(batch):
        for t in range(time):
            grads["W_y"] += np.outer(dlogits[n, t], h[n, t])
            grads["b_y"] += dlogits[n, t]
    start = 0
    while start < time:
        end = min(start + k, time)
        before = h0 if start == 0 else h[:, start - 1]
        dh = dlogits[:, start:end] @ W_y
        _, _, dW_x, dW_h, db = rnn_backward(dh, (x[:, start:end], before, h[:, start:end], W_x, W_h))
        grads["W_x"] += dW_x
        grads["W_h"] += dW_h
        grads["b"] += db
        start = end
    return loss, grads


def clip_grad_norm(grads: dict[str, np.ndarray], max_norm: float) -> tuple[dict[str, np.ndarray], float]:
    """One length for all."""
    squares = 0.0
    for name in grads:
        for entry in np.ravel(grads[name]):
            squares += float(entry) ** 2
    norm = math.sqrt(squares)
    factor = 1.0
    if norm > max_norm:
        factor = max_norm / norm
    clipped = {}
    for name in grads:
        clipped[name] = grads[name] * factor
    return clipped, norm


def gradient_norms(dh_last: np.ndarray, cache: Sequence) -> np.ndarray:
    """Follow the gradient back and write down its length."""
    x, h0, h, W_x, W_h = cache
    batch, time, hidden = h.shape
    weights = W_h.tolist()
    gradient = dh_last.tolist()
    norms = np.zeros(time)
    for t in range(time - 1, -1, -1):
        norms[t] = math.sqrt(sum(g * g for row in gradient for g in row))
        states = h[:, t].tolist()
        earlier = [[0.0] * hidden for _ in range(batch)]
        for n in range(batch):
            for i in range(hidden):
                dz = gradient[n][i] * (1.0 - states[n][i] ** 2)
                for j in range(hidden):
                    earlier[n][j] += dz * weights[i][j]
        gradient = earlier
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
