"""The student cuts behind eos."""

import torch


def greedy_translate(model, src, bos, eos, max_len):
    out = []
    with torch.no_grad():
        memory = model.encode(src)
        tgt = torch.tensor([[bos]] * len(src))
        for _ in range(max_len):
            step = model.decode(tgt, memory, src)[:, -1].topk(1).indices
            tgt = torch.hstack([tgt, step])
    for row in tgt[:, 1:].tolist():
        out.append(row[: row.index(eos) + 1] if eos in row else row)
    return out
