"""Time first inside, column vectors and dicts of states by step, as in the best-known minimal character models."""

import numpy as np


def _columns(x, h0, h):
    """Return the inputs by step and the states by step, -1 for the first one; a column for each sequence."""
    xs = dict(enumerate(np.transpose(x, (1, 2, 0))))
    hs = dict(enumerate(np.transpose(h, (1, 2, 0))))
    hs[-1] = h0.T
    return xs, hs


def rnn_backward(dh, cache):
    x, h0, h, Wxh, Whh = cache
    xs, hs = _columns(x, h0, h)
    dWxh, dWhh, dbh = np.zeros_like(Wxh), np.zeros_like(Whh), np.zeros((Whh.shape[0], 1))
    dhnext = np.zeros_like(hs[-1])
    dxs = [None] * len(xs)
    for t in reversed(range(len(xs))):
        dhraw = (1 - hs[t] * hs[t]) * (dh[:, t].T + dhnext)
        dbh += dhraw.sum(axis=1, keepdims=True)
        dWxh += np.dot(dhraw, xs[t].T)
        dWhh += np.dot(dhraw, hs[t - 1].T)
        dxs[t] = np.dot(Wxh.T, dhraw)
        dhnext = np.dot(Whh.T, dhraw)
    return np.transpose(np.array(dxs), (2, 0, 1)), dhnext.T, dWxh, dWhh, dbh.ravel()


def truncated_bptt(x, targets, h0, params, k):
    Wxh, Whh, bh = params["W_x"], params["W_h"], params["b"][:, None]
    Why, by = params["W_y"], params["b_y"][:, None]
    batch, time = targets.shape
    grads = {name: np.zeros_like(value) for name, value in params.items()}
    loss, carried = 0, h0.T
    for start in range(0, time, k):
        steps = range(start, min(start + k, time))
        hs, ps = {start - 1: np.copy(carried)}, {}
        for t in steps:
            hs[t] = np.tanh(np.dot(Wxh, x[:, t].T) + np.dot(Whh, hs[t - 1]) + bh)
            ys = np.dot(Why, hs[t]) + by
            ps[t] = np.exp(ys) / np.sum(np.exp(ys), axis=0)
            loss += -np.log(ps[t][targets[:, t], np.arange(batch)]).sum()
        dhnext = np.zeros_like(carried)
        for t in reversed(steps):
            dy = np.copy(ps[t])
            dy[targets[:, t], np.arange(batch)] -= 1
            dh = np.dot(Why.T, dy) + dhnext
            dhraw = (1 - hs[t] * hs[t]) * dh
            grads["W_y"] += np.dot(dy, hs[t].T)
            grads["b_y"] += dy.sum(axis=1)
            grads["W_x"] += np.dot(dhraw, x[:, t])
            grads["W_h"] += np.dot(dhraw, hs[t - 1].T)
            grads["b"] += dhraw.sum(axis=1)
            dhnext = np.dot(Whh.T, dhraw)
        carried = hs[steps[-1]]
    return loss / targets.size, {name: g / targets.size for name, g in grads.items()}


def gradient_norms(dh_last, cache):
    x, h0, h, _, Whh = cache
    _, hs = _columns(x, h0, h)
    dhs = {h.shape[1] - 1: dh_last.T}
    for t in range(h.shape[1] - 1, 0, -1):
        dhs[t - 1] = Whh.T @ ((1 - hs[t] ** 2) * dhs[t])
    return np.array([np.linalg.norm(dhs[t]) for t in range(h.shape[1])])
