import math
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
    starts = torch.randint(len(data) - time, (batch,), generator=generator)
    index = (starts[:, None] + torch.arange(time)).to(data.device)
    return data[index], data[index + 1]


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
        time = ids.shape[1]
        places = torch.arange(time, device=ids.device)
        mask = places[:, None] >= places
        x = self.dropout(self.token_embedding(ids) + self.position_embedding(places))
        for block in self.blocks:
            x = x + block.attention(block.norm_1(x), mask)
            x = x + block.feed_forward(block.norm_2(x))
        return self.output(self.final_norm(x))


def lm_loss(logits: Tensor, targets: Tensor) -> Tensor:
    return functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORE)


def generate(model: Any, ids: Tensor, n: int, temperature: float, top_k: int | None, uniforms: Tensor | None) -> Tensor:
    with torch.no_grad():
        for i in range(n):
            logits = model(ids[:, -model.block_size :])[:, -1]
            if temperature == 0:
                chosen = logits.argmax(dim=-1, keepdim=True)
            else:
                allowed = torch.ones_like(logits, dtype=torch.bool)
                if top_k is not None:
                    k = min(top_k, logits.shape[-1])
                    allowed = logits >= logits.topk(k, dim=-1).values[:, -1:]
                probs = (logits / temperature).masked_fill(~allowed, -torch.inf).softmax(dim=-1)
                beyond = probs.cumsum(dim=-1) <= uniforms[:, i, None]
                ids_of = torch.arange(logits.shape[-1], device=logits.device)
                last = torch.where(allowed, ids_of, -1).max(dim=-1, keepdim=True).values
                chosen = torch.minimum(beyond.sum(dim=-1, keepdim=True), last)
            ids = torch.cat([ids, chosen.to(ids.dtype)], dim=1)
    return ids


class CachedTransformerLM(TransformerLM):

    def step(self, ids: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
        batch, new = ids.shape
        past = 0 if cache is None else cache[0][0].shape[1]
        places = torch.arange(past + new, device=ids.device)
        mask = places[past:, None] >= places
        x = self.token_embedding(ids) + self.position_embedding(places[past:])
        new_cache = []
        for i, block in enumerate(self.blocks):
            attention = block.attention
            normed = block.norm_1(x)
            q, k, v = attention.W_q(normed), attention.W_k(normed), attention.W_v(normed)
            if cache is not None:
                k = torch.cat([cache[i][0], k], dim=1)
                v = torch.cat([cache[i][1], v], dim=1)
            new_cache.append((k, v))
            q, k, v = (t.unflatten(-1, (attention.n_heads, -1)).transpose(1, 2) for t in (q, k, v))
            mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            x = x + attention.W_o(mixed.transpose(1, 2).flatten(2))
            x = x + block.feed_forward(block.norm_2(x))
        return self.output(self.final_norm(x)), new_cache

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
    if step < steps:
        progress = (step - warmup) / (steps - warmup)
        return final + (peak - final) * (1 + math.cos(math.pi * progress)) / 2
    return final


def evaluate(model: nn.Module, data: Tensor, time: int) -> float:
    was_training = model.training
    pieces = (len(data) - 1) // time
    inputs = data[: pieces * time].view(pieces, time)
    targets = data[1 : pieces * time + 1].view(pieces, time)
    total = 0.0
    model.eval()
    try:
        with torch.no_grad():
            for some, wanted in zip(inputs.split(64), targets.split(64)):
                total += lm_loss(model(some), wanted).item() * len(some)
    finally:
        model.train(was_training)
    return total / pieces


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
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, betas=BETAS, weight_decay=weight_decay)
    history: dict[str, list[float]] = {"losses": [], "gradient_norms": [], "learning_rates": [], "held_out": []}
    model.train()
    for step in range(steps):
        inputs, targets = get_batch(data, batch, time, generator)
        loss = lm_loss(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        rate = learning_rate(step, steps, peak, warmup, final)
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.step()
        history["losses"].append(loss.item())
        history["gradient_norms"].append(float(norm))
        history["learning_rates"].append(rate)
        if report is not None:
            report(step, loss.item())
        if held_out is not None and (step + 1) % every == 0:
            history["held_out"].append(evaluate(model, held_out, time))
    return history


def quiz() -> dict[str, str]:
    answers = {
        "predictions_per_piece": "",
        "decoder_only": "",
        "loss_at_the_start": "",
        "too_good": "",
        "near_zero": "",
        "what_is_kept": "",
        "work_with_a_cache": "",
        "forgotten_eval": "",
    }
    answers = dict(zip(answers, "caddbabc"))
    return answers
