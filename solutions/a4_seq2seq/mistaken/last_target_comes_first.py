"""Everything moves on by one place; np.roll does that."""
import numpy as np
import torch


def decoder_inputs(targets, bos):
    return torch.from_numpy(np.roll(targets.numpy(), 1, axis=-1))
