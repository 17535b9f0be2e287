"""BPTT on torch tensors (no autograd); numpy goes in and comes out."""

from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Sequence = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Gradients = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _t(*arrays):
    """Copies as float64 tensors."""
    out = [torch.from_numpy(np.array(a, dtype=np.float64, order="C")) for a in arrays]
    return out if len(out) > 1 else out[0]


def _ids(a):
    return torch.from_numpy(np.array(a, dtype=np.int64, order="C"))


def loss_backward(logits: np.ndarray, targets: np.ndarray, mask: np.ndarray) -> np.ndarray:
    m = torch.from_numpy(np.array(mask, dtype=bool, order="C"))
    z, y = _t(logits), _ids(targets)
    d = F.softmax(z, dim=-1) - F.one_hot(y, z.shape[-1])
    d[~m] = 0
    return (d / m.sum()).numpy()


def _back(dh, x, prev, h, W_x, W_h):
    """A step as one product with the joint weights: [x, prev, 1] went in, so [dx, dh_prev, -] comes out."""
    dz = torch.addcmul(dh, dh, h * h, value=-1)
    joint = torch.cat([W_x, W_h], dim=1)
    ins = torch.cat([x, prev, torch.ones_like(dh[:, :1])], dim=1)
    d_in, d_joint = dz @ joint, dz.T @ ins
    f = W_x.shape[1]
    return d_in[:, :f], d_in[:, f:], d_joint[:, :f], d_joint[:, f:-1], d_joint[:, -1]


def rnn_step_backward(dh: np.ndarray, cache: Step) -> Gradients:
    return tuple(g.numpy() for g in _back(_t(dh), *_t(*cache)))


def rnn_backward(dh: np.ndarray, cache: Sequence) -> Gradients:
    d, x, h0, h, W_x, W_h = _t(dh, *cache)
    prevs = [h0, *h.unbind(1)[:-1]]
    carry, dxs, sums = torch.zeros_like(h0), [], [0, 0, 0]
    for d_t, x_t, prev, h_t in reversed(list(zip(d.unbind(1), x.unbind(1), prevs, h.unbind(1), strict=True))):
        dx, carry, *dW = _back(d_t + carry, x_t, prev, h_t, W_x, W_h)
        dxs.insert(0, dx)
        sums = [s + g for s, g in zip(sums, dW, strict=True)]
    return tuple(g.numpy() for g in (torch.stack(dxs, dim=1), carry, *sums))


def embedding_backward(d_out: np.ndarray, ids: np.ndarray, vocab_size: int) -> np.ndarray:
    d = _t(d_out).flatten(0, 1)
    return torch.zeros(vocab_size, d.shape[1], dtype=d.dtype).index_add_(0, _ids(ids).flatten(), d).numpy()


def grad_check(f: Callable[[np.ndarray], float], x: np.ndarray, grad: np.ndarray, eps: float) -> float:
    x, g = np.array(x, np.float64, order="C"), np.array(grad, np.float64).reshape(-1)
    shape, n = x.shape, []
    for i in range(x.size):
        ends = []
        for sign in (1, -1):
            moved = x.reshape(-1).copy()
            moved[i] += sign * eps
            ends.append(f(moved.reshape(shape)))
        n.append((ends[0] - ends[1]) / (2 * eps))
    n = np.array(n)
    return float(np.max(abs(g - n) / np.clip(abs(g) + abs(n), 1e-8, None)))


def truncated_bptt(
    x: np.ndarray, targets: np.ndarray, h0: np.ndarray, params: dict[str, np.ndarray], k: int
) -> tuple[float, dict[str, np.ndarray]]:
    P = {name: _t(p) for name, p in params.items()}
    X, h, Y = _t(x), _t(h0), _ids(targets)
    N, loss = Y.numel(), 0.0
    grads = {name: np.zeros(tuple(p.shape)) for name, p in P.items()}
    for xw, yw in zip(X.split(k, dim=1), Y.split(k, dim=1), strict=True):
        start, hs = h, []
        for x_t in xw.unbind(1):
            h = torch.tanh(F.linear(x_t, P["W_x"], P["b"]) + F.linear(h, P["W_h"]))
            hs.append(h)
        H = torch.stack(hs, dim=1)
        z = F.linear(H, P["W_y"], P["b_y"])
        loss += F.cross_entropy(z.flatten(0, 1), yw.flatten(), reduction="sum").item() / N
        dz = (F.softmax(z, dim=-1) - F.one_hot(yw, z.shape[-1])) / N
        _, _, dW_x, dW_h, db = rnn_backward(dz @ P["W_y"], (xw, start, H, P["W_x"], P["W_h"]))
        parts = {"W_x": dW_x, "W_h": dW_h, "b": db, "W_y": torch.tensordot(dz, H, ([0, 1], [0, 1])), "b_y": dz.sum((0, 1))}
        for name, g in parts.items():
            grads[name] += np.asarray(g)
    return loss, grads


def clip_grad_norm(grads: dict[str, np.ndarray], max_norm: float) -> tuple[dict[str, np.ndarray], float]:
    norm = float(np.linalg.norm(np.concatenate([np.zeros(1), *map(np.ravel, grads.values())])))
    scale = min(1.0, max_norm / norm) if norm else 1.0
    return {name: g * scale for name, g in grads.items()}, norm


def gradient_norms(dh_last: np.ndarray, cache: Sequence) -> np.ndarray:
    g, _, _, h, _, W_h = _t(dh_last, *cache)
    norms = [g.norm()]
    for h_t in h[:, 1:].flip(1).unbind(1):
        g = (g * (1 - h_t.square())) @ W_h
        norms.insert(0, g.norm())
    return torch.stack(norms).numpy()


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
