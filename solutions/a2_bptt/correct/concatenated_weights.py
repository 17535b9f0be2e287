"""One matrix [W_h W_x] for state and input together, split again at the end."""

import numpy as np


def _joint(cache):
    a, h_prev, h_t, W_x, W_h = cache
    return np.concatenate([h_prev, a], axis=-1), h_t, np.hstack([W_h, W_x])


def rnn_step_backward(dh, cache):
    both, h_t, W = _joint(cache)
    hidden = h_t.shape[-1]
    dz = (1.0 - h_t * h_t) * dh
    d_both = dz @ W
    dW, db = dz.T @ both, np.ones(len(dz)) @ dz
    return d_both[:, hidden:], d_both[:, :hidden], dW[:, hidden:], dW[:, :hidden], db


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    batch, time, hidden = h.shape
    W = np.concatenate((W_h, W_x), axis=1)
    past = np.concatenate([h0.reshape(batch, 1, hidden), h], axis=1)[:, :time]
    both = np.concatenate([past, x, np.ones((batch, time, 1))], axis=2)
    dz, d_both = np.empty(h.shape), np.zeros((batch, time + 1, W.shape[1]))
    for t in range(time - 1, -1, -1):
        dz[:, t] = (dh[:, t] + d_both[:, t + 1, :hidden]) * (1 - h[:, t] ** 2)
        d_both[:, t] = dz[:, t] @ W
    joint = dz.reshape(batch * time, hidden).T @ both.reshape(batch * time, -1)
    dW_h, dW_x, db = np.split(joint, [hidden, hidden + x.shape[2]], axis=1)
    return d_both[:, :time, hidden:], d_both[:, 0, :hidden], dW_x, dW_h, db[:, 0]


def truncated_bptt(x, targets, h0, params, k):
    time, hidden = x.shape[1], h0.shape[1]
    W = np.concatenate([params["W_h"], params["W_x"]], axis=1).T
    states = [h0]
    for t in range(time):
        states.append(np.tanh(np.concatenate([states[-1], x[:, t]], axis=1) @ W + params["b"]))
    h = np.stack(states[1:], axis=1)
    logits = np.concatenate([h, np.ones((*h.shape[:2], 1))], axis=2) @ np.vstack([params["W_y"].T, params["b_y"]])
    probs = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    picked = probs[np.arange(len(x))[:, None], np.arange(time), targets]
    dlogits = loss_backward(logits, targets, np.ones_like(targets, dtype=bool))
    dh = dlogits @ params["W_y"]
    total = np.zeros((hidden, hidden + x.shape[2] + 1))
    for end in range(k, time + k, k):
        now = slice(end - k, min(end, time))
        _, _, dW_x, dW_h, db = rnn_backward(
            dh[:, now], (x[:, now], states[end - k], h[:, now], params["W_x"], params["W_h"])
        )
        total += np.concatenate([dW_h, dW_x, db[:, None]], axis=1)
    grads = {"W_h": total[:, :hidden], "W_x": total[:, hidden:-1], "b": total[:, -1]}
    grads["W_y"] = np.tensordot(dlogits, h, axes=((0, 1), (0, 1)))
    grads["b_y"] = dlogits.reshape(-1, dlogits.shape[2]).sum(axis=0)
    return -np.mean(np.log(picked)), grads


def embedding_backward(d_out, ids, vocab_size):
    flat, tokens = d_out.reshape(-1, d_out.shape[-1]), ids.reshape(-1)
    return np.column_stack([np.bincount(tokens, weights=column, minlength=vocab_size) for column in flat.T])
