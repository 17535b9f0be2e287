from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


def decoder_inputs(targets, bos):
    shifted = targets.roll(1, dims=1)
    shifted[:, 0] = bos
    return shifted


def real_positions(lengths, T):
    return torch.arange(T, device=lengths.device).unsqueeze(0) < lengths.unsqueeze(1)


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        states, _ = self.rnn(self.embedding(src))
        last = (lengths - 1).view(-1, 1, 1).expand(-1, 1, states.size(2))
        final = states.gather(1, last).squeeze(1)
        states = states.masked_fill(~real_positions(lengths, src.size(1)).unsqueeze(2), 0.0)
        return states, final


def dot_score(q, k):
    return q @ k.mT


def bilinear_score(q, k, W):
    return dot_score(q, F.linear(k, W))


def mlp_score(q, k, W, w):
    W_q, W_k = W.split([q.size(-1), k.size(-1)], dim=1)
    sums = F.linear(q, W_q).unsqueeze(2) + F.linear(k, W_k).unsqueeze(1)
    return sums.tanh().matmul(w)


def masked_softmax(scores, mask):
    # by hand: exponentials of the allowed scores alone, then shares of their sum
    mask = mask.expand_as(scores)
    top = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).amax(dim=-1, keepdim=True).detach()
    e = torch.where(mask, scores - top, torch.zeros_like(scores)).exp() * mask
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total > 0, total, torch.ones_like(total))


def attention_context(weights, values):
    return torch.bmm(weights, values)


def look(query, enc, mask, W, w):
    """One query for each row; returns context and weights without the axis of the queries."""
    weights = masked_softmax(mlp_score(query.unsqueeze(1), enc, W, w), mask.unsqueeze(1))
    return attention_context(weights, enc).squeeze(1), weights.squeeze(1)


class DecoderWithContext(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, context_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.bridge = nn.Linear(context_size, hidden_size)
        self.cell = nn.GRUCell(embed_size + context_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + context_size, vocab_size)

    def step(self, y_prev, state, context):
        e = self.embedding(y_prev)
        h = self.bridge(context).tanh() if state is None else state
        h = self.cell(torch.cat((e, context), -1), h)
        return self.output(torch.cat((h, e, context), -1)), h


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, enc_size: int, attn_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.cell = nn.GRUCell(embed_size, hidden_size)
        self.W_score = nn.Parameter(torch.empty(attn_size, hidden_size + enc_size).uniform_(-0.1, 0.1))
        self.w_score = nn.Parameter(torch.empty(attn_size).uniform_(-0.1, 0.1))
        self.W_out = nn.Linear(enc_size + hidden_size, hidden_size, bias=False)
        self.output = nn.Linear(hidden_size, vocab_size)

    def step(self, y_prev, state, enc, mask):
        h = self.cell(self.embedding(y_prev), state)
        context, weights = look(h, enc, mask, self.W_score, self.w_score)
        logits = self.output(self.W_out(torch.cat((context, h), -1)).tanh())
        return logits, h, weights


class LSTMAttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, enc_size: int, attn_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.W_score = nn.Parameter(torch.empty(attn_size, hidden_size + enc_size).uniform_(-0.1, 0.1))
        self.w_score = nn.Parameter(torch.empty(attn_size).uniform_(-0.1, 0.1))
        self.cell = nn.LSTMCell(embed_size + enc_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + enc_size, vocab_size)

    def step(self, y_prev, state, enc, mask):
        e = self.embedding(y_prev)
        context, weights = look(state[0], enc, mask, self.W_score, self.w_score)
        new = self.cell(torch.cat((e, context), -1), state)
        return self.output(torch.cat((new[0], e, context), -1)), new, weights


def masked_nll(logits, targets, pad):
    real = targets.ne(pad)
    return F.cross_entropy(logits[real], targets[real])


def greedy_decode(step, state, bos, eos, pad, max_len):
    ids = torch.full((state.size(0), max_len), pad, dtype=torch.long, device=state.device)
    rows = torch.arange(state.size(0), device=state.device)
    words = torch.full_like(rows, bos)
    for t in range(max_len):
        # only the rows that have not ended go on
        logits, state = step(words, state)
        words = logits.argmax(-1)
        ids[rows, t] = words
        going = words.ne(eos)
        rows, words, state = rows[going], words[going], state[going]
        if rows.numel() == 0:
            break
    return ids


@dataclass
class Hypothesis:
    words: list
    log_p: float
    state: torch.Tensor

    def score(self, alpha):
        return self.log_p / ((5 + len(self.words)) / 6) ** alpha


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    beam = [Hypothesis([], 0.0, state)]
    done = []
    for _ in range(max_len):
        places = width - len(done)
        if places == 0 or not beam:
            break
        y = torch.tensor([(h.words or [bos])[-1] for h in beam], device=state.device)
        logits, states = step(y, torch.cat([h.state for h in beam]))
        log_probs = logits.double().log_softmax(-1)
        children = []
        for i, h in enumerate(beam):
            best = log_probs[i].topk(min(places, log_probs.size(1)))
            for value, word in zip(best.values.tolist(), best.indices.tolist()):
                children.append(Hypothesis(h.words + [word], h.log_p + value, states[i : i + 1]))
        children = sorted(children, key=lambda h: -h.log_p)[:places]
        done += [h for h in children if h.words[-1] == eos]
        beam = [h for h in children if h.words[-1] != eos]
    best = max(done + beam, key=lambda h: h.score(length_penalty))
    return best.words, best.score(length_penalty)


def debugging_lab():
    return {"run_1": "a", "run_2": "a", "run_3": "c", "run_4": "b", "run_5": "b"}


def quiz():
    return {
        "bottleneck": "a",
        "teacher_forcing": "c",
        "alignment_source": "d",
        "why_length_penalty": "b",
        "shape_of_weights": "a",
        "lost_to_padding": "c",
        "greedy_loses": "b",
        "mean_over_words": "d",
    }
