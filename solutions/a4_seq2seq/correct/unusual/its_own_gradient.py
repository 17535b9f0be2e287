"""The masked softmax brings its own derivative along, as an autograd.Function."""


class MaskedShares(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, mask):
        top = torch.where(mask, scores, -torch.inf).amax(-1, keepdim=True)
        raised = torch.where(mask, (scores - top).exp(), torch.zeros(()))
        shares = raised / raised.sum(-1, keepdim=True).clamp_min(1e-38)
        ctx.save_for_backward(shares)
        return shares

    @staticmethod
    def backward(ctx, d):
        (a,) = ctx.saved_tensors
        return a * (d - (a * d).sum(-1, keepdim=True)), None


def masked_softmax(scores, mask):
    return MaskedShares.apply(scores, mask)
