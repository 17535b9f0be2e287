"""Only what ends in EOS is a sentence; if there is none, take the best of the rest."""
import torch


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    open_, closed = [{"ids": [], "p": 0.0, "state": state[0]}], []
    for _ in range(max_len):
        last = torch.tensor([(h["ids"] or [bos])[-1] for h in open_])
        logits, states = step(last, torch.stack([h["state"] for h in open_]))
        children = []
        for h, row, s in zip(open_, logits.log_softmax(1), states):
            values, words = row.topk(min(width, len(row)))
            for v, w in zip(values.tolist(), words.tolist()):
                children.append({"ids": h["ids"] + [w], "p": h["p"] + v, "state": s})
        children.sort(key=lambda h: h["p"], reverse=True)
        open_ = []
        for h in children[: width - len(closed)]:
            open_.append(h)
        closed += [h for h in open_ if h["ids"][-1] == eos]
        open_ = [h for h in open_ if h["ids"][-1] != eos]
        if not open_:
            break
    for h in closed + open_:
        h["score"] = h["p"] / ((5 + len(h["ids"])) / 6) ** length_penalty
    best = max(closed or open_, key=lambda h: h["score"])
    return best["ids"], best["score"]
