"""The student turns all pairs by k radians; the frequencies are in the encoding already, they think."""

import math

import torch


def shift_matrix(k, d_model):
    turn = torch.tensor([[math.cos(k), math.sin(k)], [-math.sin(k), math.cos(k)]])
    return torch.kron(torch.eye(d_model // 2), turn)
