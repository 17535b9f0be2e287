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

import torch
from torch import nn
import torch.nn.functional as F

# One step of any decoder: step(y_prev, state) -> logits, state, with one row for each sequence that is being written.
Step = Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


def decoder_inputs(targets: torch.Tensor, bos: int) -> torch.Tensor:
    shifted = torch.roll(targets, shifts=1, dims=1)
    shifted[:, 0] = bos
    return shifted


class Encoder(nn.Module):

    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        B, T = src.shape
        x = self.embedding(src)
        h = torch.zeros(1, B, self.rnn.hidden_size, dtype=x.dtype, device=src.device)
        outputs = []
        for t in range(T):
            _, h_new = self.rnn(x[:, t : t + 1], h)
            alive = (lengths > t).view(1, B, 1)
            # rows that are over keep the state they ended with
            h = torch.where(alive, h_new, h)
            outputs.append(torch.where(alive, h_new, torch.zeros_like(h_new)).squeeze(0))
        return torch.stack(outputs, dim=1), h.squeeze(0)


def dot_score(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    return torch.bmm(q, k.permute(0, 2, 1))


def bilinear_score(q: torch.Tensor, k: torch.Tensor, W: torch.Tensor) -> torch.Tensor:
    projected = torch.matmul(q, W)  # (batch, T_q, d_k)
    return torch.bmm(projected, k.permute(0, 2, 1))


def mlp_score(q: torch.Tensor, k: torch.Tensor, W: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    B, Tq, dq = q.shape
    Tk, dk = k.shape[1], k.shape[2]
    # every query beside every key
    qq = q.unsqueeze(2).expand(B, Tq, Tk, dq)
    kk = k.unsqueeze(1).expand(B, Tq, Tk, dk)
    pairs = torch.cat([qq, kk], dim=-1)
    return torch.tanh(F.linear(pairs, W)).matmul(w)


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    s = scores.masked_fill(~mask, -1e9)
    s = s - s.max(dim=-1, keepdim=True).values
    e = torch.exp(s) * mask
    total = e.sum(dim=-1, keepdim=True)
    # without anything allowed e is all zero, divide by one then
    total = torch.where(total > 0, total, torch.ones_like(total))
    return e / total


def attention_context(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return torch.bmm(weights, values)


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
        if state is None:
            state = torch.tanh(self.bridge(context))
        emb = self.embedding(y_prev)
        cell_in = torch.cat([emb, context], dim=1)
        new_state = self.cell(cell_in, state)
        out_in = torch.cat([new_state, emb, context], dim=1)
        logits = self.output(out_in)
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

    def step(
        self, y_prev: torch.Tensor, state: torch.Tensor, enc: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        emb = self.embedding(y_prev)
        new_state = self.cell(emb, state)
        query = new_state.view(new_state.size(0), 1, new_state.size(1))
        scores = mlp_score(query, enc, self.W_score, self.w_score).squeeze(1)
        weights = masked_softmax(scores, mask)
        context = (weights.unsqueeze(-1) * enc).sum(dim=1)
        attentional = torch.tanh(self.W_out(torch.cat([context, new_state], dim=1)))
        logits = self.output(attentional)
        return logits, new_state, weights


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
        h_prev, c_prev = state
        emb = self.embedding(y_prev)
        query = h_prev.view(h_prev.size(0), 1, h_prev.size(1))
        scores = mlp_score(query, enc, self.W_score, self.w_score).squeeze(1)
        weights = masked_softmax(scores, mask)
        context = (weights.unsqueeze(-1) * enc).sum(dim=1)
        h, c = self.cell(torch.cat([emb, context], dim=1), (h_prev, c_prev))
        logits = self.output(torch.cat([h, emb, context], dim=1))
        return logits, (h, c), weights


def masked_nll(logits: torch.Tensor, targets: torch.Tensor, pad: int) -> torch.Tensor:
    log_probs = F.log_softmax(logits, dim=-1)
    real = targets != pad
    # pad may be no index at all, so look at word 0 there and throw it away
    safe = torch.where(real, targets, torch.zeros_like(targets))
    picked = log_probs.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    return -picked[real].sum() / real.sum()


def greedy_decode(step: Step, state: torch.Tensor, bos: int, eos: int, pad: int, max_len: int) -> torch.Tensor:
    B = state.size(0)
    ids = torch.full((B, max_len), pad, dtype=torch.long, device=state.device)
    rows = torch.arange(B, device=state.device)  # those that are still writing
    y = torch.full((B,), bos, dtype=torch.long, device=state.device)
    for t in range(max_len):
        logits, state = step(y, state)
        y = torch.argmax(logits, dim=1)
        ids[rows, t] = y
        going = y != eos
        rows, y, state = rows[going], y[going], state[going]
        if len(rows) == 0:
            break
    return ids


def beam_search(
    step: Step, state: torch.Tensor, bos: int, eos: int, max_len: int, width: int, length_penalty: float
) -> tuple[list[int], float]:
    # each hypothesis: (words, log P, its state)
    active = [([], 0.0, state[0])]
    finished = []
    for _ in range(max_len):
        places = width - len(finished)
        if places <= 0 or len(active) == 0:
            break
        y = torch.tensor([(hyp[0] or [bos])[-1] for hyp in active], dtype=torch.long, device=state.device)
        states = torch.stack([hyp[2] for hyp in active])
        logits, states = step(y, states)
        log_probs = F.log_softmax(logits, dim=-1)
        candidates = []
        for n, (words, log_p, _old) in enumerate(active):
            for word in range(log_probs.size(1)):
                candidates.append((words + [word], log_p + log_probs[n, word].item(), states[n]))
        candidates = sorted(candidates, key=lambda hyp: -hyp[1])[:places]
        active = []
        for hyp in candidates:
            if hyp[0][-1] == eos:
                finished.append(hyp)
            else:
                active.append(hyp)
    results = []
    for words, log_p, _ in finished + active:
        lp = ((5 + len(words)) / 6) ** length_penalty
        results.append((log_p / lp, words))
    best_score, best_words = max(results, key=lambda r: r[0])
    return best_words, best_score


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "d", "run_2": "b", "run_3": "c", "run_4": "a", "run_5": "b"}
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
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
