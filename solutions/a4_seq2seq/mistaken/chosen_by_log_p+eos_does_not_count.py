"""The likeliest sentence; its score is then divided by the penalty of its words before EOS."""
import torch


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    beam, done = [([], 0.0, state)], []
    for _ in range(max_len):
        fresh = []
        for words, total, s in beam:
            logits, after = step(torch.tensor([(words or [bos])[-1]]), s)
            fresh += [(words + [w], total + p, after) for w, p in enumerate(logits.log_softmax(-1)[0].tolist())]
        fresh = sorted(fresh, key=lambda f: -f[1])[: width - len(done)]
        beam = []
        for f in fresh:
            (done if f[0][-1] == eos else beam).append(f)
        if not beam:
            break
    words, total, _ = max(done + beam, key=lambda f: f[1])
    n = len(words) - (words[-1] == eos)
    return words, total / ((5 + n) / 6) ** length_penalty
