"""The student multiplies by the weights and remembers one bias of two."""

import torch
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)

    def forward(self, x):
        inner = torch.einsum("btd,fd->btf", x, self.expand.weight) + self.expand.bias
        inner = torch.where(inner > 0, inner, torch.zeros_like(inner))
        return torch.einsum("btf,df->btd", inner, self.contract.weight)
