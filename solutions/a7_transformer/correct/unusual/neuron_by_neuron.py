"""Every hidden neuron adds its own column to the output; those that do not fire add nothing. Residuals go through a module."""


class Skip(nn.Module):
    def __init__(self, inside):
        super().__init__()
        object.__setattr__(self, "inside", inside)

    def forward(self, x):
        return torch.add(input=x, other=self.inside(x))


def residual(x, f):
    return Skip(f)(x)


class FeedForward(FeedForward):
    def forward(self, x):
        y = self.contract.bias.expand_as(x)
        for w, b, column in zip(self.expand.weight, self.expand.bias, self.contract.weight.T):
            y = y + (x @ w + b).clamp(min=0).unsqueeze(-1) * column
        return y
