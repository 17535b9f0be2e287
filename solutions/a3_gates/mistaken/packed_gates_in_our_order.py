"""Four gates, in the order that they have had all along."""
import torch
from torch import nn
from torch.nn import functional as F


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
        if state is None:
            state = torch.zeros(2, x_t.shape[0], self.hidden_size, dtype=x_t.dtype)
        h, c = state
        sums = F.linear(x_t, self.weight_ih, self.bias_ih) + F.linear(h, self.weight_hh, self.bias_hh)
        f, i, o, g = torch.split(sums, self.hidden_size, dim=1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c
