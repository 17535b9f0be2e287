"""Sequence to sequence, short version."""

import torch
import torch.nn.functional as F
from torch import nn


def decoder_inputs(targets, bos):
    return torch.cat([torch.full_like(targets[:, :1], bos), targets[:, :-1]], dim=1)


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        h, _ = self.rnn(self.embedding(src))
        final = h[torch.arange(len(src), device=src.device), lengths - 1]
        real = torch.arange(src.shape[1], device=src.device) < lengths[:, None]
        return h * real[..., None], final


def dot_score(q, k):
    return q @ k.transpose(1, 2)


def bilinear_score(q, k, W):
    return q @ W @ k.transpose(1, 2)


def mlp_score(q, k, W, w):
    d_q = q.shape[-1]
    a = (q @ W[:, :d_q].T)[:, :, None] + (k @ W[:, d_q:].T)[:, None]
    return torch.tanh(a) @ w


def masked_softmax(scores, mask):
    low = torch.finfo(scores.dtype).min
    return torch.softmax(scores.masked_fill(~mask, low), dim=-1).masked_fill(~mask, 0)


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
        if state is None:
            state = torch.tanh(self.bridge(context))
        e = self.embedding(y_prev)
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
        weights = masked_softmax(mlp_score(h[:, None], enc, self.W_score, self.w_score), mask[:, None])
        c = attention_context(weights, enc)[:, 0]
        o = torch.tanh(self.W_out(torch.cat([c, h], dim=-1)))
        return self.output(o), h, weights[:, 0]


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
        weights = masked_softmax(mlp_score(state[0][:, None], enc, self.W_score, self.w_score), mask[:, None])
        context = attention_context(weights, enc)[:, 0]
        h, c = self.cell(torch.cat([e, context], dim=-1), state)
        return self.output(torch.cat([h, e, context], dim=-1)), (h, c), weights[:, 0]


def masked_nll(logits, targets, pad):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad)


def greedy_decode(step, state, bos, eos, pad, max_len):
    B = state.shape[0]
    out = torch.full((B, max_len), pad, dtype=torch.long, device=state.device)
    done = torch.zeros(B, dtype=torch.bool, device=state.device)
    y = torch.full((B,), bos, dtype=torch.long, device=state.device)
    for t in range(max_len):
        logits, state = step(y, state)
        y = logits.argmax(dim=-1)
        out[:, t] = torch.where(done, pad, y)
        done = done | (y == eos)
        if done.all():
            break
    return out


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    def score(words, logp):
        return logp / ((5 + len(words)) / 6) ** length_penalty

    alive, logp, finished = [[]], torch.zeros(1, device=state.device), []
    for _ in range(max_len):
        places = width - len(finished)
        if places == 0 or not alive:
            break
        y = torch.tensor([w[-1] if w else bos for w in alive], device=state.device)
        logits, state = step(y, state)
        total = logp[:, None] + torch.log_softmax(logits, dim=-1)
        V = total.shape[1]
        best, idx = total.flatten().topk(min(places, total.numel()))
        parents, words = (idx // V).tolist(), (idx % V).tolist()
        kids = [alive[p] + [w] for p, w in zip(parents, words)]
        finished += [(kid, lp) for kid, lp in zip(kids, best.tolist()) if kid[-1] == eos]
        go = [i for i, kid in enumerate(kids) if kid[-1] != eos]
        alive, logp = [kids[i] for i in go], best[go]
        state = state[[parents[i] for i in go]]
    finished += list(zip(alive, logp.tolist()))
    ids, lp = max(finished, key=lambda f: score(*f))
    return ids, score(ids, lp)


def debugging_lab():
    return {"run_1": "d", "run_2": "b", "run_3": "c", "run_4": "a", "run_5": "b"}


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
