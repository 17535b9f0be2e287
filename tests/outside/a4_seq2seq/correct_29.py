import torch
import torch.nn.functional as F
from torch import einsum, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def decoder_inputs(targets, bos):
    return F.pad(targets[:, :-1], (1, 0), value=bos)


class Encoder(nn.Module):
    def __init__(self, vocab_size: int, embed_size: int, hidden_size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, hidden_size, batch_first=True)

    def forward(self, src, lengths):
        packed = pack_padded_sequence(self.embedding(src), lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, h_n = self.rnn(packed)
        states, _ = pad_packed_sequence(out, batch_first=True, total_length=src.shape[1])
        return states, h_n[0]


def dot_score(q, k):
    return einsum("nid,njd->nij", q, k)


def bilinear_score(q, k, W):
    return einsum("nia,ab,njb->nij", q, W, k)


def mlp_score(q, k, W, w):
    d_q = q.shape[-1]
    of_q = einsum("nid,ad->nia", q, W[:, :d_q])
    of_k = einsum("njd,ad->nja", k, W[:, d_q:])
    return einsum("nija,a->nij", torch.tanh(of_q[:, :, None] + of_k[:, None]), w)


def masked_softmax(scores, mask):
    mask = mask.expand_as(scores)
    nothing = ~mask.any(dim=-1, keepdim=True)
    filled = scores.masked_fill(~mask, float("-inf")).masked_fill(nothing, 0.0)
    return torch.softmax(filled, dim=-1).masked_fill(~mask, 0.0)


def attention_context(weights, values):
    return einsum("nij,njd->nid", weights, values)


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
        ec = torch.cat([self.embedding(y_prev), context], dim=-1)
        state = self.cell(ec, state)
        return self.output(torch.cat([state, ec], dim=-1)), state


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
        weights = masked_softmax(mlp_score(h[:, None], enc, self.W_score, self.w_score), mask[:, None])[:, 0]
        c = einsum("nj,njd->nd", weights, enc)
        return self.output(torch.tanh(self.W_out(torch.cat([c, h], dim=-1)))), h, weights


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
        weights = masked_softmax(mlp_score(h_prev[:, None], enc, self.W_score, self.w_score), mask[:, None])[:, 0]
        context = einsum("nj,njd->nd", weights, enc)
        e = self.embedding(y_prev)
        h, c = self.cell(torch.cat([e, context], dim=-1), (h_prev, c_prev))
        return self.output(torch.cat([h, e, context], dim=-1)), (h, c), weights


def masked_nll(logits, targets, pad):
    real = targets != pad
    one_hot = F.one_hot(targets.masked_fill(~real, 0), logits.shape[-1]).to(logits.dtype)
    nll = -einsum("ntv,ntv->nt", F.log_softmax(logits, dim=-1), one_hot)
    return (nll * real).sum() / real.sum()


@torch.no_grad()
def greedy_decode(step, state, bos, eos, pad, max_len):
    n = state.shape[0]
    ids = torch.full((n, max_len), pad, dtype=torch.int64, device=state.device)
    y = torch.full((n,), bos, dtype=torch.int64, device=state.device)
    done = torch.zeros(n, dtype=torch.bool, device=state.device)
    for t in range(max_len):
        logits, state = step(y, state)
        y = logits.argmax(dim=-1)
        ids[:, t] = torch.where(done, ids[:, t], y)
        done = done | (y == eos)
        if done.all():
            break
    return ids


@torch.no_grad()
def beam_search(step, state, bos, eos, max_len, width, length_penalty):
    device = state.device
    words = torch.full((1, 1), bos, dtype=torch.int64, device=device)
    log_p = torch.zeros(1, device=device)
    places, pool = width, []

    def put_aside(rows, values):
        for row, value in zip(rows.tolist(), values.tolist()):
            n = len(row) - 1
            pool.append((value / ((5 + n) / 6) ** length_penalty, row[1:]))

    for _ in range(max_len):
        logits, state = step(words[:, -1], state)
        total = log_p[:, None] + F.log_softmax(logits, dim=-1)
        vocab = total.shape[1]
        log_p, flat = total.flatten().topk(min(places, total.numel()))
        parent, word = torch.div(flat, vocab, rounding_mode="floor"), flat % vocab
        words = torch.cat([words[parent], word[:, None]], dim=1)
        state = state[parent]
        ended = word == eos
        put_aside(words[ended], log_p[ended])
        places -= int(ended.sum())
        words, log_p, state = words[~ended], log_p[~ended], state[~ended]
        if places == 0 or len(words) == 0:
            break
    put_aside(words, log_p)
    score, ids = max(pool, key=lambda pair: pair[0])
    return ids, score


def debugging_lab():
    return {"run_1": "a", "run_2": "a", "run_3": "c", "run_4": "b", "run_5": "b"}


def quiz():
    return {
        "bottleneck": "a",
        "teacher_forcing": "c",
        "alignment_source": "d",
        "why_length_penalty": "b",
        "shape_of_weights": "a",
        "lost_to_padding": "c",
        "greedy_loses": "b",
        "mean_over_words": "d",
    }
