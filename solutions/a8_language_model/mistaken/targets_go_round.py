"""The student shifts the piece in itself."""

import torch


def get_batch(data, batch, time, generator):
    where = torch.randint(len(data) - time, (batch,), generator=generator)
    inputs = torch.stack([data.narrow(0, int(s), time) for s in where])
    targets = torch.cat([inputs[:, 1:], inputs[:, :1]], dim=1)
    return inputs, targets
