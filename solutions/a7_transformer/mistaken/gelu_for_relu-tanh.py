"""The student writes the GELU with its tanh, as in GPT-2's code."""

import math

import torch
from torch import nn


class FeedForward(FeedForward):
    def forward(self, x):
        a = self.expand(x)
        bent = torch.tanh(math.sqrt(2 / math.pi) * (a + 0.044715 * a**3))
        return self.contract(0.5 * a * (1 + bent))
