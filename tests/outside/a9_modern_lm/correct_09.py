"""A language model of your own, end to end: the parts of today's decoders, the model made of them, and what it learns with.

    x         (..., d_model)                  vectors of the residual stream
    q         (batch, n_heads, T_q, d_head)   queries, split into heads
    k, v      (batch, n_kv_heads, T_k, d_head) keys and values; several query heads share one of their heads
    ids       (batch, time)                   tokens as whole numbers
    logits    (..., vocab)                    scores of the next token; no softmax

Weights are laid out (out, in), as nn.Linear has them, and no linear map here has a bias. A mask is boolean, and True means
"may look".

All tensors of a call are on one device, the CPU or a GPU. What you make yourself belongs there, too: write
torch.arange(time, device=ids.device). Functions that are given no tensor make theirs on the CPU, and a generator stays on the
CPU.

Only init_ changes what it is given, the parameters of its model. Each function may call any other of this file, also one
further down.
"""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
import torch.nn.functional as F

STD = 0.02  # the standard deviation of GPT-2's first weights

Cache = list[tuple[Tensor, Tensor]]
State = tuple[Tensor, Tensor, int]


# Ported from the LLaMA reference code: tensors are (bsz, seqlen, n_heads, head_dim) inside, and everything is computed in
# float32 as there.


def precompute_freqs_cis(dim: int, positions: Tensor, theta: float):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2, device=positions.device)[: (dim // 2)].float() / dim))
    freqs = torch.outer(positions.float(), freqs)
    return torch.polar(torch.ones_like(freqs), freqs)  # complex64


def reshape_for_broadcast(freqs_cis: Tensor, x: Tensor):
    ndim = x.ndim
    shape = [d if i == 1 or i == ndim - 1 else 1 for i, d in enumerate(x.shape)]
    return freqs_cis.view(*shape)


def apply_rotary_emb(xq: Tensor, xk: Tensor, freqs_cis: Tensor):
    xq_ = torch.view_as_complex(xq.float().contiguous().reshape(*xq.shape[:-1], -1, 2))
    xk_ = torch.view_as_complex(xk.float().contiguous().reshape(*xk.shape[:-1], -1, 2))
    xq_out = torch.view_as_real(xq_ * reshape_for_broadcast(freqs_cis, xq_)).flatten(3)
    xk_out = torch.view_as_real(xk_ * reshape_for_broadcast(freqs_cis, xk_)).flatten(3)
    return xq_out.type_as(xq), xk_out.type_as(xk)


def repeat_kv(x: Tensor, n_rep: int):
    bs, slen, n_kv_heads, head_dim = x.shape
    if n_rep == 1:
        return x
    return x[:, :, :, None, :].expand(bs, slen, n_kv_heads, n_rep, head_dim).reshape(bs, slen, n_kv_heads * n_rep, head_dim)


def core_attention(xq: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None):
    n_rep = xq.shape[2] // keys.shape[2]
    keys, values = repeat_kv(keys, n_rep), repeat_kv(values, n_rep)
    xq, keys, values = xq.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2)
    scores = torch.matmul(xq, keys.transpose(2, 3)) / math.sqrt(xq.shape[-1])
    if mask is not None:
        scores = scores + mask
    scores = F.softmax(scores.float(), dim=-1).type_as(xq)
    return torch.matmul(scores, values).transpose(1, 2)


def additive(mask: Tensor):
    return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, float("-inf"))


