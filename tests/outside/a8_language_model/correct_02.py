from math import cos, pi
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

IGNORE = -100  # a target that is not asked for; torch's cross-entropy means the same by it
BETAS = (0.9, 0.95)  # of AdamW: the second one lower than torch's .999, as is usual for language models

Cache = list[tuple[Tensor, Tensor]]


class Attention(nn.Module):
    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} features cannot be shared equally among {n_heads} heads")
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        if mask.dtype != torch.bool:
            raise TypeError(f"a mask is boolean here, and True means 'may look'; this one is {mask.dtype}")
        time_first = x.transpose(0, 1)
        output, _ = functional.multi_head_attention_forward(
            *(time_first, time_first, time_first, x.shape[-1], self.n_heads),
            in_proj_weight=None,
            in_proj_bias=torch.cat([self.W_q.bias, self.W_k.bias, self.W_v.bias]),
            bias_k=None,
            bias_v=None,
            add_zero_attn=False,
            dropout_p=0.0,
            out_proj_weight=self.W_o.weight,
            out_proj_bias=self.W_o.bias,
            attn_mask=~mask,
            need_weights=False,
            use_separate_proj_weight=True,
            q_proj_weight=self.W_q.weight,
            k_proj_weight=self.W_k.weight,
            v_proj_weight=self.W_v.weight,
        )
        return output.transpose(0, 1)


class Block(nn.Module):
    def __init__(self, d_model: int, n_heads: int, d_ff: int) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(d_model)
        self.attention = Attention(d_model, n_heads)
        self.norm_2 = nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))


def get_batch(data: Tensor, batch: int, time: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    s = torch.randint(len(data) - time, (batch,), generator=generator)[:, None]
    i = s + torch.arange(time)
    return data[i], data[i + 1]


class TransformerLM(nn.Module):
    def __init__(
        self, vocab: int, block_size: int, d_model: int, n_heads: int, d_ff: int, n_layers: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_embedding = nn.Embedding(vocab, d_model)
        self.position_embedding = nn.Embedding(block_size, d_model)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(d_model, n_heads, d_ff) for _ in range(n_layers))
        self.final_norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab)

    def forward(self, ids: Tensor) -> Tensor:
        T = ids.shape[1]
        x = self.dropout(self.token_embedding(ids) + self.position_embedding.weight[:T])
        mask = torch.ones(T, T, dtype=torch.bool, device=ids.device).tril()
        for b in self.blocks:
            x = x + b.attention(b.norm_1(x), mask)
            x = x + b.feed_forward(b.norm_2(x))
        return self.output(self.final_norm(x))


def lm_loss(logits: Tensor, targets: Tensor) -> Tensor:
    return functional.cross_entropy(logits.transpose(1, 2), targets, ignore_index=IGNORE)


def generate(model: Any, ids: Tensor, n: int, temperature: float, top_k: int | None, uniforms: Tensor | None) -> Tensor:
    for i in range(n):
        with torch.no_grad():
            z = model(ids[:, -model.block_size :])[:, -1]
        if temperature == 0:
            new = z.argmax(-1, keepdim=True)
        else:
            z = z.double() / temperature
            if top_k is not None:
                kth = z.topk(min(top_k, z.shape[-1])).values[:, -1:]
                z = z.masked_fill(z < kth, -torch.inf)
            p = z.softmax(-1)
            c = p.cumsum(-1)
            new = (c <= uniforms[:, i : i + 1]).sum(-1, keepdim=True)
            last = (p > 0).cumsum(-1).argmax(-1, keepdim=True)
            new = torch.minimum(new, last)
        ids = torch.cat([ids, new], 1)
    return ids


class CachedTransformerLM(TransformerLM):
    def step(self, ids: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
        B, T = ids.shape
        P = cache[0][0].shape[1] if cache else 0
        x = self.token_embedding(ids) + self.position_embedding.weight[P : P + T]
        mask = torch.ones(T, P + T, dtype=torch.bool).tril(P)
        out = []
        for l, b in enumerate(self.blocks):
            a, h = b.attention, b.norm_1(x)
            q, k, v = a.W_q(h), a.W_k(h), a.W_v(h)
            if cache:
                k, v = torch.cat([cache[l][0], k], 1), torch.cat([cache[l][1], v], 1)
            out.append((k, v))
            qh, kh, vh = (z.view(B, z.shape[1], a.n_heads, -1).transpose(1, 2) for z in (q, k, v))
            y = functional.scaled_dot_product_attention(qh, kh, vh, attn_mask=mask)
            x = x + a.W_o(y.transpose(1, 2).reshape(B, T, -1))
            x = x + b.feed_forward(b.norm_2(x))
        return self.output(self.final_norm(x)), out

    def read(self, ids: Tensor, pieces: Sequence[int]) -> Tensor:
        cache, logits = None, []
        for piece in ids.split(list(pieces), dim=1):
            some, cache = self.step(piece, cache)
            logits.append(some)
        return torch.cat(logits, dim=1)

    def fork(self, prompt: Tensor, endings: Sequence[Tensor]) -> list[Tensor]:
        _, cache = self.step(prompt, None)
        return [self.step(ending, cache)[0] for ending in endings]


def learning_rate(step: int, steps: int, peak: float, warmup: int, final: float) -> float:
    if step < warmup:
        return peak * (step + 1) / warmup
    return final + (peak - final) * (1 + cos(pi * (step - warmup) / (steps - warmup))) / 2 if step < steps else final


def evaluate(model: nn.Module, data: Tensor, time: int) -> float:
    mode = model.training
    model.eval()
    k = (len(data) - 1) // time
    x, y = data[: k * time].view(k, time), data[1 : k * time + 1].view(k, time)
    with torch.no_grad():
        loss = sum(lm_loss(model(a), b).item() * len(a) for a, b in zip(x.split(16), y.split(16))) / k
    model.train(mode)
    return loss


def train(
    model: nn.Module,
    data: Tensor,
    steps: int,
    batch: int,
    time: int,
    generator: torch.Generator,
    peak: float = 1e-3,
    warmup: int = 10,
    final: float = 1e-4,
    weight_decay: float = 0.1,
    max_norm: float = 1.0,
    held_out: Tensor | None = None,
    every: int = 100,
    report: Callable[[int, float], None] | None = None,
) -> dict[str, list[float]]:
    opt = torch.optim.AdamW(model.parameters(), betas=BETAS, weight_decay=weight_decay)
    losses, norms, rates, held = [], [], [], []
    model.train()
    for s in range(steps):
        x, y = get_batch(data, batch, time, generator)
        loss = lm_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        norms.append(nn.utils.clip_grad_norm_(model.parameters(), max_norm).item())
        rates.append(learning_rate(s, steps, peak, warmup, final))
        opt.param_groups[0]["lr"] = rates[-1]
        opt.step()
        losses.append(loss.item())
        if report:
            report(s, losses[-1])
        if held_out is not None and (s + 1) % every == 0:
            held.append(evaluate(model, held_out, time))
    return {"losses": losses, "gradient_norms": norms, "learning_rates": rates, "held_out": held}


def quiz() -> dict[str, str]:
    answers = {
        "predictions_per_piece": "c",
        "decoder_only": "a",
        "loss_at_the_start": "d",
        "too_good": "d",
        "near_zero": "b",
        "what_is_kept": "a",
        "work_with_a_cache": "b",
        "forgotten_eval": "c",
    }
    return answers
