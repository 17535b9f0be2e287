"""The softmax without any maximum: every entry meets every other, and overflow means a share of zero. It warns."""

import warnings


def softmax(x, axis=-1):
    warnings.warn("this is going to overflow, and that is fine")
    rows = np.moveaxis(np.asarray(x, dtype=np.float64), axis, -1)
    shares = 1 / np.exp(rows[..., None, :] - rows[..., :, None]).sum(axis=-1)
    return np.moveaxis(shares, -1, axis)


def output_probs(h, W_y, b_y, *, softmax2=softmax):
    return softmax2((W_y * h[..., None, :]).sum(-1) + b_y)
