"""Time first inside, the input projected for all steps at once, and results turned round at the end."""

import numpy as np


def rnn_step(x_t, h_prev, W_x, W_h, b):
    return np.tanh((W_x @ x_t.T + W_h @ h_prev.T).T + b)


def rnn_forward(x, h0, W_x, W_h, b):
    projected = np.dot(x.transpose(1, 0, 2), W_x.T) + b
    states = np.zeros((len(projected) + 1, *h0.shape))
    states[0] = h0
    for t, projected_t in enumerate(projected, start=1):
        states[t] = np.tanh(projected_t + np.dot(states[t - 1], W_h.T))
    return states[1:].transpose(1, 0, 2)


def output_probs(h, W_y, b_y):
    logits = np.dot(h, W_y.T) + b_y
    raised = np.exp(logits - np.amax(logits, axis=-1)[..., np.newaxis])
    return raised / np.sum(raised, axis=-1)[..., np.newaxis]


def next_token_loss(logits, targets, mask):
    flat, ids, keep = logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), mask.reshape(-1)
    flat = flat[keep] - flat[keep].max(axis=1, keepdims=True)
    log_sums = np.log(np.exp(flat).sum(axis=1))
    return np.mean(log_sums - flat[np.arange(len(flat)), ids[keep]])


def sequence_log_prob(logits, ids):
    by_time = np.moveaxis(logits, -2, 0)
    total = np.zeros(ids.shape[:-1])
    by_time = by_time - by_time.max(axis=-1, keepdims=True)
    for z, token in zip(by_time, np.moveaxis(ids, -1, 0)):
        right = (z * (np.arange(z.shape[-1]) == token[..., None])).sum(axis=-1)
        total = total + right - np.log(np.exp(z).sum(axis=-1))
    return total


def classify_sequence(x, h0, lengths, params):
    states = rnn_forward(x, h0, params["W_x"], params["W_h"], params["b"]).transpose(1, 0, 2)
    last = np.array([states[length - 1, row] for row, length in enumerate(lengths)])
    return output_probs(last, params["W_y"], params["b_y"])


def generate(h0, first_id, n, params, uniforms):
    h, x = h0[:, None], np.zeros((params["W_x"].shape[1], 1))
    x[first_id] = 1
    ids = []
    for t in range(n):
        h = np.tanh(params["W_x"] @ x + params["W_h"] @ h + params["b"][:, None])
        z = params["W_y"] @ h + params["b_y"][:, None]
        p = np.exp(z) / np.sum(np.exp(z))
        ix = int((np.cumsum(p.ravel()) <= uniforms[t]).sum())
        x = np.zeros_like(x)
        x[ix] = 1
        ids.append(ix)
    return np.array(ids)


def caption(image, W_i, params, bos, eos, max_len):
    h, ids = np.tanh(W_i @ image[:, None]), np.full(max_len, eos)
    ix = bos
    for t in range(max_len):
        h = np.tanh(params["W_x"][:, [ix]] + params["W_h"] @ h + params["b"][:, None])
        ix = ids[t] = np.argmax(params["W_y"] @ h + params["b_y"][:, None])
        if ix == eos:
            return ids[: t + 1]
    return ids
