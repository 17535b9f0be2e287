"""seq2seq, written with small helpers and a dataclass for the hypotheses."""

from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def real_positions(lengths: Tensor, T: int) -> Tensor:
    return torch.arange(T, device=lengths.device).expand(len(lengths), T) < lengths.unsqueeze(1)


def attend(query: Tensor, enc: Tensor, mask: Tensor, W: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
    """One query for each row: returns context (batch, enc_size) and weights (batch, T)."""
    scores = mlp_score(query.unsqueeze(1), enc, W, w)
    weights = masked_softmax(scores, mask.unsqueeze(1))
    context = attention_context(weights, enc)
    return context.squeeze(1), weights.squeeze(1)


def decoder_inputs(targets: Tensor, bos: int) -> Tensor:
    return F.pad(targets, (1, 0), value=bos)[:, :-1]


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        states, _ = self.rnn(self.embedding(src))
        real = real_positions(lengths, src.shape[1])
        last = (lengths - 1).view(-1, 1, 1).expand(-1, 1, states.shape[2])
        final = states.gather(1, last).squeeze(1)
        states = states.masked_fill(~real.unsqueeze(-1), 0.0)
        return states, final


def dot_score(q: Tensor, k: Tensor) -> Tensor:
    return (q.unsqueeze(2) * k.unsqueeze(1)).sum(-1)


def bilinear_score(q: Tensor, k: Tensor, W: Tensor) -> Tensor:
    Wk = F.linear(k, W)
    return dot_score(q, Wk)


def mlp_score(q: Tensor, k: Tensor, W: Tensor, w: Tensor) -> Tensor:
    batch, T_q, _ = q.shape
    T_k = k.shape[1]
    q = q.unsqueeze(2).expand(-1, -1, T_k, -1)
    k = k.unsqueeze(1).expand(-1, T_q, -1, -1)
    pairs = torch.cat([q, k], dim=-1)
    return F.linear(torch.tanh(F.linear(pairs, W)), w.unsqueeze(0)).squeeze(-1)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    mask = mask.broadcast_to(scores.shape)
    empty = ~mask.any(dim=-1, keepdim=True)
    # in an empty row everything is let through, and taken away afterwards
    allowed = mask | empty
    weights = F.softmax(scores.masked_fill(~allowed, float("-inf")), dim=-1)
    return weights * (~empty)


def attention_context(weights: Tensor, values: Tensor) -> Tensor:
    return weights.matmul(values)


class DecoderWithContext(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, context_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.bridge = nn.Linear(context_size, hidden_size)
        self.cell = nn.GRUCell(embed_size + context_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + context_size, vocab_size)

    def step(self, y_prev: Tensor, state: Tensor | None, context: Tensor) -> tuple[Tensor, Tensor]:
        if state is None:
            state = self.first_state(context)
        e_c = torch.cat([self.embedding(y_prev), context], dim=1)
        h = self.cell(e_c, state)
        return self.output(torch.cat([h, e_c], dim=1)), h

    def first_state(self, context: Tensor) -> Tensor:
        return torch.tanh(self.bridge(context))


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, enc_size: int, attn_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.cell = nn.GRUCell(embed_size, hidden_size)
        self.W_score = nn.Parameter(torch.empty(attn_size, hidden_size + enc_size).uniform_(-0.1, 0.1))
        self.w_score = nn.Parameter(torch.empty(attn_size).uniform_(-0.1, 0.1))
        self.W_out = nn.Linear(enc_size + hidden_size, hidden_size, bias=False)
        self.output = nn.Linear(hidden_size, vocab_size)

    def step(self, y_prev: Tensor, state: Tensor, enc: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        h = self.cell(self.embedding(y_prev), state)
        context, weights = attend(h, enc, mask, self.W_score, self.w_score)
        attentional = torch.tanh(self.W_out(torch.cat([context, h], dim=1)))
        return self.output(attentional), h, weights


class LSTMAttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, enc_size: int, attn_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.W_score = nn.Parameter(torch.empty(attn_size, hidden_size + enc_size).uniform_(-0.1, 0.1))
        self.w_score = nn.Parameter(torch.empty(attn_size).uniform_(-0.1, 0.1))
        self.cell = nn.LSTMCell(embed_size + enc_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + enc_size, vocab_size)

    def step(self, y_prev, state, enc: Tensor, mask: Tensor):
        h, c = state
        context, weights = attend(h, enc, mask, self.W_score, self.w_score)
        e_context = torch.cat([self.embedding(y_prev), context], dim=1)
        h, c = self.cell(e_context, (h, c))
        logits = self.output(torch.cat([h, e_context], dim=1))
        return logits, (h, c), weights


def masked_nll(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad)


@torch.no_grad()
def greedy_decode(step, state: Tensor, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    batch = len(state)
    y = state.new_full((batch,), bos, dtype=torch.long)
    over = torch.zeros_like(y, dtype=torch.bool)
    columns = []
    while len(columns) < max_len:
        if over.all():
            columns.append(torch.full_like(y, pad))
            continue
        logits, state = step(y, state)
        y = logits.argmax(-1)
        columns.append(y.masked_fill(over, pad))
        over = over | y.eq(eos)
    return torch.stack(columns, dim=1)


@dataclass
class Hypothesis:
    words: list = field(default_factory=list)
    log_p: float = 0.0
    parent: int = 0

    def extended(self, word: int, log_p: float, row: int) -> "Hypothesis":
        return Hypothesis(self.words + [word], self.log_p + log_p, row)

    def score(self, alpha: float) -> float:
        return self.log_p / (((5 + len(self.words)) / 6) ** alpha)


@torch.no_grad()
def beam_search(step, state: Tensor, bos: int, eos: int, max_len: int, width: int, length_penalty: float):
    beam, finished = [Hypothesis()], []
    last = [bos]
    for _ in range(max_len):
        logits, state = step(torch.tensor(last, device=state.device), state)
        log_probs = F.log_softmax(logits.double(), dim=-1)
        children = [
            hyp.extended(word, log_probs[row, word].item(), row)
            for row, hyp in enumerate(beam)
            for word in range(log_probs.shape[1])
        ]
        places = width - len(finished)
        kept = sorted(children, key=lambda hyp: -hyp.log_p)[:places]
        finished += [hyp for hyp in kept if hyp.words[-1] == eos]
        beam = [hyp for hyp in kept if hyp.words[-1] != eos]
        if not beam or len(finished) >= width:
            break
        state = state[[hyp.parent for hyp in beam]]
        last = [hyp.words[-1] for hyp in beam]
    best = max(finished + beam, key=lambda hyp: hyp.score(length_penalty))
    return best.words, best.score(length_penalty)


def debugging_lab():
    return {"run_1": "d", "run_2": "a", "run_3": "c", "run_4": "d", "run_5": "a"}


def quiz():
    names = ["bottleneck", "teacher_forcing", "alignment_source", "why_length_penalty",
             "shape_of_weights", "lost_to_padding", "greedy_loses", "mean_over_words"]
    return dict(zip(names, "ababaaba"))
