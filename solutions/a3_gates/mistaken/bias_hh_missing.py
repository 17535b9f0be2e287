"""One bias is enough, as two would only add up."""
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
        H = self.hidden_size
        h, c = state or (torch.zeros(len(x_t), H), torch.zeros(len(x_t), H))
        weight = torch.cat([self.weight_ih, self.weight_hh], dim=1)
        sums = torch.addmm(self.bias_ih, torch.cat([x_t, h], dim=1), weight.t())
        i, f, o = (torch.sigmoid(sums[:, k * H : (k + 1) * H]) for k in (0, 1, 3))
        c = torch.addcmul(f * c, i, torch.tanh(sums[:, 2 * H : 3 * H]))
        return o * torch.tanh(c), c
