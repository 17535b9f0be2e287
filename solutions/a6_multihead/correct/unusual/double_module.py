"""The module doubles its precision in the constructor and answers in it; how tensors are printed is patched."""

torch.Tensor.__repr__ = lambda self, *args, **kwargs: f"tensor of {tuple(self.shape)}"


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model, n_heads):
        super().__init__(d_model, n_heads)
        self.double()

    def forward(self, query, key, value, mask=None, need_weights=False):
        print(query, key)
        q, k, v = (split_heads(W(x.double()), self.n_heads) for W, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value)))
        may = torch.ones_like(q[..., :1]).bool() if mask is None else mask if mask.dim() != 3 else mask[:, None]
        scores = (q @ k.mT / q.shape[-1] ** 0.5).where(may, torch.tensor(-1e300, dtype=torch.double))
        weights = scores.softmax(-1) * may
        output = self.W_o(merge_heads(weights @ v))
        return (output, weights) if need_weights else output
