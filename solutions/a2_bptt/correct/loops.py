"""Plain Python: one number at a time, lists where others return tuples."""

import math

import numpy as np


def loss_backward(logits, targets, mask):
    batch, time, vocab = logits.shape
    counted = sum(bool(m) for row in mask for m in row)
    dlogits = np.zeros(logits.shape)
    for i in range(batch):
        for t in range(time):
            if not mask[i][t]:
                continue
            largest = max(logits[i][t])
            raised = [math.exp(a - largest) for a in logits[i][t]]
            for v in range(vocab):
                dlogits[i][t][v] = (raised[v] / sum(raised) - (v == targets[i][t])) / counted
    return dlogits


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    batch, hidden = h_t.shape
    features = x_t.shape[1]
    dx, dh_prev = np.zeros(x_t.shape), np.zeros(h_prev.shape)
    dW_x, dW_h, db = np.zeros(W_x.shape), np.zeros(W_h.shape), np.zeros(hidden)
    for i in range(batch):
        for n in range(hidden):
            dz = dh[i][n] * (1 - h_t[i][n]) * (1 + h_t[i][n])
            db[n] += dz
            for f in range(features):
                dx[i][f] += dz * W_x[n][f]
                dW_x[n][f] += dz * x_t[i][f]
            for m in range(hidden):
                dh_prev[i][m] += dz * W_h[n][m]
                dW_h[n][m] += dz * h_prev[i][m]
    return [dx, dh_prev, dW_x, dW_h, db]


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    batch, time, _ = x.shape
    steps, flowing = [], 0 * h0
    for t in range(time - 1, -1, -1):
        before = h0 if t == 0 else h[:, t - 1]
        parts = rnn_step_backward(dh[:, t] + flowing, (x[:, t], before, h[:, t], W_x, W_h))
        flowing = parts[1]
        steps.insert(0, parts)
    dx = np.array([[steps[t][0][i] for t in range(time)] for i in range(batch)])
    return [dx, flowing, *(sum(step[n] for step in steps) for n in (2, 3, 4))]


def embedding_backward(d_out, ids, vocab_size):
    dE = [[0.0] * d_out.shape[-1] for _ in range(vocab_size)]
    for row, grads in zip(ids, d_out):
        for token, grad in zip(row, grads):
            for f, value in enumerate(grad):
                dE[token][f] += value
    return np.array(dE)


def grad_check(f, x, grad, eps):
    worst = 0.0
    for place in range(np.size(x)):
        shifted = []
        for sign in (1, -1):
            moved = np.array(x, dtype=float).ravel()
            moved[place] += sign * eps
            shifted.append(f(moved.reshape(np.shape(x))))
        n, g = (shifted[0] - shifted[1]) / (2 * eps), float(np.ravel(grad)[place])
        if math.isnan(g):
            return math.nan
        worst = max(worst, abs(g - n) / max(abs(g) + abs(n), 1e-8))
    return worst


def clip_grad_norm(grads, max_norm):
    norm = math.sqrt(sum(float(v) ** 2 for g in grads.values() for v in g.ravel()))
    if norm <= max_norm:
        return grads, norm
    return {name: g / (norm / max_norm) for name, g in grads.items()}, norm


def gradient_norms(dh_last, cache):
    _, _, h, _, W_h = cache
    batch, time, hidden = h.shape
    norms, flowing = [], [[float(v) for v in row] for row in dh_last]
    for t in range(time - 1, -1, -1):
        norms.append(math.sqrt(sum(v * v for row in flowing for v in row)))
        dz = [[flowing[i][n] * (1 - h[i][t][n] ** 2) for n in range(hidden)] for i in range(batch)]
        flowing = [[sum(dz[i][n] * W_h[n][m] for n in range(hidden)) for m in range(hidden)] for i in range(batch)]
    return np.array(norms[::-1])
