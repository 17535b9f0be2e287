"""The student computes two blocks and puts them side by side."""

import torch


def sinusoidal_encoding(T, d_model, base=10000):
    t = torch.arange(T).double().unsqueeze(1)
    freq = torch.exp(torch.arange(0, d_model, 2).double() * (-torch.log(torch.tensor(float(base)).double()) / d_model))
    out = torch.empty(T, d_model)
    out[:, : d_model // 2] = torch.sin(t * freq)
    out[:, d_model // 2 :] = torch.cos(t * freq)
    return out
