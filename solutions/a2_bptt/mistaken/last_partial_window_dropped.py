"""time // k windows of k steps each, reshaped to an axis of their own."""
import numpy as np


def truncated_bptt(x, targets, h0, params, k):
    k = min(k, x.shape[1])
    count = x.shape[1] // k
    grads = {n: 0 for n in params}
    loss, h = 0.0, h0
    for w in range(count):
        span = slice(w * k, w * k + k)
        xs, ys, start, hs = x[:, span], targets[:, span], h, []
        for t in range(k):
            h = np.tanh(xs[:, t] @ params["W_x"].T + h @ params["W_h"].T + params["b"])
            hs.append(h)
        hs = np.stack(hs, 1)
        z = hs @ params["W_y"].T + params["b_y"]
        everywhere = np.ones(ys.shape, bool)
        dz = loss_backward(z, ys, everywhere) * ys.size / targets.size
        costs = np.logaddexp.reduce(z, -1) - np.take_along_axis(z, ys[..., None], -1)[..., 0]
        loss += costs.sum() / targets.size
        _, _, *dW = rnn_backward(dz @ params["W_y"], (xs, start, hs, params["W_x"], params["W_h"]))
        new = dict(zip(("W_x", "W_h", "b"), dW), W_y=np.einsum("btv,bth->vh", dz, hs), b_y=dz.sum((0, 1)))
        grads = {n: grads[n] + new[n] for n in grads}
    return loss, grads
