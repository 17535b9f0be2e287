"""Double precision inside, single outside; and an additive mask of minus infinity that never meets an empty row."""

import torch


def dot_score(q, k):
    return (q.double() @ k.double().mT).float()


def bilinear_score(q, k, W):
    return (q.double() @ W.double() @ k.double().mT).float()


def mlp_score(q, k, W, w):
    q, k, W, w = (x.double() for x in (q, k, W, w))
    hidden = (q @ W[:, : q.shape[2]].mT).unsqueeze(2) + (k @ W[:, q.shape[2] :].mT).unsqueeze(1)
    return (torch.tanh(hidden) * w).sum(dim=-1).float()


def masked_softmax(scores, mask):
    mask = torch.broadcast_to(mask, scores.shape)
    some = mask.any(dim=-1, keepdim=True)
    bias = torch.zeros_like(scores, dtype=torch.float64).masked_fill(~mask & some, -torch.inf)
    weights = torch.softmax(scores.double() + bias, dim=-1)
    return torch.where(some, weights, torch.zeros_like(weights)).float()


def attention_context(weights, values):
    return (weights.double().unsqueeze(-1) * values.double().unsqueeze(1)).sum(dim=2).float()


def masked_nll(logits, targets, pad):
    logits = logits.double()
    real = targets != pad
    picked = logits[real].gather(1, targets[real].unsqueeze(1)).squeeze(1)
    return (torch.logsumexp(logits[real], dim=1) - picked).mean()


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    ids = torch.full((1, 1), bos, device=state.device)
    totals = torch.zeros(1, dtype=torch.float64, device=state.device)
    results = []

    def score(row, total):
        n = len(row) - 1
        return float(total) * (6 / (5 + n)) ** length_penalty

    for _ in range(max_len):
        logits, state = step(ids[:, -1], state)
        grown = (totals.unsqueeze(1) + logits.double().log_softmax(1)).reshape(-1)
        order = grown.sort(descending=True).indices[: width - len(results)]
        parent = torch.div(order, logits.shape[1], rounding_mode="floor")
        ids = torch.cat([ids[parent], (order % logits.shape[1]).unsqueeze(1)], dim=1)
        totals, state = grown[order], state.index_select(0, parent)
        over = ids[:, -1] == eos
        results += [(row[1:].tolist(), score(row, total)) for row, total in zip(ids[over], totals[over])]
        ids, totals, state = ids[~over], totals[~over], state[~over]
        if len(ids) == 0:
            break
    results += [(row[1:].tolist(), score(row, total)) for row, total in zip(ids, totals)]
    return max(results, key=lambda r: r[1])
