"""Backpropagation through time with loops over rows, positions and entries."""

import math

import numpy as np


def probabilities(scores):
    """Softmax of one row of scores."""
    top = max(scores)
    exps = [math.exp(s - top) for s in scores]
    total = sum(exps)
    return np.array([e / total for e in exps])


def loss_backward(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    batch, time, vocab = logits.shape
    counted = 0
    for n in range(batch):
        for t in range(time):
            if mask[n, t]:
                counted += 1
    dlogits = np.zeros((batch, time, vocab))
    for n in range(batch):
        for t in range(time):
            if not mask[n, t]:
                continue
            p = probabilities(logits[n, t])
            p[targets[n, t]] -= 1.0
            dlogits[n, t] = p / counted
    return dlogits


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    batch = x_t.shape[0]
    dx = np.zeros((batch, W_x.shape[1]))
    dh_prev = np.zeros((batch, W_h.shape[1]))
    dW_x = np.zeros(W_x.shape)
    dW_h = np.zeros(W_h.shape)
    db = np.zeros(W_h.shape[0])
    for n in range(batch):
        dz = dh[n] * (1.0 - h_t[n] * h_t[n])
        dx[n] = W_x.T.dot(dz)
        dh_prev[n] = W_h.T.dot(dz)
        dW_x += np.outer(dz, x_t[n])
        dW_h += np.outer(dz, h_prev[n])
        db += dz
    return dx, dh_prev, dW_x, dW_h, db


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    batch, time, features = x.shape
    hidden = h0.shape[1]
    dx = np.zeros((batch, time, features))
    dW_x = np.zeros((hidden, features))
    dW_h = np.zeros((hidden, hidden))
    db = np.zeros(hidden)
    from_later = np.zeros((batch, hidden))
    t = time - 1
    while t >= 0:
        if t == 0:
            before = h0
        else:
            before = h[:, t - 1]
        total = dh[:, t] + from_later
        result = rnn_step_backward(total, (x[:, t], before, h[:, t], W_x, W_h))
        dx[:, t] = result[0]
        from_later = result[1]
        dW_x = dW_x + result[2]
        dW_h = dW_h + result[3]
        db = db + result[4]
        t -= 1
    return dx, from_later, dW_x, dW_h, db


def embedding_backward(d_out: np.ndarray, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    dE = np.zeros((vocab_size, d_out.shape[2]))
    for n in range(ids.shape[0]):
        for t in range(ids.shape[1]):
            dE[ids[n, t]] += d_out[n, t]
    return dE


def grad_check(f, x, grad, eps):
    point = np.asarray(x).astype(np.float64)
    shape = point.shape
    flat_point = point.reshape(-1)
    flat_grad = np.asarray(grad).astype(np.float64).reshape(-1)
    errors = []
    for i in range(flat_point.size):
        up = flat_point.copy()
        up[i] += eps
        down = flat_point.copy()
        down[i] -= eps
        slope = (f(up.reshape(shape)) - f(down.reshape(shape))) / (2.0 * eps)
        bottom = max(abs(flat_grad[i]) + abs(slope), 1e-8)
        errors.append(abs(flat_grad[i] - slope) / bottom)
    return float(np.max(np.array(errors)))


def forward_window(x, h_start, params):
    """The states of a window, (batch, steps, hidden)."""
    states = []
    h = h_start
    for t in range(x.shape[1]):
        z = np.dot(x[:, t], params["W_x"].T)
        z = z + np.dot(h, params["W_h"].T)
        z = z + params["b"]
        h = np.tanh(z)
        states.append(h)
    return np.stack(states, axis=1)


def truncated_bptt(x, targets, h0, params, k):
    batch, time, _ = x.shape
    count = batch * time
    total_loss = 0.0
    grads = {}
    for name in params:
        grads[name] = np.zeros(params[name].shape)

    state = h0
    start = 0
    while start < time:
        end = min(start + k, time)
        x_window = x[:, start:end]
        h = forward_window(x_window, state, params)
        dh = np.zeros(h.shape)
        for n in range(batch):
            for t in range(end - start):
                scores = params["W_y"] @ h[n, t] + params["b_y"]
                target = targets[n, start + t]
                top = scores.max()
                total_loss += top + math.log(np.sum(np.exp(scores - top))) - scores[target]
                d = probabilities(scores)
                d[target] -= 1.0
                d = d / count
                grads["W_y"] += np.outer(d, h[n, t])
                grads["b_y"] += d
                dh[n, t] = params["W_y"].T @ d
        back = rnn_backward(dh, (x_window, state, h, params["W_x"], params["W_h"]))
        grads["W_x"] += back[2]
        grads["W_h"] += back[3]
        grads["b"] += back[4]
        state = h[:, -1]
        start = end
    return total_loss / count, grads


def clip_grad_norm(grads, max_norm):
    squares = 0.0
    for name in grads:
        squares += float(np.sum(np.square(grads[name])))
    norm = math.sqrt(squares)
    clipped = {}
    for name in grads:
        if norm > max_norm:
            clipped[name] = grads[name] * max_norm / norm
        else:
            clipped[name] = grads[name].copy()
    return clipped, norm


def gradient_norms(dh_last, cache):
    _, _, h, _, W_h = cache
    gradient = dh_last
    lengths = [np.sqrt(np.sum(gradient**2))]
    for t in range(h.shape[1] - 1, 0, -1):
        dz = gradient * (1 - h[:, t] ** 2)
        gradient = np.dot(dz, W_h)
        lengths.append(np.sqrt(np.sum(gradient**2)))
    lengths.reverse()
    return np.array(lengths)


def quiz() -> dict[str, str]:
    answers = {
        "why_add_up": "b",
        "two_readers": "c",
        "why_vanish": "a",
        "orthogonal_weights": "d",
        "what_clipping_does": "c",
        "what_clipping_cannot": "b",
        "what_is_cut": "d",
        "why_central": "b",
    }
    return answers
