"""The beam is a heap of dataclasses that know how to compare themselves; the score comes back as a tensor."""

import heapq
from dataclasses import dataclass, field


@dataclass(order=True)
class Hypothesis:
    total: float
    words: list = field(compare=False, default_factory=list)
    row: int = field(compare=False, default=0)

    def children(self, log_probs):
        yield from (Hypothesis(self.total + p, self.words + [word], self.row) for word, p in enumerate(log_probs))

    def score(self, alpha):
        return self.total / torch.tensor((5 + len(self.words)) / 6, dtype=torch.float64).pow(alpha)


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    alive, done = [Hypothesis(0.0)], []
    while alive and len(alive[0].words) < max_len:
        words = torch.tensor([(h.words or [bos])[-1] for h in alive], device=state.device)
        logits, state = step(words, state[[h.row for h in alive]])
        for row, hypothesis in enumerate(alive):
            hypothesis.row = row
        log_probs = logits.double().log_softmax(-1).tolist()
        best = heapq.nlargest(width - len(done), (c for h in alive for c in h.children(log_probs[h.row])))
        done += [h for h in best if h.words[-1] == eos]
        alive = [h for h in best if h.words[-1] != eos]
    winner = max(done + alive, key=lambda h: h.score(length_penalty))
    return winner.words, winner.score(length_penalty)
