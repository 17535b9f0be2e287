"""Its softmax is an autograd.Function that knows its mask; a row of nothing has no gradient by construction."""


class Shares(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, may):
        e = torch.exp(scores - scores.masked_fill(~may, -1e30).amax(-1, True)).masked_fill(~may, 0)
        shares = e / e.sum(-1, True).masked_fill(~may.any(-1, True), 1)
        ctx.save_for_backward(shares)
        return shares

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, d):
        return ctx.saved_tensors[0] * (d - (d * ctx.saved_tensors[0]).sum(-1, True)), None


def attend(self, query, key, value, mask=None, need_weights=False):
    heads = lambda x: torch.stack(x.chunk(self.n_heads, dim=-1), dim=1)
    q, k, v = heads(self.W_q(query)), heads(self.W_k(key)), heads(self.W_v(value))
    may = torch.tensor([[True]]) if mask is None else mask
    may = may if may.dim() != 3 else may[:, None, :, :]
    scores = torch.matmul(q, k.transpose(2, 3)) / torch.tensor(q.shape[3]).sqrt()
    shares = Shares.apply(scores, may.expand_as(scores))
    out = self.W_o(torch.cat((shares @ v).unbind(1), dim=-1))
    return (out, shares) if need_weights else out


MultiHeadAttention = type("MultiHeadAttention", (MultiHeadAttention,), {"forward": attend, "__doc__": "Made by type()."})
