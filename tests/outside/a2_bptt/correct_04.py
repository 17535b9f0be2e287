"""BPTT; one joint matrix for input and state, and a little torch for the library functions (no autograd)."""

from typing import NamedTuple

import numpy as np
import torch


class Grads(NamedTuple):
    dx: np.ndarray
    dh_prev: np.ndarray
    dW_x: np.ndarray
    dW_h: np.ndarray
    db: np.ndarray


def loss_backward(logits, targets, mask):
    s = torch.as_tensor(np.array(logits, dtype=np.float64))
    p = torch.softmax(s, dim=-1)
    y = torch.nn.functional.one_hot(torch.as_tensor(np.array(targets, dtype=np.int64)), s.shape[-1])
    keep = torch.as_tensor(np.array(mask, dtype=bool))
    d = torch.where(keep.unsqueeze(-1), p - y, torch.zeros(()).double())
    return (d / keep.sum()).numpy()


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    F = x_t.shape[1]
    row = np.hstack([x_t, h_prev])
    W = np.hstack([W_x, W_h])
    dz = dh - dh * h_t * h_t
    d_row = np.matmul(dz, W)
    dW = np.matmul(np.transpose(dz), row)
    return Grads(
        dx=d_row[:, :F],
        dh_prev=d_row[:, F:],
        dW_x=dW[:, :F],
        dW_h=dW[:, F:],
        db=np.sum(dz, axis=0),
    )


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = cache
    T = x.shape[1]
    states = [h0] + [h[:, t] for t in range(T)]
    pieces = []
    arriving = np.zeros_like(h0, dtype=float)
    for t in range(T - 1, -1, -1):
        arriving = arriving + dh[:, t]
        g = rnn_step_backward(arriving, cache=(x[:, t], states[t], states[t + 1], W_x, W_h))
        pieces.insert(0, g)
        arriving = g.dh_prev
    dx = np.stack([g.dx for g in pieces], axis=1)
    return (
        dx,
        arriving,
        np.sum([g.dW_x for g in pieces], axis=0),
        np.sum([g.dW_h for g in pieces], axis=0),
        np.sum([g.db for g in pieces], axis=0),
    )


def embedding_backward(d_out, ids, vocab_size):
    values = torch.as_tensor(np.array(d_out, dtype=np.float64)).reshape(-1, d_out.shape[-1])
    rows = torch.as_tensor(np.array(ids, dtype=np.int64)).reshape(-1)
    table = torch.zeros(vocab_size, d_out.shape[-1], dtype=torch.float64)
    table.index_add_(0, rows, values)
    return table.numpy()


def grad_check(f, x, grad, eps):
    point = np.array(x, dtype=np.float64)
    g = np.array(grad, dtype=np.float64)
    worst = []
    it = np.nditer(point, flags=["multi_index"])
    for _ in it:
        i = it.multi_index
        plus, minus = point.copy(), point.copy()
        plus[i] = plus[i] + eps
        minus[i] = minus[i] - eps
        n = (f(plus) - f(minus)) / (2 * eps)
        size = abs(g[i]) + abs(n)
        worst.append(abs(g[i] - n) / np.maximum(size, 1e-8))
    return float(np.max(worst))


def truncated_bptt(x, targets, h0, params, k):
    B, T = targets.shape
    grads = {key: np.zeros(np.shape(value)) for key, value in params.items()}
    losses = []
    state = np.array(h0)
    windows = [(a, min(a + k, T)) for a in range(0, T, k)]
    for a, z in windows:
        entry = state
        h = np.zeros((B, z - a, h0.shape[1]))
        for j, t in enumerate(range(a, z)):
            state = np.tanh(x[:, t] @ params["W_x"].T + state @ params["W_h"].T + params["b"])
            h[:, j] = state
        logits = h @ params["W_y"].T + params["b_y"]
        flat = torch.as_tensor(logits).reshape(-1, logits.shape[-1])
        goal = torch.as_tensor(np.array(targets[:, a:z], dtype=np.int64)).reshape(-1)
        losses.append(torch.nn.functional.cross_entropy(flat, goal, reduction="sum").item())
        dlogits = torch.softmax(flat, -1)
        dlogits[torch.arange(len(goal)), goal] -= 1
        dlogits = dlogits.reshape(logits.shape).numpy() / (B * T)
        grads["b_y"] += dlogits.sum(axis=(0, 1))
        grads["W_y"] += np.tensordot(dlogits, h, axes=((0, 1), (0, 1)))
        out = rnn_backward(dlogits @ params["W_y"], (x[:, a:z], entry, h, params["W_x"], params["W_h"]))
        for key, value in zip(("W_x", "W_h", "b"), out[2:]):
            grads[key] += value
    return sum(losses) / (B * T), grads


def clip_grad_norm(grads, max_norm):
    norm = np.sqrt(np.sum([np.vdot(g, g) for g in grads.values()]))
    if norm <= max_norm:
        return {name: np.array(g) for name, g in grads.items()}, float(norm)
    return {name: np.array(g) * (max_norm / norm) for name, g in grads.items()}, float(norm)


def gradient_norms(dh_last, cache):
    x, h0, h, W_x, W_h = cache

    d = dh_last
    result = np.empty(h.shape[1])
    for back in range(1, h.shape[1] + 1):
        result[-back] = np.sqrt((d * d).sum())
        d = ((1 - h[:, -back] ** 2) * d) @ W_h
    return result


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
