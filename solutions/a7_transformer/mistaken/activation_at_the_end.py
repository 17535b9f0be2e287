"""The student clamps the result in place of the middle."""

from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)

    def forward(self, x):
        for layer in (self.expand, self.contract):
            x = layer(x)
        return x.clamp(min=0)
