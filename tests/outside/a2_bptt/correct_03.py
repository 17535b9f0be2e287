"""Gradients of an Elman network: einsum, time first inside, and everything of the weights in one go."""

import numpy as np


def one_hot(ids, size):
    return np.eye(size)[ids]


def log_softmax(s):
    s = s - np.max(s, axis=-1, keepdims=True)
    return s - np.log(np.sum(np.exp(s), axis=-1, keepdims=True))


def loss_backward(logits, targets, mask):
    weights = mask / np.count_nonzero(mask)
    error = np.exp(log_softmax(logits)) - one_hot(targets, logits.shape[-1])
    return np.einsum("bt,btv->btv", weights, error)


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = dh * (1.0 - np.square(h_t))
    return (
        np.einsum("bh,hf->bf", dz, W_x),
        np.einsum("bi,ij->bj", dz, W_h),
        np.einsum("bh,bf->hf", dz, x_t),
        np.einsum("bi,bj->ij", dz, h_prev),
        np.einsum("bh->h", dz),
    )


def all_dz(dh, h, W_h):
    """Walk back and collect dz of each step; also what is left for h0."""
    dh_t = np.moveaxis(dh, 1, 0)
    h_t = np.moveaxis(h, 1, 0)
    carried = np.zeros(dh_t.shape[1:])
    collected = []
    for own, state in zip(dh_t[::-1], h_t[::-1]):
        dz = (own + carried) * (1.0 - np.square(state))
        carried = dz @ W_h
        collected.append(dz)
    return np.stack(collected[::-1], axis=1), carried


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    dz, dh0 = all_dz(dh, h, W_h)
    h_before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)
    dx = np.einsum("bth,hf->btf", dz, W_x)
    dW_x = np.einsum("bth,btf->hf", dz, x)
    dW_h = np.einsum("bti,btj->ij", dz, h_before)
    db = np.einsum("bth->h", dz)
    return dx, dh0, dW_x, dW_h, db


def embedding_backward(d_out, ids, vocab_size):
    return np.einsum("btv,btd->vd", one_hot(ids, vocab_size), d_out)


def grad_check(f, x, grad, eps):
    base = np.array(x, dtype="float64", copy=True)
    g = np.array(grad, dtype="float64").ravel()
    numeric = np.empty(base.size)
    for i in range(base.size):
        e = np.zeros(base.size)
        e[i] = eps
        e = e.reshape(base.shape)
        numeric[i] = (f(base + e) - f(base - e)) / (2 * eps)
    scale = np.maximum(np.abs(g) + np.abs(numeric), 1e-8)
    return float(np.max(np.abs(g - numeric) / scale))


def run(x, h0, W_x, W_h, b):
    h = [h0]
    for t in range(x.shape[1]):
        h.append(np.tanh(np.einsum("bf,hf->bh", x[:, t], W_x) + np.einsum("bj,ij->bi", h[-1], W_h) + b))
    return np.stack(h[1:], axis=1)


def truncated_bptt(x, targets, h0, params, k):
    # cutting changes nothing about the forward pass, so it is done once for all windows
    h = run(x, h0, params["W_x"], params["W_h"], params["b"])
    logits = np.einsum("bth,vh->btv", h, params["W_y"]) + params["b_y"]
    hot = one_hot(targets, logits.shape[-1])
    loss = -np.sum(hot * log_softmax(logits)) / targets.size

    dlogits = loss_backward(logits, targets, np.ones(targets.shape, dtype=bool))
    dh = np.einsum("btv,vh->bth", dlogits, params["W_y"])
    grads = {
        "W_x": np.zeros_like(params["W_x"], dtype=float),
        "W_h": np.zeros_like(params["W_h"], dtype=float),
        "b": np.zeros_like(params["b"], dtype=float),
        "W_y": np.einsum("btv,bth->vh", dlogits, h),
        "b_y": np.einsum("btv->v", dlogits),
    }
    for first in range(0, x.shape[1], k):
        window = slice(first, first + k)
        border = h0 if first == 0 else h[:, first - 1]
        cache = (x[:, window], border, h[:, window], params["W_x"], params["W_h"])
        _, _, dW_x, dW_h, db = rnn_backward(dh[:, window], cache)
        for name, part in (("W_x", dW_x), ("W_h", dW_h), ("b", db)):
            grads[name] = grads[name] + part
    return float(loss), grads


def clip_grad_norm(grads, max_norm):
    everything = np.concatenate([np.ravel(g) for g in grads.values()])
    norm = float(np.linalg.norm(everything))
    factor = 1.0
    if norm > max_norm:
        factor = max_norm / norm
    return {name: factor * np.asarray(g) for name, g in grads.items()}, norm


def gradient_norms(dh_last, cache):
    h, W_h = cache[2], cache[4]
    time = h.shape[1]
    gradients = np.zeros(h.shape)
    gradients[:, time - 1] = dh_last
    for t in range(time - 1, 0, -1):
        local = gradients[:, t] * (1.0 - np.square(h[:, t]))
        gradients[:, t - 1] = np.einsum("bi,ij->bj", local, W_h)
    return np.sqrt(np.einsum("bth,bth->t", gradients, gradients))


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
