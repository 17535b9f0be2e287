from collections.abc import Callable

import torch
from torch import nn

# One step of any decoder: step(y_prev, state) -> logits, state, with one row for each sequence that is being written.
Step = Callable[[torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


from dataclasses import dataclass

from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


@dataclass
class Hypothesis:

    ids: list
    log_p: float
    row: int  # of the state that it goes on from

    def score(self, alpha):
        return self.log_p / ((5.0 + len(self.ids)) / 6.0) ** alpha


def decoder_inputs(targets: torch.Tensor, bos: int) -> torch.Tensor:
    inputs = targets.roll(1, dims=1)
    inputs[:, 0] = bos
    return inputs


class Encoder(nn.Module):

    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        packed = pack_padded_sequence(self.embedding(src), lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, final = self.rnn(packed)
        states, _ = pad_packed_sequence(out, batch_first=True, total_length=src.size(1))
        return states, final[-1]


def dot_score(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    return torch.einsum("nqd,nkd->nqk", q, k)


def bilinear_score(q: torch.Tensor, k: torch.Tensor, W: torch.Tensor) -> torch.Tensor:
    return torch.stack([(W.T @ a.T).T @ b.T for a, b in zip(q, k)])


def mlp_score(q: torch.Tensor, k: torch.Tensor, W: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    n, T_q, T_k = q.shape[0], q.shape[1], k.shape[1]
    left = q[:, :, None].expand(n, T_q, T_k, q.shape[2])
    right = k[:, None].expand(n, T_q, T_k, k.shape[2])
    pairs = torch.cat((left, right), dim=3)
    hidden = torch.einsum("nijc,ac->nija", pairs, W).tanh()
    return (hidden * w).sum(dim=-1)


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    mask = mask.expand_as(scores)
    top = torch.where(mask, scores, torch.full_like(scores, -torch.inf)).amax(dim=-1, keepdim=True)
    top = torch.where(torch.isfinite(top), top, torch.zeros_like(top)).detach()
    shifted = torch.where(mask, scores - top, torch.zeros_like(scores))
    e = shifted.exp() * mask
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total > 0, total, torch.ones_like(total))


def attention_context(weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return (weights[..., None] * values[:, None, :, :]).sum(dim=2)


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
        e = self.embedding.weight[y_prev]
        h = self.bridge(context).tanh() if state is None else state
        h = self.cell(torch.hstack((e, context)), h)
        return self.output(torch.hstack((h, e, context))), h


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
        hidden = h.shape[1]
        u = (h @ self.W_score[:, :hidden].T)[:, None] + enc @ self.W_score[:, hidden:].T
        weights = masked_softmax(u.tanh() @ self.w_score, mask)
        c = torch.einsum("nt,nte->ne", weights, enc)
        s = self.W_out(torch.cat((c, h), 1)).tanh()
        return self.output(s), h, weights


def masked_nll(logits: torch.Tensor, targets: torch.Tensor, pad: int) -> torch.Tensor:
    real = targets != pad
    log_p = logits - logits.logsumexp(dim=-1, keepdim=True)
    index = targets.where(real, torch.zeros_like(targets))
    picked = log_p.gather(2, index[:, :, None])[:, :, 0]
    return -picked[real].sum() / real.sum()


def greedy_decode(step: Step, state: torch.Tensor, bos: int, eos: int, pad: int, max_len: int) -> torch.Tensor:
    columns = []
    word = torch.full((len(state),), bos, dtype=torch.long, device=state.device)
    alive = torch.ones(len(state), dtype=torch.bool, device=state.device)
    while len(columns) < max_len and bool(alive.any()):
        logits, state = step(word, state)
        word = logits.max(dim=1).indices.masked_fill(~alive, pad)
        columns.append(word)
        alive = alive & (word != eos)
        word = word.masked_fill(~alive, eos)
    while len(columns) < max_len:
        columns.append(torch.full_like(word, pad))
    return torch.stack(columns, dim=1)


def beam_search(
    step: Step, state: torch.Tensor, bos: int, eos: int, max_len: int, width: int, length_penalty: float
) -> tuple[list[int], float]:
    live, finished, room = [Hypothesis([], 0.0, 0)], [], width
    for _ in range(max_len):
        last = [h.ids[-1] if h.ids else bos for h in live]
        logits, state = step(torch.tensor(last, device=state.device), state)
        log_probs = torch.log_softmax(logits.double(), dim=1).tolist()
        children = []
        for row, (mother, line) in enumerate(zip(live, log_probs)):
            for word, lp in enumerate(line):
                children.append(Hypothesis(mother.ids + [word], mother.log_p + lp, row))
        children.sort(key=lambda h: -h.log_p)
        chosen = children[:room]
        live = [h for h in chosen if h.ids[-1] != eos]
        ended = [h for h in chosen if h.ids[-1] == eos]
        finished.extend(ended)
        room -= len(ended)
        if room == 0 or not live:
            break
        state = torch.index_select(state, 0, torch.tensor([h.row for h in live], device=state.device))
    winner = max(finished + live, key=lambda h: h.score(length_penalty))
    return winner.ids, winner.score(length_penalty)


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
