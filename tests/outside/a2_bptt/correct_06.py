from collections.abc import Callable

import numpy as np

def _forward(x, h0, W_x, W_h, b):
    states = [h0]
    for x_t in np.swapaxes(x, 0, 1):
        states.append(np.tanh(np.dot(x_t, W_x.T) + np.dot(states[-1], W_h.T) + b))
    return states


def _log_probs(row):
    row = row - row.max()
    return row - np.log(np.exp(row).sum())

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Sequence = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def loss_backward(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    out = np.zeros(logits.shape)
    count = np.count_nonzero(mask)
    for i, t in zip(*np.nonzero(mask)):
        out[i, t] = np.exp(_log_probs(logits[i, t]))
        out[i, t, targets[i, t]] -= 1.0
        out[i, t] /= count
    return out


def rnn_step_backward(dh: np.ndarray, cache: Step) -> Gradients:
    x_t, h_prev, h_t, W_x, W_h = cache
    dx, dh_prev = np.zeros(x_t.shape), np.zeros(h_prev.shape)
    dW_x, dW_h, db = np.zeros(W_x.shape), np.zeros(W_h.shape), np.zeros(len(W_h))
    for r in range(len(dh)):  # one sequence after the other
        dz = (1 + h_t[r]) * (1 - h_t[r]) * dh[r]
        dx[r] = W_x.T @ dz
        dh_prev[r] = W_h.T @ dz
        dW_x += np.outer(dz, x_t[r])
        dW_h += np.outer(dz, h_prev[r])
        db += dz
    return dx, dh_prev, dW_x, dW_h, db


def rnn_backward(dh: np.ndarray, cache: Sequence) -> Gradients:
    x, h0, h, W_x, W_h = cache
    before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)  # the state before each step
    slope = 1 - h * h
    T = h.shape[1]
    dz = [None] * T
    carry = 0.0
    for t in range(T - 1, -1, -1):
        dz[t] = slope[:, t] * (dh[:, t] + carry)
        carry = np.einsum("bi,ij->bj", dz[t], W_h)
    dz = np.stack(dz, axis=1)
    dx = np.einsum("bti,ij->btj", dz, W_x)
    dW_x = np.einsum("bti,btj->ij", dz, x)
    dW_h = np.einsum("bti,btj->ij", dz, before)
    return dx, carry, dW_x, dW_h, dz.sum((0, 1))


def embedding_backward(d_out: np.ndarray, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    d = d_out.shape[-1]
    onehot = (ids.reshape(-1, 1) == np.arange(vocab_size)).astype(float)
    return onehot.T @ d_out.reshape(-1, d)


def grad_check(f: Callable[[np.ndarray], float], x: np.ndarray, grad: np.ndarray, eps: float) -> float:
    base = x.astype(np.float64)
    worst = []
    for i in range(base.size):
        e = np.zeros(base.size)
        e[i] = eps
        e = e.reshape(base.shape)
        numeric = (f(base + e) - f(base - e)) / (2 * eps)
        g = float(grad.reshape(-1)[i])
        size = abs(g) + abs(numeric)
        worst.append(abs(g - numeric) / (size if size > 1e-8 else 1e-8))
    return float(np.max(worst))


def truncated_bptt(
    x: np.ndarray, targets: np.ndarray, h0: np.ndarray, params: dict[str, np.ndarray], k: int
) -> tuple[float, dict[str, np.ndarray]]:
    W_x, W_h, b, W_y, b_y = [params[key] for key in ["W_x", "W_h", "b", "W_y", "b_y"]]
    batch, time = targets.shape
    states = _forward(x, h0, W_x, W_h, b)
    h = np.stack(states[1:], axis=1)
    logits = np.einsum("bth,vh->btv", h, W_y) + b_y
    loss = 0.0
    for i in range(batch):
        for t in range(time):
            loss -= _log_probs(logits[i, t])[targets[i, t]]
    loss /= batch * time
    # the output layer has no time in it; only the recurrence is cut
    dlogits = loss_backward(logits, targets, np.full(targets.shape, True))
    dh = np.einsum("btv,vh->bth", dlogits, W_y)
    grads = {
        "W_x": np.zeros(W_x.shape),
        "W_h": np.zeros(W_h.shape),
        "b": np.zeros(b.shape),
        "W_y": np.einsum("btv,bth->vh", dlogits, h),
        "b_y": np.einsum("btv->v", dlogits),
    }
    first = 0
    while first < time:
        last = min(first + k, time)
        piece = rnn_backward(dh[:, first:last], (x[:, first:last], states[first], h[:, first:last], W_x, W_h))
        for key, g in zip(["W_x", "W_h", "b"], piece[2:]):
            grads[key] = grads[key] + g
        first = last
    return loss, grads


def clip_grad_norm(grads: dict[str, np.ndarray], max_norm: float) -> tuple[dict[str, np.ndarray], float]:
    norm = np.linalg.norm(np.concatenate([np.ravel(g) for g in grads.values()]))
    if norm <= max_norm:
        return dict(grads), norm
    return {key: np.asarray(g) / norm * max_norm for key, g in grads.items()}, norm


def gradient_norms(dh_last: np.ndarray, cache: Sequence) -> np.ndarray:
    x, h0, h, W_x, W_h = cache
    grad, lengths = dh_last, [np.linalg.norm(dh_last)]
    for t in reversed(range(1, h.shape[1])):
        before = h[:, t - 1]
        _, grad, _, _, _ = rnn_step_backward(grad, (x[:, t], before, h[:, t], W_x, W_h))
        lengths.append(np.linalg.norm(grad))
    return np.array(lengths[::-1])


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
