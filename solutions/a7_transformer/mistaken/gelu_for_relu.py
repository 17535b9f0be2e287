"""The student writes the activation of GPT-2."""

import torch
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)

    def forward(self, x):
        a = self.expand(x)
        return self.contract(0.5 * a * (1 + torch.erf(a / 2**0.5)))
