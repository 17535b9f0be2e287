"""Sequence to sequence in torch."""

import torch
import torch.nn.functional as F
from torch import nn


def decoder_inputs(targets, bos):
    first = torch.full_like(targets[:, :1], bos)
    return torch.cat([first, targets[:, :-1]], dim=1)


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        states, _ = self.rnn(self.embedding(src))
        B, T, H = states.shape
        real = torch.arange(T, device=src.device)[None] < lengths[:, None]
        final = states[torch.arange(B, device=src.device), lengths - 1]
        return states * real[..., None], final


def dot_score(q, k):
    return q @ k.transpose(1, 2)


def bilinear_score(q, k, W):
    return q @ W @ k.transpose(1, 2)


def mlp_score(q, k, W, w):
    d = q.shape[-1]
    a = (q @ W[:, :d].T)[:, :, None] + (k @ W[:, d:].T)[:, None]
    return torch.tanh(a) @ w


def masked_softmax(scores, mask):
    s = scores.masked_fill(~mask, float("-inf"))
    nothing = ~mask.any(dim=-1, keepdim=True)
    s = s.masked_fill(nothing, 0.0)
    return torch.softmax(s, dim=-1).masked_fill(~mask, 0.0)


def attention_context(weights, values):
    return weights @ values


class DecoderWithContext(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, context_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.bridge = nn.Linear(context_size, hidden_size)
        self.cell = nn.GRUCell(embed_size + context_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + context_size, vocab_size)

    def step(self, y_prev, state, context):
        e = self.embedding(y_prev)
        if state is None:
            state = torch.tanh(self.bridge(context))
        h = self.cell(torch.cat([e, context], dim=-1), state)
        return self.output(torch.cat([h, e, context], dim=-1)), h


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
        scores = mlp_score(h[:, None], enc, self.W_score, self.w_score)
        weights = masked_softmax(scores, mask[:, None])
        c = attention_context(weights, enc)[:, 0]
        logits = self.output(torch.tanh(self.W_out(torch.cat([c, h], dim=-1))))
        return logits, h, weights[:, 0]


def masked_nll(logits, targets, pad):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad)


def greedy_decode(step, state, bos, eos, pad, max_len):
    B = state.shape[0]
    y = torch.full((B,), bos, dtype=torch.long, device=state.device)
    ids = torch.full((B, max_len), pad, dtype=torch.long, device=state.device)
    done = torch.zeros(B, dtype=torch.bool, device=state.device)
    for t in range(max_len):
        logits, state = step(y, state)
        y = logits.argmax(-1)
        ids[~done, t] = y[~done]
        done = done | (y == eos)
        if done.all():
            break
    return ids


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    def score(logp, n):
        return logp / ((5 + n) / 6) ** length_penalty

    finished = []
    beams = [[]]
    logp = torch.zeros(1)
    y = torch.tensor([bos])
    places = width
    for _ in range(max_len):
        logits, state = step(y, state)
        total = logp[:, None] + F.log_softmax(logits, dim=-1)
        V = total.shape[1]
        best, index = total.flatten().topk(min(places, total.numel()))
        new_beams, new_logp, parents = [], [], []
        for value, j in zip(best.tolist(), index.tolist()):
            parent, word = divmod(j, V)
            ids = beams[parent] + [word]
            if word == eos:
                finished.append((score(value, len(ids)), ids))
                places -= 1
            else:
                new_beams.append(ids)
                new_logp.append(value)
                parents.append(parent)
        beams = new_beams
        if not beams:
            break
        state = state[parents]
        logp = torch.tensor(new_logp)
        y = torch.tensor([ids[-1] for ids in beams])
    for ids, value in zip(beams, logp.tolist()):
        finished.append((score(value, len(ids)), ids))
    best_score, best_ids = max(finished, key=lambda item: item[0])
    return best_ids, best_score


def quiz() -> dict[str, str]:
    answers = {
        "bottleneck": "a",
        "teacher_forcing": "c",
        "test_time": "d",
        "what_weights_say": "b",
        "alignment_source": "a",
        "padding_and_batches": "a",
        "greedy_or_beam": "d",
        "why_length_penalty": "b",
    }
    return answers
