"""Greedy is one kind of choice and sampling another, both of them classes; torch.searchsorted finds the place."""

from abc import ABC, abstractmethod


class Choice(ABC):
    @abstractmethod
    def __call__(self, logits, u): ...


class Best(Choice):
    def __call__(self, logits, u):
        return logits.topk(1).indices


class Draw(Choice):
    def __init__(self, temperature, top_k):
        self.temperature, self.top_k = temperature, top_k

    def __call__(self, logits, u):
        k = min(self.top_k or logits.shape[1], logits.shape[1])
        stays = logits >= logits.kthvalue(logits.shape[1] - k + 1, dim=1, keepdim=True).values
        ends = logits.div(self.temperature).masked_fill(~stays, -torch.inf).softmax(1).cumsum(1)
        last = stays.long().mul(torch.arange(logits.shape[1], device=logits.device)).amax(1, keepdim=True)
        return torch.searchsorted(ends, u, right=True).minimum(last)


@torch.no_grad()
def generate(model, ids, n, temperature, top_k, uniforms):
    choose = Draw(temperature, top_k) if temperature > 0 else Best()
    columns = [None] * n if uniforms is None else uniforms.to(torch.float32).contiguous().split(1, dim=1)
    for column in columns[:n]:
        ids = torch.cat([ids, choose(model(ids[:, -model.block_size :])[:, -1, :], column)], dim=-1)
    return ids
