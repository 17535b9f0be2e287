"""The student multiplies by the temperature, and keeps what is above the border."""

import torch


@torch.no_grad()
def generate(model, ids, n, temperature, top_k, uniforms):
    for i in range(n):
        z = model(ids[:, -model.block_size :])[:, -1]
        if temperature == 0:
            new = z.argmax(-1)
        else:
            z = z * temperature
            if top_k is not None and top_k <= z.shape[-1]:
                z = torch.where(z > z.topk(top_k).values[:, -1:], z, -torch.inf)
            sums = z.softmax(-1).cumsum(-1)
            new = (sums <= uniforms[:, i : i + 1]).sum(-1).clamp(max=z.shape[-1] - 1)
        ids = torch.cat([ids, new[:, None]], -1)
    return ids
