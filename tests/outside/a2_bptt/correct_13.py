"""BPTT with layers: each knows how to go forward, and how to send a gradient back."""

from collections.abc import Callable, Iterator

import numpy as np

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Sequence = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def flat(a: np.ndarray) -> np.ndarray:
    """Batch and time as one axis."""
    return a.reshape(-1, a.shape[-1])


class Linear:
    """rows @ W.T; remembers nothing, accumulates what its weights are told."""

    def __init__(self, W: np.ndarray) -> None:
        self.W = W
        self.dW = np.zeros(W.shape)

    def forward(self, rows: np.ndarray) -> np.ndarray:
        return rows @ self.W.T

    def backward(self, upstream: np.ndarray, rows: np.ndarray) -> np.ndarray:
        self.dW += upstream.T @ rows
        return upstream @ self.W


class Recurrence:
    """The two linear maps, the bias and the tanh of a step."""

    def __init__(self, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray | None = None) -> None:
        self.read, self.recall = Linear(W_x), Linear(W_h)
        self.b = b
        self.db = np.zeros(W_h.shape[0])

    def forward(self, seen: np.ndarray, memory: np.ndarray) -> np.ndarray:
        return np.tanh(self.read.forward(seen) + self.recall.forward(memory) + self.b)

    def backward(self, upstream, seen, memory, state) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradients of what was read and of what was remembered."""
        inner = upstream - upstream * state * state
        self.db += inner.sum(axis=0)
        return self.read.backward(inner, seen), self.recall.backward(inner, memory)

    def gradients(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.read.dW, self.recall.dW, self.db


def log_softmax(scores: np.ndarray) -> np.ndarray:
    """ln softmax over the last axis."""
    lowered = scores - np.amax(scores, axis=-1, keepdims=True)
    return lowered - np.log(np.sum(np.exp(lowered), axis=-1, keepdims=True))


def one_hot(ids: np.ndarray, size: int) -> np.ndarray:
    """(...,) of ids to (..., size)."""
    return np.eye(size)[ids]


def loss_backward(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """What was predicted, less what should have been."""
    predicted = np.exp(log_softmax(logits))
    wanted = one_hot(targets, logits.shape[-1])
    weight = mask / mask.sum()
    return (predicted - wanted) * weight[..., np.newaxis]


def rnn_step_backward(dh: np.ndarray, cache: Step) -> Gradients:
    """A step of a Recurrence, backwards."""
    x_t, h_prev, h_t, W_x, W_h = cache
    cell = Recurrence(W_x, W_h)
    dx, dh_prev = cell.backward(dh, x_t, h_prev, h_t)
    return dx, dh_prev, *cell.gradients()


def rnn_backward(dh: np.ndarray, cache: Sequence) -> Gradients:
    """All steps of a Recurrence, backwards; it sums the gradients of its weights by itself."""
    x, h0, h, W_x, W_h = cache
    cell = Recurrence(W_x, W_h)
    memories = [h0] + [h[:, t] for t in range(h.shape[1])]
    carried = np.zeros_like(h0, dtype=float)
    dx = []
    for t in range(h.shape[1])[::-1]:
        dx_t, carried = cell.backward(dh[:, t] + carried, x[:, t], memories[t], memories[t + 1])
        dx.append(dx_t)
    dx.reverse()
    return np.stack(dx, axis=1), carried, *cell.gradients()


def embedding_backward(d_out: np.ndarray, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    """Sort the places by id, and add up each run of equal ids."""
    dE = np.zeros((vocab_size, d_out.shape[-1]))
    order = np.argsort(ids, axis=None, kind="stable")
    read, first = np.unique(ids.ravel()[order], return_index=True)
    dE[read] = np.add.reduceat(flat(d_out)[order], first, axis=0)
    return dE


def nudges(x: np.ndarray, eps: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each entry, two fresh copies of x: one with the entry raised and one with it lowered."""
    for i in range(x.size):
        raised, lowered = x.copy(), x.copy()
        raised.flat[i] += eps
        lowered.flat[i] -= eps
        yield raised, lowered


def grad_check(f: Callable[[np.ndarray], float], x: np.ndarray, grad: np.ndarray, eps: float) -> float:
    """Compare with central differences."""
    x64 = np.asarray(x).astype(np.float64)
    slopes = np.array([(f(raised) - f(lowered)) / (2 * eps) for raised, lowered in nudges(x64, eps)])
    claims = np.asarray(grad).astype(np.float64).ravel()
    sizes = np.abs(claims) + np.abs(slopes)
    return float((np.abs(claims - slopes) / np.maximum(sizes, 1e-8)).max())


def windows(time: int, k: int) -> Iterator[slice]:
    """The stretches of k steps; the last one may be shorter."""
    for start in range(0, time, k):
        yield slice(start, min(start + k, time))


def truncated_bptt(
    x: np.ndarray, targets: np.ndarray, h0: np.ndarray, params: dict[str, np.ndarray], k: int
) -> tuple[float, dict[str, np.ndarray]]:
    """Window by window: forward, loss, back, and on with the state."""
    cell = Recurrence(params["W_x"], params["W_h"], params["b"])
    readout = Linear(params["W_y"])
    db_y = np.zeros(params["b_y"].shape)
    share = 1.0 / targets.size
    loss, state = 0.0, h0
    for window in windows(x.shape[1], k):
        steps = range(window.start, window.stop)
        memories = [state]
        for t in steps:
            memories.append(cell.forward(x[:, t], memories[-1]))
        state = memories[-1]
        carried = 0.0
        for i in reversed(range(len(steps))):
            t, now = steps[i], memories[i + 1]
            log_probs = log_softmax(readout.forward(now) + params["b_y"])
            wanted = one_hot(targets[:, t], log_probs.shape[-1])
            loss -= share * np.sum(log_probs * wanted)
            dlogits = share * (np.exp(log_probs) - wanted)
            db_y += dlogits.sum(axis=0)
            own = readout.backward(dlogits, now)
            _, carried = cell.backward(own + carried, x[:, t], memories[i], now)
    dW_x, dW_h, db = cell.gradients()
    return float(loss), {"W_x": dW_x, "W_h": dW_h, "b": db, "W_y": readout.dW, "b_y": db_y}


def global_norm(arrays) -> float:
    """The length of all arrays as one vector."""
    lengths = [np.linalg.norm(np.ravel(a)) for a in arrays]
    return float(np.linalg.norm(lengths))


def clip_grad_norm(grads: dict[str, np.ndarray], max_norm: float) -> tuple[dict[str, np.ndarray], float]:
    """Shorten what is too long."""
    norm = global_norm(grads.values())
    shrink = max_norm / max(norm, max_norm)
    return {name: shrink * g for name, g in grads.items()}, norm


def gradient_norms(dh_last: np.ndarray, cache: Sequence) -> np.ndarray:
    """Go back with a Recurrence, and measure."""
    x, h0, h, W_x, W_h = cache
    cell = Recurrence(W_x, W_h)
    memories = [h0, *np.swapaxes(h, 0, 1)]
    lengths, gradient = [], dh_last
    for t in range(h.shape[1])[::-1]:
        lengths.append(np.linalg.norm(gradient))
        _, gradient = cell.backward(gradient, x[:, t], memories[t], memories[t + 1])
    return np.array(lengths[::-1])


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
