"""BPTT by hand, vectorised over the batch."""

import numpy as np


def _softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def loss_backward(logits, targets, mask):
    d = _softmax(logits)
    B, T, _ = logits.shape
    d[np.arange(B)[:, None], np.arange(T)[None, :], targets] -= 1
    d *= mask[..., None]
    return d / mask.sum()


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = dh * (1 - h_t**2)
    dx = dz @ W_x
    dh_prev = dz @ W_h
    dW_x = dz.T @ x_t
    dW_h = dz.T @ h_prev
    db = dz.sum(axis=0)
    return dx, dh_prev, dW_x, dW_h, db


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    T = x.shape[1]
    dx = np.zeros(x.shape)
    dW_x, dW_h, db = np.zeros(W_x.shape), np.zeros(W_h.shape), np.zeros(W_h.shape[0])
    dh_next = np.zeros(h0.shape)
    for t in reversed(range(T)):
        h_prev = h[:, t - 1] if t > 0 else h0
        step = (x[:, t], h_prev, h[:, t], W_x, W_h)
        dx[:, t], dh_next, dWx_t, dWh_t, db_t = rnn_step_backward(dh[:, t] + dh_next, step)
        dW_x += dWx_t
        dW_h += dWh_t
        db += db_t
    return dx, dh_next, dW_x, dW_h, db


def embedding_backward(d_out, ids, vocab_size):
    dE = np.zeros((vocab_size, d_out.shape[-1]))
    np.add.at(dE, ids, d_out)
    return dE


def grad_check(f, x, grad, eps):
    x = np.array(x, dtype=np.float64)
    num = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        old = x[i]
        x[i] = old + eps
        fp = float(f(x))
        x[i] = old - eps
        fm = float(f(x))
        x[i] = old
        num[i] = (fp - fm) / (2 * eps)
    g = np.asarray(grad, dtype=np.float64)
    err = np.abs(g - num) / np.maximum(np.abs(g) + np.abs(num), 1e-8)
    return float(err.max())


def truncated_bptt(x, targets, h0, params, k):
    W_x, W_h, b, W_y, b_y = (params[n] for n in ("W_x", "W_h", "b", "W_y", "b_y"))
    B, T, _ = x.shape
    grads = {n: np.zeros(p.shape) for n, p in params.items()}
    loss = 0.0
    h_start = h0
    for s in range(0, T, k):
        xw, tw = x[:, s : s + k], targets[:, s : s + k]
        hs, h = [], h_start
        for t in range(xw.shape[1]):
            h = np.tanh(xw[:, t] @ W_x.T + h @ W_h.T + b)
            hs.append(h)
        hs = np.stack(hs, axis=1)
        logits = hs @ W_y.T + b_y
        m = logits.max(-1, keepdims=True)
        logp = logits - m - np.log(np.exp(logits - m).sum(-1, keepdims=True))
        loss -= np.take_along_axis(logp, tw[..., None], -1).sum()
        share = tw.size / targets.size
        dlogits = loss_backward(logits, tw, np.ones(tw.shape, bool)) * share
        grads["W_y"] += np.einsum("btv,bth->vh", dlogits, hs)
        grads["b_y"] += dlogits.sum((0, 1))
        _, _, dW_x, dW_h, db = rnn_backward(dlogits @ W_y, (xw, h_start, hs, W_x, W_h))
        grads["W_x"] += dW_x
        grads["W_h"] += dW_h
        grads["b"] += db
        h_start = h
    return float(loss / targets.size), grads


def clip_grad_norm(grads, max_norm):
    norm = float(np.sqrt(sum((g**2).sum() for g in grads.values())))
    scale = max_norm / norm if norm > max_norm else 1.0
    return {name: g * scale for name, g in grads.items()}, norm


def gradient_norms(dh_last, cache):
    x, h0, h, W_x, W_h = cache
    T = h.shape[1]
    norms = np.zeros(T)
    d = dh_last
    for t in range(T - 1, -1, -1):
        norms[t] = np.linalg.norm(d)
        d = (d * (1 - h[:, t] ** 2)) @ W_h
    return norms


def quiz() -> dict[str, str]:
    answers = {
        "why_add_up": "b",
        "two_readers": "c",
        "why_vanish": "a",
        "orthogonal_weights": "d",
        "what_clipping_does": "c",
        "what_clipping_cannot": "b",
        "what_is_cut": "d",
        "why_central": "b",
    }
    return answers
