"""Sequence to sequence, from the textbook."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils import rnn as rnn_utils


def decoder_inputs(targets: torch.Tensor, bos: int) -> torch.Tensor:
    return F.pad(targets, (1, 0), value=bos)[:, :-1]


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        order = torch.argsort(lengths, descending=True)
        back = torch.argsort(order)
        sorted_lengths = lengths[order]
        embedded = self.embedding(src[order])
        packed = rnn_utils.pack_padded_sequence(embedded, sorted_lengths.cpu(), batch_first=True)
        out, final = self.rnn(packed)
        out, _ = rnn_utils.pad_packed_sequence(out, batch_first=True)
        states = F.pad(out, (0, 0, 0, src.size(1) - out.size(1)))
        return states[back], final.squeeze(0)[back]


def dot_score(q, k):
    return (q.unsqueeze(2) * k.unsqueeze(1)).sum(dim=-1)


def bilinear_score(q, k, W):
    return dot_score(torch.matmul(q, W), k)


def mlp_score(q, k, W, w):
    n, T_q, d_q = q.shape
    T_k, d_k = k.shape[1:]
    left = q[:, :, None, :].expand(n, T_q, T_k, d_q)
    right = k[:, None, :, :].expand(n, T_q, T_k, d_k)
    pairs = torch.cat([left, right], dim=3)
    return F.linear(F.linear(pairs, W).tanh(), w.unsqueeze(0)).squeeze(3)


def masked_softmax(scores, mask):
    smallest = torch.finfo(scores.dtype).min
    weights = F.softmax(torch.where(mask, scores, torch.tensor(smallest, dtype=scores.dtype)), dim=-1)
    return torch.where(mask, weights, torch.tensor(0.0, dtype=scores.dtype))


def attention_context(weights, values):
    return torch.bmm(weights, values)


class DecoderWithContext(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, context_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.bridge = nn.Linear(context_size, hidden_size)
        self.cell = nn.GRUCell(embed_size + context_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + context_size, vocab_size)

    def step(self, y_prev, state, context):
        if state is None:
            state = F.tanh(self.bridge(context))
        e = self.embedding(y_prev)
        state = self.cell(torch.cat([e, context], -1), state)
        logits = self.output(torch.cat([state, e, context], -1))
        return logits, state


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
        state = self.cell(self.embedding(y_prev), state)
        energy = mlp_score(state.unsqueeze(1), enc, self.W_score, self.w_score)[:, 0, :]
        weights = masked_softmax(energy, mask)
        context = (weights.unsqueeze(2) * enc).sum(dim=1)
        out = self.W_out(torch.cat([context, state], -1))
        return self.output(F.tanh(out)), state, weights


def masked_nll(logits, targets, pad):
    log_probs = F.log_softmax(logits, dim=-1)
    picked = []
    for row, words in zip(log_probs, targets):
        positions = (words != pad).nonzero(as_tuple=True)[0]
        picked.append(-row[positions, words[positions]])
    return torch.cat(picked).mean()


def greedy_decode(step, state, bos, eos, pad, max_len):
    n = state.size(0)
    alive = torch.ones(n, dtype=torch.bool)
    y = state.new_full((n,), bos, dtype=torch.int64)
    result = []
    for _ in range(max_len):
        logits, state = step(y, state)
        y = logits.topk(1, dim=-1).indices[:, 0]
        result.append(y.masked_fill(~alive, pad))
        alive = alive & y.ne(eos)
        if not alive.any():
            break
    ids = torch.stack(result, dim=1)
    return F.pad(ids, (0, max_len - ids.size(1)), value=pad)


def length_norm(n, alpha):
    return ((5 + n) / 6) ** alpha


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    prefix = torch.zeros(1, 0, dtype=torch.int64)  # (hypotheses, words so far)
    log_p = torch.zeros(1, dtype=torch.float64)
    y = torch.tensor([bos])
    room = width
    best_ids, best_score = None, -float("inf")

    def consider(ids, value):
        nonlocal best_ids, best_score
        s = float(value) / length_norm(len(ids), length_penalty)
        if best_ids is None or s > best_score:
            best_ids, best_score = ids.tolist(), s

    for _ in range(max_len):
        logits, state = step(y, state)
        table = log_p.unsqueeze(1) + F.log_softmax(logits.double(), dim=-1)
        order = torch.argsort(table.reshape(-1), descending=True)[:room]
        parent = torch.div(order, table.size(1), rounding_mode="floor")
        word = order % table.size(1)
        prefix = torch.cat([prefix[parent], word.unsqueeze(1)], dim=1)
        log_p = table[parent, word]
        state = state[parent]
        ended = word == eos
        for ids, value in zip(prefix[ended], log_p[ended]):
            consider(ids, value)
        room -= int(ended.sum())
        prefix, log_p, state, y = prefix[~ended], log_p[~ended], state[~ended], word[~ended]
        if room == 0 or len(y) == 0:
            break
    for ids, value in zip(prefix, log_p):
        consider(ids, value)
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
