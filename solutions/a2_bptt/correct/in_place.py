"""Saves memory by working in place, on arrays of its own or on ones it puts back."""

import numpy as np


def loss_backward(logits, targets, mask):
    grad = np.array(logits)
    grad -= np.max(grad, axis=2, keepdims=True)
    np.exp(grad, out=grad)
    grad /= np.sum(grad, axis=2, keepdims=True)
    rows, steps = np.indices(targets.shape)
    grad[rows, steps, targets] -= 1.0
    grad[~mask] = 0.0
    grad /= mask.sum()
    return grad


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = np.square(h_t)
    np.subtract(1, dz, out=dz)
    dz *= dh
    return dz @ W_x, dz @ W_h, np.dot(x_t.T, dz).T, np.dot(h_prev.T, dz).T, np.add.reduce(dz)


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    dz = dh.copy()
    slope = 1 - h**2
    for t in range(h.shape[1] - 1, 0, -1):
        dz[:, t] *= slope[:, t]
        dz[:, t - 1] += dz[:, t] @ W_h
    dz[:, 0] *= slope[:, 0]
    dW_h = dz[:, 0].T @ h0
    for t in range(1, h.shape[1]):
        dW_h += dz[:, t].T @ h[:, t - 1]
    return dz @ W_x, dz[:, 0] @ W_h, sum(d.T @ a for d, a in zip(dz, x)), dW_h, dz.sum((0, 1))


def embedding_backward(d_out, ids, vocab_size):
    dE = np.zeros((vocab_size, d_out.shape[2]))
    for i in range(ids.shape[0]):
        for t in range(ids.shape[1]):
            dE[ids[i, t]] += d_out[i, t]
    return dE


def grad_check(f, x, grad, eps):
    if x.dtype != np.float64:
        x = x.astype(np.float64)
    numeric = np.zeros_like(x)
    it = np.nditer(x, flags=["multi_index"], op_flags=["readwrite"])
    while not it.finished:
        place = it.multi_index
        x[place] += eps
        numeric[place] = f(x)
        x[place] -= 2 * eps
        numeric[place] -= f(x)
        x[place] += eps
        it.iternext()
    numeric /= 2 * eps
    return np.max(np.abs(grad - numeric) / np.maximum(1e-8, np.abs(grad) + np.abs(numeric)))


def clip_grad_norm(grads, max_norm):
    clipped = {name: g.copy() for name, g in grads.items()}
    norm = 0.0
    for g in clipped.values():
        norm += np.vdot(g, g)
    norm **= 0.5
    if norm > max_norm:
        for g in clipped.values():
            np.multiply(g, max_norm / norm, out=g)
    return clipped, norm


def gradient_norms(dh_last, cache):
    _, _, h, _, W_h = cache
    flowing = dh_last.copy()
    norms = np.zeros(h.shape[1])
    norms[-1] = np.linalg.norm(flowing)
    for t in range(h.shape[1] - 1, 0, -1):
        flowing *= 1 - h[:, t] ** 2
        flowing[:] = flowing @ W_h
        norms[t - 1] = np.linalg.norm(flowing)
    return norms
