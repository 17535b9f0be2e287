"""Hypotheses as tuples in a sorted list; step hands back the states for the next time."""
import math

import torch


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    beam, done = [(0.0, [])], []
    for _ in range(max_len):
        logits, state = step(torch.tensor([h[-1] if h else bos for _, h in beam]), state[: len(beam)])
        logp = logits.log_softmax(1).tolist()
        longer = [(p + lp, h + [w]) for (p, h), row in zip(beam, logp) for w, lp in enumerate(row)]
        longer.sort(key=lambda e: e[0], reverse=True)
        longer = longer[: width - len(done)]
        done += [e for e in longer if e[1][-1] == eos]
        beam = [e for e in longer if e[1][-1] != eos]
        if not beam:
            break
        if len(state) < len(beam):
            state = state[[i % len(state) for i in range(len(beam))]]
    best = max(done + beam, key=lambda e: e[0] / ((5 + len(e[1])) / 6) ** length_penalty)
    return best[1], best[0] / math.pow((5 + len(best[1])) / 6, length_penalty)
