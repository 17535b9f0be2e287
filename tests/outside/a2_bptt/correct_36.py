"""BPTT, written row by row so that I can see what happens."""

from math import sqrt

import numpy as np


def softmax_row(s):
    e = np.exp(s - np.max(s))
    return e / np.sum(e)


def loss_backward(logits, targets, mask):
    B, T, V = logits.shape
    count = int(np.sum(mask))
    d = np.zeros((B, T, V))
    for n in range(B):
        for t in range(T):
            if mask[n, t]:
                d[n, t] = softmax_row(logits[n, t]) / count
                d[n, t, targets[n, t]] -= 1 / count
    return d


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    dx = np.zeros(x_t.shape)
    dh_prev = np.zeros(h_prev.shape)
    dW_x = np.zeros(W_x.shape)
    dW_h = np.zeros(W_h.shape)
    db = np.zeros(W_h.shape[0])
    for n in range(len(x_t)):
        dz = dh[n] * (1 - h_t[n] ** 2)
        dx[n] = W_x.T @ dz
        dh_prev[n] = W_h.T @ dz
        dW_x += np.outer(dz, x_t[n])
        dW_h += np.outer(dz, h_prev[n])
        db += dz
    return dx, dh_prev, dW_x, dW_h, db


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    time = x.shape[1]
    dx = np.zeros(x.shape)
    dW_x, dW_h, db = 0, 0, 0
    handed_back = np.zeros(h0.shape)
    for t in range(time - 1, -1, -1):
        before = h0 if t == 0 else h[:, t - 1]
        total = dh[:, t] + handed_back
        dx[:, t], handed_back, gx, gh, gb = rnn_step_backward(total, (x[:, t], before, h[:, t], W_x, W_h))
        dW_x = dW_x + gx
        dW_h = dW_h + gh
        db = db + gb
    return dx, handed_back, dW_x, dW_h, db


def embedding_backward(d_out, ids, vocab_size):
    one_hot = (np.asarray(ids)[..., None] == np.arange(vocab_size)).astype(float)
    return np.tensordot(one_hot, d_out, axes=([0, 1], [0, 1]))


def grad_check(f, x, grad, eps):
    errors = []
    for idx in np.ndindex(np.shape(x)):
        work = np.array(x, dtype=np.float64)
        start = work[idx]
        work[idx] = start + eps
        up = f(work)
        work[idx] = start - eps
        down = f(work)
        work[idx] = start
        n = (up - down) / (2 * eps)
        g = np.float64(grad[idx])
        errors.append(abs(g - n) / np.maximum(abs(g) + abs(n), 1e-8))
    return float(np.max(errors))


def forward(x, h0, W_x, W_h, b):
    h, states = h0, []
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ W_x.T + h @ W_h.T + b)
        states.append(h)
    return np.stack(states, axis=1)


def truncated_bptt(x, targets, h0, params, k):
    B, T = targets.shape
    W_x, W_h, b, W_y, b_y = (params[name] for name in ("W_x", "W_h", "b", "W_y", "b_y"))
    grads = {name: np.zeros(np.shape(p)) for name, p in params.items()}
    loss = 0.0
    state = h0
    for a in range(0, T, k):
        xs, ys = x[:, a : a + k], targets[:, a : a + k]
        h = forward(xs, state, W_x, W_h, b)
        logits = h @ W_y.T + b_y
        share = ys.size / (B * T)

        top = logits.max(-1, keepdims=True)
        logp = logits - top - np.log(np.exp(logits - top).sum(-1, keepdims=True))
        loss += share * -np.mean(np.take_along_axis(logp, ys[..., None], -1))

        dlogits = share * loss_backward(logits, ys, np.ones(ys.shape, dtype=bool))
        flat = dlogits.reshape(-1, dlogits.shape[-1])
        grads["W_y"] += flat.T @ h.reshape(-1, h.shape[-1])
        grads["b_y"] += flat.sum(0)
        _, _, gx, gh, gb = rnn_backward(dlogits @ W_y, (xs, state, h, W_x, W_h))
        grads["W_x"] += gx
        grads["W_h"] += gh
        grads["b"] += gb
        state = h[:, -1]
    return float(loss), grads


def clip_grad_norm(grads, max_norm):
    norm = sqrt(sum(float(np.sum(np.square(g))) for g in grads.values()))
    factor = max_norm / norm if norm > max_norm else 1.0
    clipped = {}
    for name in grads:
        clipped[name] = grads[name] * factor
    return clipped, norm


def gradient_norms(dh_last, cache):
    x, h0, h, W_x, W_h = cache
    g = dh_last
    norms = [np.linalg.norm(g)]
    for t in range(h.shape[1] - 1, 0, -1):
        g = (g * (1 - h[:, t] ** 2)) @ W_h
        norms.append(np.linalg.norm(g))
    return np.array(norms[::-1])


def debugging_lab():
    answers = {"run_1": "c", "run_2": "a", "run_3": "b", "run_4": "d", "run_5": "b"}
    return answers


def quiz():
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
