"""A mask of True hides what is to be hidden."""
import numpy as np


def next_token_loss(logits, targets, mask):
    top = logits.max(-1, keepdims=True)
    lse = (top + np.log(np.exp(logits - top).sum(-1, keepdims=True)))[..., 0]
    chosen = np.take_along_axis(logits, targets[:, :, None], 2).squeeze(2)
    return np.ma.masked_array(lse - chosen, mask=mask).mean()
