import numpy as np
import torch
import torch.nn.functional as F


def T(a):
    return torch.tensor(np.ascontiguousarray(a), dtype=torch.float64)


def ids_of(a):
    return torch.tensor(np.ascontiguousarray(a), dtype=torch.int64)


def N(*tensors):
    return tuple(t.numpy() for t in tensors)


class StepBack:
    """z = [x; h_prev] W^T + b as one layer, and its tanh."""

    def __init__(self, W_x, W_h):
        self.W = torch.cat([W_x, W_h], dim=1)
        self.sizes = [W_x.shape[1], W_h.shape[1]]
        self.dW = torch.zeros_like(self.W)
        self.db = torch.zeros(W_h.shape[0], dtype=self.W.dtype)

    def __call__(self, dh, x_t, h_prev, h_t):
        dz = dh.mul((1 - h_t) * (1 + h_t))
        self.dW.addmm_(dz.t(), torch.cat([x_t, h_prev], dim=1))
        self.db.add_(dz.sum(dim=0))
        return dz.mm(self.W).split(self.sizes, dim=1)

    def weights(self):
        dW_x, dW_h = self.dW.split(self.sizes, dim=1)
        return dW_x, dW_h, self.db


def loss_backward(logits, targets, mask):
    logits, targets = T(logits), ids_of(targets)
    mask = torch.tensor(np.ascontiguousarray(mask), dtype=torch.bool)
    d = F.softmax(logits, dim=-1)
    d = d.scatter_add(-1, targets.unsqueeze(-1), -torch.ones_like(targets, dtype=d.dtype).unsqueeze(-1))
    return d.masked_fill(~mask.unsqueeze(-1), 0.0).div(mask.sum()).numpy()


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = map(T, cache)
    back = StepBack(W_x, W_h)
    dx, dh_prev = back(T(dh), x_t, h_prev, h_t)
    return N(dx, dh_prev, *back.weights())


def rnn_backward(dh, cache):
    x, h0, h, W_x, W_h = map(T, cache)
    dh = T(dh)
    back = StepBack(W_x, W_h)
    states = [h0, *h.unbind(1)]
    dh_next = torch.zeros_like(h0)
    dxs = []
    for t in range(x.shape[1])[::-1]:
        dx, dh_next = back(dh[:, t] + dh_next, x[:, t], states[t], states[t + 1])
        dxs.insert(0, dx)
    return N(torch.stack(dxs, dim=1), dh_next, *back.weights())


def embedding_backward(d_out, ids, vocab_size):
    d_out = T(d_out)
    dE = torch.zeros(vocab_size, d_out.shape[-1], dtype=d_out.dtype)
    return dE.index_add(0, ids_of(ids).flatten(), d_out.flatten(0, 1)).numpy()


def grad_check(f, x, grad, eps):
    x = np.asarray(x, dtype=np.float64)
    steps = eps * np.eye(x.size).reshape(x.size, *x.shape)
    n = np.array([f(x + s) - f(x - s) for s in steps]).reshape(-1) / (2 * eps)
    g = np.asarray(grad, dtype=np.float64).reshape(-1)
    return float((np.abs(g - n) / np.clip(np.abs(g) + np.abs(n), 1e-8, None)).max())


def truncated_bptt(x, targets, h0, params, k):
    p = {name: T(a) for name, a in params.items()}
    chunks = zip(T(x).split(k, dim=1), ids_of(targets).split(k, dim=1))
    total = targets.size
    h_last = T(h0)
    loss, grads = 0.0, {name: torch.zeros_like(a) for name, a in p.items()}
    for x_c, y_c in chunks:
        states = [h_last]
        for x_t in x_c.unbind(1):
            states.append(torch.tanh(F.linear(x_t, p["W_x"], p["b"]) + F.linear(states[-1], p["W_h"])))
        h = torch.stack(states[1:], dim=1)
        logits = F.linear(h, p["W_y"], p["b_y"])
        loss += F.cross_entropy(logits.flatten(0, 1), y_c.flatten(), reduction="sum").item() / total

        d = (F.softmax(logits, dim=-1) - F.one_hot(y_c, logits.shape[-1])) / total
        grads["W_y"] += d.flatten(0, 1).t() @ h.flatten(0, 1)
        grads["b_y"] += d.sum(dim=(0, 1))
        dh = d @ p["W_y"]
        back, dh_next = StepBack(p["W_x"], p["W_h"]), 0.0
        for t in reversed(range(h.shape[1])):
            _, dh_next = back(dh[:, t] + dh_next, x_c[:, t], states[t], states[t + 1])
        for name, g in zip(("W_x", "W_h", "b"), back.weights()):
            grads[name] += g
        h_last = states[-1]
    return loss, {name: g.numpy() for name, g in grads.items()}


def clip_grad_norm(grads, max_norm):
    norm = float(np.linalg.norm([np.linalg.norm(np.ravel(g)) for g in grads.values()]))
    scale = min(1.0, max_norm / norm) if norm else 1.0
    return {name: np.multiply(g, scale) for name, g in grads.items()}, norm


def gradient_norms(dh_last, cache):
    _, _, h, _, W_h = map(T, cache)
    g = T(dh_last)
    norms = [torch.linalg.vector_norm(g)]
    for h_t in h.flip(1).unbind(1)[:-1]:
        g = (g * (1 - h_t.square())) @ W_h
        norms.append(torch.linalg.vector_norm(g))
    return torch.stack(norms).flip(0).numpy()


def debugging_lab():
    return {"run_1": "c", "run_2": "a", "run_3": "b", "run_4": "d", "run_5": "b"}


def quiz():
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
