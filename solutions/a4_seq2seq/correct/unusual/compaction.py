"""Rows that have ended leave the batch: step gets one row for each sequence that is still being written."""


def greedy_decode(step, state, bos, eos, pad, max_len):
    ids, rows = torch.full((len(state), max_len), pad, device=state.device), torch.arange(len(state), device=state.device)
    last = torch.full((len(state),), bos, device=state.device)
    for t in range(max_len):
        logits, state = step(last, state)
        last = logits.argmax(-1)
        ids[rows, t] = last
        going = last != eos
        rows, last, state = rows[going], last[going], state[going]
        if not len(rows):
            break
    return ids
