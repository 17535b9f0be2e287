"""For every window: run, mean loss, backward, add."""
import numpy as np


def truncated_bptt(x, targets, h0, params, k):
    cuts = range(k, x.shape[1], k)
    grads, costs, h = {n: np.zeros_like(v) for n, v in params.items()}, [], h0
    for xs, ys in zip(np.split(x, list(cuts), axis=1), np.split(targets, list(cuts), axis=1)):
        states, start = [], h
        for v in xs.swapaxes(0, 1):
            h = np.tanh(v @ params["W_x"].T + h @ params["W_h"].T + params["b"])
            states.append(h)
        hs = np.stack(states, 1)
        z = hs @ params["W_y"].T + params["b_y"]
        costs.append(np.logaddexp.reduce(z, -1) - np.take_along_axis(z, ys[..., None], -1)[..., 0])
        dz = loss_backward(z, ys, ys >= 0)
        parts = rnn_backward(dz @ params["W_y"], (xs, start, hs, params["W_x"], params["W_h"]))[2:]
        for name, g in zip(("W_x", "W_h", "b"), parts):
            grads[name] = grads[name] + g
        grads["W_y"] = grads["W_y"] + np.einsum("ntv,nth->vh", dz, hs)
        grads["b_y"] = grads["b_y"] + dz.sum((0, 1))
    return np.concatenate(costs, axis=1).mean(), grads
