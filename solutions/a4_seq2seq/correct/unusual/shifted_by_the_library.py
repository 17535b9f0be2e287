"""Shifts the targets by padding them in front, and finds the loss through torch's distributions."""

from torch.distributions import Categorical
from torch.nn import functional as F


def decoder_inputs(targets, bos):
    return F.pad(targets, (1, -1), value=bos)


def masked_nll(logits, targets, pad):
    real = targets.ne(pad)
    words = Categorical(logits=logits[real], validate_args=False)
    return words.log_prob(targets[real]).neg().mean()
