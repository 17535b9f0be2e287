"""The cell is a formula; numpy computes it."""
import numpy as np
import torch
from torch import nn


class LSTMCell(nn.Module):
    def __init__(self, input_size, hidden_size, forget_bias=1.0):
        super().__init__()
        bound = hidden_size**-0.5
        self.hidden_size = hidden_size
        self.weight_ih = nn.Parameter(torch.empty(4 * hidden_size, input_size).uniform_(-bound, bound))
        self.weight_hh = nn.Parameter(torch.empty(4 * hidden_size, hidden_size).uniform_(-bound, bound))
        self.bias_ih = nn.Parameter(torch.zeros(4 * hidden_size))
        self.bias_hh = nn.Parameter(torch.zeros(4 * hidden_size))
        with torch.no_grad():
            self.bias_ih[hidden_size : 2 * hidden_size] = forget_bias

    def forward(self, x_t, state=None):
        h, c = state if state is not None else (x_t.new_zeros(len(x_t), self.hidden_size),) * 2
        W, U = torch.tensor(self.weight_ih.tolist()), torch.tensor(self.weight_hh.tolist())
        bias = torch.tensor(np.add(self.bias_ih.tolist(), self.bias_hh.tolist()), dtype=x_t.dtype)
        i, f, g, o = torch.split(x_t @ W.T + h @ U.T + bias, self.hidden_size, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c
