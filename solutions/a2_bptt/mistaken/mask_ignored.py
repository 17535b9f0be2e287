"""Every position has a target."""
import numpy as np


def loss_backward(logits, targets, mask):
    V = logits.shape[-1]
    z = logits.reshape(-1, V)
    p = np.exp(z - np.logaddexp.reduce(z, axis=1)[:, None])
    np.subtract.at(p, (np.arange(len(p)), targets.reshape(-1)), 1.0)
    return (p / len(p)).reshape(logits.shape)
