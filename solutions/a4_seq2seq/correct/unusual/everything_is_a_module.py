"""Scores and shares are modules with nothing in them, and functions are their instances."""


class Shares(nn.Module):
    def forward(self, scores, mask):
        finite = torch.finfo(scores.dtype).min / 4
        raised = (mask * scores + ~mask * finite).softmax(dim=-1)
        return raised.mul(mask)


class Mix(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def extra_repr(self):
        return f"over axis {self.dim}"

    def forward(self, weights, values):
        return torch.stack([torch.tensordot(w, v, dims=([self.dim], [0])) for w, v in zip(weights, values)])


masked_softmax = Shares().eval()
attention_context = Mix(1)
