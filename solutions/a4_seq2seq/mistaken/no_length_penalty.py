"""The best sentence is the one with the largest probability."""
import heapq

import torch


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    live, done = [(0.0, (), state)], []
    for _ in range(max_len):
        offers = []
        for total, words, s in live:
            logits, new = step(torch.tensor([words[-1] if words else bos]), s)
            for word, lp in enumerate(torch.log_softmax(logits[0], 0).tolist()):
                offers.append((total + lp, (*words, word), new))
        live = heapq.nlargest(width - len(done), offers, key=lambda o: o[0])
        done.extend(o for o in live if o[1][-1] == eos)
        live = [o for o in live if o[1][-1] != eos]
        if not live:
            break
    total, words, _ = max(done + live, key=lambda o: o[0])
    return list(words), total
