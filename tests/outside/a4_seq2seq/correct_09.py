# %% seq2seq with einsum and packed sequences
import math

import torch
from torch import einsum, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

SHOW = False  # set to True to see shapes


def show(**tensors):
    if SHOW:
        for name, t in tensors.items():
            print(name, tuple(t.shape))


# %% teacher forcing
def decoder_inputs(targets, bos):
    inputs = targets.roll(1, dims=1)  # a copy
    inputs[:, 0] = bos
    return inputs


# %% encoder
class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        e = self.embedding(src)
        packed = pack_padded_sequence(e, lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, last = self.rnn(packed)
        states, _ = pad_packed_sequence(out, batch_first=True, total_length=src.size(1))
        show(states=states, last=last)
        return states, last[0]


# %% scores
def dot_score(q, k):
    return einsum("bid,bjd->bij", q, k)


def bilinear_score(q, k, W):
    return einsum("bid,de,bje->bij", q, W, k)


def mlp_score(q, k, W, w):
    W_q, W_k = W.split([q.size(-1), k.size(-1)], dim=1)
    inner = einsum("ad,bid->bia", W_q, q)[:, :, None] + einsum("ad,bjd->bja", W_k, k)[:, None]
    return einsum("a,bija->bij", w, inner.tanh())


# %% weights
def masked_softmax(scores, mask):
    mask = mask.expand(scores.shape)
    low = torch.where(mask, scores, torch.full_like(scores, -math.inf))
    top = low.detach().max(dim=-1, keepdim=True).values
    top = torch.where(torch.isinf(top), torch.zeros_like(top), top)
    shifted = torch.where(mask, scores - top, torch.zeros_like(scores))
    e = torch.where(mask, shifted.exp(), torch.zeros_like(scores))
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total == 0, torch.ones_like(total), total)


def attention_context(weights, values):
    return einsum("bij,bjd->bid", weights, values)


# %% decoders
class DecoderWithContext(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, context_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.bridge = nn.Linear(context_size, hidden_size)
        self.cell = nn.GRUCell(embed_size + context_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + context_size, vocab_size)

    def step(self, y_prev, state, context):
        h_prev = self.bridge(context).tanh() if state is None else state
        word = self.embedding(y_prev)
        h = self.cell(torch.hstack([word, context]), h_prev)
        return self.output(torch.hstack([h, word, context])), h


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
        s = mlp_score(h[:, None], enc, self.W_score, self.w_score)[:, 0]
        a = masked_softmax(s, mask)
        c = einsum("bj,bjd->bd", a, enc)
        spoken = self.W_out(torch.hstack([c, h])).tanh()
        show(h=h, a=a, c=c)
        return self.output(spoken), h, a


class LSTMAttentionDecoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int, enc_size: int, attn_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.W_score = nn.Parameter(torch.empty(attn_size, hidden_size + enc_size).uniform_(-0.1, 0.1))
        self.w_score = nn.Parameter(torch.empty(attn_size).uniform_(-0.1, 0.1))
        self.cell = nn.LSTMCell(embed_size + enc_size, hidden_size)
        self.output = nn.Linear(hidden_size + embed_size + enc_size, vocab_size)

    def step(self, y_prev, state, enc, mask):
        e = self.embedding(y_prev)
        s = mlp_score(state[0][:, None], enc, self.W_score, self.w_score)[:, 0]
        a = masked_softmax(s, mask)
        context = einsum("bj,bjd->bd", a, enc)
        new = self.cell(torch.hstack([e, context]), state)
        logits = self.output(torch.hstack([new[0], e, context]))
        return logits, new, a


# %% loss
def masked_nll(logits, targets, pad):
    real = targets.ne(pad)
    logits, targets = logits[real], targets[real]
    picked = einsum("nv,nv->n", logits, nn.functional.one_hot(targets, logits.size(-1)).to(logits.dtype))
    return (logits.logsumexp(dim=-1) - picked).mean()


# %% decoding
def greedy_decode(step, state, bos, eos, pad, max_len):
    """Only rows that have not ended are given to step."""
    n = state.size(0)
    out = torch.full((n, max_len), pad, dtype=torch.int64, device=state.device)
    alive = torch.arange(n, device=state.device)
    y = torch.full((n,), bos, dtype=torch.int64, device=state.device)
    for t in range(max_len):
        logits, state = step(y, state)
        y = logits.max(dim=1).indices
        out[alive, t] = y
        goes_on = y != eos
        y, state, alive = y[goes_on], state[goes_on], alive[goes_on]
        if alive.numel() == 0:
            break
    return out


def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    beam = [(0.0, [], state[0])]
    done = []
    places = width
    for _ in range(max_len):
        last = torch.tensor([words[-1] if words else bos for _, words, _ in beam], device=state.device)
        logits, new = step(last, torch.stack([s for _, _, s in beam]))
        logp = logits.log_softmax(-1).tolist()
        extensions = []
        for row, (total, words, _) in enumerate(beam):
            for v, lp in enumerate(logp[row]):
                extensions.append((total + lp, words + [v], new[row]))
        extensions.sort(key=lambda hyp: hyp[0], reverse=True)
        beam = []
        for hyp in extensions[:places]:
            if hyp[1][-1] == eos:
                done.append(hyp)
                places -= 1
            else:
                beam.append(hyp)
        if places <= 0 or len(beam) == 0:
            break
    candidates = [(total / ((5 + len(words)) / 6) ** length_penalty, words) for total, words, _ in done + beam]
    best = max(candidates, key=lambda c: c[0])
    return best[1], best[0]


def debugging_lab():
    return {"run_1": "d", "run_2": "a", "run_3": "c", "run_4": "b", "run_5": "c"}


def quiz():
    names = ["bottleneck", "teacher_forcing", "alignment_source", "why_length_penalty",
             "shape_of_weights", "lost_to_padding", "greedy_loses", "mean_over_words"]
    return dict(zip(names, "ababbabc"))
