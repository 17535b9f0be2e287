"""Drop the first one, add BOS."""
import torch


def decoder_inputs(targets, bos):
    return torch.nn.functional.pad(targets[:, 1:], (0, 1), value=bos)
