"""Backpropagation through time, vectorised."""

import numpy as np


def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def loss_backward(logits, targets, mask):
    p = softmax(np.asarray(logits, dtype=np.float64))
    onehot = np.eye(logits.shape[-1])[targets]
    return (p - onehot) * mask[..., None] / mask.sum()


def rnn_step_backward(dh, cache):
    x, h_prev, h, W_x, W_h = cache
    dz = dh * (1 - h**2)
    return dz @ W_x, dz @ W_h, dz.T @ x, dz.T @ h_prev, dz.sum(axis=0)


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)
    dz = np.zeros(h.shape)
    dh_next = np.zeros(h0.shape)
    for t in range(h.shape[1] - 1, -1, -1):
        dz[:, t] = (dh[:, t] + dh_next) * (1 - h[:, t] ** 2)
        dh_next = dz[:, t] @ W_h
    dx = dz @ W_x
    dW_x = np.einsum("bth,btf->hf", dz, x)
    dW_h = np.einsum("bth,btg->hg", dz, before)
    db = dz.sum(axis=(0, 1))
    return dx, dh_next, dW_x, dW_h, db


def embedding_backward(d_out, ids, vocab_size):
    dE = np.zeros((vocab_size, d_out.shape[-1]))
    np.add.at(dE, ids, d_out)
    return dE


def grad_check(f, x, grad, eps):
    y = np.array(x, dtype=np.float64)
    g = np.asarray(grad, dtype=np.float64)
    n = np.zeros(y.shape)
    for i in np.ndindex(y.shape):
        old = y[i]
        y[i] = old + eps
        up = f(y)
        y[i] = old - eps
        down = f(y)
        y[i] = old
        n[i] = (up - down) / (2 * eps)
    error = np.abs(g - n) / np.maximum(np.abs(g) + np.abs(n), 1e-8)
    return float(error.max())


def rnn_forward(x, h0, W_x, W_h, b):
    hs, h = [], h0
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ W_x.T + h @ W_h.T + b)
        hs.append(h)
    return np.stack(hs, axis=1)


def truncated_bptt(x, targets, h0, params, k):
    W_x, W_h, b, W_y, b_y = (params[name] for name in ("W_x", "W_h", "b", "W_y", "b_y"))
    grads = {name: np.zeros(p.shape) for name, p in params.items()}
    loss, state = 0.0, h0
    for a in range(0, x.shape[1], k):
        xw, tw = x[:, a : a + k], targets[:, a : a + k]
        h = rnn_forward(xw, state, W_x, W_h, b)
        logits = h @ W_y.T + b_y
        share = tw.size / targets.size
        p = softmax(logits)
        m = logits.max(axis=-1, keepdims=True)
        logp = logits - m - np.log(np.exp(logits - m).sum(axis=-1, keepdims=True))
        loss -= share * np.take_along_axis(logp, tw[..., None], axis=-1).mean()
        ds = share * (p - np.eye(len(b_y))[tw]) / tw.size
        _, _, dW_x, dW_h, db = rnn_backward(ds @ W_y, (xw, state, h, W_x, W_h))
        grads["W_x"] += dW_x
        grads["W_h"] += dW_h
        grads["b"] += db
        grads["W_y"] += np.einsum("btv,bth->vh", ds, h)
        grads["b_y"] += ds.sum(axis=(0, 1))
        state = h[:, -1]
    return float(loss), grads


def clip_grad_norm(grads, max_norm):
    norm = float(np.sqrt(sum((g**2).sum() for g in grads.values())))
    scale = max_norm / norm if norm > max_norm else 1.0
    return {name: g * scale for name, g in grads.items()}, norm


def gradient_norms(dh_last, cache):
    x, h0, h, W_x, W_h = cache
    T = h.shape[1]
    norms, g = np.zeros(T), dh_last
    norms[-1] = np.linalg.norm(g)
    for t in range(T - 1, 0, -1):
        g = (g * (1 - h[:, t] ** 2)) @ W_h
        norms[t - 1] = np.linalg.norm(g)
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
        "shared_weight": "d",
        "clipped_array": "a",
        "central_difference": "c",
    }
