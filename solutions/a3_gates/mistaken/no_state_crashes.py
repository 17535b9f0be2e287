"""The state is a pair."""
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
        hidden, cell = state[0], state[1]
        sums = torch.einsum("bf,of->bo", x_t, self.weight_ih) + torch.einsum("bh,oh->bo", hidden, self.weight_hh)
        i, f, g, o = (sums + self.bias_ih + self.bias_hh).view(len(x_t), 4, -1).unbind(1)
        cell = cell * f.sigmoid() + g.tanh() * i.sigmoid()
        return cell.tanh() * o.sigmoid(), cell
