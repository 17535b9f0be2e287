"""Backpropagation through time, vectorised: the recurrence finds dz, everything else is one contraction."""

from collections.abc import Callable

import numpy as np

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Sequence = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _log_probs(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _one_hot(ids: np.ndarray, size: int) -> np.ndarray:
    return (np.asarray(ids)[..., None] == np.arange(size)).astype(np.float64)


def _scan_back(dh: np.ndarray, h: np.ndarray, W_h: np.ndarray, open_border: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return dz of all steps and what goes to h0; where open_border[t] is 0, nothing goes from step t to t - 1."""
    dz = np.empty(h.shape, dtype=np.result_type(dh, h, W_h))
    carry = np.zeros_like(dz[:, 0])
    slope = 1.0 - np.square(h)
    for t in reversed(range(h.shape[1])):
        dz[:, t] = (dh[:, t] + carry) * slope[:, t]
        carry = (dz[:, t] @ W_h) * open_border[t]
    return dz, carry


def _shifted(h0: np.ndarray, h: np.ndarray) -> np.ndarray:
    """The state before each step."""
    return np.concatenate((h0[:, None], h[:, :-1]), axis=1)


def loss_backward(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(softmax - one-hot) / count, zero where nothing counts."""
    weight = mask / np.count_nonzero(mask)
    return (np.exp(_log_probs(logits)) - _one_hot(targets, logits.shape[-1])) * weight[..., None]


def rnn_step_backward(dh: np.ndarray, cache: Step) -> Gradients:
    """Matrix form of one step."""
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = dh * (1.0 - h_t * h_t)
    return dz @ W_x, dz @ W_h, dz.T @ x_t, dz.T @ h_prev, dz.sum(axis=0)


def rnn_backward(dh: np.ndarray, cache: Sequence) -> Gradients:
    """One scan, then five contractions."""
    x, h0, h, W_x, W_h = cache
    dz, dh0 = _scan_back(dh, h, W_h, np.ones(h.shape[1]))
    dW_x = np.einsum("bto,bti->oi", dz, x)
    dW_h = np.einsum("bto,bti->oi", dz, _shifted(h0, h))
    return dz @ W_x, dh0, dW_x, dW_h, dz.sum(axis=(0, 1))


def embedding_backward(d_out: np.ndarray, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    """Scatter-add over the flattened positions."""
    dE = np.zeros((vocab_size, d_out.shape[-1]), dtype=d_out.dtype)
    np.add.at(dE, ids.reshape(-1), d_out.reshape(-1, d_out.shape[-1]))
    return dE


def grad_check(f: Callable[[np.ndarray], float], x: np.ndarray, grad: np.ndarray, eps: float) -> float:
    """Largest relative error against central differences."""
    base = np.asarray(x, dtype=np.float64)
    g = np.asarray(grad, dtype=np.float64).ravel()

    def moved(i: int, by: float) -> float:
        flat = base.flatten()
        flat[i] += by
        return float(f(flat.reshape(base.shape)))

    n = np.array([(moved(i, eps) - moved(i, -eps)) / (2.0 * eps) for i in range(base.size)])
    return float(np.max(np.abs(g - n) / np.maximum(np.abs(g) + np.abs(n), 1e-8)))


def truncated_bptt(
    x: np.ndarray, targets: np.ndarray, h0: np.ndarray, params: dict[str, np.ndarray], k: int
) -> tuple[float, dict[str, np.ndarray]]:
    """One pass forward over everything, one pass back in which the borders are closed."""
    W_x, W_h, b, W_y, b_y = (params[name] for name in ("W_x", "W_h", "b", "W_y", "b_y"))
    steps = x.shape[1]

    h = np.empty((*x.shape[:2], len(b)))
    state = h0
    for t in range(steps):
        h[:, t] = state = np.tanh(x[:, t] @ W_x.T + state @ W_h.T + b)

    logits = h @ W_y.T + b_y
    loss = -np.take_along_axis(_log_probs(logits), targets[..., None], axis=-1).mean()

    dlogits = loss_backward(logits, targets, np.full(targets.shape, True))
    open_border = (np.arange(steps) % k != 0).astype(float)
    dz, _ = _scan_back(dlogits @ W_y, h, W_h, open_border)
    grads = {
        "W_x": np.einsum("bto,bti->oi", dz, x),
        "W_h": np.einsum("bto,bti->oi", dz, _shifted(h0, h)),
        "b": np.einsum("bto->o", dz),
        "W_y": np.einsum("btv,bth->vh", dlogits, h),
        "b_y": np.einsum("btv->v", dlogits),
    }
    return float(loss), grads


def clip_grad_norm(grads: dict[str, np.ndarray], max_norm: float) -> tuple[dict[str, np.ndarray], float]:
    """Scale the one long vector."""
    long = np.concatenate([np.zeros(1), *(np.ravel(g) for g in grads.values())])
    norm = float(np.linalg.norm(long))
    if norm <= max_norm:
        return dict(grads), norm
    return {name: np.asarray(g * (max_norm / norm)) for name, g in grads.items()}, norm


def gradient_norms(dh_last: np.ndarray, cache: Sequence) -> np.ndarray:
    """Multiply by the transposed Jacobians, latest first."""
    _, _, h, _, W_h = cache
    trail = [dh_last]
    for h_t in h[:, :0:-1].swapaxes(0, 1):
        trail.append((trail[-1] * (1.0 - h_t**2)) @ W_h)
    return np.array([np.linalg.norm(d) for d in reversed(trail)])


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
