"""Works in place on tensors of its own: clones first, fills and divides afterwards."""

import torch


def decoder_inputs(targets, bos):
    inputs = targets.roll(1, dims=1)
    inputs[:, 0] = bos
    return inputs


class Encoder(Encoder):
    def forward(self, src, lengths):
        states, _ = self.rnn(self.embedding(src))
        states = states.clone()
        for row, length in enumerate(lengths.tolist()):
            states[row, length:] = 0
        index = (lengths - 1).view(-1, 1, 1).expand(-1, 1, states.shape[2])
        return states, states.gather(1, index).squeeze(1)


def masked_softmax(scores, mask):
    weights = scores.clone()
    weights[~mask.expand_as(scores)] = -1e30
    weights = weights - weights.max(-1, keepdim=True)[0]
    weights = weights.exp()
    weights = weights / weights.sum(-1, keepdim=True)
    weights = weights.clone()
    weights[~mask.expand_as(scores)] = 0
    return weights


def mlp_score(q, k, W, w):
    met = k.unsqueeze(1).matmul(W[:, q.shape[-1] :].t()).repeat(1, q.shape[1], 1, 1)
    met += q.unsqueeze(2).matmul(W[:, : q.shape[-1]].t())
    return met.tanh_().matmul(w)


def masked_nll(logits, targets, pad):
    safe = targets.clone()
    safe[targets == pad] = 0
    losses = torch.nn.functional.nll_loss(logits.log_softmax(-1).transpose(1, 2), safe, reduction="none")
    losses = losses * (targets != pad)
    return losses.sum() / (targets != pad).sum()


def greedy_decode(step, state, bos, eos, pad, max_len):
    where = state.device
    out = torch.empty(len(state), 0, dtype=torch.int64, device=where)
    word, over = torch.tensor([bos] * len(state), device=where), torch.tensor([False] * len(state), device=where)
    for _ in range(max_len):
        if over.all():
            word = torch.tensor([pad] * len(state), device=where)
        else:
            logits, state = step(word, state)
            word = logits.softmax(-1).argmax(-1)
            word[over] = pad
            over.logical_or_(word == eos)
        out = torch.cat([out, word[:, None]], 1)
    return out


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    """A fixed number of rows: finished ones stay in the beam, and may only go on by nothing at a cost of nothing."""
    where = state.device
    words, totals, over = [[]], torch.zeros(1, device=where), [False]
    for _ in range(max_len):
        logits, state = step(torch.tensor([w[-1] if w else bos for w in words], device=where), state)
        log_p = torch.log_softmax(logits, -1)
        V = log_p.shape[1]
        room = width - sum(over)
        grown = (totals[:, None] + log_p).masked_fill(torch.tensor(over, device=where)[:, None], -torch.inf).flatten()
        room = min(room, V * over.count(False))
        top = grown.topk(room)
        kept = [n for n, ended in enumerate(over) if ended]
        new_words = [words[n] for n in kept] + [words[i // V] + [i % V] for i in top.indices.tolist()]
        parents = kept + [i // V for i in top.indices.tolist()]
        totals = torch.cat([totals[kept], top.values])
        words, state = new_words, state[parents]
        over = [w[-1] == eos for w in words]
        if all(over):
            break
    penalties = torch.tensor([((5.0 + len(w)) / 6.0) ** length_penalty for w in words], device=where)
    best = int((totals / penalties).argmax())
    return words[best], (totals / penalties)[best]
