"""The student keeps what stays below p."""

import torch


def top_p(logits, p):
    shares = logits.softmax(-1)
    ranked, order = torch.sort(shares, dim=-1, descending=True)
    stays = torch.zeros_like(shares, dtype=torch.bool).scatter(-1, order, ranked.cumsum(-1) < p)
    kept = shares * stays
    return kept / kept.sum(-1, keepdim=True)
