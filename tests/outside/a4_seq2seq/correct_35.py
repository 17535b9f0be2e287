from dataclasses import dataclass

import torch
from torch import nn


def decoder_inputs(targets: torch.Tensor, bos: int) -> torch.Tensor:
    rolled = torch.roll(targets, shifts=1, dims=1)
    rolled[:, 0] = bos
    return rolled


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        batch, T = src.shape
        all_states, _ = self.rnn(self.embedding(src))
        position = torch.arange(T, device=src.device)[None, :]
        real = (position < lengths[:, None])[..., None]
        final = all_states[torch.arange(batch, device=src.device), lengths - 1]
        states = torch.where(real, all_states, torch.zeros_like(all_states))
        return states, final


def dot_score(q, k):
    return torch.bmm(q, k.permute(0, 2, 1))


def bilinear_score(q, k, W):
    # (W k) for every key, then compare
    Wk = nn.functional.linear(k, W)
    return q.matmul(Wk.mT)


def mlp_score(q, k, W, w):
    Tq, Tk = q.size(1), k.size(1)
    pairs = torch.cat(
        [q.unsqueeze(2).expand(-1, -1, Tk, -1), k.unsqueeze(1).expand(-1, Tq, -1, -1)],
        dim=-1,
    )
    hidden = torch.einsum("bqkd,ad->bqka", pairs, W).tanh()
    return (hidden * w).sum(dim=-1)


def masked_softmax(scores, mask):
    mask = mask.expand_as(scores)
    nobody = ~mask.any(dim=-1, keepdim=True)
    safe = torch.where(mask | nobody, scores, torch.full_like(scores, -float("inf")))
    top = safe.amax(dim=-1, keepdim=True).detach()
    e = torch.exp(safe - top)
    shares = e / e.sum(dim=-1, keepdim=True)
    return torch.where(mask, shares, torch.zeros_like(shares))


def attention_context(weights, values):
    return weights @ values


class DecoderWithContext(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, context_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.bridge = nn.Linear(context_size, hidden_size)
        self.cell = nn.GRUCell(embed_size + context_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + context_size, vocab_size)

    def first_state(self, context):
        return self.bridge(context).tanh()

    def step(self, y_prev, state, context):
        h = self.first_state(context) if state is None else state
        word_and_context = torch.cat((self.embedding(y_prev), context), 1)
        h = self.cell(word_and_context, h)
        logits = self.output(torch.cat((h, word_and_context), 1))
        return logits, h


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
        h_t = self.cell(self.embedding(y_prev), state)
        # look
        scores = mlp_score(h_t[:, None], enc, self.W_score, self.w_score)[:, 0]
        weights = masked_softmax(scores, mask)
        c_t = torch.einsum("bt,bte->be", weights, enc)
        # speak
        logits = self.output(self.W_out(torch.cat([c_t, h_t], 1)).tanh())
        return logits, h_t, weights


class LSTMAttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, enc_size: int, attn_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.W_score = nn.Parameter(torch.empty(attn_size, hidden_size + enc_size).uniform_(-0.1, 0.1))
        self.w_score = nn.Parameter(torch.empty(attn_size).uniform_(-0.1, 0.1))
        self.cell = nn.LSTMCell(embed_size + enc_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + enc_size, vocab_size)

    def step(self, y_prev, state, enc, mask):
        h_prev, c_prev = state
        hidden = h_prev.size(1)
        W_q, W_k = self.W_score.split([hidden, enc.size(2)], dim=1)
        scores = torch.tanh((h_prev @ W_q.t())[:, None] + enc @ W_k.t()) @ self.w_score
        weights = masked_softmax(scores, mask)
        context = (weights[:, None] @ enc)[:, 0]
        e = self.embedding(y_prev)
        h_t, c_t = self.cell(torch.cat([e, context], 1), (h_prev, c_prev))
        return self.output(torch.cat([h_t, e, context], 1)), (h_t, c_t), weights


def masked_nll(logits, targets, pad):
    real = targets.ne(pad)
    ids = targets.where(real, torch.zeros_like(targets))
    logp = logits.log_softmax(-1).gather(-1, ids[..., None])[..., 0]
    total = -torch.where(real, logp, torch.zeros_like(logp)).sum()
    return total / real.sum()


def greedy_decode(step, state, bos, eos, pad, max_len):
    device = state.device
    sentences = torch.full((state.size(0), max_len), pad, dtype=torch.long, device=device)
    alive = torch.arange(state.size(0), device=device)  # numbers of the rows that still write
    word = torch.full_like(alive, bos)
    for t in range(max_len):
        if alive.numel() == 0:
            break
        logits, state = step(word, state)
        word = torch.argmax(logits, dim=1)
        sentences[alive, t] = word
        goes_on = word != eos
        alive, word, state = alive[goes_on], word[goes_on], state[goes_on]
    return sentences


@dataclass
class Hypothesis:
    words: list
    logp: float

    def score(self, alpha):
        return self.logp / ((5 + len(self.words)) / 6) ** alpha


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    done = []
    totals = torch.zeros(1, dtype=torch.float64, device=state.device)
    history = torch.zeros(1, 0, dtype=torch.long, device=state.device)
    last = torch.full((1,), bos, dtype=torch.long, device=state.device)
    for _ in range(max_len):
        if width == len(done) or len(last) == 0:
            break
        logits, state = step(last, state)
        vocab = logits.size(1)
        table = totals[:, None] + logits.to(torch.float64).log_softmax(1)
        places = min(width - len(done), table.numel())
        best, index = table.view(-1).topk(places)
        parent = torch.div(index, vocab, rounding_mode="floor")
        last = index % vocab
        history = torch.cat([history[parent], last[:, None]], 1)
        ended = last == eos
        for words, total in zip(history[ended].tolist(), best[ended].tolist()):
            done.append(Hypothesis(words, total))
        go = ~ended
        totals, history, last = best[go], history[go], last[go]
        state = state.index_select(0, parent[go])
    done += [Hypothesis(words, total) for words, total in zip(history.tolist(), totals.tolist())]
    winner = max(done, key=lambda hyp: hyp.score(length_penalty))
    return winner.words, winner.score(length_penalty)


def debugging_lab():
    return dict(run_1="d", run_2="b", run_3="c", run_4="a", run_5="b")


def quiz():
    return dict(
        bottleneck="a",
        teacher_forcing="c",
        alignment_source="d",
        why_length_penalty="b",
        shape_of_weights="a",
        lost_to_padding="c",
        greedy_loses="b",
        mean_over_words="d",
    )
