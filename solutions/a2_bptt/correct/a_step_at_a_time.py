"""Each step has a variable, as in code that is written and looked at line by line."""

import numpy as np


def loss_backward(logits, targets, mask):
    lowered = logits - logits.max(axis=-1, keepdims=True)
    e = np.exp(lowered)
    totals = e.sum(axis=-1, keepdims=True)
    probs = e / totals
    one_hot = np.eye(logits.shape[-1])[targets]
    of_each = probs - one_hot
    masked = of_each * mask[..., None]
    return masked / mask.sum()


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    slope = 1 - h_t**2
    dz = dh * slope
    dx, dh_prev = dz @ W_x, dz @ W_h
    dW_x, dW_h = dz.T @ x_t, dz.T @ h_prev
    db = dz.sum(axis=0)
    return dx, dh_prev, dW_x, dW_h, db


def grad_check(f, x, grad, eps):
    slopes = []
    for index in np.ndindex(x.shape):
        up, down = np.array(x, dtype=float), np.array(x, dtype=float)
        up[index] += eps
        down[index] -= eps
        slopes.append((f(up) - f(down)) / (2 * eps))
    numeric = np.reshape(slopes, x.shape)
    apart = np.abs(grad - numeric)
    sizes = np.abs(grad) + np.abs(numeric)
    errors = apart / np.maximum(sizes, 1e-8)
    return float(errors.max())


def clip_grad_norm(grads, max_norm):
    of_each = {name: np.sqrt((g**2).sum()) for name, g in grads.items()}
    squares = sum(n**2 for n in of_each.values())
    norm = np.sqrt(squares)
    factor = min(1.0, max_norm / norm) if norm > 0 else 1.0
    return {name: factor * g for name, g in grads.items()}, float(norm)


def gradient_norms(dh_last, cache):
    x, _h0, h, W_x, W_h = cache
    flowing = [dh_last]
    for t in range(h.shape[1] - 1, 0, -1):
        step = (x[:, t], h[:, t - 1], h[:, t], W_x, W_h)
        flowing.append(rnn_step_backward(flowing[-1], step)[1])
    gradients = np.stack(flowing[::-1], axis=1)
    squares = gradients**2
    totals = squares.sum(axis=(0, 2))
    return np.sqrt(totals)
