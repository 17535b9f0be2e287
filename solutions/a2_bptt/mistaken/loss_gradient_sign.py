"""One minus the probability for the target, minus the probability for all others."""
import numpy as np


def loss_backward(logits, targets, mask):
    e = np.exp(logits - np.amax(logits, axis=2, keepdims=True))
    share = e / np.einsum("btv->bt", e)[..., None]
    wanted = np.zeros_like(share)
    np.put_along_axis(wanted, targets[..., None], 1.0, axis=2)
    weight = mask / np.count_nonzero(mask)
    return np.einsum("btv,bt->btv", wanted - share, weight)
