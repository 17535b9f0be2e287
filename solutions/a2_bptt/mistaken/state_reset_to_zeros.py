"""A window is a little text of its own: split, run, add up."""
import numpy as np


def _window(x, targets, h, p, total):
    states = [h]
    for t in range(x.shape[1]):
        states.append(np.tanh(states[-1] @ p["W_h"].T + x[:, t] @ p["W_x"].T + p["b"]))
    hs = np.stack(states[1:], axis=1)
    z = hs @ p["W_y"].T + p["b_y"]
    logp = z - np.logaddexp.reduce(z, axis=-1, keepdims=True)
    hot = np.eye(z.shape[-1])[targets]
    dz = (np.exp(logp) - hot) / total
    back = rnn_backward(dz @ p["W_y"], (x, h, hs, p["W_x"], p["W_h"]))
    out = {"W_x": back[2], "W_h": back[3], "b": back[4]}
    out |= {"W_y": np.tensordot(dz, hs, ((0, 1), (0, 1))), "b_y": dz.sum((0, 1))}
    return -(logp * hot).sum() / total, out


def truncated_bptt(x, targets, h0, params, k):
    loss, grads, h = 0.0, None, h0
    for s in range(0, x.shape[1], k):
        part, g = _window(x[:, s : s + k], targets[:, s : s + k], h, params, targets.size)
        loss += part
        grads = g if grads is None else {n: grads[n] + g[n] for n in g}
        h = np.zeros_like(h0)
    return loss, grads
