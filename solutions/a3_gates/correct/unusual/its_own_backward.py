"""The torch cell brings its own derivative of the sigmoid, as an autograd.Function, and remembers its last state."""


class Sigma(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        s = torch.exp(-torch.logaddexp(torch.zeros_like(a), -a))
        ctx.save_for_backward(s)
        return s

    @staticmethod
    def backward(ctx, ds):
        (s,) = ctx.saved_tensors
        return ds * s * (1 - s)


class LSTMCell(LSTMCell):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.register_buffer("last", torch.zeros(0), persistent=False)
        self.calls = 0

    def forward(self, x_t, state=None):
        self.calls += 1
        h, c = (x_t.new_zeros(()).expand(x_t.shape[0], self.hidden_size),) * 2 if state is None else state
        sums = torch.addmm(self.bias_hh, h, self.weight_hh.t()).addmm(x_t, self.weight_ih.t()).add(self.bias_ih)
        gates = dict(zip("ifgo", sums.tensor_split(4, dim=1), strict=True))
        c = torch.addcmul(Sigma.apply(gates["f"]) * c, Sigma.apply(gates["i"]), torch.tanh(gates["g"]))
        self.last = c.detach()
        return Sigma.apply(gates["o"]).mul(2 * torch.sigmoid(2 * c) - 1), c
