"""The student makes it warmer by making the logits larger."""

import torch


@torch.no_grad()
def generate(model, ids, n, temperature, top_k, uniforms):
    for step in range(n):
        rows = model(ids[:, -model.block_size :])[:, -1].tolist()
        new = []
        for b, row in enumerate(rows):
            if temperature == 0:
                new.append(row.index(max(row)))
                continue
            z = torch.tensor(row) * temperature
            border = z.sort(descending=True).values[min(top_k, len(z)) - 1] if top_k else z.min()
            p = torch.softmax(z.masked_fill(z < border, -torch.inf), 0)
            above = (p.cumsum(0) > uniforms[b, step]).nonzero()
            new.append(int(above[0]) if len(above) else len(z) - 1)
        ids = torch.cat([ids, torch.tensor(new)[:, None]], 1)
    return ids
