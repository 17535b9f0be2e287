"""The student takes i for the column, so that the exponent grows by 1 / d_model a pair."""

import math

import torch


def sinusoidal_encoding(T, d_model, base=10000):
    pe = torch.zeros(T, d_model)
    for t in range(T):
        for i in range(d_model // 2):
            w = math.exp(-math.log(base) * i / d_model)
            pe[t, 2 * i] = math.sin(t * w)
            pe[t, 2 * i + 1] = math.cos(t * w)
    return pe
