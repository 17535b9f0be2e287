"""Goes from row to row; each has a softmax over those that are allowed, put back by masked_scatter."""


def masked_softmax(scores, mask):
    if scores.dim() > 1:
        mask = mask.broadcast_to(scores.shape)
        rows = [masked_softmax(one, few) for one, few in zip(scores, mask)]
        return torch.stack(rows) if rows else scores.clone()
    mask = mask.expand_as(scores)
    try:
        return torch.zeros_like(scores).masked_scatter(mask, torch.exp(scores[mask] - scores[mask].logsumexp(0)))
    finally:
        del mask
