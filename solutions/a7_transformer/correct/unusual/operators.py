"""A residual connection is a reduction of two tensors by addition; feed-forward is a composition."""

import operator
from functools import reduce
from torch.nn import functional as F


def residual(x, f):
    return reduce(operator.add, (g(x) for g in (f, lambda same: same)))


def compose(*functions):
    return reduce(lambda f, g: lambda x: g(f(x)), functions)


class FeedForward(FeedForward):
    def forward(self, x):
        first, last = (lambda h, m=m: F.linear(h, m.weight, m.bias) for m in self.children())
        return compose(first, lambda h: (h + h.abs()) / 2, last)(x)
