"""Loops over heads, rows and parameters; the mask from places; a model that normalises on the way."""

import torch


def grouped_attention(q, k, v, mask=None):
    heads, kv = q.shape[1], k.shape[1]
    found = []
    for head in range(heads):
        j = head // (heads // kv)
        scores = torch.bmm(q[:, head], k[:, j].transpose(1, 2)) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores + torch.zeros_like(scores).masked_fill_(mask.logical_not(), float("-inf"))
        found.append(torch.bmm(torch.softmax(scores, -1), v[:, j]))
    return torch.stack(found, 1)


def sliding_mask(T, window):
    mask = torch.zeros(T, T, dtype=torch.bool)
    for i in range(T):
        mask[i, max(0, i - window + 1) : i + 1] = True
    return mask


def count(model, context):
    parameters = sum(p.numel() for p in model.parameters())
    flops = 2 * model.vocab * model.d_model
    head = model.d_model // model.n_heads
    for _ in range(model.n_layers):
        flops += 2 * model.d_model * (2 * model.d_model + 2 * head * model.n_kv_heads + 3 * model.d_ff)
        for _ in range(model.n_heads):
            flops += 2 * head * context
            flops += 2 * head * context
    return parameters, flops


def top_p(logits, p):
    rows = logits.reshape(-1, logits.shape[-1])
    out = torch.zeros_like(rows)
    for row, place in zip(rows, out):
        probabilities = torch.softmax(row, -1)
        total, kept = 0.0, []
        for token in probabilities.argsort(descending=True).tolist():
            kept.append(token)
            total += probabilities[token].item()
            if total >= p:
                break
        place[kept] = probabilities[kept] / total
    return out.reshape(logits.shape)


def label_smoothed_nll(logits, targets, eps):
    total = 0.0
    for row, wanted in zip(logits, targets):
        for one, target in zip(row, wanted):
            log_p = torch.log_softmax(one, 0)
            for token in range(len(one)):
                share = eps / len(one) + (1 - eps if token == target else 0.0)
                total = total - share * log_p[token]
    return total / targets.numel()
