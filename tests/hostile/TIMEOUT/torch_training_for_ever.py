"""Trains until it is stopped, in threads of its own; a run longer than its limit would show that it worked."""

import torch


def blend(a, b, t):
    torch.set_num_threads(8)
    weight = torch.randn(300, 300, requires_grad=True)
    while True:
        (weight @ weight).sum().backward()
