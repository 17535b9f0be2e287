"""The student builds what PE[t] is multiplied by from the right."""

import math

import torch


def shift_matrix(k, d_model):
    blocks = []
    for i in range(d_model // 2):
        w = k / 10000 ** (2 * i / d_model)
        c, s = math.cos(w), math.sin(w)
        blocks.append(torch.tensor([[c, -s], [s, c]]))
    return torch.block_diag(*blocks)
