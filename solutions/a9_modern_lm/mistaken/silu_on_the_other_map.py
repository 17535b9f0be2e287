"""The student lets W_up be the gate."""

import torch


def swiglu(x, W_gate, W_up, W_down):
    opened = torch.einsum("...d,fd->...f", x, W_up)
    opened = opened * torch.sigmoid(opened)
    return (opened * (x @ W_gate.mT)) @ W_down.mT
