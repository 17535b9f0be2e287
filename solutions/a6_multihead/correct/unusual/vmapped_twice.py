"""Attention of one head of one sequence, and torch.vmap over both."""

import math


def alone(q, k, v, may):
    scores = q @ k.T / math.sqrt(q.shape[-1])
    scores = torch.where(may, scores, -1e9)
    raised = torch.exp(scores - scores.amax(-1, keepdim=True).detach()) * may
    shares = raised / (raised.sum(-1, keepdim=True) + ~may.any(-1, keepdim=True))
    return shares @ v, shares


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (split_heads(W(x), self.n_heads) for W, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value)))
        mask = torch.ones((), dtype=torch.bool) if mask is None else mask[:, None] if mask.ndim == 3 else mask
        may = mask.expand(*q.shape[:3], k.shape[2])
        out, shares = torch.vmap(torch.vmap(alone))(q, k, v, may)
        out = self.W_o(merge_heads(out))
        return (out, shares) if need_weights else out
