"""Saves memory by working in place, on arrays of its own."""

import numpy as np


def softmax(x, axis=-1):
    out = np.array(x, dtype=float)
    out -= np.max(out, axis=axis, keepdims=True)
    np.exp(out, out=out)
    out /= np.sum(out, axis=axis, keepdims=True)
    return out


def rnn_step(x_t, h_prev, W_x, W_h, b):
    h_t = np.matmul(x_t, W_x.transpose())
    h_t += np.matmul(h_prev, W_h.transpose())
    h_t += b
    return np.tanh(h_t, out=h_t)


def rnn_forward(x, h0, W_x, W_h, b):
    h = h0.copy()
    out = x @ W_x.T
    for t in range(out.shape[1]):
        out[:, t] += h @ W_h.T + b
        np.tanh(out[:, t], out=out[:, t])
        h[...] = out[:, t]
    return out


def next_token_loss(logits, targets, mask):
    logits = logits.copy()
    logits -= logits.max(axis=-1, keepdims=True)
    loss = np.log(np.exp(logits).sum(axis=-1))
    loss -= logits[np.arange(len(logits))[:, None], np.arange(logits.shape[1]), targets]
    loss *= mask
    return loss.sum() / np.count_nonzero(mask)


def sequence_log_prob(logits, ids):
    flat = logits.reshape(-1, logits.shape[-1]).copy()
    flat -= flat.max(axis=-1, keepdims=True)
    picked = flat[np.arange(len(flat)), ids.ravel()]
    picked -= np.log(np.exp(flat, out=flat).sum(axis=-1))
    return picked.reshape(ids.shape).sum(axis=-1)


def classify_sequence(x, h0, lengths, params):
    h = h0.copy()
    for t in range(int(lengths.max())):
        alive = np.flatnonzero(lengths > t)
        h[alive] = rnn_step(x[alive, t], h[alive], params["W_x"], params["W_h"], params["b"])
    return output_probs(h, params["W_y"], params["b_y"])


def generate(h0, first_id, n, params, uniforms):
    W_x, W_h, b, W_y, b_y = (params[key] for key in ("W_x", "W_h", "b", "W_y", "b_y"))
    h, ids = h0.copy(), np.empty(n, dtype=int)
    token = first_id
    for t in range(n):
        h[:] = np.tanh(W_x[:, token] + W_h @ h + b)
        weights = softmax(W_y @ h + b_y)
        left = uniforms[t]
        token = 0
        while token < len(weights) - 1 and left >= weights[token]:
            left -= weights[token]
            token += 1
        ids[t] = token
    return ids
