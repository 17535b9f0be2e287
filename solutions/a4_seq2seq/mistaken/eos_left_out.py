"""EOS says that the sentence is over; it is no word of it."""
import torch


def greedy_decode(step, state, bos, eos, pad, max_len):
    sentences = [[] for _ in range(state.size(0))]
    over = [False] * state.size(0)
    last = torch.LongTensor([bos] * state.size(0))
    for _ in range(max_len):
        logits, state = step(last, state)
        last = torch.argmax(logits, 1)
        for n, word in enumerate(last.tolist()):
            over[n] = over[n] or word == eos
            if not over[n]:
                sentences[n].append(word)
        if all(over):
            break
    return torch.tensor([s + [pad] * (max_len - len(s)) for s in sentences])
