"""The student appends and asks again."""

import torch


@torch.no_grad()
def generate(model, ids, n, temperature, top_k, uniforms):
    for i in range(n):
        z = model(ids)[:, -1, :]
        if not temperature:
            pick = z.max(-1).indices
        else:
            z = z / temperature
            if top_k and top_k < z.size(-1):
                z[z < z.sort(descending=True).values[:, top_k - 1 : top_k]] = -torch.inf
            sums = z.softmax(-1).cumsum(-1)
            pick = (sums <= uniforms[:, i, None]).sum(-1).clamp(max=z.size(-1) - 1)
        ids = torch.hstack([ids, pick[:, None]])
    return ids
