"""Works in single precision throughout, and returns it; the gradient check, which must not, stays as it is."""

import numpy as np


def _single(*arrays):
    return tuple(np.asarray(a, dtype=np.float32) for a in arrays)


def loss_backward(logits, targets, mask):
    (logits,) = _single(logits)
    dlogits = np.exp(logits - logits.max(axis=-1, keepdims=True))
    dlogits /= dlogits.sum(axis=-1, keepdims=True)
    np.put_along_axis(
        dlogits, targets[..., None], np.take_along_axis(dlogits, targets[..., None], axis=-1) - np.float32(1), axis=-1
    )
    return np.where(mask[..., None], dlogits, np.float32(0)) / np.float32(mask.sum())


def rnn_step_backward(dh, cache):
    dh, x_t, h_prev, h_t, W_x, W_h = _single(dh, *cache)
    dz = dh * (1 - h_t**2)
    return dz @ W_x, dz @ W_h, dz.T @ x_t, dz.T @ h_prev, dz.sum(axis=0)


def rnn_backward(dh, cache):
    dh, x, h0, h, W_x, W_h = _single(dh, *cache)
    dx, flowing = np.empty_like(x), np.zeros_like(h0)
    dW_x, dW_h, db = np.zeros_like(W_x), np.zeros_like(W_h), np.zeros_like(W_h[0])
    for t in reversed(range(x.shape[1])):
        before = h0 if t == 0 else h[:, t - 1]
        step = rnn_step_backward(dh[:, t] + flowing, (x[:, t], before, h[:, t], W_x, W_h))
        dx[:, t], flowing = step[:2]
        dW_x, dW_h, db = dW_x + step[2], dW_h + step[3], db + step[4]
    return dx, flowing, dW_x, dW_h, db


def embedding_backward(d_out, ids, vocab_size):
    dE = np.zeros((vocab_size, d_out.shape[-1]), dtype=np.float32)
    for token in range(vocab_size):
        dE[token] = d_out[ids == token].astype(np.float32).sum(axis=0)
    return dE


def truncated_bptt(x, targets, h0, params, k):
    x, state = _single(x, h0)
    params = {name: value.astype(np.float32) for name, value in params.items()}
    grads = {name: np.zeros_like(value) for name, value in params.items()}
    loss, done = np.float32(0), 0
    while done < targets.shape[1]:
        x_now, targets_now = x[:, done : done + k], targets[:, done : done + k]
        h = np.empty((*targets_now.shape, len(params["b"])), dtype=np.float32)
        before = state
        for t in range(h.shape[1]):
            state = h[:, t] = np.tanh(x_now[:, t] @ params["W_x"].T + state @ params["W_h"].T + params["b"])
        logits = h @ params["W_y"].T + params["b_y"]
        shifted = logits - logits.max(axis=-1, keepdims=True)
        log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
        loss = loss - np.take_along_axis(log_probs, targets_now[..., None], axis=-1).sum()
        dlogits = loss_backward(logits, targets_now, np.ones(targets_now.shape, bool)) * np.float32(targets_now.size)
        _, _, dW_x, dW_h, db = rnn_backward(dlogits @ params["W_y"], (x_now, before, h, params["W_x"], params["W_h"]))
        for name, grad in zip(("W_x", "W_h", "b"), (dW_x, dW_h, db)):
            grads[name] += grad
        grads["W_y"] += np.swapaxes(dlogits.reshape(-1, dlogits.shape[-1]), 0, 1) @ h.reshape(-1, h.shape[-1])
        grads["b_y"] += dlogits.sum(axis=0).sum(axis=0)
        done += k
    return loss / np.float32(targets.size), {name: g / np.float32(targets.size) for name, g in grads.items()}


def clip_grad_norm(grads, max_norm):
    singles = {name: g.astype(np.float32) for name, g in grads.items()}
    norm = np.linalg.norm([np.linalg.norm(g) for g in singles.values()])
    return {name: g * np.float32(max_norm / max(norm, max_norm)) for name, g in singles.items()}, norm


def gradient_norms(dh_last, cache):
    flowing, _, _, h, _, W_h = _single(dh_last, *cache)
    norms = np.empty(h.shape[1], dtype=np.float32)
    for t in range(h.shape[1])[::-1]:
        norms[t] = np.linalg.norm(flowing)
        flowing = ((1 - h[:, t] ** 2) * flowing) @ W_h
    return norms
