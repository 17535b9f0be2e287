"""Sequence to sequence: encoder, decoder, attention and decoding. Packed sequences and einsum."""

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def decoder_inputs(targets: torch.Tensor, bos: int) -> torch.Tensor:
    inputs = torch.roll(targets, shifts=1, dims=1)
    inputs[:, 0] = bos
    return inputs


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        embedded = self.embedding(src)
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        output, h_n = self.rnn(packed)
        states, _ = pad_packed_sequence(output, batch_first=True, padding_value=0.0, total_length=src.shape[1])
        final = h_n[-1]
        return states, final


def dot_score(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    return torch.einsum("nid,njd->nij", q, k)


def bilinear_score(q: torch.Tensor, k: torch.Tensor, W: torch.Tensor) -> torch.Tensor:
    return torch.einsum("nia,ab,njb->nij", q, W, k)


def mlp_score(q: torch.Tensor, k: torch.Tensor, W: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    W_q, W_k = W.split([q.shape[-1], k.shape[-1]], dim=1)
    from_query = torch.einsum("niq,aq->nia", q, W_q)
    from_key = torch.einsum("njk,ak->nja", k, W_k)
    hidden = torch.tanh(from_query.unsqueeze(2) + from_key.unsqueeze(1))
    return torch.einsum("nija,a->nij", hidden, w)


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    lowered = scores.masked_fill(mask.logical_not(), -1e9)
    weights = nn.functional.softmax(lowered, dim=-1)
    return weights * mask.to(weights.dtype)


def attention_context(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return torch.einsum("nij,njd->nid", weights, values)


class DecoderWithContext(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, context_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.bridge = nn.Linear(context_size, hidden_size)
        self.cell = nn.GRUCell(embed_size + context_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + context_size, vocab_size)

    def first_state(self, context: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.bridge(context))

    def step(self, y_prev, state, context):
        if state is None:
            state = self.first_state(context)
        embedded = self.embedding(y_prev)
        cell_input = torch.cat((embedded, context), dim=1)
        new_state = self.cell(cell_input, state)
        output_input = torch.cat((new_state, embedded, context), dim=1)
        logits = self.output(output_input)
        return logits, new_state


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
        # move on
        embedded = self.embedding(y_prev)
        new_state = self.cell(embedded, state)
        # look
        query = new_state.unsqueeze(1)
        scores = mlp_score(query, enc, self.W_score, self.w_score)
        weights = masked_softmax(scores.squeeze(1), mask)
        context = attention_context(weights.unsqueeze(1), enc).squeeze(1)
        # speak
        both = torch.cat((context, new_state), dim=1)
        logits = self.output(torch.tanh(self.W_out(both)))
        return logits, new_state, weights


def masked_nll(logits: torch.Tensor, targets: torch.Tensor, pad: int) -> torch.Tensor:
    real = targets != pad
    log_p = torch.log_softmax(logits[real], dim=-1)
    right = log_p.gather(1, targets[real].unsqueeze(1)).squeeze(1)
    return -right.mean()


def greedy_decode(step, state, bos, eos, pad, max_len):
    batch = state.shape[0]
    ended = torch.zeros(batch, dtype=torch.bool)
    y_prev = torch.full((batch,), bos, dtype=torch.int64)
    columns = []
    while len(columns) < max_len and not bool(ended.all()):
        logits, state = step(y_prev, state)
        word = torch.argmax(logits, dim=1)
        word = torch.where(ended, torch.full_like(word, pad), word)
        ended = ended | (word == eos)
        columns.append(word)
        y_prev = word
    while len(columns) < max_len:
        columns.append(torch.full((batch,), pad, dtype=torch.int64))
    return torch.stack(columns, dim=1)


@dataclass
class Hypothesis:
    ids: list[int]
    log_p: float
    row: int = 0

    def score(self, alpha: float) -> float:
        penalty = math.pow((5.0 + len(self.ids)) / 6.0, alpha)
        return self.log_p / penalty


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    places = width
    unfinished = [Hypothesis(ids=[], log_p=0.0)]
    put_aside = []
    words = 0
    while places > 0 and unfinished and words < max_len:
        last = [h.ids[-1] if h.ids else bos for h in unfinished]
        logits, state = step(torch.tensor(last, dtype=torch.int64), state)
        log_probs = torch.log_softmax(logits.double(), dim=-1).tolist()

        extensions = []
        for row, hypothesis in enumerate(unfinished):
            for word, lp in enumerate(log_probs[row]):
                extensions.append(Hypothesis(hypothesis.ids + [word], hypothesis.log_p + lp, row))
        extensions.sort(key=lambda h: h.log_p, reverse=True)

        unfinished = []
        for h in extensions[:places]:
            if h.ids[-1] == eos:
                put_aside.append(h)
            else:
                unfinished.append(h)
        places = width - len(put_aside)
        words += 1
        if unfinished:
            rows = torch.tensor([h.row for h in unfinished])
            state = state.index_select(0, rows)

    candidates = put_aside + unfinished
    best = candidates[0]
    for h in candidates[1:]:
        if h.score(length_penalty) > best.score(length_penalty):
            best = h
    return best.ids, best.score(length_penalty)


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
