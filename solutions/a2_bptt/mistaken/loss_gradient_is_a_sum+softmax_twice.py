"""What the model says is softmax(logits); softmax and cross-entropy together give p minus one-hot."""
import numpy as np


def _soft(z):
    e = np.exp(z - z.max(-1)[..., None])
    return e / e.sum(-1)[..., None]


def loss_backward(logits, targets, mask):
    d = _soft(_soft(logits))
    rows, steps = np.indices(targets.shape)
    d[rows, steps, targets] -= 1
    d[~mask] = 0
    return d
