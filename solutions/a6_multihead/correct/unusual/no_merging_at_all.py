"""The output is a sum over heads, each through its own columns of W_o; heads are never put side by side."""

from torch.nn.functional import linear


class MultiHeadAttention(MultiHeadAttention):
    def head(self, h, query, key, value, may):
        d = self.W_q.in_features // self.n_heads
        mine = slice(h * d, (h + 1) * d)
        q, k, v = (linear(x, W.weight[mine], W.bias[mine]) for x, W in ((query, self.W_q), (key, self.W_k), (value, self.W_v)))
        scores = torch.bmm(q, k.mT).div(d**0.5)
        if may is not None:
            scores = torch.where(may, scores, -1e30)
        shares = torch.exp(scores - scores.logsumexp(-1, keepdim=True))
        shares = shares if may is None else shares * may
        return linear(shares.bmm(v), self.W_o.weight[:, mine]), shares

    def forward(self, query, key, value, mask=None, need_weights=False):
        masks = [mask] * self.n_heads
        if mask is not None and mask.dim() == 4:
            masks = mask.expand(-1, self.n_heads, -1, -1).unbind(1)
        outputs, shares = zip(*(self.head(h, query, key, value, m) for h, m in enumerate(masks)))
        output = sum(outputs, self.W_o.bias)
        return (output, torch.stack(shares, 1)) if need_weights else output
