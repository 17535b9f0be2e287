"""The student takes the softmax first and sets what is not in the top k to zero."""

import torch


@torch.no_grad()
def generate(model, ids, n, temperature, top_k, uniforms):
    text = ids.clone()
    for step in range(n):
        last = model(text[:, -model.block_size :])[:, -1]
        if temperature == 0:
            new = last.argmax(dim=-1)
        else:
            p = torch.softmax(last / temperature, dim=-1)
            if top_k is not None:
                border = p.topk(min(top_k, p.shape[-1])).values.min(dim=-1, keepdim=True).values
                p = p * (p >= border)
            over = p.cumsum(-1) > uniforms[:, step : step + 1]
            new = torch.where(over.any(-1), over.float().argmax(-1), torch.tensor(p.shape[-1] - 1))
        text = torch.cat([text, new.unsqueeze(1)], dim=1)
    return text
