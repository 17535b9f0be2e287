"""The student keeps the indices that topk gives."""

import torch


@torch.no_grad()
def generate(model, ids, n, temperature, top_k, uniforms):
    for i in range(n):
        z = model(ids[:, -model.block_size :])[:, -1]
        if temperature == 0:
            ids = torch.cat([ids, z.argmax(-1)[:, None]], 1)
            continue
        z = z / temperature
        if top_k is not None:
            best = torch.topk(z, min(top_k, z.shape[1]))
            z = torch.full_like(z, float("-inf")).scatter(1, best.indices, best.values)
        total = torch.softmax(z, 1).cumsum(1)
        choice = [min(int((t <= u).sum()), z.shape[1] - 1) for t, u in zip(total, uniforms[:, i])]
        ids = torch.cat([ids, torch.tensor(choice)[:, None]], 1)
    return ids
