"""Rows that have ended leave the batch; ids come back as numpy's whole numbers, words as a kind of string of their own."""

import numpy


class Word(str):
    pass


def next_word(logits, id_to_word):
    (order,) = numpy.where(logits.cpu().numpy() == numpy.max(logits.cpu().numpy()))
    return Word(id_to_word[int(order[0])])


@torch.inference_mode()
def greedy_translate(model, src, bos, eos, max_len):
    said = {row: [] for row in range(len(src))}
    rows, memory = torch.arange(len(src), device=src.device), model.encode(src)
    tgt = torch.full((len(src), 1), bos, device=src.device)
    while len(rows) and tgt.shape[1] <= max_len:
        logits = model.decode(tgt, memory, src)[:, -1, :]
        words = logits.sort(dim=1, descending=True, stable=True).indices[:, 0]
        going = words != eos
        rows, memory, src, tgt, words = (part[going] for part in (rows, memory, src, tgt, words))
        tgt = torch.hstack((tgt, words.unsqueeze(1)))
        for row, word in zip(rows.tolist(), words.cpu().numpy()):
            said[row] += [word]
    return list(said.values())
