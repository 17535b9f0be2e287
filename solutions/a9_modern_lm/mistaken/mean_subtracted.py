"""The student writes layer normalisation without its shift."""

import torch


def rms_norm(x, gain, eps=1e-5):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight=gain, eps=eps)
