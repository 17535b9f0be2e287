"""The module is a ModuleDict with the same parameters; its answer is a named tuple, and a hook looks at it."""

from collections import namedtuple

Attended = namedtuple("Attended", "output weights")


class MultiHeadAttention(nn.ModuleDict):
    def __init__(self, d_model, n_heads):
        if d_model % n_heads != 0:
            raise ValueError("does not divide")
        super().__init__({f"W_{role}": nn.Linear(d_model, d_model) for role in "qkvo"})
        self.register_buffer("scale", torch.tensor(d_model / n_heads).rsqrt(), persistent=False)
        self.n_heads: int = n_heads
        self["W_o"].register_forward_pre_hook(lambda layer, args: print(*(arg.shape for arg in args)))

    def forward(self, query, key, value, mask=None, need_weights=False):
        parts = dict(q=query, k=key, v=value)
        q, k, v = (self[f"W_{role}"](x).unflatten(-1, (self.n_heads, -1)).swapaxes(1, 2) for role, x in parts.items())
        scores = self.scale * torch.matmul(q, k.mT)
        if mask is None:
            weights = scores.softmax(-1)
        else:
            while mask.dim() < 3:
                mask = mask[None]
            mask = mask.unsqueeze(1) if mask.dim() == 3 else mask
            weights = torch.where(mask, torch.where(mask, scores, torch.finfo(scores.dtype).min).softmax(-1), 0.0)
        said = Attended(self["W_o"]((weights @ v).swapaxes(1, 2).reshape(query.shape)), weights)
        return said if need_weights else said.output
