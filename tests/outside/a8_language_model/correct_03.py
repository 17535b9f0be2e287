"""A language model from end to end: batches, a decoder-only Transformer, its loss, sampling, a cache, and training.

    data      (n,)                 a long text as ids of its characters, whole numbers
    ids       (batch, time)        pieces of it, or what a model writes
    logits    (batch, time, vocab) logits[:, t] are for the token that comes after ids[:, t]; no softmax
    targets   (batch, time)        the tokens that do come next; IGNORE where nothing is asked

A mask is boolean, and True means "may look". Blocks are PRE-NORM, as in GPT-2: a sublayer reads the normed input, and what
it says is added to the input as it was. Positions are learned: a vector for each place in the context, like those of tokens.

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


def causal(queries: int, keys: int) -> Tensor:
    """The queries are the last ones of the keys."""
    rows = torch.arange(keys - queries, keys).unsqueeze(1)
    columns = torch.arange(keys).unsqueeze(0)
    return columns <= rows


def add_feed_forward(block: "Block", x: Tensor) -> Tensor:
    return x + block.feed_forward(block.norm_2(x))


@torch.no_grad()
def last_logits(model: Any, ids: Tensor) -> Tensor:
    size = min(model.block_size, ids.shape[1])
    return model(ids.narrow(1, ids.shape[1] - size, size)).select(1, -1)


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
    windows = data.unfold(0, time + 1, 1)
    starts = torch.randint(windows.shape[0], (batch,), generator=generator)
    pieces = windows[starts]
    return pieces[:, :-1].contiguous(), pieces[:, 1:].contiguous()


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
        time = ids.size(1)
        embedded = self.token_embedding(ids) + self.position_embedding(torch.arange(time))
        x = self.dropout(embedded)
        mask = causal(time, time)
        for block in self.blocks:
            x = x + block.attention(block.norm_1(x), mask=mask)
            x = add_feed_forward(block, x)
        return self.output(self.final_norm(x))


def lm_loss(logits: Tensor, targets: Tensor) -> Tensor:
    asked = targets != IGNORE
    chosen = torch.log_softmax(logits[asked], dim=-1)
    surprise = -chosen.gather(1, targets[asked].unsqueeze(1))
    return surprise.mean()


def generate(model: Any, ids: Tensor, n: int, temperature: float, top_k: int | None, uniforms: Tensor | None) -> Tensor:
    text = ids
    for step in range(n):
        logits = last_logits(model, text)
        if temperature == 0:
            token = torch.argmax(logits, dim=1)
        else:
            scaled = logits.to(torch.float64) / temperature
            if top_k is not None and top_k < scaled.shape[1]:
                smallest = torch.sort(scaled, dim=1, descending=True).values[:, top_k - 1].unsqueeze(1)
                scaled = torch.where(scaled >= smallest, scaled, torch.tensor(-math.inf, dtype=scaled.dtype))
            probabilities = torch.softmax(scaled, dim=1)
            sums = torch.cumsum(probabilities, dim=1)
            u = uniforms[:, step].to(torch.float64).unsqueeze(1)
            token = torch.searchsorted(sums, u, right=True).squeeze(1)
            for row in range(len(token)):
                possible = torch.nonzero(scaled[row] > -math.inf)
                token[row] = min(token[row], possible[-1, 0])
        text = torch.cat((text, token.unsqueeze(1)), dim=1)
    return text


class CachedTransformerLM(TransformerLM):
    def step(self, ids: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
        new = ids.shape[1]
        past = 0
        if cache is not None:
            past = cache[0][0].shape[1]
        x = self.token_embedding(ids) + self.position_embedding(torch.arange(past, past + new))
        hidden = ~causal(new, past + new)
        result = []
        for index, block in enumerate(self.blocks):
            heads = block.attention.n_heads
            normed = block.norm_1(x)
            keys, values = block.attention.W_k(normed), block.attention.W_v(normed)
            if cache is not None:
                keys = torch.cat((cache[index][0], keys), dim=1)
                values = torch.cat((cache[index][1], values), dim=1)
            result.append((keys, values))
            q = block.attention.W_q(normed).unflatten(-1, (heads, -1))
            k = keys.unflatten(-1, (heads, -1))
            v = values.unflatten(-1, (heads, -1))
            scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.shape[-1])
            weights = scores.masked_fill(hidden, -math.inf).softmax(dim=-1)
            mixed = torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)
            x = add_feed_forward(block, x + block.attention.W_o(mixed))
        return self.output(self.final_norm(x)), result

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
    if step >= steps and step >= warmup:
        return float(final)
    if step < warmup:
        return peak * (step + 1) / warmup
    angle = math.pi * (step - warmup) / (steps - warmup)
    middle, half = (peak + final) / 2, (peak - final) / 2
    return middle + half * math.cos(angle)


def evaluate(model: nn.Module, data: Tensor, time: int) -> float:
    pieces = (data.numel() - 1) // time
    inputs = data[: pieces * time].reshape(pieces, time)
    targets = data[1:][: pieces * time].reshape(pieces, time)
    training = model.training
    try:
        model.eval()
        with torch.inference_mode():
            losses = [float(lm_loss(model(inputs[i : i + 1]), targets[i : i + 1])) for i in range(pieces)]
    finally:
        model.train(training)
    return math.fsum(losses) / len(losses)


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
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.0, betas=BETAS, weight_decay=weight_decay)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: learning_rate(step, steps, peak, warmup, final))
    record = dict(losses=[], gradient_norms=[], learning_rates=[], held_out=[])
    for step in range(steps):
        model.train()
        optimizer.zero_grad(set_to_none=True)
        inputs, targets = get_batch(data, batch, time, generator)
        loss = lm_loss(logits=model(inputs), targets=targets)
        loss.backward()
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
        norm = torch.cat([gradient.flatten() for gradient in gradients]).norm()
        if norm > max_norm:
            for gradient in gradients:
                gradient.mul_(max_norm / norm)
        record["losses"].append(loss.item())
        record["gradient_norms"].append(norm.item())
        record["learning_rates"].append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()
        if report is not None:
            report(step, loss.item())
        if held_out is not None and (step + 1) % every == 0:
            record["held_out"].append(evaluate(model, held_out, time))
    return record


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
