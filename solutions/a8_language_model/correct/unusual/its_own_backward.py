"""The loss brings its own gradient: shares less ones, of what is asked."""


class Surprise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, targets):
        asked = targets.ne(IGNORE)
        words, z = targets[asked], logits[asked].double()
        shares = z.softmax(-1)
        ctx.save_for_backward(shares, words, asked)
        return (z.logsumexp(-1) - z[range(len(words)), words]).mean().to(logits.dtype)

    @staticmethod
    def backward(ctx, d):
        shares, words, asked = ctx.saved_tensors
        step = shares.scatter_add(1, words[:, None], -torch.ones_like(shares[:, :1])) / len(words) * d
        return torch.zeros(*asked.shape, shares.shape[1], device=shares.device).masked_scatter(asked[..., None], step.float()), None


def lm_loss(logits, targets, *, _loss=Surprise.apply):
    return _loss(logits, targets)
