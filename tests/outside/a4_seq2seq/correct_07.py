"""Assignment 4. Batched matrix products wherever possible."""

import torch
import torch.nn.functional as F
from torch import nn


def decoder_inputs(targets, bos):
    first = torch.full_like(targets[:, :1], bos)
    return torch.cat([first, targets[:, :-1]], dim=1)


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        states, _ = self.rnn(self.embedding(src))
        mask = torch.arange(src.shape[1], device=src.device)[None, :] < lengths[:, None]
        states = states * mask[:, :, None]
        rows = torch.arange(src.shape[0], device=src.device)
        final = states[rows, lengths - 1]
        return states, final


def dot_score(q, k):
    return torch.bmm(q, k.transpose(1, 2))


def bilinear_score(q, k, W):
    return torch.matmul(q @ W, k.transpose(1, 2))


def mlp_score(q, k, W, w):
    d_q = q.shape[-1]
    from_q = q @ W[:, :d_q].T
    from_k = k @ W[:, d_q:].T
    hidden = torch.tanh(from_q.unsqueeze(2) + from_k.unsqueeze(1))
    return hidden @ w


def masked_softmax(scores, mask):
    # a large negative number instead of -inf, so that an empty row does not become nan
    filled = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(filled, dim=-1)
    return weights.masked_fill(~mask, 0.0)


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
            state = torch.tanh(self.bridge(context))
        e = self.embedding(y_prev)
        state = self.cell(torch.cat([e, context], dim=-1), state)
        logits = self.output(torch.cat([state, e, context], dim=-1))
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
        h = self.cell(self.embedding(y_prev), state)
        scores = mlp_score(h.unsqueeze(1), enc, self.W_score, self.w_score)
        weights = masked_softmax(scores, mask.unsqueeze(1))
        context = attention_context(weights, enc).squeeze(1)
        logits = self.output(torch.tanh(self.W_out(torch.cat([context, h], dim=-1))))
        return logits, h, weights.squeeze(1)


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
        scores = mlp_score(h.unsqueeze(1), enc, self.W_score, self.w_score)
        weights = masked_softmax(scores, mask.unsqueeze(1))
        context = attention_context(weights, enc).squeeze(1)
        h, c = self.cell(torch.cat([e, context], dim=-1), (h, c))
        logits = self.output(torch.cat([h, e, context], dim=-1))
        return logits, (h, c), weights.squeeze(1)


def masked_nll(logits, targets, pad):
    real = targets != pad
    logp = F.log_softmax(logits, dim=-1)
    safe = targets.masked_fill(~real, 0)
    nll = -logp.gather(2, safe.unsqueeze(2)).squeeze(2)
    return (nll * real).sum() / real.sum()


def greedy_decode(step, state, bos, eos, pad, max_len):
    batch = state.shape[0]
    ids = torch.full((batch, max_len), pad, dtype=torch.long, device=state.device)
    y = torch.full((batch,), bos, dtype=torch.long, device=state.device)
    done = torch.zeros(batch, dtype=torch.bool, device=state.device)
    for t in range(max_len):
        logits, state = step(y, state)
        y = logits.argmax(dim=-1)
        ids[:, t] = torch.where(done, ids[:, t], y)
        done = done | (y == eos)
        if done.all():
            break
    return ids


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    def score(log_p, n):
        return log_p / ((5 + n) / 6) ** length_penalty

    hyps = [[]]
    log_p = torch.zeros(1, device=state.device)
    finished = []
    places = width
    for _ in range(max_len):
        last = torch.tensor([h[-1] if h else bos for h in hyps], device=state.device)
        logits, state = step(last, state)
        total = log_p.unsqueeze(1) + torch.log_softmax(logits, dim=-1)
        vocab = total.shape[1]
        best, index = total.flatten().topk(min(places, total.numel()))
        next_hyps, next_log_p, parents = [], [], []
        for value, i in zip(best, index.tolist()):
            parent, word = i // vocab, i % vocab
            sentence = hyps[parent] + [word]
            if word == eos:
                finished.append((score(value.item(), len(sentence)), sentence))
                places -= 1
            else:
                next_hyps.append(sentence)
                next_log_p.append(value)
                parents.append(parent)
        hyps = next_hyps
        if places == 0 or not hyps:
            hyps = []
            break
        log_p = torch.stack(next_log_p)
        state = state[parents]
    for sentence, value in zip(hyps, log_p):
        finished.append((score(value.item(), len(sentence)), sentence))
    best_score, best_sentence = max(finished, key=lambda pair: pair[0])
    return best_sentence, best_score


def debugging_lab():
    return {"run_1": "d", "run_2": "a", "run_3": "c", "run_4": "a", "run_5": "b"}


def quiz():
    names = ["bottleneck", "teacher_forcing", "alignment_source", "why_length_penalty",
             "shape_of_weights", "lost_to_padding", "greedy_loses", "mean_over_words"]
    return dict(zip(names, "ababcdab"))
