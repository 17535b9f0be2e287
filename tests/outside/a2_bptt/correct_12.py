"""BPTT, vectorised: loops over time only where a step needs the one after it."""

from collections.abc import Callable

import numpy as np

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Sequence = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def loss_backward(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(softmax - onehot) / count at the positions that count, zero elsewhere."""
    exps = np.exp(logits - logits.max(axis=-1, keepdims=True))
    dlogits = exps / exps.sum(axis=-1, keepdims=True)
    rows, cols = np.indices(targets.shape)
    dlogits[rows, cols, targets] -= 1.0
    return np.where(mask[..., None], dlogits / np.count_nonzero(mask), 0.0)


def rnn_step_backward(dh: np.ndarray, cache: Step) -> Gradients:
    """One step back."""
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = dh * (1.0 - h_t**2)
    dx = np.einsum("nh,hf->nf", dz, W_x)
    dh_prev = np.einsum("nh,hk->nk", dz, W_h)
    dW_x = np.einsum("nh,nf->hf", dz, x_t)
    dW_h = np.einsum("nh,nk->hk", dz, h_prev)
    db = np.einsum("nh->h", dz)
    return dx, dh_prev, dW_x, dW_h, db


def rnn_backward(dh: np.ndarray, cache: Sequence) -> Gradients:
    """Only dz has to be found step by step; all else is one product over batch and time."""
    x, h0, h, W_x, W_h = cache
    slope = 1.0 - np.square(h)
    dz = np.empty(h.shape)
    dh_next = np.zeros(h0.shape)
    for t in reversed(range(h.shape[1])):
        dz[:, t] = (dh[:, t] + dh_next) * slope[:, t]
        dh_next = dz[:, t] @ W_h
    before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)
    dx = np.einsum("nth,hf->ntf", dz, W_x)
    dW_x = np.einsum("nth,ntf->hf", dz, x)
    dW_h = np.einsum("nth,ntk->hk", dz, before)
    db = np.einsum("nth->h", dz)
    return dx, dh_next, dW_x, dW_h, db


def embedding_backward(d_out: np.ndarray, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    """Scatter-add, which counts repeated ids."""
    dE = np.zeros((vocab_size, d_out.shape[-1]))
    np.add.at(dE, ids, d_out)
    return dE


def grad_check(f: Callable[[np.ndarray], float], x: np.ndarray, grad: np.ndarray, eps: float) -> float:
    """The largest relative error of grad against central differences."""
    x = np.array(x, dtype=np.float64)
    numeric = np.empty(x.shape)
    for i in np.ndindex(*x.shape):
        step = np.zeros(x.shape)
        step[i] = eps
        numeric[i] = (f(np.asarray(x + step)) - f(np.asarray(x - step))) / (2.0 * eps)
    grad = np.asarray(grad, dtype=np.float64)
    errors = np.abs(grad - numeric) / np.maximum(np.abs(grad) + np.abs(numeric), 1e-8)
    return float(np.max(errors))


def truncated_bptt(
    x: np.ndarray, targets: np.ndarray, h0: np.ndarray, params: dict[str, np.ndarray], k: int
) -> tuple[float, dict[str, np.ndarray]]:
    """One pass forward and one back, in which nothing is handed back over the border of a window."""
    W_x, W_h, W_y = params["W_x"], params["W_h"], params["W_y"]
    batch, time = targets.shape

    drive = x @ W_x.T + params["b"]
    states = [h0]
    for t in range(time):
        states.append(np.tanh(drive[:, t] + states[-1] @ W_h.T))
    states = np.stack(states, axis=1)
    before, h = states[:, :-1], states[:, 1:]
    logits = h @ W_y.T + params["b_y"]

    lowered = logits - logits.max(axis=-1, keepdims=True)
    log_probs = lowered - np.log(np.exp(lowered).sum(axis=-1, keepdims=True))
    loss = -np.take_along_axis(log_probs, targets[..., None], axis=-1).mean()
    dlogits = np.exp(log_probs)
    dlogits -= np.arange(logits.shape[-1]) == targets[..., None]
    dlogits /= batch * time

    dh = dlogits @ W_y
    dz = np.empty(h.shape)
    dh_next = np.zeros(h0.shape)
    for t in reversed(range(time)):
        dz[:, t] = (dh[:, t] + dh_next) * (1.0 - h[:, t] ** 2)
        dh_next = dz[:, t] @ W_h
        if t % k == 0:  # the first step of a window: what is before it was given
            dh_next = np.zeros(h0.shape)
    grads = {
        "W_x": np.einsum("nth,ntf->hf", dz, x),
        "W_h": np.einsum("nth,ntk->hk", dz, before),
        "b": dz.sum(axis=(0, 1)),
        "W_y": np.einsum("ntv,nth->vh", dlogits, h),
        "b_y": dlogits.sum(axis=(0, 1)),
    }
    return float(loss), grads


def clip_grad_norm(grads: dict[str, np.ndarray], max_norm: float) -> tuple[dict[str, np.ndarray], float]:
    """Clip by the global norm."""
    norm = float(np.sqrt(sum(np.sum(np.square(g, dtype=np.float64)) for g in grads.values())))
    if norm > max_norm:
        return {name: g * (max_norm / norm) for name, g in grads.items()}, norm
    return {name: g.copy() for name, g in grads.items()}, norm


def gradient_norms(dh_last: np.ndarray, cache: Sequence) -> np.ndarray:
    """Norm of dL/dh[:, t] for every t."""
    _, _, h, _, W_h = cache
    grad = np.empty(h.shape)
    grad[:, -1] = dh_last
    for t in range(h.shape[1] - 1, 0, -1):
        grad[:, t - 1] = (grad[:, t] * (1.0 - h[:, t] ** 2)) @ W_h
    return np.sqrt(np.einsum("nth,nth->t", grad, grad))


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "", "run_2": "", "run_3": "", "run_4": "", "run_5": ""}
    raise NotImplementedError("debugging_lab is not written yet")
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "two_readers": "",
        "orthogonal_weights": "",
        "what_clipping_cannot": "",
        "what_is_cut": "",
        "what_is_left": "",
        "shared_weight": "",
        "clipped_array": "",
        "central_difference": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
