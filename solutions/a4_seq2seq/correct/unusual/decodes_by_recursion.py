"""Greedy decoding without a loop: the first word, and then whatever follows; ended rows go on reading padding."""


def greedy_decode(step, state, bos, eos, pad, max_len):
    def rest(y_prev, state, running, left):
        if not left or not running.any():
            return torch.full((len(y_prev), left), pad, device=y_prev.device)
        logits, new = step(y_prev.clamp_min(0), state)
        y = logits.topk(1).indices.squeeze(1) * running + pad * ~running
        return torch.column_stack((y, rest(torch.where(running, y, eos), new, running & (y != eos), left - 1)))

    with torch.inference_mode():
        start = torch.tensor(bos, device=state.device).repeat(state.shape[0])
        return rest(start, state, torch.ones_like(start, dtype=torch.bool), max_len)
