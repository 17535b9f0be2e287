"""The student compares the length of the target, bos included, with max_len."""

import torch


@torch.no_grad()
def greedy_translate(model, src, bos, eos, max_len):
    memory, targets, open_rows = model.encode(src), [[bos] for _ in src], set(range(len(src)))
    while open_rows and max(map(len, targets)) < max_len:
        width = max(map(len, targets))
        tgt = torch.tensor([t + [eos] * (width - len(t)) for t in targets])
        words = model.decode(tgt, memory, src)[:, -1].argmax(-1)
        for i in list(open_rows):
            if words[i] == eos:
                open_rows.remove(i)
            else:
                targets[i].append(int(words[i]))
    return [t[1:] for t in targets]
