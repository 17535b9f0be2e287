"""One number at a time: loops over sentences, positions, queries and keys, as the formulas read."""

import math

import torch


def decoder_inputs(targets, bos):
    rows = [[bos, *row[:-1]] for row in targets.tolist()]
    return torch.tensor(rows, device=targets.device)


class Encoder(Encoder):
    def forward(self, src, lengths):
        batch, T = src.shape
        states = torch.zeros(batch, T, self.rnn.hidden_size, device=src.device)
        final = []
        for n in range(batch):
            length = int(lengths[n])
            out, last = self.rnn(self.embedding(src[n, :length])[None])
            states[n, :length] = out[0]
            final.append(last[0, 0])
        return states, torch.stack(final)


def _scores(q, k, score):
    batch, T_q, _ = q.shape
    rows = []
    for n in range(batch):
        for i in range(T_q):
            rows += [score(q[n, i], k[n, j]) for j in range(k.shape[1])]
    return torch.stack(rows).reshape(batch, T_q, -1)


def dot_score(q, k):
    return _scores(q, k, lambda a, b: sum(x * y for x, y in zip(a, b)))


def bilinear_score(q, k, W):
    return _scores(q, k, lambda a, b: torch.dot(a, W @ b))


def mlp_score(q, k, W, w):
    return _scores(q, k, lambda a, b: w @ torch.tanh(W @ torch.cat([a, b])))


def masked_softmax(scores, mask):
    mask = mask.expand(scores.shape)
    n = scores.shape[-1]
    rows = []
    for row, allowed in zip(scores.reshape(-1, n), mask.reshape(-1, n)):
        out = torch.zeros(n, device=scores.device)
        if allowed.any():
            raised = torch.exp(row[allowed] - row[allowed].max())
            out[allowed] = raised / raised.sum()
        else:
            out = row * 0
        rows.append(out)
    return torch.stack(rows).reshape(scores.shape)


def attention_context(weights, values):
    batch, T_q, T_k = weights.shape
    out = []
    for n in range(batch):
        for i in range(T_q):
            out += [sum(weights[n, i, j] * values[n, j] for j in range(T_k))]
    return torch.stack(out).reshape(batch, T_q, -1)


class LSTMAttentionDecoder(LSTMAttentionDecoder):
    def step(self, y_prev, state, enc, mask):
        words = [self.sentence(*row) for row in zip(y_prev, *state, enc, mask)]
        logits, h, c, weights = (torch.stack(part) for part in zip(*words))
        return logits, (h, c), weights

    def sentence(self, y, h, c, enc, real):
        scores = mlp_score(h[None, None], enc[None], self.W_score, self.w_score)[0]
        weights = masked_softmax(scores, real)[0]
        context = sum(weight * one for weight, one in zip(weights, enc))
        e = self.embedding.weight[y]
        h, c = self.cell(torch.cat([e, context]), (h, c))
        return self.output(torch.cat([h, e, context])), h, c, weights


def masked_nll(logits, targets, pad):
    total, count = 0.0, 0
    for n in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            word = int(targets[n, t])
            if word == pad:
                continue
            total = total + torch.logsumexp(logits[n, t], 0) - logits[n, t, word]
            count += 1
    return total / count


def greedy_decode(step, state, bos, eos, pad, max_len):
    batch = len(state)
    rows = [[] for _ in range(batch)]
    last = [bos] * batch
    while any(eos not in row and len(row) < max_len for row in rows):
        logits, state = step(torch.tensor(last, device=state.device), state)
        for n in range(batch):
            if eos not in rows[n]:
                last[n] = int(torch.argmax(logits[n]))
                rows[n].append(last[n])
    return torch.tensor([row + [pad] * (max_len - len(row)) for row in rows], device=state.device)


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    beams = [(0.0, [], state)]
    done = []
    for _ in range(max_len):
        grown = []
        for total, words, h in beams:
            last = words[-1] if words else bos
            logits, h_new = step(torch.tensor([last], device=h.device), h)
            p = logits[0].softmax(0)
            for v in range(len(p)):
                log_p = math.log(p[v]) if p[v] > 0 else -math.inf
                grown.append((total + log_p, [*words, v], h_new))
        grown.sort(key=lambda b: b[0], reverse=True)
        grown = grown[: width - len(done)]
        done += [b for b in grown if b[1][-1] == eos]
        beams = [b for b in grown if b[1][-1] != eos]
        if not beams:
            break
    best, best_score = None, -math.inf
    for total, words, _ in done + beams:
        score = total / ((5 + len(words)) ** length_penalty / 6**length_penalty)
        if best is None or score > best_score:
            best, best_score = words, score
    return best, best_score
