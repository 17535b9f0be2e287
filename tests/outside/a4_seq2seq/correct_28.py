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
from torch.nn.utils import rnn as rnn_utils

# One step of any decoder: step(y_prev, state) -> logits, state, with one row for each sequence that is being written.
Step = Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


class Hypothesis:
    """A sentence that beam search is writing."""

    def __init__(self, words, log_p):
        self.words = words
        self.log_p = log_p

    def score(self, alpha):
        return self.log_p / ((5 + len(self.words)) / 6) ** alpha


def decoder_inputs(targets: torch.Tensor, bos: int) -> torch.Tensor:
    """Prepare teacher forcing: at every position the decoder reads the right word of the position before."""
    batch, T = targets.shape
    columns = [torch.full((batch,), bos, dtype=targets.dtype, device=targets.device)]
    for t in range(1, T):
        columns.append(targets[:, t - 1])
    return torch.stack(columns, dim=1)


class Encoder(nn.Module):
    """Read the source: an embedding, then a GRU from left to right."""

    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Encode a padded batch."""
        # longest row first, as the packing wants it
        order = torch.argsort(lengths, descending=True)
        back = torch.argsort(order)
        embedded = self.embedding(src[order])
        packed = rnn_utils.pack_padded_sequence(embedded, lengths[order].cpu(), batch_first=True)
        packed_states, h_n = self.rnn(packed)
        states, _ = rnn_utils.pad_packed_sequence(packed_states, batch_first=True, total_length=src.size(1))
        states = states[back]
        final = h_n.squeeze(0)[back]
        return states, final


def dot_score(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """Score every query against every key by their dot product."""
    return (q[:, :, None, :] * k[:, None, :, :]).sum(dim=-1)


def bilinear_score(q: torch.Tensor, k: torch.Tensor, W: torch.Tensor) -> torch.Tensor:
    """Score every query against every key with a matrix between them."""
    return dot_score(q @ W, k)


def mlp_score(q: torch.Tensor, k: torch.Tensor, W: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Score every query against every key with a small network."""
    d_q = q.shape[-1]
    rows = []
    for i in range(q.shape[1]):
        q_i = q[:, i : i + 1].expand(-1, k.shape[1], -1)
        rows.append(torch.tanh(q_i @ W[:, :d_q].T + k @ W[:, d_q:].T) @ w)
    return torch.stack(rows, dim=1)


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Turn each row of scores into shares of one, among the positions that may be looked at."""
    allowed = mask.expand_as(scores)
    filled = torch.where(allowed, scores, torch.full_like(scores, -float("inf")))
    some = allowed.any(dim=-1, keepdim=True)
    filled = torch.where(some, filled, torch.zeros_like(filled))
    log_sum = torch.logsumexp(filled, dim=-1, keepdim=True)
    return torch.where(some, torch.exp(filled - log_sum), torch.zeros_like(filled))


def attention_context(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Mix the values in the proportions that the weights say."""
    return (weights.unsqueeze(-1) * values.unsqueeze(1)).sum(dim=2)


class DecoderWithContext(nn.Module):
    """Write the target with one fixed vector as all that is known of the source."""

    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, context_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.bridge = nn.Linear(context_size, hidden_size)
        self.cell = nn.GRUCell(embed_size + context_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + context_size, vocab_size)

    def step(
        self, y_prev: torch.Tensor, state: torch.Tensor | None, context: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Take one step; c is the context, and e the embedding of y_prev."""
        e = self.embedding(y_prev)
        if state is None:
            h_prev = torch.tanh(self.bridge(context))
        else:
            h_prev = state
        e_c = torch.cat([e, context], dim=-1)
        h = self.cell(e_c, h_prev)
        return self.output(torch.cat([h, e_c], dim=-1)), h


class AttentionDecoder(nn.Module):
    """Write the target, and look at all states of the encoder again at every step."""

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
        """Take one step: move on, look, speak."""
        state = self.cell(self.embedding(y_prev), state)
        scores = mlp_score(state[:, None, :], enc, self.W_score, self.w_score)
        weights = masked_softmax(scores, mask[:, None, :])
        context = attention_context(weights, enc)
        out = torch.tanh(self.W_out(torch.cat([context, state[:, None, :]], dim=2)))
        return self.output(out)[:, 0], state, weights[:, 0]


class LSTMAttentionDecoder(nn.Module):
    """Write the target with an LSTM that looks before it moves on, so that what it saw goes through the recurrence."""

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
        """Take one step: look, move on, speak; e is the embedding of y_prev."""
        h, c = state
        word = self.embedding(y_prev)
        # look
        scores = mlp_score(h[:, None, :], enc, self.W_score, self.w_score)
        weights = masked_softmax(scores, mask[:, None, :])
        context = attention_context(weights, enc)[:, 0]
        # move on
        new_h, new_c = self.cell(torch.cat([word, context], dim=1), (h, c))
        # speak
        logits = self.output(torch.cat([new_h, word, context], dim=1))
        return logits, (new_h, new_c), weights[:, 0]


def masked_nll(logits: torch.Tensor, targets: torch.Tensor, pad: int) -> torch.Tensor:
    """Return the mean negative log-likelihood of the real targets, in nats."""
    real = targets != pad
    log_p = torch.log_softmax(logits[real], dim=-1)
    one_hot = nn.functional.one_hot(targets[real], log_p.shape[-1])
    return -(log_p * one_hot).sum() / real.sum()


def greedy_decode(step: Step, state: torch.Tensor, bos: int, eos: int, pad: int, max_len: int) -> torch.Tensor:
    """Write a batch of sentences, always with the most probable next word."""
    batch = state.shape[0]
    sentences = [[] for _ in range(batch)]
    over = [False] * batch
    read = torch.full((batch,), bos, dtype=torch.int64, device=state.device)
    for _ in range(max_len):
        if all(over):
            break
        logits, state = step(read, state)
        read = logits.argmax(dim=1)
        for n, word in enumerate(read.tolist()):
            if over[n]:
                continue
            sentences[n].append(word)
            if word == eos:
                over[n] = True
    ids = [words + [pad] * (max_len - len(words)) for words in sentences]
    return torch.tensor(ids, dtype=torch.int64, device=state.device)


def beam_search(
    step: Step, state: torch.Tensor, bos: int, eos: int, max_len: int, width: int, length_penalty: float
) -> tuple[list[int], float]:
    """Write one sentence, with the best few beginnings kept at every step."""
    going = [Hypothesis([], 0.0)]
    finished = []
    for n in range(max_len):
        if n == 0:
            y = torch.tensor([bos], device=state.device)
        else:
            y = torch.tensor([hyp.words[-1] for hyp in going], device=state.device)
        logits, state = step(y, state)
        log_p = torch.log_softmax(logits.double(), dim=1)
        before = torch.tensor([hyp.log_p for hyp in going], dtype=torch.float64, device=state.device)
        total = (before[:, None] + log_p).flatten()
        order = torch.argsort(total, descending=True)[:width]
        parents = torch.div(order, logits.shape[1], rounding_mode="floor")
        words = order % logits.shape[1]

        new = []
        rows = []
        for parent, word, value in zip(parents.tolist(), words.tolist(), total[order].tolist()):
            hyp = Hypothesis(going[parent].words + [word], value)
            if word == eos:
                finished.append(hyp)
                width -= 1
            else:
                new.append(hyp)
                rows.append(parent)
        going = new
        if width == 0 or not going:
            break
        state = state[rows]
    scores = [hyp.score(length_penalty) for hyp in finished + going]
    best = scores.index(max(scores))
    return (finished + going)[best].words, scores[best]


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