class TransformerBlock(nn.Module):
    def __init__(self, dim: int, n_heads: int, n_kv_heads: int, hidden_dim: int):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.head_dim = n_heads, n_kv_heads, dim // n_heads
        self.W_q = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.W_k = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.W_v = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.W_o = nn.Linear(n_heads * self.head_dim, dim, bias=False)
        self.W_gate = nn.Linear(dim, hidden_dim, bias=False)
        self.W_down = nn.Linear(hidden_dim, dim, bias=False)
        self.W_up = nn.Linear(dim, hidden_dim, bias=False)
        self.gain_1 = nn.Parameter(torch.ones(dim))
        self.gain_2 = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor, freqs_cis: Tensor, mask: Tensor, past):
        bsz, seqlen, _ = x.shape
        h = rms_norm(x, self.gain_1)
        xq = self.W_q(h).view(bsz, seqlen, self.n_heads, self.head_dim)
        xk = self.W_k(h).view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        xv = self.W_v(h).view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        xq, xk = apply_rotary_emb(xq, xk, freqs_cis=freqs_cis)
        if past is not None:
            xk = torch.cat([past[0].transpose(1, 2), xk], dim=1)
            xv = torch.cat([past[1].transpose(1, 2), xv], dim=1)
        output = core_attention(xq, xk, xv, mask).contiguous().view(bsz, seqlen, -1)
        h = x + self.W_o(output)
        n = rms_norm(h, self.gain_2)
        out = h + self.W_down(F.silu(self.W_gate(n)) * self.W_up(n))
        return out, (xk.transpose(1, 2), xv.transpose(1, 2))


def rms_norm(x: Tensor, gain: Tensor, eps: float = 1e-5) -> Tensor:
    output = x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + eps)
    return output.type_as(x) * gain


def swiglu(x: Tensor, W_gate: Tensor, W_up: Tensor, W_down: Tensor) -> Tensor:
    return F.linear(F.silu(F.linear(x, W_gate)) * F.linear(x, W_up), W_down)


def rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    xq = x.transpose(1, 2)
    freqs_cis = precompute_freqs_cis(x.shape[-1], positions, base)
    return apply_rotary_emb(xq, xq, freqs_cis)[0].transpose(1, 2)


def grouped_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    mask = None if mask is None else additive(mask)
    return core_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), mask).transpose(1, 2)


def sliding_mask(T: int, window: int) -> Tensor:
    mask = torch.full((T, T), 1)
    return torch.triu(torch.tril(mask), diagonal=-(window - 1)).bool()


