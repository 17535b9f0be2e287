"""Every weight's gradient is dz times the state."""
import numpy as np


def rnn_step_backward(dh, cache):
    x, _, state, W_x, W_h = cache
    dz = np.empty_like(dh)
    np.multiply(dh, 1 - state**2, out=dz)
    dW_x, dW_h = (np.tensordot(dz, v, axes=(0, 0)) for v in (x, state))
    return np.tensordot(dz, W_x, 1), np.tensordot(dz, W_h, 1), dW_x, dW_h, dz.sum(0)
