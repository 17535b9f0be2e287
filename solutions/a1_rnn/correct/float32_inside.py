"""Works in single precision."""

import numpy as np


def _single(*arrays):
    return [np.asarray(a, dtype=np.float32) for a in arrays]


def softmax(x, axis=-1):
    (x,) = _single(x)
    raised = np.exp(x - x.max(axis=axis, keepdims=True))
    return raised / raised.sum(axis=axis, keepdims=True)


def rnn_step(x_t, h_prev, W_x, W_h, b):
    x_t, h_prev, W_x, W_h, b = _single(x_t, h_prev, W_x, W_h, b)
    return np.tanh(x_t @ W_x.T + h_prev @ W_h.T + b)


def rnn_forward(x, h0, W_x, W_h, b):
    x, h, W_x, W_h, b = _single(x, h0, W_x, W_h, b)
    out = np.zeros((*x.shape[:2], len(b)), dtype=np.float32)
    for t in range(x.shape[1]):
        h = out[:, t] = rnn_step(x[:, t], h, W_x, W_h, b)
    return out


def output_probs(h, W_y, b_y):
    h, W_y, b_y = _single(h, W_y, b_y)
    return softmax(h @ W_y.T + b_y)


def _log_probs(logits, ids):
    (logits,) = _single(logits)
    logits = logits - logits.max(axis=-1, keepdims=True)
    log_probs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    return np.take_along_axis(log_probs, ids[..., None], axis=-1).squeeze(-1)


def next_token_loss(logits, targets, mask):
    return -_log_probs(logits, targets)[mask].mean()


def sequence_log_prob(logits, ids):
    return _log_probs(logits, ids).sum(axis=-1)


def perplexity(nll, n):
    return np.exp(np.float32(np.sum(nll)) / np.float32(np.sum(n)))


def bits_per_char(nll, n):
    return np.float32(np.sum(nll)) / np.float32(np.sum(n)) / np.log(np.float32(2))


def generate(h0, first_id, n, params, uniforms):
    h, token, ids = h0.astype(np.float32), first_id, []
    for u in uniforms.astype(np.float32):
        h = rnn_step(
            np.eye(params["W_x"].shape[1], dtype=np.float32)[token], h, *(params[k] for k in ("W_x", "W_h", "b"))
        )
        cumulative = np.cumsum(output_probs(h, params["W_y"], params["b_y"]))
        cumulative[-1] = 1.0
        token = int(np.flatnonzero(cumulative > u)[0])
        ids.append(token)
    return np.array(ids, dtype=np.int64)
