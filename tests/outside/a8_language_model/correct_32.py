"""A language model from end to end: batches, a decoder-only Transformer, its loss, sampling, a cache, and training.

    data      (n,)                 a long text as ids of its characters, whole numbers
    ids       (batch, time)        pieces of it, or what a model writes
    logits    (batch, time, vocab) logits[:, t] are for the token that comes after ids[:, t]; no softmax
    targets   (batch, time)        the tokens that do come next; IGNORE where nothing is asked

A mask is boolean, and True means "may look". Blocks are PRE-NORM, as in GPT-2: a sublayer reads the normed input, and what
it says is added to the input as it was. Positions are learned: a vector for each place in the context, like those of tokens.

A model and the ids it reads are on one device, the CPU or a GPU. What you make yourself belongs there, too: write
torch.arange(time, device=ids.device). A generator stays on the CPU, and so do the starts that it draws.

All constructors are given, and so is the attention of TransformerLM: they make the parameters, so that a state dict loads by
name. No function here changes the tensors it is given; training changes the parameters of its model, of course. Each may
call any other of this file, also one further down.
"""

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
    """Multi-head self-attention, given: four linear maps, and torch's own function for what stands between them."""

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
        """Let every position of x look at those that the mask allows.

        Args:
            x: (batch, time, d_model), from which queries, keys and values are made.
            mask: (time, time), boolean, True = may look; a row for each query, a column for each key.

        Returns:
            output: (batch, time, d_model).
        """
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
    """The parts of one layer, given. It has no forward: what is done with them is your part.

    norm_1, attention       the first sublayer: nn.LayerNorm, Attention
    norm_2, feed_forward    the second sublayer: nn.LayerNorm, and two linear maps with a GELU between them
    """

    def __init__(self, d_model: int, n_heads: int, d_ff: int) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(d_model)
        self.attention = Attention(d_model, n_heads)
        self.norm_2 = nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))


def get_batch(data: Tensor, batch: int, time: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    starts = torch.randint(len(data) - time, (batch,), generator=generator).to(data.device)
    where = starts[:, None] + torch.arange(time, device=data.device)
    return data[where], data[where + 1]


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
        mask = torch.ones(T, T, dtype=torch.bool, device=ids.device).tril()
        x = self.dropout(self.token_embedding(ids) + self.position_embedding(torch.arange(T, device=ids.device)))
        for block in self.blocks:
            x = x + block.attention(block.norm_1(x), mask)
            x = x + block.feed_forward(block.norm_2(x))
        return self.output(self.final_norm(x))


def lm_loss(logits: Tensor, targets: Tensor) -> Tensor:
    return functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORE)


@torch.no_grad()
def generate(model: Any, ids: Tensor, n: int, temperature: float, top_k: int | None, uniforms: Tensor | None) -> Tensor:
    for i in range(n):
        logits = model(ids[:, -model.block_size :])[:, -1]
        if temperature == 0:
            new = logits.argmax(-1, keepdim=True)
        else:
            if top_k is not None:
                kth = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]
                logits = logits.masked_fill(logits < kth, -torch.inf)
            p = torch.softmax(logits.double() / temperature, -1)
            last = (torch.arange(p.shape[-1], device=p.device) * (p > 0)).amax(-1, keepdim=True)
            u = uniforms[:, i : i + 1].to(p)
            new = torch.minimum((p.cumsum(-1) <= u).sum(-1, keepdim=True), last)
        ids = torch.cat([ids, new], dim=1)
    return ids


class CachedTransformerLM(TransformerLM):
    def step(self, ids: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
        B, new = ids.shape
        past = 0 if cache is None else cache[0][0].shape[1]
        places = torch.arange(past + new, device=ids.device)
        mask = places <= places[past:, None]
        x = self.token_embedding(ids) + self.position_embedding(places[past:])
        now = []
        for i, block in enumerate(self.blocks):
            att, h = block.attention, block.norm_1(x)
            q, k, v = att.W_q(h), att.W_k(h), att.W_v(h)
            if cache is not None:
                k, v = torch.cat([cache[i][0], k], 1), torch.cat([cache[i][1], v], 1)
            now.append((k, v))
            q, k, v = (t.unflatten(-1, (att.n_heads, -1)).transpose(1, 2) for t in (q, k, v))
            y = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            x = x + att.W_o(y.transpose(1, 2).flatten(2))
            x = x + block.feed_forward(block.norm_2(x))
        return self.output(self.final_norm(x)), now

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
    if step >= steps:
        return final
    return final + (peak - final) * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup))) / 2


@torch.no_grad()
def evaluate(model: nn.Module, data: Tensor, time: int) -> float:
    pieces = (len(data) - 1) // time
    inputs = data[: pieces * time].view(pieces, time)
    targets = data[1 : pieces * time + 1].view(pieces, time)
    mode = model.training
    model.eval()
    total = sum(lm_loss(model(a), b).item() * b.numel() for a, b in zip(inputs.split(64), targets.split(64)))
    model.train(mode)
    return total / targets.numel()


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
    history: dict[str, list[float]] = {"losses": [], "gradient_norms": [], "learning_rates": [], "held_out": []}
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, betas=BETAS, weight_decay=weight_decay)
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
        history["gradient_norms"].append(norm.item())
        history["learning_rates"].append(rate)
        if report is not None:
            report(step, loss.item())
        if held_out is not None and (step + 1) % every == 0:
            history["held_out"].append(evaluate(model, held_out, time))
    return history


def debugging_lab() -> dict[str, str]:
    return {"run_1": "b", "run_2": "d", "run_3": "a", "run_4": "c", "run_5": "d"}


def quiz() -> dict[str, str]:
    return {
        "too_good": "d",
        "what_is_kept": "a",
        "forgotten_eval": "c",
        "widening_gap": "b",
        "predictions_per_batch": "c",
        "loss_at_the_start": "b",
        "work_with_a_cache": "d",
        "low_temperature": "a",
    }
