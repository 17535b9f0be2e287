"""Go on until EOS."""
import torch


def greedy_decode(step, state, bos, eos, pad, max_len):
    last, said = torch.full((state.shape[0],), bos), []
    while len(said) < max_len and not (last == eos).any():
        logits, state = step(last, state)
        last = logits.argmax(1)
        said.append(last)
    ids = torch.stack(said, dim=1)
    return torch.nn.functional.pad(ids, (0, max_len - ids.shape[1]), value=pad)
