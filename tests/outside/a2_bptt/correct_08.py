"""One sequence and one number at a time. Slow, but I understand it."""
import math

import numpy as np


def loss_backward(logits, targets, mask):
    batch, time, vocab = logits.shape
    out = np.zeros((batch, time, vocab))
    n_real = 0
    for i in range(batch):
        for t in range(time):
            if mask[i][t]:
                n_real += 1
    for i in range(batch):
        for t in range(time):
            if not mask[i, t]:
                continue
            top = logits[i, t].max()
            e = [math.exp(s - top) for s in logits[i, t]]
            total = sum(e)
            for v in range(vocab):
                p = e[v] / total
                hit = 1.0 if v == targets[i, t] else 0.0
                out[i, t, v] = (p - hit) / n_real
    return out


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    batch, hidden = dh.shape
    features = x_t.shape[1]
    dx = np.zeros((batch, features))
    dh_prev = np.zeros((batch, hidden))
    dW_x = np.zeros((hidden, features))
    dW_h = np.zeros((hidden, hidden))
    db = np.zeros(hidden)
    for n in range(batch):
        for j in range(hidden):
            dz = dh[n, j] * (1 - h_t[n, j] * h_t[n, j])
            db[j] += dz
            for i in range(features):
                dW_x[j, i] += dz * x_t[n, i]
                dx[n, i] += dz * W_x[j, i]
            for i in range(hidden):
                dW_h[j, i] += dz * h_prev[n, i]
                dh_prev[n, i] += dz * W_h[j, i]
    return dx, dh_prev, dW_x, dW_h, db


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    time = x.shape[1]
    # put h0 in front so that states[t] is the one before step t
    states = [h0] + [h[:, t] for t in range(time)]
    handed_back = np.zeros_like(h0, dtype=float)
    dxs = []
    sums = None
    t = time - 1
    while t >= 0:
        total = dh[:, t] + handed_back
        dx, handed_back, *weights = rnn_step_backward(total, (x[:, t], states[t], states[t + 1], W_x, W_h))
        dxs.insert(0, dx)
        if sums is None:
            sums = weights
        else:
            sums = [a + b for a, b in zip(sums, weights)]
        t -= 1
    return (np.stack(dxs, axis=1), handed_back, sums[0], sums[1], sums[2])


def embedding_backward(d_out, ids, vocab_size):
    dE = np.zeros((vocab_size, d_out.shape[2]))
    for i in range(ids.shape[0]):
        for t in range(ids.shape[1]):
            dE[ids[i, t]] += d_out[i, t]
    return dE


def grad_check(f, x, grad, eps):
    errors = []
    flat_grad = np.asarray(grad, dtype=float).ravel()
    for i in range(x.size):
        plus = x.astype(np.float64).copy()
        minus = x.astype(np.float64).copy()
        plus.flat[i] += eps
        minus.flat[i] -= eps
        numeric = (f(plus) - f(minus)) / (2 * eps)
        top = abs(flat_grad[i] - numeric)
        bottom = abs(flat_grad[i]) + abs(numeric)
        if bottom < 1e-8:
            bottom = 1e-8
        errors.append(top / bottom)
    return float(np.max(errors))


def truncated_bptt(x, targets, h0, params, k):
    W_x, W_h, b, W_y, b_y = (params[name] for name in ("W_x", "W_h", "b", "W_y", "b_y"))
    batch, time, _ = x.shape
    total = {name: 0.0 * value for name, value in params.items()}
    loss = 0.0

    # forward pass of the whole text, the windows change nothing about it
    states = np.zeros((batch, time + 1, len(b)))
    states[:, 0] = h0
    for t in range(time):
        states[:, t + 1] = np.tanh(x[:, t] @ W_x.T + states[:, t] @ W_h.T + b)
    logits = states[:, 1:] @ W_y.T + b_y
    for i in range(batch):
        for t in range(time):
            row = logits[i, t] - logits[i, t].max()
            loss += (math.log(np.exp(row).sum()) - row[targets[i, t]]) / (batch * time)
    dlogits = loss_backward(logits, targets, np.full(targets.shape, True))

    start = 0
    while start < time:
        end = min(start + k, time)
        h = states[:, start + 1 : end + 1]
        d = dlogits[:, start:end]
        dh = np.zeros(h.shape)
        for t in range(end - start):
            total["W_y"] = total["W_y"] + d[:, t].T @ h[:, t]
            total["b_y"] = total["b_y"] + d[:, t].sum(axis=0)
            dh[:, t] = d[:, t] @ W_y
        result = rnn_backward(dh, (x[:, start:end], states[:, start], h, W_x, W_h))
        total["W_x"] = total["W_x"] + result[2]
        total["W_h"] = total["W_h"] + result[3]
        total["b"] = total["b"] + result[4]
        start = end
    return loss, total


def clip_grad_norm(grads, max_norm):
    squares = 0.0
    for name in grads:
        for g in grads[name].flat:
            squares += g * g
    norm = math.sqrt(squares)
    clipped = {}
    for name in grads:
        if norm > max_norm:
            clipped[name] = grads[name] * max_norm / norm
        else:
            clipped[name] = grads[name]
    return clipped, norm


def gradient_norms(dh_last, cache):
    x, h0, h, W_x, W_h = cache
    g = dh_last
    norms = [np.linalg.norm(g)]
    for t in range(h.shape[1] - 1, 0, -1):
        g = rnn_step_backward(g, (x[:, t], h[:, t - 1], h[:, t], W_x, W_h))[1]
        norms.append(np.linalg.norm(g))
    norms.reverse()
    return np.array(norms)


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
        "shared_weight": "b",
        "clipped_array": "b",
        "central_difference": "b",
    }
    return answers
