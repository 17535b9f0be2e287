import math
from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Sequence = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def to_torch(a):
    return torch.tensor(np.asarray(a), dtype=torch.float64)


def outer_sum(left, right):
    """Sum over all leading axes of the outer products of the last axes."""
    return left.reshape(-1, left.shape[-1]).T @ right.reshape(-1, right.shape[-1])


def loss_backward(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    s = to_torch(logits)
    counts = to_torch(mask)
    y = F.one_hot(torch.tensor(np.asarray(targets), dtype=torch.long), s.shape[-1])
    weights = counts / counts.sum()
    return ((F.softmax(s, dim=-1) - y) * weights.unsqueeze(-1)).numpy()


def rnn_step_backward(dh: np.ndarray, cache: Step) -> Gradients:
    x_t, h_prev, h_t, W_x, W_h = cache
    dz = dh * (1 + h_t) * (1 - h_t)
    return dz @ W_x, dz @ W_h, outer_sum(dz, x_t), outer_sum(dz, h_prev), dz.sum(0)


def rnn_backward(dh: np.ndarray, cache: Sequence) -> Gradients:
    x, h0, h, W_x, W_h = cache
    # time first inside, so that x[t] is one step
    x, h, dh = (np.swapaxes(a, 0, 1) for a in (x, h, dh))
    before = np.concatenate([h0[np.newaxis], h[:-1]])
    dx = np.zeros(x.shape)
    grads = [np.zeros(W_x.shape), np.zeros(W_h.shape), np.zeros(len(W_h))]
    carry = np.zeros(h0.shape)
    for t in reversed(range(len(x))):
        dx[t], carry, *of_step = rnn_step_backward(dh[t] + carry, (x[t], before[t], h[t], W_x, W_h))
        grads = [total + g for total, g in zip(grads, of_step)]
    return (np.swapaxes(dx, 0, 1), carry, *grads)


def embedding_backward(d_out: np.ndarray, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    one_hot = np.eye(vocab_size)[ids]
    return outer_sum(one_hot, d_out)


def grad_check(f: Callable[[np.ndarray], float], x: np.ndarray, grad: np.ndarray, eps: float) -> float:
    base = np.array(x, dtype=np.float64)

    def moved(i, by):
        y = base.copy()
        y.flat[i] += by
        return f(y)

    n = np.array([(moved(i, eps) - moved(i, -eps)) / (2 * eps) for i in range(base.size)])
    g = np.array(grad, dtype=np.float64).ravel()
    errors = np.abs(g - n) / np.maximum(np.abs(g) + np.abs(n), 1e-8)
    return float(errors.max())


def _forward(x, h, W_x, W_h, b):
    for x_t in np.swapaxes(x, 0, 1):
        h = np.tanh(x_t @ W_x.T + h @ W_h.T + b)
        yield h


def truncated_bptt(
    x: np.ndarray, targets: np.ndarray, h0: np.ndarray, params: dict[str, np.ndarray], k: int
) -> tuple[float, dict[str, np.ndarray]]:
    W_x, W_h, W_y = params["W_x"], params["W_h"], params["W_y"]
    targets = np.asarray(targets)
    time = targets.shape[1]
    h = np.stack(list(_forward(x, h0, W_x, W_h, params["b"])), axis=1)
    logits = h @ W_y.T + params["b_y"]
    loss = F.cross_entropy(to_torch(logits).flatten(0, 1), torch.tensor(targets, dtype=torch.long).flatten()).item()

    everything = np.ones(targets.shape, dtype=bool)
    dlogits = loss_backward(logits, targets, everything)
    before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)

    # one pass from the end to the start, which drops what would cross a border
    dz = np.zeros(h.shape)
    carry = np.zeros(h0.shape)
    for t in reversed(range(time)):
        if (t + 1) % k == 0:
            carry = np.zeros(h0.shape)
        dz[:, t] = (dlogits[:, t] @ W_y + carry) * (1 - h[:, t] ** 2)
        carry = dz[:, t] @ W_h

    grads = {
        "W_x": outer_sum(dz, x),
        "W_h": outer_sum(dz, before),
        "b": dz.sum((0, 1)),
        "W_y": outer_sum(dlogits, h),
        "b_y": dlogits.sum((0, 1)),
    }
    return loss, grads


def clip_grad_norm(grads: dict[str, np.ndarray], max_norm: float) -> tuple[dict[str, np.ndarray], float]:
    norm = math.sqrt(sum(np.linalg.norm(g) ** 2 for g in grads.values()))
    factor = min(1.0, max_norm / norm) if norm > 0 else 1.0
    return {name: factor * g for name, g in grads.items()}, norm


def gradient_norms(dh_last: np.ndarray, cache: Sequence) -> np.ndarray:
    _, _, h, _, W_h = cache
    slopes = 1 - h**2

    def gradients():
        g = dh_last
        yield g
        for t in range(h.shape[1] - 1, 0, -1):
            g = (slopes[:, t] * g) @ W_h
            yield g

    return np.array([np.linalg.norm(g) for g in gradients()])[::-1]


def debugging_lab() -> dict[str, str]:
    return dict(run_1="c", run_2="a", run_3="b", run_4="d", run_5="b")


def quiz() -> dict[str, str]:
    return dict(
        two_readers="c",
        orthogonal_weights="a",
        what_clipping_cannot="b",
        what_is_cut="d",
        what_is_left="b",
        shared_weight="d",
        clipped_array="a",
        central_difference="c",
    )
