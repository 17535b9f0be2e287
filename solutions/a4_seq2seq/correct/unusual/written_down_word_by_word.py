"""Keeps one Python list for each sentence and lets an exception say that all have ended; the table is made by numpy."""

import numpy


class Silence(Exception):
    pass


def greedy_decode(step, state, bos, eos, pad, max_len):
    sentences, last = [[] for _ in state], [bos] * len(state)
    try:
        for _ in range(max_len):
            if all(eos in sentence for sentence in sentences):
                raise Silence
            logits, state = step(torch.tensor(last, device=state.device), state)
            last = [max(range(len(row)), key=row.__getitem__) for row in logits.tolist()]
            for sentence, word in zip(sentences, last):
                if eos not in sentence:
                    sentence.append(word)
    except Silence:
        print(sentences)
    table = numpy.full((len(sentences), max_len), pad)
    for row, sentence in zip(table, sentences):
        row[: len(sentence)] = sentence
    return torch.as_tensor(table, device=state.device)
