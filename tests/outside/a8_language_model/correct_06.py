from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

IGNORE = -100  # a target that is not asked for; torch's cross-entropy means the same by it


from math import cos, inf, pi


def split_heads(x, heads):
    return list(torch.chunk(x, heads, dim=2))


def attend(attention, x, keys, values):
    n_new, n_all = x.size(1), keys.size(1)
    hidden = torch.ones(n_new, n_all, device=x.device).triu(n_all - n_new + 1) == 1
    heads = []
    for q, k, v in zip(*(split_heads(t, attention.n_heads) for t in (attention.W_q(x), keys, values))):
        scores = torch.bmm(q, k.transpose(1, 2)) / q.size(2) ** 0.5
        heads.append(torch.bmm(torch.softmax(scores.masked_fill(hidden, -inf), dim=2), v))
    return attention.W_o(torch.cat(heads, dim=2))


def pick(scores, temperature, top_k, u):
    if temperature == 0:
        return scores.index(max(scores))
    border = sorted(scores, reverse=True)[min(top_k or len(scores), len(scores)) - 1]
    best = max(scores)
    shares = [0.0 if s < border else float(torch.tensor((s - best) / temperature, dtype=torch.float64).exp()) for s in scores]
    whole, running, token = sum(shares), 0.0, 0
    for i, share in enumerate(shares):
        if scores[i] < border:
            continue
        token = i
        running += share / whole
        if running > u:
            break
    return token

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
    n_starts = data.size(0) - time
    pieces = [data[s : s + time + 1] for s in torch.randint(n_starts, (batch,), generator=generator).tolist()]
    both = torch.stack(pieces)
    return both[:, :-1].clone(), both[:, 1:].clone()


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
        T = ids.size(1)
        may_look = torch.ones(T, T, device=ids.device).tril().bool()
        h = self.dropout(self.token_embedding(ids) + self.position_embedding.weight[:T])
        for layer in self.blocks:
            h = layer.attention(layer.norm_1(h), may_look) + h
            h = layer.feed_forward(layer.norm_2(h)) + h
        return self.output(self.final_norm(h))


def lm_loss(logits: Tensor, targets: Tensor) -> Tensor:
    logs = torch.log_softmax(logits, dim=2)
    asked = targets.ne(IGNORE)
    safe = torch.where(asked, targets, torch.zeros_like(targets))
    surprise = -logs.gather(2, safe.unsqueeze(2)).squeeze(2)
    return surprise[asked].sum() / asked.sum()


def generate(model: Any, ids: Tensor, n: int, temperature: float, top_k: int | None, uniforms: Tensor | None) -> Tensor:
    rows = [row.tolist() for row in ids]
    for step in range(n):
        window = torch.tensor([row[-model.block_size :] for row in rows], dtype=ids.dtype, device=ids.device)
        with torch.no_grad():
            last = model(window)[:, -1, :].tolist()
        for r, scores in enumerate(last):
            rows[r].append(pick(scores, temperature, top_k, None if temperature == 0 else float(uniforms[r, step])))
    return torch.tensor(rows, dtype=ids.dtype, device=ids.device)


class CachedTransformerLM(TransformerLM):

    def step(self, ids: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
        old = cache if cache is not None else [None] * len(self.blocks)
        start = 0 if cache is None else cache[0][0].size(1)
        h = self.token_embedding(ids) + self.position_embedding.weight[start : start + ids.size(1)]
        fresh = []
        for layer, pair in zip(self.blocks, old):
            n = layer.norm_1(h)
            keys, values = layer.attention.W_k(n), layer.attention.W_v(n)
            if pair is not None:
                keys, values = torch.cat((pair[0], keys), 1), torch.cat((pair[1], values), 1)
            fresh += [(keys, values)]
            h = h + attend(layer.attention, n, keys, values)
            h = h + layer.feed_forward(layer.norm_2(h))
        return self.output(self.final_norm(h)), fresh

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
    if step >= max(steps, warmup):
        return final
    if step < warmup:
        return (step + 1) * (peak / warmup)
    half = 0.5 + 0.5 * cos(pi * (step - warmup) / (steps - warmup))
    return peak * half + final * (1.0 - half)


def evaluate(model: nn.Module, data: Tensor, time: int) -> float:
    mode = model.training
    model.eval()
    losses = []
    start = 0
    while start + time + 1 <= data.size(0):
        piece = data[start : start + time + 1].unsqueeze(0)
        with torch.no_grad():
            losses.append(lm_loss(model(piece[:, :-1]), piece[:, 1:]).item())
        start += time
    if mode:
        model.train()
    return sum(losses) / len(losses)


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
    model.train()
    parameters = list(model.parameters())
    adam = torch.optim.AdamW(parameters, betas=BETAS, weight_decay=weight_decay)
    losses, norms, rates, evaluations = [], [], [], []
    for step in range(steps):
        for p in parameters:
            p.grad = None
        inputs, targets = get_batch(data, batch, time, generator)
        loss = lm_loss(model(inputs), targets)
        loss.backward()
        grads = [p.grad for p in parameters if p.grad is not None]
        norm = float(sum(float(g.pow(2).sum()) for g in grads) ** 0.5)
        if norm > max_norm:
            for g in grads:
                g.mul_(max_norm / norm)
        rates.append(learning_rate(step, steps, peak, warmup, final))
        adam.param_groups[0]["lr"] = rates[-1]
        adam.step()
        losses.append(float(loss))
        norms.append(norm)
        if report:
            report(step, losses[-1])
        if held_out is not None and not (step + 1) % every:
            evaluations.append(evaluate(model, held_out, time))
    return {"losses": losses, "gradient_norms": norms, "learning_rates": rates, "held_out": evaluations}


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
    answers["predictions_per_piece"] = "c"
    answers["decoder_only"] = "a"
    answers["loss_at_the_start"] = "d"
    answers["too_good"] = "d"
    answers["near_zero"] = "b"
    answers["what_is_kept"] = "a"
    answers["work_with_a_cache"] = "b"
    answers["forgotten_eval"] = "c"
    return answers
