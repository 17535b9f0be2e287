from collections.abc import Callable

import torch
from torch import nn

# One step of any decoder: step(y_prev, state) -> logits, state, with one row for each sequence that is being written.
Step = Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


F = nn.functional


def decoder_inputs(targets: torch.Tensor, bos: int) -> torch.Tensor:
    start = torch.full_like(targets[:, :1], bos)
    return torch.cat([start, targets[:, :-1]], dim=1)


class Encoder(nn.Module):

    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        T = src.shape[1]
        states, _ = self.rnn(self.embedding(src))
        real = torch.arange(T, device=src.device)[None, :] < lengths[:, None]
        final = states[torch.arange(len(src), device=src.device), lengths - 1]
        return states.masked_fill(~real[:, :, None], 0.0), final


def dot_score(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    return torch.bmm(q, k.transpose(1, 2))


def bilinear_score(q: torch.Tensor, k: torch.Tensor, W: torch.Tensor) -> torch.Tensor:
    return q @ W @ k.transpose(1, 2)


def mlp_score(q: torch.Tensor, k: torch.Tensor, W: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    d_q = q.shape[-1]
    from_q = q @ W[:, :d_q].T
    from_k = k @ W[:, d_q:].T
    return torch.tanh(from_q[:, :, None, :] + from_k[:, None, :, :]) @ w


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    filled = scores.masked_fill(~mask, -1e9)
    return torch.softmax(filled, dim=-1).masked_fill(~mask, 0.0)


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
        e = self.embedding(y_prev)
        state = self.cell(torch.cat([e, context], dim=-1), state)
        return self.output(torch.cat([state, e, context], dim=-1)), state


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
        scores = mlp_score(h.unsqueeze(1), enc, self.W_score, self.w_score)
        weights = masked_softmax(scores, mask.unsqueeze(1))
        c = attention_context(weights, enc).squeeze(1)
        logits = self.output(torch.tanh(self.W_out(torch.cat([c, h], dim=-1))))
        return logits, h, weights.squeeze(1)


def masked_nll(logits: torch.Tensor, targets: torch.Tensor, pad: int) -> torch.Tensor:
    return F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad)


def greedy_decode(step: Step, state: torch.Tensor, bos: int, eos: int, pad: int, max_len: int) -> torch.Tensor:
    batch = state.shape[0]
    ids = torch.full((batch, max_len), pad, dtype=torch.int64, device=state.device)
    word = torch.full((batch,), bos, dtype=torch.int64, device=state.device)
    ended = torch.zeros(batch, dtype=torch.bool, device=state.device)
    for t in range(max_len):
        logits, state = step(word, state)
        word = logits.argmax(dim=-1)
        ids[:, t] = torch.where(ended, pad, word)
        ended = ended | (word == eos)
        if ended.all():
            break
    return ids


def beam_search(
    step: Step, state: torch.Tensor, bos: int, eos: int, max_len: int, width: int, length_penalty: float
) -> tuple[list[int], float]:
    def score(log_p, n):
        return log_p / ((5 + n) / 6) ** length_penalty

    words = [[]]
    log_p = torch.zeros(1, device=state.device)
    last = torch.full((1,), bos, dtype=torch.int64, device=state.device)
    places, done = width, []
    for n in range(1, max_len + 1):
        logits, state = step(last, state)
        total = log_p[:, None] + F.log_softmax(logits, dim=-1)
        vocab = total.shape[1]
        best, where = total.flatten().topk(min(places, total.numel()))
        parents, ids = where // vocab, where % vocab
        extended = [words[p] + [i] for p, i in zip(parents.tolist(), ids.tolist())]
        going = ids != eos
        done += [(score(b, n), s) for b, s in zip(best.tolist(), extended) if s[-1] == eos]
        words = [s for s in extended if s[-1] != eos]
        places = width - len(done)
        if not words:
            break
        log_p, last, state = best[going], ids[going], state[parents[going]]
    done += [(score(b, len(s)), s) for b, s in zip(log_p.tolist(), words)]
    best_score, sentence = max(done, key=lambda pair: pair[0])
    return sentence, best_score


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
