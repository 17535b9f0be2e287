"""Backpropagation through time, matrices all the way."""

import numpy as np


def softmax(z):
    z = z - z.max(axis=-1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


def loss_backward(logits, targets, mask):
    dlogits = softmax(logits)
    b, t = np.indices(targets.shape)
    dlogits[b, t, targets] -= 1
    dlogits = dlogits * mask[..., None]
    return dlogits / mask.sum()


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = dh * (1 - h_t**2)
    dx = dz @ W_x
    dh_prev = dz @ W_h
    dW_x = dz.T @ x_t
    dW_h = dz.T @ h_prev
    db = dz.sum(axis=0)
    return dx, dh_prev, dW_x, dW_h, db


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    batch, time, features = x.shape
    dx = np.zeros((batch, time, features))
    dW_x = np.zeros(W_x.shape)
    dW_h = np.zeros(W_h.shape)
    db = np.zeros(W_h.shape[0])
    dh_next = np.zeros(h0.shape)
    for t in reversed(range(time)):
        h_prev = h0 if t == 0 else h[:, t - 1]
        step = (x[:, t], h_prev, h[:, t], W_x, W_h)
        dx_t, dh_next, dW_x_t, dW_h_t, db_t = rnn_step_backward(dh[:, t] + dh_next, step)
        dx[:, t] = dx_t
        dW_x += dW_x_t
        dW_h += dW_h_t
        db += db_t
    return dx, dh_next, dW_x, dW_h, db


def embedding_backward(d_out, ids, vocab_size):
    dE = np.zeros((vocab_size, d_out.shape[-1]))
    np.add.at(dE, ids, d_out)
    return dE


def grad_check(f, x, grad, eps):
    x = np.array(x, dtype=np.float64)
    worst = 0.0
    for i in np.ndindex(x.shape):
        old = x[i]
        x[i] = old + eps
        plus = f(x)
        x[i] = old - eps
        minus = f(x)
        x[i] = old
        n = (plus - minus) / (2 * eps)
        g = float(grad[i])
        if np.isnan(g):
            return float("nan")
        error = abs(g - n) / max(abs(g) + abs(n), 1e-8)
        worst = max(worst, error)
    return worst


def forward(x, h0, params):
    h = np.zeros((x.shape[0], x.shape[1], h0.shape[1]))
    state = h0
    for t in range(x.shape[1]):
        state = np.tanh(x[:, t] @ params["W_x"].T + state @ params["W_h"].T + params["b"])
        h[:, t] = state
    return h


def truncated_bptt(x, targets, h0, params, k):
    batch, time = targets.shape
    count = batch * time
    grads = {name: np.zeros(np.shape(p)) for name, p in params.items()}
    loss = 0.0
    state = h0
    for start in range(0, time, k):
        x_w = x[:, start : start + k]
        y_w = targets[:, start : start + k]
        h = forward(x_w, state, params)
        logits = h @ params["W_y"].T + params["b_y"]
        z = logits - logits.max(-1, keepdims=True)
        logp = z - np.log(np.exp(z).sum(-1, keepdims=True))
        loss -= np.take_along_axis(logp, y_w[..., None], -1).sum() / count
        # loss_backward divides by the targets of the window
        dlogits = loss_backward(logits, y_w, np.ones(y_w.shape, bool)) * y_w.size / count
        grads["W_y"] += np.einsum("btv,bth->vh", dlogits, h)
        grads["b_y"] += dlogits.sum((0, 1))
        dh = dlogits @ params["W_y"]
        _, _, dW_x, dW_h, db = rnn_backward(dh, (x_w, state, h, params["W_x"], params["W_h"]))
        grads["W_x"] += dW_x
        grads["W_h"] += dW_h
        grads["b"] += db
        state = h[:, -1]
    return float(loss), grads


def clip_grad_norm(grads, max_norm):
    norm = np.sqrt(sum((g**2).sum() for g in grads.values()))
    if norm > max_norm:
        return {name: g * (max_norm / norm) for name, g in grads.items()}, float(norm)
    return {name: g.copy() for name, g in grads.items()}, float(norm)


def gradient_norms(dh_last, cache):
    x, h0, h, W_x, W_h = cache
    time = h.shape[1]
    norms = np.zeros(time)
    g = dh_last
    for t in range(time - 1, -1, -1):
        norms[t] = np.sqrt((g**2).sum())
        g = (g * (1 - h[:, t] ** 2)) @ W_h
    return norms


def debugging_lab():
    return {"run_1": "c", "run_2": "a", "run_3": "b", "run_4": "d", "run_5": "b"}


def quiz():
    return {
        "two_readers": "c",
        "orthogonal_weights": "a",
        "what_clipping_cannot": "b",
        "what_is_cut": "d",
        "what_is_left": "b",
        "shared_weight": "a",
        "clipped_array": "a",
        "central_difference": "a",
    }
