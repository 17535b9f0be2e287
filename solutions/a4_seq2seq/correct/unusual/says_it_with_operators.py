"""Types are annotated, operators are spelled out, and a step keeps what it saw on the module."""

import operator
from functools import reduce
from typing import Final, TypeAlias

T: TypeAlias = "torch.Tensor"
ALL: Final[slice] = slice(None)


class AttentionDecoder(AttentionDecoder):
    seen: "list[T]"

    def step(self: "AttentionDecoder", y_prev: T, state: T, enc: T, mask: T) -> "tuple[T, T, T]":
        self.__dict__.setdefault("seen", []).append(mask)
        h: T = nn.Module.__call__(self.cell, self.embedding.weight[y_prev], state)
        score: T = mlp_score(operator.getitem(h, (ALL, None)), enc, self.W_score, self.w_score)
        weights: T = masked_softmax(operator.getitem(score, (ALL, 0)), self.seen.pop())
        c: T = reduce(operator.add, (weights[:, t, None] * enc[:, t] for t in range(enc.size(1))))
        return self.output(self.W_out(torch.cat(tensors=[c, h], dim=1)).tanh_()), h, weights


def attention_context(weights: T, values: T, *, _sum=torch.sum) -> T:
    return _sum(operator.mul(weights[..., None], values[:, None]), dim=2)
