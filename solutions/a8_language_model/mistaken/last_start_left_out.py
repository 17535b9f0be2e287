"""The student takes one more off the length, for the target."""

import torch


def get_batch(data, batch, time, generator):
    starts = torch.randint(data.numel() - time - 1, (batch,), generator=generator)
    pieces = torch.stack([data[s : s + time + 1] for s in starts.tolist()])
    return pieces[:, :-1], pieces[:, 1:]