class ModernLM(nn.Module):
    def __init__(
        self,
        vocab: int,
        d_model: int,
        n_heads: int,
        n_kv_heads: int,
        d_ff: int,
        n_layers: int,
        window: int,
        base: float = 10000.0,
    ) -> None:
        super().__init__()
        self.vocab = vocab
        self.d_model = d_model
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d_ff = d_ff
        self.n_layers = n_layers
        self.window = window
        self.base = base
        self.embedding = nn.Embedding(vocab, d_model)
        self.blocks = torch.nn.ModuleList()
        for layer_id in range(n_layers):
            self.blocks.append(TransformerBlock(d_model, n_heads, n_kv_heads, d_ff))
        self.final_gain = nn.Parameter(torch.ones(d_model))

    def forward(self, ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        _bsz, seqlen = ids.shape
        start_pos = cache[0][0].shape[2] if cache is not None else 0
        h = self.embedding(ids)
        freqs_cis = precompute_freqs_cis(
            self.d_model // self.n_heads, torch.arange(start_pos, start_pos + seqlen, device=ids.device), self.base
        )
        mask = torch.full((seqlen, seqlen), float("-inf"), device=ids.device)
        mask = torch.triu(mask, diagonal=1)
        mask = torch.hstack([torch.zeros((seqlen, start_pos), device=ids.device), mask])
        too_far = torch.tril(torch.ones_like(mask, dtype=torch.bool), diagonal=start_pos - self.window)
        mask = mask.masked_fill(too_far, float("-inf"))
        new_cache = []
        for layer_id, layer in enumerate(self.blocks):
            h, pair = layer(h, freqs_cis, mask, None if cache is None else cache[layer_id])
            new_cache.append(pair)
        h = rms_norm(h, self.final_gain)
        return F.linear(h, self.embedding.weight), new_cache

    def sizes(self) -> list[float]:
        """Return what the constructor has kept, given."""
        names = ("vocab", "d_model", "n_heads", "n_kv_heads", "d_ff", "n_layers", "window", "base")
        return [getattr(self, name) for name in names]

    def read(self, ids: Tensor, pieces: Sequence[int]) -> Tensor:
        """Read ids in pieces of these lengths with a cache, given: the logits of all positions."""
        cache, logits = None, []
        for piece in ids.split(list(pieces), dim=1):
            some, cache = self(piece, cache)
            logits.append(some)
        return torch.cat(logits, dim=1)

    def fork(self, prompt: Tensor, endings: Sequence[Tensor]) -> list[Tensor]:
        """Read a prompt once and go on from it with each of several endings, given: the logits of each ending."""
        _, cache = self(prompt)
        return [self(ending, cache)[0] for ending in endings]


def init_(model: Any, generator: torch.Generator) -> dict[str, Tensor]:
    for name, param in model.named_parameters():
        with torch.no_grad():
            if param.ndim == 1:
                param.copy_(torch.ones(param.shape))
                continue
            std = STD
            if name.endswith(("W_o.weight", "W_down.weight")):
                std = STD / math.sqrt(2 * len(model.blocks))
            param.copy_(torch.randn(param.shape, generator=generator) * std)
    return model.state_dict()


def count(model: Any, context: int) -> tuple[int, int]:
    head_dim = model.d_model // model.n_heads
    wq = wo = model.d_model * model.n_heads * head_dim
    wk = wv = model.d_model * model.n_kv_heads * head_dim
    w1 = w2 = w3 = model.d_model * model.d_ff
    per_layer = wq + wk + wv + wo + w1 + w2 + w3
    n_params = model.n_layers * (per_layer + 2 * model.d_model) + model.d_model + model.vocab * model.d_model
    n_flops = 2 * (model.n_layers * per_layer + model.vocab * model.d_model)
    n_flops += model.n_layers * 2 * 2 * model.n_heads * head_dim * context
    return n_params, n_flops


def label_smoothed_nll(logits: Tensor, targets: Tensor, eps: float) -> Tensor:
    # as in fairseq
    lprobs = F.log_softmax(logits, dim=-1).reshape(-1, logits.size(-1))
    target = targets.reshape(-1, 1)
    nll_loss = -lprobs.gather(dim=-1, index=target)
    smooth_loss = -lprobs.sum(dim=-1, keepdim=True)
    eps_i = eps / lprobs.size(-1)
    loss = (1.0 - eps) * nll_loss + eps_i * smooth_loss
    return loss.mean()


def adamw_step(
    w: Tensor,
    g: Tensor,
    state: State,
    lr: float = 0.001,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    decay: float = 0.01,
) -> tuple[Tensor, State]:
    exp_avg, exp_avg_sq, step = state
    beta1, beta2 = betas
    with torch.no_grad():
        step = step + 1
        param = w * (1 - lr * decay)
        exp_avg = exp_avg.mul(beta1).add(g, alpha=1 - beta1)
        exp_avg_sq = exp_avg_sq.mul(beta2).addcmul(g, g, value=1 - beta2)
        bias_correction1 = 1 - beta1**step
        bias_correction2 = 1 - beta2**step
        denom = (exp_avg_sq.sqrt() / math.sqrt(bias_correction2)).add(eps)
        param = param.addcdiv(exp_avg, denom, value=-lr / bias_correction1)
    return param, (exp_avg, exp_avg_sq, step)


def top_p(logits: Tensor, p: float) -> Tensor:
    probs = torch.softmax(logits, dim=-1)
    probs_sort, probs_idx = torch.sort(probs, dim=-1, descending=True)
    probs_sum = torch.cumsum(probs_sort, dim=-1)
    mask = probs_sum - probs_sort >= p
    probs_sort = probs_sort.masked_fill(mask, 0.0)
    probs_sort = probs_sort.div(probs_sort.sum(dim=-1, keepdim=True))
    return torch.zeros_like(probs).scatter(-1, probs_idx, probs_sort)


def quiz() -> dict[str, str]:
    answers = {
        "what_rms_keeps": "b",
        "why_group": "d",
        "why_tie": "a",
        "decay_aside": "c",
        "cache_of_groups": "c",
        "reach_of_windows": "b",
        "first_step": "d",
        "nucleus_size": "a",
    }
    return answers
