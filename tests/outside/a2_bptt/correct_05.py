from collections.abc import Callable

import numpy as np

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Sequence = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def loss_backward(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    onehot = np.eye(logits.shape[-1])[targets]
    return (p - onehot) * mask[..., None] / mask.sum()


def rnn_step_backward(dh: np.ndarray, cache: Step) -> Gradients:
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = dh * (1 - h_t**2)
    return dz @ W_x, dz @ W_h, dz.T @ x_t, dz.T @ h_prev, dz.sum(axis=0)


def rnn_backward(dh: np.ndarray, cache: Sequence) -> Gradients:
    x, h0, h, W_x, W_h = cache
    dx = np.zeros_like(x)
    dW_x, dW_h, db = np.zeros_like(W_x), np.zeros_like(W_h), np.zeros(W_h.shape[0])
    dh_next = np.zeros_like(h0)
    for t in reversed(range(x.shape[1])):
        h_prev = h[:, t - 1] if t > 0 else h0
        dx[:, t], dh_next, gW_x, gW_h, gb = rnn_step_backward(dh[:, t] + dh_next, (x[:, t], h_prev, h[:, t], W_x, W_h))
        dW_x += gW_x
        dW_h += gW_h
        db += gb
    return dx, dh_next, dW_x, dW_h, db


def embedding_backward(d_out: np.ndarray, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    dE = np.zeros((vocab_size, d_out.shape[-1]))
    np.add.at(dE, ids, d_out)
    return dE


def grad_check(f: Callable[[np.ndarray], float], x: np.ndarray, grad: np.ndarray, eps: float) -> float:
    x = np.array(x, dtype=np.float64)
    grad = np.asarray(grad, dtype=np.float64)
    num = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        old = x[i]
        x[i] = old + eps
        up = f(x)
        x[i] = old - eps
        down = f(x)
        x[i] = old
        num[i] = (up - down) / (2 * eps)
    err = np.abs(grad - num) / np.maximum(np.abs(grad) + np.abs(num), 1e-8)
    return float(err.max())


def truncated_bptt(
    x: np.ndarray, targets: np.ndarray, h0: np.ndarray, params: dict[str, np.ndarray], k: int
) -> tuple[float, dict[str, np.ndarray]]:
    B, T = targets.shape
    W_x, W_h, b, W_y, b_y = (params[name] for name in ("W_x", "W_h", "b", "W_y", "b_y"))
    grads = {name: np.zeros(np.shape(value)) for name, value in params.items()}
    loss = 0.0
    start_state = h0
    for s in range(0, T, k):
        xw, yw = x[:, s : s + k], targets[:, s : s + k]
        h = start_state
        hs = []
        for t in range(xw.shape[1]):
            h = np.tanh(xw[:, t] @ W_x.T + h @ W_h.T + b)
            hs.append(h)
        hs = np.stack(hs, axis=1)
        logits = hs @ W_y.T + b_y
        share = yw.size / (B * T)
        top = logits.max(axis=-1, keepdims=True)
        logp = logits - top - np.log(np.exp(logits - top).sum(axis=-1, keepdims=True))
        loss -= np.take_along_axis(logp, yw[..., None], axis=-1).mean() * share
        dlogits = loss_backward(logits, yw, np.ones(yw.shape, dtype=bool)) * share
        _, _, dW_x, dW_h, db = rnn_backward(dlogits @ W_y, (xw, start_state, hs, W_x, W_h))
        grads["W_x"] += dW_x
        grads["W_h"] += dW_h
        grads["b"] += db
        grads["W_y"] += np.einsum("btv,bth->vh", dlogits, hs)
        grads["b_y"] += dlogits.sum(axis=(0, 1))
        start_state = h
    return float(loss), grads


def clip_grad_norm(grads: dict[str, np.ndarray], max_norm: float) -> tuple[dict[str, np.ndarray], float]:
    norm = float(np.sqrt(sum(np.sum(g**2) for g in grads.values())))
    scale = max_norm / norm if norm > max_norm else 1.0
    return {name: g * scale for name, g in grads.items()}, norm


def gradient_norms(dh_last: np.ndarray, cache: Sequence) -> np.ndarray:
    x, h0, h, W_x, W_h = cache
    T = h.shape[1]
    norms = np.zeros(T)
    dh = dh_last
    for t in range(T - 1, -1, -1):
        norms[t] = np.sqrt((dh**2).sum())
        dh = (dh * (1 - h[:, t] ** 2)) @ W_h
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
