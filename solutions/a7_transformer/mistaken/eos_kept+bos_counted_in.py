"""The student counts bos as a word and keeps eos."""

import torch


@torch.no_grad()
def greedy_translate(model, src, bos, eos, max_len):
    memory = model.encode(src)
    rows = [[bos] for _ in range(src.shape[0])]
    for _ in range(max_len - 1):
        logits = model.decode(torch.tensor(rows), memory, src)
        for row, scores in zip(rows, logits[:, -1]):
            row.append(int(torch.argmax(scores)))
    cut = []
    for row in rows:
        kept = []
        for word in row[1:]:
            kept.append(word)
            if word == eos:
                break
        cut.append(kept)
    return cut
