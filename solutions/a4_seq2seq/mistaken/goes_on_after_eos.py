"""Write max_len words; whoever reads them knows where a sentence ends."""
import torch


def greedy_decode(step, state, bos, eos, pad, max_len):
    words, said = torch.tensor([bos] * len(state)), []
    ended = set()
    while len(said) < max_len and len(ended) < len(state):
        logits, state = step(words, state)
        words = logits.max(dim=1).indices
        said.append(words.tolist())
        ended.update(n for n, w in enumerate(said[-1]) if w == eos)
    said += [[pad] * len(state)] * (max_len - len(said))
    return torch.tensor(said).T
