"""Seq2seq, step by step where that is easiest to read."""

import torch
from torch import nn


def decoder_inputs(targets, bos):
    inputs = torch.empty_like(targets)
    inputs[:, 0] = bos
    inputs[:, 1:] = targets[:, :-1]
    return inputs


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        embedded = self.embedding(src)
        h = embedded.new_zeros(1, src.shape[0], self.rnn.hidden_size)
        states = []
        for t in range(src.shape[1]):
            real = (t < lengths).unsqueeze(-1)
            out, h_new = self.rnn(embedded[:, t : t + 1], h)
            h = torch.where(real, h_new, h)  # rows that have ended keep their state
            states.append(torch.where(real, out[:, 0], torch.zeros_like(out[:, 0])))
        return torch.stack(states, dim=1), h[0]


def dot_score(q, k):
    return torch.bmm(q, k.mT)


def bilinear_score(q, k, W):
    answers = torch.matmul(k, W.T)
    return torch.bmm(q, answers.mT)


def mlp_score(q, k, W, w):
    rows = []
    for i in range(q.shape[1]):
        query = q[:, i : i + 1].expand(-1, k.shape[1], -1)
        pair = torch.cat([query, k], dim=-1)
        rows.append(torch.tanh(pair @ W.T) @ w)
    return torch.stack(rows, dim=1)


def masked_softmax(scores, mask):
    mask = mask.expand_as(scores)
    low = torch.where(mask, scores, torch.full_like(scores, -1e30))
    top = low.max(dim=-1, keepdim=True).values.detach()
    exps = torch.where(mask, torch.exp(low - top), torch.zeros_like(scores))
    total = exps.sum(dim=-1, keepdim=True)
    return exps / torch.where(total > 0, total, torch.ones_like(total))


def attention_context(weights, values):
    mixed = weights.unsqueeze(-1) * values.unsqueeze(1)
    return mixed.sum(dim=2)


class DecoderWithContext(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, context_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.bridge = nn.Linear(context_size, hidden_size)
        self.cell = nn.GRUCell(embed_size + context_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + context_size, vocab_size)

    def step(self, y_prev, state, context):
        e, c = self.embedding(y_prev), context
        h_prev = self.bridge(c).tanh() if state is None else state
        h = self.cell(torch.hstack([e, c]), h_prev)
        return self.output(torch.hstack([h, e, c])), h


class AttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, enc_size: int, attn_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.cell = nn.GRUCell(embed_size, hidden_size)
        self.W_score = nn.Parameter(torch.empty(attn_size, hidden_size + enc_size).uniform_(-0.1, 0.1))
        self.w_score = nn.Parameter(torch.empty(attn_size).uniform_(-0.1, 0.1))
        self.W_out = nn.Linear(enc_size + hidden_size, hidden_size, bias=False)
        self.output = nn.Linear(hidden_size, vocab_size)

    def look(self, h, enc, mask):
        """Weights and context for the state h."""
        scores = mlp_score(h.unsqueeze(1), enc, W=self.W_score, w=self.w_score)
        weights = masked_softmax(scores, mask.unsqueeze(1))
        return weights.squeeze(1), attention_context(weights, enc).squeeze(1)

    def step(self, y_prev, state, enc, mask):
        h = self.cell(self.embedding(y_prev), state)
        weights, c = self.look(h, enc, mask)
        attentional = torch.tanh(self.W_out(torch.hstack([c, h])))
        return self.output(attentional), h, weights


def masked_nll(logits, targets, pad):
    real = targets.ne(pad)
    safe = targets.masked_fill(~real, 0)
    chosen = torch.gather(logits, 2, safe[..., None])[..., 0]
    nll = torch.logsumexp(logits, dim=-1) - chosen
    return torch.where(real, nll, torch.zeros_like(nll)).sum() / real.sum()


@torch.no_grad()
def greedy_decode(step, state, bos, eos, pad, max_len):
    n = len(state)
    sentences = [[] for _ in range(n)]
    over = [False] * n
    y = torch.tensor([bos] * n)
    for _ in range(max_len):
        if all(over):
            break
        logits, state = step(y, state)
        y = logits.max(dim=1).indices
        for i, word in enumerate(y.tolist()):
            if over[i]:
                continue
            sentences[i].append(word)
            over[i] = word == eos
    return torch.tensor([s + [pad] * (max_len - len(s)) for s in sentences])


@torch.no_grad()
def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    live = [((), 0.0)]
    done = []
    for n in range(1, max_len + 1):
        y = torch.tensor([ids[-1] if ids else bos for ids, _ in live])
        logits, state = step(y, state)
        logp = logits.log_softmax(-1)
        pool = [
            (total + logp[i, w].item(), i, ids + (w,))
            for i, (ids, total) in enumerate(live)
            for w in range(logp.shape[1])
        ]
        pool.sort(key=lambda entry: -entry[0])
        kept = pool[: width - len(done)]
        done += [(ids, total) for total, _, ids in kept if ids[-1] == eos]
        going = [entry for entry in kept if entry[2][-1] != eos]
        live = [(ids, total) for total, _, ids in going]
        if not live or len(done) == width:
            break
        state = torch.stack([state[i] for _, i, _ in going])

    def score(item):
        ids, total = item
        return total / ((5 + len(ids)) / 6) ** length_penalty

    winner = max(done + live, key=score)
    return list(winner[0]), score(winner)


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
