"""Uses several of torch's threads, einsum, LBFGS and double precision."""

import torch


torch.set_num_threads(2)


def blend(a, b, t):
    big = torch.randn(200, 200)
    big = big @ big
    return torch.einsum("k,k...->...", torch.tensor([1 - t, t], dtype=a.dtype), torch.stack([a, b]))


def fit(x, y):
    weight = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight])

    def loss():
        optimizer.zero_grad()
        value = ((weight * x - y) ** 2).mean()
        value.backward()
        return value

    for _ in range(5):
        optimizer.step(loss)
    return weight.detach()[0], loss().detach()
