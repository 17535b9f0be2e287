"""No row of scores is ever held unless somebody asks for weights: keys pass one by one, with a running maximum."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q = split_heads(self.W_q(query), self.n_heads)
        k, v = split_heads(self.W_k(key), self.n_heads), split_heads(self.W_v(value), self.n_heads)
        mask = torch.ones(1, 1, dtype=torch.bool) if mask is None else mask
        may = (mask[:, None] if mask.dim() == 3 else mask).expand(*q.shape[:3], k.shape[2])
        top, total = torch.full_like(q[..., :1], -1e30), torch.zeros_like(q[..., :1])
        mixed, seen = torch.zeros_like(q), []
        for j in range(k.shape[2]):
            here = may[..., j, None]
            s = torch.where(here, (q * k[:, :, j, None]).sum(-1, keepdim=True) * q.shape[-1] ** -0.5, -1e30)
            new = torch.maximum(top, s)
            shrink, e = (top - new).exp(), (s - new).exp() * here
            total, mixed = total * shrink + e, mixed * shrink + e * v[:, :, j, None]
            seen, top = [one * shrink for one in seen] + [e], new
        total = torch.where(total > 0, total, 1.0)
        output = self.W_o(merge_heads(mixed / total))
        return (output, torch.cat(seen, dim=-1) / total) if need_weights else output
