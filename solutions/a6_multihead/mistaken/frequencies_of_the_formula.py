"""The student has the layout right and takes the paper's exponent for the figure's."""

import math

import torch


def timing_signal(T, d_model):
    half = d_model // 2
    rows = []
    for t in range(T):
        angles = [t * 10000 ** (-2 * i / d_model) for i in range(half)]
        rows.append([math.sin(a) for a in angles] + [math.cos(a) for a in angles])
    return torch.tensor(rows)
