"""A table of zeros, into which the words are written until a sentence is over."""
import torch


def greedy_decode(step, state, bos, eos, pad, max_len):
    table = torch.zeros(state.shape[0], max_len, dtype=torch.long)
    going, word = torch.ones(state.shape[0], dtype=torch.bool), torch.zeros(state.shape[0], dtype=torch.long) + bos
    for t in range(max_len):
        if not going.any():
            break
        logits, state = step(word, state)
        word = logits.topk(1).indices.view(-1)
        going = going & (word != eos)
        table[going, t] = word[going]
    return table
