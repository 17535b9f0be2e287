"""One matrix for input, state and bias together, as in many frameworks: [W_x W_h b] times [x; h; 1]."""

import numpy as np


def _joint(W_x, W_h, b):
    return np.concatenate([W_x, W_h, b[:, None]], axis=1)


def _move(W, x_t, h):
    return np.tanh(np.concatenate([x_t, h, np.ones((*x_t.shape[:-1], 1))], axis=-1) @ W.T)


def rnn_step(x_t, h_prev, W_x, W_h, b):
    return _move(_joint(W_x, W_h, b), x_t, h_prev)


def rnn_forward(x, h0, W_x, W_h, b):
    W = _joint(W_x, W_h, b)
    h = np.empty((x.shape[0], x.shape[1] + 1, len(b)))
    h[:, 0] = h0
    for t in range(x.shape[1]):
        h[:, t + 1] = _move(W, x[:, t], h[:, t])
    return h[:, 1:]


def output_probs(h, W_y, b_y):
    extended = np.concatenate([h, np.ones_like(h[..., :1])], axis=-1)
    return softmax(extended @ np.column_stack([W_y, b_y]).T)


def classify_sequence(x, h0, lengths, params):
    W = _joint(params["W_x"], params["W_h"], params["b"])
    h = h0
    for t in range(x.shape[1]):
        h = np.where((t < lengths)[:, None], _move(W, x[:, t], h), h)
    return output_probs(h, params["W_y"], params["b_y"])


def generate(h0, first_id, n, params, uniforms):
    W = _joint(params["W_x"], params["W_h"], params["b"])
    vocab = len(params["b_y"])
    h, ids = h0, [first_id]
    for u in uniforms:
        h = _move(W, np.eye(vocab)[ids[-1]], h)
        ids.append(int(np.argmax(np.cumsum(output_probs(h, params["W_y"], params["b_y"])) > u)))
    return np.asarray(ids[1:])
