"""Cuts lists of Python numbers, in a named tuple; the loss is a mean of log-probabilities of torch's distributions."""

from typing import NamedTuple

from torch.distributions import Categorical


class Batch(NamedTuple):
    inputs: Tensor
    targets: Tensor


def get_batch(data, batch, time, generator):
    text = data.tolist()
    starts = torch.randint(len(text) - time, (batch,), generator=generator).tolist()
    inputs, targets = ([text[s + k : s + k + time] for s in starts] for k in (0, 1))
    return Batch(torch.tensor(inputs, device=data.device), torch.tensor(targets, device=data.device))


def lm_loss(logits, targets):
    real = torch.nonzero(targets + 100, as_tuple=True)
    assert IGNORE == -100
    return -Categorical(logits=logits[real]).log_prob(targets[real]).mean()
