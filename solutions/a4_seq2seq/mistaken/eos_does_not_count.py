"""A sentence is as long as it has words, and EOS is a sign, not a word."""
import torch


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    ids, logp, done = torch.full((1, 1), bos), torch.zeros(1), []
    for _ in range(max_len):
        logits, state = step(ids[:, -1], state)
        table = logp.unsqueeze(1) + logits - logits.logsumexp(1, keepdim=True)
        order = table.view(-1).argsort(descending=True)[: width - len(done)]
        parent, word = order // logits.shape[1], order % logits.shape[1]
        ids, logp, state = torch.cat([ids[parent], word[:, None]], 1), table.view(-1)[order], state[parent]
        stop = word == eos
        done += list(zip(ids[stop, 1:].tolist(), logp[stop].tolist()))
        ids, logp, state = ids[~stop], logp[~stop], state[~stop]
        if stop.all():
            break
    done += list(zip(ids[:, 1:].tolist(), logp.tolist()))

    def score(hypothesis):
        words, total = hypothesis
        return total / ((5 + sum(w != eos for w in words)) / 6) ** length_penalty

    best = max(done, key=score)
    return best[0], score(best)
