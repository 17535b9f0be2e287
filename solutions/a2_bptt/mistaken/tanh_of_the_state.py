"""The derivative of tanh is 1 - tanh squared, so take the tanh of what there is."""
import numpy as np


def rnn_step_backward(dh, cache):
    x, h_before, h, W_x, W_h = cache
    slope = 1.0 / np.cosh(h) ** 2
    pre = np.multiply(dh, slope)
    return (
        np.einsum("bh,hf->bf", pre, W_x),
        np.einsum("bh,hk->bk", pre, W_h),
        np.einsum("bh,bf->hf", pre, x),
        np.einsum("bh,bk->hk", pre, h_before),
        np.einsum("bh->h", pre),
    )
