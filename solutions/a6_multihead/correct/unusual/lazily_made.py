"""Makes a buffer, a list of its layers and its width when they are first asked for; tables are cached for good."""

from functools import cached_property, lru_cache


@lru_cache(maxsize=None)
def sinusoidal_encoding(T, d_model, base=10000):
    t, waves = torch.arange(T), (torch.sin, torch.cos) * (d_model // 2)
    return torch.stack([wave(t / base ** (2 * (c // 2) / d_model)) for c, wave in enumerate(waves)], dim=1)


class MultiHeadAttention(MultiHeadAttention):
    @cached_property
    def width(self):
        return self.W_q.out_features // self.n_heads

    def extra_repr(self):
        return f"{self.n_heads} heads of {self.width}"

    def forward(self, query, key, value, mask=None, need_weights=False):
        if not hasattr(self, "hidden"):
            self.register_buffer("hidden", torch.tensor(-1e9))
            self.heads = nn.ModuleList([self.W_q, self.W_k, self.W_v])
            print(self)
        q, k, v = (W(x).view(*x.shape[:2], -1, self.width).transpose(1, 2) for W, x in zip(self.heads, (query, key, value)))
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * self.width**-0.5
        if mask is not None:
            mask = mask.unsqueeze(-3) if mask.dim() == 3 else mask
            scores = torch.where(mask, scores, self.hidden)
        weights = torch.softmax(scores, -1)
        weights = weights if mask is None else weights.masked_fill(mask.logical_not(), 0.0)
        out = self.W_o(torch.einsum("bhqk,bhkd->bqhd", weights, v).flatten(2))
        return (out, weights) if need_weights else out
