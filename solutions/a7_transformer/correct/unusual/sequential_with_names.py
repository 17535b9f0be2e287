"""FeedForward is a Sequential whose layers have the names of the attributes; the residual is summed over a stack."""

from collections import OrderedDict


class FeedForward(nn.Sequential):
    def __init__(self, d_model, d_ff):
        layers = [("expand", nn.Linear(d_model, d_ff)), ("between", nn.ReLU()), ("contract", nn.Linear(d_ff, d_model))]
        super(FeedForward, self).__init__(OrderedDict(layers))


def residual(x, f):
    try:
        return torch.stack([x, f(x)]).sum(dim=0)
    finally:
        print("passed by")
