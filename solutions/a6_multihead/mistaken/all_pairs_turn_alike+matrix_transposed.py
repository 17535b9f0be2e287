"""The student turns all pairs by the same angle, and the other way."""

import math

import torch


def shift_matrix(k, d_model):
    m = torch.eye(d_model) * math.cos(k)
    for i in range(0, d_model, 2):
        m[i, i + 1] = -math.sin(k)
        m[i + 1, i] = math.sin(k)
    return m
