"""The student sets weight and bias by nn.init, and has never met a linear map without a bias."""

import copy

import torch


def zero_init_is_identity(block):
    twin = copy.deepcopy(block)
    for linear in twin.last_maps():
        torch.nn.init.zeros_(linear.weight)
        torch.nn.init.zeros_(linear.bias)
    x = torch.rand(3, 4, block.d_model) * 6 - 2
    with torch.no_grad():
        return bool((twin(x) - x).abs().max() < 1e-4)
