"""Sequence to sequence."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def decoder_inputs(targets, bos):
    return F.pad(targets[:, :-1], (1, 0), value=bos)


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        e = self.embedding(src)
        packed = pack_padded_sequence(e, lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, h_n = self.rnn(packed)
        states, _ = pad_packed_sequence(out, batch_first=True, total_length=src.shape[1])
        return states, h_n[-1]


def dot_score(q, k):
    return torch.einsum("bqd,bkd->bqk", q, k)


def bilinear_score(q, k, W):
    return dot_score(q @ W, k)


def mlp_score(q, k, W, w):
    d_q = q.shape[-1]
    from_q = q @ W[:, :d_q].T
    from_k = k @ W[:, d_q:].T
    rows = []
    for i in range(q.shape[1]):
        inner = torch.tanh(from_q[:, i : i + 1] + from_k)
        rows.append(inner @ w)
    return torch.stack(rows, dim=1)


def masked_softmax(scores, mask):
    lowest = torch.finfo(scores.dtype).min
    filled = scores.masked_fill(~mask, lowest)
    return filled.softmax(dim=-1) * mask


def attention_context(weights, values):
    return (weights.unsqueeze(-1) * values.unsqueeze(1)).sum(dim=2)


def look(h, enc, mask, W, w):
    """One query per row: the context (batch, enc_size) and the weights (batch, T)."""
    scores = mlp_score(h.unsqueeze(1), enc, W, w)
    weights = masked_softmax(scores, mask.unsqueeze(1))
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
        context, weights = look(h, enc, mask, self.W_score, self.w_score)
        spoken = torch.tanh(self.W_out(torch.cat([context, h], dim=-1)))
        return self.output(spoken), h, weights


class LSTMAttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, enc_size: int, attn_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.W_score = nn.Parameter(torch.empty(attn_size, hidden_size + enc_size).uniform_(-0.1, 0.1))
        self.w_score = nn.Parameter(torch.empty(attn_size).uniform_(-0.1, 0.1))
        self.cell = nn.LSTMCell(embed_size + enc_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + enc_size, vocab_size)

    def step(self, y_prev, state, enc, mask):
        h, c = state
        e = self.embedding(y_prev)
        context, weights = look(h, enc, mask, self.W_score, self.w_score)
        h, c = self.cell(torch.cat([e, context], dim=-1), (h, c))
        logits = self.output(torch.cat([h, e, context], dim=-1))
        return logits, (h, c), weights


def masked_nll(logits, targets, pad):
    real = targets != pad
    return F.cross_entropy(logits[real], targets[real])


def greedy_decode(step, state, bos, eos, pad, max_len):
    batch = state.shape[0]
    y = torch.full((batch,), bos, dtype=torch.int64, device=state.device)
    done = torch.zeros(batch, dtype=torch.bool, device=state.device)
    ids = torch.full((batch, max_len), pad, dtype=torch.int64, device=state.device)
    for t in range(max_len):
        logits, state = step(y, state)
        y = logits.argmax(dim=-1)
        ids[:, t] = torch.where(done, ids[:, t], y)
        done = done | (y == eos)
        if bool(done.all()):
            break
    return ids


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    beam = [([], 0.0)]
    finished = []
    places = width
    for _ in range(max_len):
        last = [words[-1] if words else bos for words, _ in beam]
        y = torch.tensor(last, dtype=torch.int64, device=state.device)
        logits, state = step(y, state)
        logp = torch.log_softmax(logits.double(), dim=-1).tolist()

        extensions = []
        for parent, (words, total) in enumerate(beam):
            for word, lp in enumerate(logp[parent]):
                extensions.append((total + lp, parent, words + [word]))
        extensions.sort(key=lambda ext: ext[0], reverse=True)

        beam, parents = [], []
        for total, parent, words in extensions[:places]:
            if words[-1] == eos:
                finished.append((words, total))
            else:
                beam.append((words, total))
                parents.append(parent)
        places = width - len(finished)
        if places <= 0 or not beam:
            break
        state = state[torch.tensor(parents, device=state.device)]

    best, best_score = None, -math.inf
    for words, total in finished + beam:
        score = total / ((5 + len(words)) / 6) ** length_penalty
        if best is None or score > best_score:
            best, best_score = words, score
    return best, best_score


def debugging_lab():
    answers = {"run_1": "d", "run_2": "b", "run_3": "c", "run_4": "a", "run_5": "b"}
    return answers


def quiz():
    answers = {
        "bottleneck": "a",
        "teacher_forcing": "c",
        "alignment_source": "d",
        "why_length_penalty": "b",
        "shape_of_weights": "a",
        "lost_to_padding": "c",
        "greedy_loses": "b",
        "mean_over_words": "d",
    }
    return answers
