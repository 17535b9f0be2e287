"""The torch cell is a child of torch's base class of cells, and multiplies by gates with F.glu."""

from torch.nn import functional as F
from torch.nn.modules.rnn import RNNCellBase


class LSTMCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, forget_bias=1.0):
        super().__init__(input_size, hidden_size, bias=True, num_chunks=4)
        nn.init.zeros_(self.bias_hh)
        with torch.no_grad():
            self.bias_ih.copy_(torch.tensor([0, forget_bias, 0, 0]).repeat_interleave(hidden_size))

    def forward(self, x_t, state=None):
        h, c = state or x_t.new_zeros(2, len(x_t), self.hidden_size).unbind()
        sums = F.linear(x_t, self.weight_ih, self.bias_ih) + F.linear(h, self.weight_hh, self.bias_hh)
        i, f, g, o = sums.unflatten(-1, (4, -1)).unbind(-2)
        c = F.glu(torch.cat([c, f], -1)) + F.glu(torch.cat([g.tanh(), i], -1))
        return F.glu(torch.cat([c.tanh(), o], -1)), c
