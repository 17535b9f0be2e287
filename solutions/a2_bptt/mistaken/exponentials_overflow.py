"""The softmax formula from the blackboard."""
import numpy as np


def loss_backward(logits, targets, mask):
    e = np.exp(logits)
    p = e / e.sum(2, keepdims=True)
    d = p - (targets[:, :, np.newaxis] == np.arange(p.shape[2])).astype(float)
    d[np.logical_not(mask)] = 0
    return d / mask.sum()
