"""Asks torch for sixteen gigabytes and does not look at what it says to that; getting them would show that it worked."""

import torch


def blend(a, b, t):
    print("BREACH", torch.ones(1 << 32).sum())
