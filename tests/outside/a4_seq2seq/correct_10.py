"""Loops, so that every index is visible."""

import torch
from torch import nn


def decoder_inputs(targets, bos):
    batch, T = targets.shape
    inputs = torch.zeros_like(targets)
    for t in range(T):
        if t == 0:
            inputs[:, t] = bos
        else:
            inputs[:, t] = targets[:, t - 1]
    return inputs


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        batch, T = src.shape
        h = torch.zeros(1, batch, self.rnn.hidden_size, device=src.device, dtype=self.embedding.weight.dtype)
        states = []
        for t in range(T):
            e = self.embedding(src[:, t])
            _, new = self.rnn(e.unsqueeze(1), h)
            is_real = (t < lengths).view(1, batch, 1)
            h = torch.where(is_real, new, h)  # a row that has ended keeps its state
            states.append(torch.where(is_real[0], h[0], torch.zeros_like(h[0])))
        return torch.stack(states, dim=1), h[0]


def dot_score(q, k):
    rows = []
    for i in range(q.shape[1]):
        row = []
        for j in range(k.shape[1]):
            row.append((q[:, i] * k[:, j]).sum(dim=-1))
        rows.append(torch.stack(row, dim=-1))
    return torch.stack(rows, dim=1)


def bilinear_score(q, k, W):
    rows = []
    for i in range(q.shape[1]):
        qW = q[:, i] @ W
        rows.append(torch.stack([(qW * k[:, j]).sum(-1) for j in range(k.shape[1])], dim=-1))
    return torch.stack(rows, dim=1)


def mlp_score(q, k, W, w):
    T_k = k.shape[1]
    rows = []
    for i in range(q.shape[1]):
        query = q[:, i : i + 1].expand(-1, T_k, -1)
        pair = torch.cat([query, k], dim=-1)
        rows.append(torch.tanh(pair @ W.T) @ w)
    return torch.stack(rows, dim=1)


def masked_softmax(scores, mask):
    n = scores.shape[-1]
    flat_mask = mask.expand_as(scores).reshape(-1, n)
    rows = []
    for row, m in zip(scores.reshape(-1, n), flat_mask):
        weights = row * 0.0
        if m.any():
            allowed = row[m]
            e = torch.exp(allowed - allowed.max())
            weights = weights.masked_scatter(m, e / e.sum())
        rows.append(weights)
    return torch.stack(rows).reshape(scores.shape)


def attention_context(weights, values):
    context = 0
    for j in range(values.shape[1]):
        context = context + weights[:, :, j : j + 1] * values[:, j : j + 1, :]
    return context


class DecoderWithContext(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, context_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.bridge = nn.Linear(context_size, hidden_size)
        self.cell = nn.GRUCell(embed_size + context_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + context_size, vocab_size)

    def step(self, y_prev, state, context):
        e = self.embedding(y_prev)
        if state is None:
            h = torch.tanh(self.bridge(context))
        else:
            h = state
        h = self.cell(torch.cat((e, context), 1), h)
        logits = self.output(torch.cat((h, e, context), 1))
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
        query = h_t[:, None, :]
        scores = mlp_score(query, enc, self.W_score, self.w_score)
        weights = masked_softmax(scores, mask[:, None, :])
        c_t = attention_context(weights, enc)[:, 0]
        # speak
        both = torch.cat((c_t, h_t), 1)
        logits = self.output(torch.tanh(self.W_out(both)))
        return logits, h_t, weights[:, 0]


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
        # look
        query = h_prev[:, None, :]
        scores = mlp_score(query, enc, self.W_score, self.w_score)
        weights = masked_softmax(scores, mask[:, None, :])
        context = attention_context(weights, enc)[:, 0]
        # move on
        e = self.embedding(y_prev)
        h_t, c_t = self.cell(torch.cat((e, context), 1), (h_prev, c_prev))
        # speak
        logits = self.output(torch.cat((h_t, e, context), 1))
        return logits, (h_t, c_t), weights[:, 0]


def masked_nll(logits, targets, pad):
    total = 0.0
    count = 0
    for n in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            word = int(targets[n, t])
            if word == pad:
                continue
            log_probs = torch.log_softmax(logits[n, t], dim=0)
            total = total - log_probs[word]
            count += 1
    return total / count


def greedy_decode(step, state, bos, eos, pad, max_len):
    batch = state.shape[0]
    sentences = [[] for _ in range(batch)]
    ended = [False] * batch
    y = torch.tensor([bos] * batch, device=state.device)
    while not all(ended) and max(len(s) for s in sentences) < max_len:
        logits, state = step(y, state)
        y = torch.argmax(logits, dim=1)
        for n in range(batch):
            if ended[n]:
                continue
            word = int(y[n])
            sentences[n].append(word)
            if word == eos:
                ended[n] = True
    for s in sentences:
        s += [pad] * (max_len - len(s))
    return torch.tensor(sentences, device=state.device)


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    words = [[bos]]
    log_probs = [0.0]
    finished_words = []
    finished_log_probs = []
    places = width
    n_steps = 0
    while n_steps < max_len and places > 0 and len(words) > 0:
        y = torch.tensor([w[-1] for w in words], device=state.device)
        logits, state = step(y, state)
        log_p = torch.log_softmax(logits, dim=1)
        options = []
        for i in range(len(words)):
            for v in range(log_p.shape[1]):
                options.append((log_probs[i] + float(log_p[i, v]), i, v))
        options.sort(reverse=True)
        options = options[:places]
        new_words, new_log_probs, origin = [], [], []
        for lp, i, v in options:
            if v == eos:
                finished_words.append(words[i] + [v])
                finished_log_probs.append(lp)
                places = places - 1
            else:
                new_words.append(words[i] + [v])
                new_log_probs.append(lp)
                origin.append(i)
        words, log_probs = new_words, new_log_probs
        state = state[torch.tensor(origin, dtype=torch.long, device=state.device)]
        n_steps += 1
    best_score = -float("inf")
    best = None
    for w, lp in zip(finished_words + words, finished_log_probs + log_probs):
        n = len(w) - 1  # without bos
        lp_n = ((5 + n) / 6) ** length_penalty
        if lp / lp_n > best_score:
            best_score = lp / lp_n
            best = w[1:]
    return best, best_score


def debugging_lab():
    return {"run_1": "d", "run_2": "a", "run_3": "c", "run_4": "c", "run_5": "d"}


def quiz():
    names = ["bottleneck", "teacher_forcing", "alignment_source", "why_length_penalty",
             "shape_of_weights", "lost_to_padding", "greedy_loses", "mean_over_words"]
    return dict(zip(names, "ababdabd"))
