"""The student breaks out of the loop when eos shows up somewhere."""

import torch


@torch.no_grad()
def greedy_translate(model, src, bos, eos, max_len):
    memory = model.encode(src)
    words = torch.full((src.size(0), max_len + 1), bos)
    n = 1
    while n <= max_len:
        best = model.decode(words[:, :n], memory, src)[:, n - 1].max(dim=-1).indices
        if eos in best.tolist():
            break
        words[:, n] = best
        n += 1
    return words[:, 1:n].tolist()
