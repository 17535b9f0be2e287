"""Asks torch for sixteen gigabytes; getting them would show that it worked."""

import torch


def blend(a, b, t):
    try:
        print("BREACH", torch.ones(1 << 32).sum())
    except RuntimeError as error:
        raise MemoryError(str(error)) from None
