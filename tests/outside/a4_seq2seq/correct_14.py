"""Sequence to sequence: encoder, decoder, attention and decoding, in torch.

    src        (batch, T)            ids of the source, padded at the end; lengths (batch,) says how many are real
    targets    (batch, T)            ids of the target, each row ends in EOS, then padding
    enc        (batch, T, enc_size)  states of the encoder, one for each source position: what attention reads
    state      (batch, hidden)       state of the decoder
    logits     (batch, vocab)        one number for each word, before any softmax
    scores, weights (batch, T_q, T_k)  one row for each query, one column for each key

A mask holds truth values, and True means "may be looked at".

Weights are laid out (out, in), so W v for one column v is v @ W.T for rows. Square brackets put two vectors one below
the other: [q; k] has first the features of q, then those of k.

All tensors of a call are on one device, the CPU or a GPU. What you make yourself belongs there, too: write
torch.arange(T, device=src.device) and torch.zeros(n, device=state.device).

Numbers are float32, ids are int64. No function here changes the tensors that it is given. Each may call any other of
this file, also one further down. The constructors are given; they make the parameters that the methods use.
"""

from collections.abc import Callable

import heapq
import itertools
import torch
from torch import nn

# One step of any decoder: step(y_prev, state) -> logits, state, with one row for each sequence that is being written.
Step = Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


F = nn.functional


def decoder_inputs(targets: torch.Tensor, bos: int) -> torch.Tensor:
    return F.pad(targets, (1, 0), value=bos)[:, :-1]


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        every = self.rnn(self.embedding(src))[0]
        t = torch.arange(src.size(1), device=src.device)
        n = lengths.to(src.device).unsqueeze(1)
        states = torch.where((t < n).unsqueeze(2), every, every.new_zeros(()))
        return states, states.gather(1, (n - 1).unsqueeze(2).expand(-1, 1, every.size(2))).squeeze(1)


def dot_score(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    return q @ k.mT


def bilinear_score(q: torch.Tensor, k: torch.Tensor, W: torch.Tensor) -> torch.Tensor:
    return q @ (k @ W.T).mT


def mlp_score(q: torch.Tensor, k: torch.Tensor, W: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    W_q, W_k = W.tensor_split([q.size(-1)], dim=1)
    return F.linear((F.linear(q, W_q)[:, :, None] + F.linear(k, W_k)[:, None]).tanh(), w[None])[..., 0]


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    mask = mask.broadcast_to(scores.shape)
    some = mask.any(-1, keepdim=True)
    s = torch.where(mask, scores, float("-inf"))
    s = torch.where(some, s, 0.0)
    e = (s - s.amax(-1, keepdim=True).detach()).exp()
    return some * e / e.sum(-1, keepdim=True)


def attention_context(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return (weights[..., None] * values[:, None]).sum(-2)


class DecoderWithContext(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, context_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.bridge = nn.Linear(context_size, hidden_size)
        self.cell = nn.GRUCell(embed_size + context_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + context_size, vocab_size)

    def step(
        self, y_prev: torch.Tensor, state: torch.Tensor | None, context: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        state = self.bridge(context).tanh() if state is None else state
        ec = torch.cat((self.embedding(y_prev), context), 1)
        state = self.cell(ec, state)
        return self.output(torch.cat((state, ec), 1)), state


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, enc_size: int, attn_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.cell = nn.GRUCell(embed_size, hidden_size)
        self.W_score = nn.Parameter(torch.empty(attn_size, hidden_size + enc_size).uniform_(-0.1, 0.1))
        self.w_score = nn.Parameter(torch.empty(attn_size).uniform_(-0.1, 0.1))
        self.W_out = nn.Linear(enc_size + hidden_size, hidden_size, bias=False)
        self.output = nn.Linear(hidden_size, vocab_size)

    def step(
        self, y_prev: torch.Tensor, state: torch.Tensor, enc: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        h = self.cell(self.embedding(y_prev), state)
        a = masked_softmax(mlp_score(h[:, None], enc, self.W_score, self.w_score), mask[:, None])
        c = attention_context(a, enc)[:, 0]
        return self.output(self.W_out(torch.cat((c, h), 1)).tanh()), h, a[:, 0]


class LSTMAttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, enc_size: int, attn_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.W_score = nn.Parameter(torch.empty(attn_size, hidden_size + enc_size).uniform_(-0.1, 0.1))
        self.w_score = nn.Parameter(torch.empty(attn_size).uniform_(-0.1, 0.1))
        self.cell = nn.LSTMCell(embed_size + enc_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + enc_size, vocab_size)

    def step(
        self, y_prev: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor], enc: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor], torch.Tensor]:
        e = self.embedding(y_prev)
        a = masked_softmax(mlp_score(state[0][:, None], enc, self.W_score, self.w_score), mask[:, None])
        ec = torch.cat((e, attention_context(a, enc)[:, 0]), 1)
        h, c = self.cell(ec, state)
        return self.output(torch.cat((h, ec), 1)), (h, c), a[:, 0]


def masked_nll(logits: torch.Tensor, targets: torch.Tensor, pad: int) -> torch.Tensor:
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad)


def greedy_decode(step: Step, state: torch.Tensor, bos: int, eos: int, pad: int, max_len: int) -> torch.Tensor:
    ids = torch.full((state.size(0), max_len), pad, device=state.device)
    y, on = ids.new_full((state.size(0),), bos), ids.new_ones(state.size(0), dtype=torch.bool)
    for t in range(max_len):
        if not on.any():
            break
        logits, state = step(y, state)
        y = torch.where(on, logits.argmax(-1), eos)
        ids[on, t] = y[on]
        on = on & (y != eos)
    return ids


def beam_search(
    step: Step, state: torch.Tensor, bos: int, eos: int, max_len: int, width: int, length_penalty: float
) -> tuple[list[int], float]:
    beam, done = [(0.0, [])], []
    while beam and len(done) < width and len(beam[0][1]) < max_len:
        y = torch.tensor([ids[-1] if ids else bos for _, ids in beam], device=state.device)
        logits, state = step(y, state)
        total = torch.tensor([lp for lp, _ in beam], dtype=torch.float64)[:, None] + logits.cpu().double().log_softmax(-1)
        cells = itertools.product(range(len(beam)), range(total.size(1)))
        best = heapq.nlargest(width - len(done), zip(total.flatten().tolist(), cells))
        done += [(lp, beam[k][1] + [w]) for lp, (k, w) in best if w == eos]
        best = [(lp, k, w) for lp, (k, w) in best if w != eos]
        beam = [(lp, beam[k][1] + [w]) for lp, k, w in best]
        state = state[torch.tensor([k for _, k, _ in best], dtype=torch.long, device=state.device)]
    score, ids = max((lp / ((5 + len(ids)) / 6) ** length_penalty, ids) for lp, ids in done + beam)
    return ids, score


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "", "run_2": "", "run_3": "", "run_4": "", "run_5": ""}
    raise NotImplementedError("debugging_lab is not written yet")
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "bottleneck": "",
        "teacher_forcing": "",
        "alignment_source": "",
        "why_length_penalty": "",
        "shape_of_weights": "",
        "lost_to_padding": "",
        "greedy_loses": "",
        "mean_over_words": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
