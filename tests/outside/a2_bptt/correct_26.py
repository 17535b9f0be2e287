"""Backpropagation through time: the gradients of an Elman RNN, by hand, in numpy.

The network: h_t = tanh(W_x x_t + W_h h_{t-1} + b) for t = 1 ... time, from a given h_0, and logits_t = W_y h_t + b_y.

    x       (batch, time, features)   the inputs; x[:, t] is what step t reads
    h0      (batch, hidden)           the state before the first step
    h       (batch, time, hidden)     the states; h[:, t] is the one after reading x[:, t]
    logits  (batch, time, vocab)      a score for each token that may come next
    W_x     (hidden, features)        weights are laid out (out, in), as in the formula
    W_h     (hidden, hidden)
    b       (hidden,)
    W_y     (vocab, hidden)
    b_y     (vocab,)

dA stands for the gradient of the loss L with respect to A, and has the shape of A.

A cache holds what a forward pass leaves for the backward pass; it is a tuple of arrays and is handed to you:

    of one step             (x_t, h_prev, h_t, W_x, W_h)    x_t (batch, features), h_prev and h_t (batch, hidden)
    of a whole sequence     (x, h0, h, W_x, W_h)

No function here changes the arrays it is given. Each may call any other of this file, also one further down.
"""

from collections.abc import Callable

import numpy as np

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Sequence = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def log_softmax(s):
    s = s - np.max(s, axis=-1, keepdims=True)
    return s - np.log(np.sum(np.exp(s), axis=-1, keepdims=True))


def loss_backward(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    # only the positions that count, as one long list
    p = np.exp(log_softmax(logits[mask]))
    y = targets[mask]
    n = len(y)
    p[np.arange(n), y] -= 1.0
    dlogits = np.zeros(logits.shape)
    dlogits[mask] = p / n
    return dlogits


def rnn_step_backward(dh: np.ndarray, cache: Step) -> Gradients:
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = (1.0 - h_t * h_t) * dh
    return (
        np.einsum("bo,oi->bi", dz, W_x),
        np.einsum("bo,oi->bi", dz, W_h),
        np.einsum("bo,bi->oi", dz, x_t),
        np.einsum("bo,bi->oi", dz, h_prev),
        np.einsum("bo->o", dz),
    )


def rnn_backward(dh: np.ndarray, cache: Sequence) -> Gradients:
    x, h0, h, W_x, W_h = cache
    # first dz of all steps, from the last to the first ...
    slope = 1.0 - h * h
    dz = np.zeros(h.shape)
    dh_next = np.zeros(h0.shape)
    for t in range(h.shape[1] - 1, -1, -1):
        dz[:, t] = (dh[:, t] + dh_next) * slope[:, t]
        dh_next = dz[:, t] @ W_h
    # ... and then all the rest at once
    before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)
    dx = dz @ W_x
    dW_x = np.einsum("bto,bti->oi", dz, x)
    dW_h = np.einsum("bto,bti->oi", dz, before)
    db = dz.sum(axis=(0, 1))
    return dx, dh_next, dW_x, dW_h, db


def embedding_backward(d_out: np.ndarray, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    d = d_out.shape[-1]
    flat_ids = ids.reshape(-1)
    flat = d_out.reshape(-1, d)
    dE = np.zeros((vocab_size, d))
    for j in range(d):
        dE[:, j] = np.bincount(flat_ids, weights=flat[:, j], minlength=vocab_size)
    return dE


def grad_check(f: Callable[[np.ndarray], float], x: np.ndarray, grad: np.ndarray, eps: float) -> float:
    x = np.asarray(x, dtype=np.float64)
    grad = np.asarray(grad, dtype=np.float64)
    numeric = np.empty(x.shape)
    for idx in np.ndindex(*x.shape):
        step = np.zeros(x.shape)
        step[idx] = eps
        numeric[idx] = (f(x + step) - f(x - step)) / (2 * eps)
    size = np.abs(grad) + np.abs(numeric)
    return float(np.max(np.abs(grad - numeric) / np.maximum(size, 1e-8)))


def truncated_bptt(
    x: np.ndarray, targets: np.ndarray, h0: np.ndarray, params: dict[str, np.ndarray], k: int
) -> tuple[float, dict[str, np.ndarray]]:
    W_x, W_h, W_y = params["W_x"], params["W_h"], params["W_y"]
    batch, time = targets.shape

    # forward through the whole text: nothing is cut here
    hs = []
    state = h0
    for t in range(time):
        state = np.tanh(x[:, t] @ W_x.T + state @ W_h.T + params["b"])
        hs.append(state)
    h = np.stack(hs, axis=1)
    logits = h @ W_y.T + params["b_y"]
    log_p = log_softmax(logits)
    loss = -np.mean(np.take_along_axis(log_p, targets[:, :, None], axis=2))

    # the output layer does not care about windows
    dlogits = loss_backward(logits, targets, np.ones((batch, time), dtype=bool))
    dh = dlogits @ W_y
    grads = {
        "W_x": np.zeros_like(W_x, dtype=float),
        "W_h": np.zeros_like(W_h, dtype=float),
        "b": np.zeros(W_h.shape[0]),
        "W_y": np.einsum("btv,bth->vh", dlogits, h),
        "b_y": dlogits.sum(axis=(0, 1)),
    }

    # backward window by window
    for first in range(0, time, k):
        w = slice(first, first + k)
        start = h0 if first == 0 else h[:, first - 1]
        _, _, dW_x, dW_h, db = rnn_backward(dh[:, w], (x[:, w], start, h[:, w], W_x, W_h))
        grads["W_x"] += dW_x
        grads["W_h"] += dW_h
        grads["b"] += db
    return float(loss), grads


def clip_grad_norm(grads: dict[str, np.ndarray], max_norm: float) -> tuple[dict[str, np.ndarray], float]:
    everything = np.concatenate([np.ravel(g) for g in grads.values()])
    norm = float(np.linalg.norm(everything))
    if norm <= max_norm:
        return dict(grads), norm
    return {name: g * (max_norm / norm) for name, g in grads.items()}, norm


def gradient_norms(dh_last: np.ndarray, cache: Sequence) -> np.ndarray:
    _, _, h, _, W_h = cache
    g = dh_last
    norms = [np.sqrt(np.sum(g**2))]
    for t in range(h.shape[1] - 1, 0, -1):
        g = (g * (1 - h[:, t] ** 2)) @ W_h
        norms.append(np.sqrt(np.sum(g**2)))
    return np.array(norms[::-1])


def debugging_lab() -> dict[str, str]:
    return {"run_1": "c", "run_2": "a", "run_3": "b", "run_4": "d", "run_5": "b"}


def quiz() -> dict[str, str]:
    return {
        "two_readers": "c",
        "orthogonal_weights": "a",
        "what_clipping_cannot": "b",
        "what_is_cut": "d",
        "what_is_left": "b",
        "shared_weight": "d",
        "clipped_array": "a",
        "central_difference": "c",
    }
