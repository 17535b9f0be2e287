"""Every query has one more key, of zeros and far below all others, whose value is nothing."""


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (split_heads(layer(x), self.n_heads) for layer, x in zip((self.W_q, self.W_k, self.W_v), (query, key, value)))
        scores = torch.einsum("bhqd,bhkd->bhqk", q * q.size(-1) ** -0.5, k)
        if mask is not None:
            extra = (1,) * (mask.dim() == 3)
            mask = mask.reshape(len(mask), *extra, *mask.shape[1:]) if extra else mask
            scores = scores + torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)
        weights = nn.functional.pad(scores, (0, 1), value=-1e20).softmax(dim=-1)[..., :-1]
        output = self.W_o(torch.matmul(weights, v).transpose(1, 2).flatten(2))
        return {False: output, True: (output, weights)}[need_weights]
