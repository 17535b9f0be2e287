"""Backpropagation through time: the gradients of an Elman RNN, by hand, in numpy.

My solution, step by step, with plain loops wherever they make it easier to read.
"""

from collections.abc import Callable

import math

import numpy as np

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Sequence = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


# ---------------------------------------------------------------- helpers


def softmax_of_one_position(scores: np.ndarray) -> np.ndarray:
    """Softmax of a single vector; the largest score is taken off first so that exp does not overflow."""
    shifted = scores - np.max(scores)
    exponentials = np.exp(shifted)
    return exponentials / np.sum(exponentials)


def log_prob_of_target(scores: np.ndarray, target: int) -> float:
    """log softmax(scores)[target]."""
    shifted = scores - np.max(scores)
    return float(shifted[target] - np.log(np.sum(np.exp(shifted))))


def one_step_forward(x_t, h_prev, W_x, W_h, b):
    """h_t for a whole batch."""
    z = x_t @ W_x.T + h_prev @ W_h.T + b
    return np.tanh(z)


# ---------------------------------------------------------------- exercises


def loss_backward(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    batch, time, vocab = logits.shape
    dlogits = np.zeros((batch, time, vocab))
    count = 0
    for n in range(batch):
        for t in range(time):
            if mask[n, t]:
                count += 1
                prediction = softmax_of_one_position(logits[n, t].astype(np.float64))
                prediction[targets[n, t]] -= 1.0
                dlogits[n, t] = prediction
    return dlogits / count


def rnn_step_backward(dh: np.ndarray, cache: Step) -> Gradients:
    x_t, h_prev, h_t, W_x, W_h = cache
    batch = dh.shape[0]

    # 1. through the tanh
    tanh_prime = 1.0 - h_t * h_t
    dz = dh * tanh_prime

    # 2. to the input and the state before
    dx = np.zeros(x_t.shape)
    dh_prev = np.zeros(h_prev.shape)
    for n in range(batch):
        dx[n] = W_x.T @ dz[n]
        dh_prev[n] = W_h.T @ dz[n]

    # 3. to the weights and the bias, where the rows of the batch add up
    dW_x = np.zeros(W_x.shape)
    dW_h = np.zeros(W_h.shape)
    db = np.zeros(W_h.shape[0])
    for n in range(batch):
        dW_x += np.outer(dz[n], x_t[n])
        dW_h += np.outer(dz[n], h_prev[n])
        db += dz[n]
    return dx, dh_prev, dW_x, dW_h, db


def rnn_backward(dh: np.ndarray, cache: Sequence) -> Gradients:
    x, h0, h, W_x, W_h = cache
    batch, time, hidden = h.shape

    dW_x = np.zeros(W_x.shape)
    dW_h = np.zeros(W_h.shape)
    db = np.zeros(hidden)
    dx_list = []
    dh_next = np.zeros((batch, hidden))

    for t in reversed(range(time)):
        if t == 0:
            h_prev = h0
        else:
            h_prev = h[:, t - 1]
        total = dh[:, t] + dh_next
        step_cache = (x[:, t], h_prev, h[:, t], W_x, W_h)
        dx_t, dh_next, dW_x_t, dW_h_t, db_t = rnn_step_backward(total, step_cache)
        dx_list.append(dx_t)
        dW_x += dW_x_t
        dW_h += dW_h_t
        db += db_t

    dx_list.reverse()
    dx = np.stack(dx_list, axis=1)
    dh0 = dh_next
    return dx, dh0, dW_x, dW_h, db


def embedding_backward(d_out: np.ndarray, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    batch, time, d = d_out.shape
    dE = np.zeros((vocab_size, d))
    for n in range(batch):
        for t in range(time):
            row = ids[n, t]
            dE[row] += d_out[n, t]
    return dE


def grad_check(f: Callable[[np.ndarray], float], x: np.ndarray, grad: np.ndarray, eps: float) -> float:
    x64 = np.array(x, dtype=np.float64)
    grad64 = np.array(grad, dtype=np.float64)
    errors = []
    for index in np.ndindex(x64.shape):
        # always a fresh copy, so nothing has to be put back
        plus = x64.copy()
        plus[index] += eps
        minus = x64.copy()
        minus[index] -= eps
        numerical = (float(f(plus)) - float(f(minus))) / (2.0 * eps)
        analytic = float(grad64[index])
        size = abs(analytic) + abs(numerical)
        error = abs(analytic - numerical) / max(size, 1e-8)
        if math.isnan(analytic):
            return float("nan")
        errors.append(error)
    return max(errors)


def truncated_bptt(
    x: np.ndarray, targets: np.ndarray, h0: np.ndarray, params: dict[str, np.ndarray], k: int
) -> tuple[float, dict[str, np.ndarray]]:
    W_x = params["W_x"]
    W_h = params["W_h"]
    b = params["b"]
    W_y = params["W_y"]
    b_y = params["b_y"]
    batch, time, features = x.shape
    number_of_targets = batch * time

    grads = {}
    for name in params:
        grads[name] = np.zeros(params[name].shape)

    loss = 0.0
    window_state = h0
    start = 0
    while start < time:
        end = min(start + k, time)
        length = end - start

        # forward through the window
        h = np.zeros((batch, length, W_h.shape[0]))
        state = window_state
        for t in range(length):
            state = one_step_forward(x[:, start + t], state, W_x, W_h, b)
            h[:, t] = state

        # loss and the gradient that each state gets from its own output
        dh = np.zeros(h.shape)
        for n in range(batch):
            for t in range(length):
                scores = W_y @ h[n, t] + b_y
                target = targets[n, start + t]
                loss -= log_prob_of_target(scores, target) / number_of_targets
                ds = softmax_of_one_position(scores)
                ds[target] -= 1.0
                ds = ds / number_of_targets
                grads["W_y"] += np.outer(ds, h[n, t])
                grads["b_y"] += ds
                dh[n, t] = W_y.T @ ds

        # backward through the window only
        window_cache = (x[:, start:end], window_state, h, W_x, W_h)
        _, _, dW_x, dW_h, db = rnn_backward(dh, window_cache)
        grads["W_x"] += dW_x
        grads["W_h"] += dW_h
        grads["b"] += db

        window_state = h[:, length - 1]
        start = end
    return loss, grads


def clip_grad_norm(grads: dict[str, np.ndarray], max_norm: float) -> tuple[dict[str, np.ndarray], float]:
    sum_of_squares = 0.0
    for name in grads:
        sum_of_squares += float(np.sum(grads[name] ** 2))
    norm = math.sqrt(sum_of_squares)

    clipped = {}
    for name in grads:
        if norm > max_norm:
            clipped[name] = grads[name] * (max_norm / norm)
        else:
            clipped[name] = grads[name].copy()
    return clipped, norm


def gradient_norms(dh_last: np.ndarray, cache: Sequence) -> np.ndarray:
    x, h0, h, W_x, W_h = cache
    time = h.shape[1]
    norms = []
    gradient = dh_last.copy()
    for t in reversed(range(time)):
        norms.append(math.sqrt(float(np.sum(gradient * gradient))))
        # from h[:, t] to h[:, t - 1]: through the step that made h[:, t]
        dz = gradient * (1.0 - h[:, t] ** 2)
        gradient = dz @ W_h
    norms.reverse()
    return np.array(norms)


def debugging_lab() -> dict[str, str]:
    answers = {"run_1": "c", "run_2": "a", "run_3": "b", "run_4": "d", "run_5": "b"}
    return answers


def quiz() -> dict[str, str]:
    answers = {
        "two_readers": "c",
        "orthogonal_weights": "a",
        "what_clipping_cannot": "b",
        "what_is_cut": "d",
        "what_is_left": "b",
        "shared_weight": "d",
        "clipped_array": "a",
        "central_difference": "c",
    }
    return answers
