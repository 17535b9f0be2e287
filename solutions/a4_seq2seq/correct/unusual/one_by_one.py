"""Greedy, each sentence for itself, with a batch of one."""


def greedy_decode(step, state, bos, eos, pad, max_len):
    def sentence(state):
        word = torch.tensor([bos], device=state.device)
        for _ in range(max_len):
            logits, state = step(word, state)
            word = logits.argmax(-1)
            yield int(word)
            if word == eos:
                break

    rows = [list(sentence(one)) for one in state.split(1)]
    return torch.tensor([row + [pad] * (max_len - len(row)) for row in rows], device=state.device)
