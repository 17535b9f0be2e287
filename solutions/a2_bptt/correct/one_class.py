"""Layers as classes that keep their cache in a dict, from forward to backward; the functions only call them."""

import numpy as np


class Layer:
    """An Elman RNN that adds up its gradients."""

    def __init__(self, W_x, W_h, b=None):
        self.weights = {"W_x": W_x, "W_h": W_h, "b": np.zeros(len(W_h)) if b is None else b}
        self.grads = {name: np.zeros_like(value) for name, value in self.weights.items()}
        self.memory = []

    def forward(self, x_t, state):
        new = np.tanh(x_t @ self.weights["W_x"].T + state @ self.weights["W_h"].T + self.weights["b"])
        self.remember(x_t, state, new)
        return new

    def remember(self, x_t, before, after):
        self.memory.append({"input": x_t, "before": before, "after": after})

    def backward(self, dh):
        note = self.memory.pop()
        dz = dh * (1 - note["after"] ** 2)
        self.grads["W_x"] += np.outer(dz, note["input"]) if dz.ndim == 1 else dz.T @ note["input"]
        self.grads["W_h"] += dz.T @ note["before"]
        self.grads["b"] += dz.sum(axis=0)
        return dz @ self.weights["W_x"], dz @ self.weights["W_h"]

    def result(self):
        return self.grads["W_x"], self.grads["W_h"], self.grads["b"]


def _replay(x, h0, h, W_x, W_h):
    layer = Layer(W_x, W_h)
    for t in range(h.shape[1]):
        layer.remember(x[:, t], h[:, t - 1] if t else h0, h[:, t])
    return layer


def rnn_step_backward(dh, cache):
    x_t, h_prev, h_t, W_x, W_h = cache
    layer = Layer(W_x, W_h)
    layer.remember(x_t, h_prev, h_t)
    dx, dh_prev = layer.backward(dh)
    return (dx, dh_prev, *layer.result())


def rnn_backward(dh, cache):
    layer = _replay(*cache)
    dxs, flowing = [], np.zeros_like(cache[1])
    for t in range(dh.shape[1] - 1, -1, -1):
        dx, flowing = layer.backward(dh[:, t] + flowing)
        dxs.append(dx)
    return (np.stack(dxs[::-1], axis=1), flowing, *layer.result())


def truncated_bptt(x, targets, h0, params, k):
    layer = Layer(params["W_x"], params["W_h"], params["b"])
    dW_y, db_y = np.zeros_like(params["W_y"]), np.zeros_like(params["b_y"])
    losses, state, pending = [], h0, []
    for t in range(x.shape[1]):
        state = layer.forward(x[:, t], state)
        logits = state @ params["W_y"].T + params["b_y"]
        probs = np.exp(logits) / np.exp(logits).sum(axis=1)[:, None]
        losses.extend(-np.log(probs[range(len(x)), targets[:, t]]))
        dlogits = (probs - np.eye(len(db_y))[targets[:, t]]) / targets.size
        dW_y += dlogits.T @ state
        db_y += dlogits.sum(axis=0)
        pending.append(dlogits @ params["W_y"])
        if len(pending) == k or t == x.shape[1] - 1:
            flowing = 0
            while pending:
                _, flowing = layer.backward(pending.pop() + flowing)
    dW_x, dW_h, db = layer.result()
    return np.mean(losses), {"b_y": db_y, "W_y": dW_y, "b": db, "W_h": dW_h, "W_x": dW_x}


def gradient_norms(dh_last, cache):
    layer = _replay(*cache)
    norms = [np.linalg.norm(dh_last)]
    while len(layer.memory) > 1:
        dh_last = layer.backward(dh_last)[1]
        norms.insert(0, np.linalg.norm(dh_last))
    return np.asarray(norms)


def quiz():
    return dict(
        two_readers="C",
        orthogonal_weights=" a",
        what_clipping_cannot="B",
        what_is_cut="d",
        what_is_left="b ",
        shared_weight="D",
        clipped_array="a",
        central_difference="C",
    )
