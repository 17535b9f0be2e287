from collections.abc import Callable, Sequence
from typing import Any

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

IGNORE = -100  # a target that is not asked for; torch's cross-entropy means the same by it
BETAS = (0.9, 0.95)  # of AdamW: the second one lower than torch's .999, as is usual for language models

Cache = list[tuple[Tensor, Tensor]]


class Sampler:
    def __init__(self, temperature, top_k):
        self.temperature = temperature
        self.top_k = top_k

    def __call__(self, logits, u):
        if self.temperature == 0:
            return torch.max(logits, dim=-1).indices
        p = self.distribution(logits)
        ends = p.cumsum(-1)
        # searchsorted on the right side: number of sums that are <= u
        where = torch.searchsorted(ends, u.to(ends)[:, None], right=True).squeeze(1)
        possible = (p > 0) * torch.arange(p.shape[-1], device=p.device)
        return torch.minimum(where, possible.amax(-1))

    def distribution(self, logits):
        p = torch.softmax(logits.double() / self.temperature, dim=-1)
        if self.top_k is not None:
            k = min(self.top_k, p.shape[-1])
            border = logits.topk(k, dim=-1).values.amin(-1, keepdim=True)
            p = p * (logits >= border)
            p = p / p.sum(-1, keepdim=True)
        return p


class MyAdamW:

    def __init__(self, parameters, betas, weight_decay, eps=1e-8):
        self.parameters = list(parameters)
        self.b1, self.b2 = betas
        self.weight_decay = weight_decay
        self.eps = eps
        self.m = [torch.zeros_like(p) for p in self.parameters]
        self.v = [torch.zeros_like(p) for p in self.parameters]
        self.t = 0

    def clear(self):
        for p in self.parameters:
            p.grad = None

    def clip(self, max_norm):
        grads = [p.grad for p in self.parameters if p.grad is not None]
        norm = torch.sqrt(sum((g**2).sum() for g in grads)).item()
        if norm > max_norm:
            for g in grads:
                g.mul_(max_norm / norm)
        return norm

    @torch.no_grad()
    def step(self, lr):
        self.t += 1
        for p, m, v in zip(self.parameters, self.m, self.v):
            if p.grad is None:
                continue
            m.mul_(self.b1).add_(p.grad, alpha=1 - self.b1)
            v.mul_(self.b2).addcmul_(p.grad, p.grad, value=1 - self.b2)
            m_hat = m / (1 - self.b1**self.t)
            v_hat = v / (1 - self.b2**self.t)
            p.mul_(1 - lr * self.weight_decay)
            p.sub_(lr * m_hat / (v_hat.sqrt() + self.eps))


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
    pieces = data.unfold(0, time + 1, 1)
    starts = torch.randint(pieces.shape[0], (batch,), generator=generator)
    chosen = pieces[starts.to(data.device)]
    return chosen[..., :time].clone(), chosen[..., 1:].clone()


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
        x = self.token_embedding(ids)
        T = x.shape[1]
        x = self.dropout(x + self.position_embedding.weight[:T])
        future = torch.full((T, T), 1.0, device=x.device).triu(1)
        may_look = future == 0
        for b in self.blocks:
            x = x + b.attention(b.norm_1(x), may_look)
            x = x + b.feed_forward(b.norm_2(x))
        logits = self.output(self.final_norm(x))
        return logits


def lm_loss(logits: Tensor, targets: Tensor) -> Tensor:
    log_p = functional.log_softmax(logits, dim=-1)
    asked = targets != IGNORE
    index = targets.masked_fill(~asked, 0)
    nll = -log_p.gather(-1, index.unsqueeze(-1)).squeeze(-1)
    return (nll * asked).sum() / asked.sum()


def generate(model: Any, ids: Tensor, n: int, temperature: float, top_k: int | None, uniforms: Tensor | None) -> Tensor:
    sampler = Sampler(temperature, top_k)
    for i in range(n):
        context = ids if ids.shape[1] <= model.block_size else ids[:, ids.shape[1] - model.block_size :]
        with torch.inference_mode():
            logits = model(context)[:, -1]
        u = None if temperature == 0 else uniforms[:, i]
        ids = torch.hstack([ids, sampler(logits, u).reshape(-1, 1)])
    return ids


class CachedTransformerLM(TransformerLM):

    def step(self, ids: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
        if cache is None:
            cache = [None] * len(self.blocks)
        offset = 0 if cache[0] is None else cache[0][0].shape[1]
        T_new = ids.shape[1]
        x = self.token_embedding(ids) + self.position_embedding.weight[offset : offset + T_new]
        query_place = torch.arange(offset, offset + T_new, device=ids.device)[:, None]
        key_place = torch.arange(offset + T_new, device=ids.device)[None, :]
        pairs = []
        for b, old in zip(self.blocks, cache):
            n = b.norm_1(x)
            k, v = b.attention.W_k(n), b.attention.W_v(n)
            if old is not None:
                k, v = torch.cat([old[0], k], dim=1), torch.cat([old[1], v], dim=1)
            pairs.append((k, v))
            outputs = []
            H = b.attention.n_heads
            for q_h, k_h, v_h in zip(b.attention.W_q(n).chunk(H, -1), k.chunk(H, -1), v.chunk(H, -1)):
                s = torch.einsum("bqd,bkd->bqk", q_h, k_h) / math.sqrt(q_h.shape[-1])
                s = torch.where(key_place <= query_place, s, -1e9)
                outputs.append(s.softmax(-1) @ v_h)
            x = x + b.attention.W_o(torch.cat(outputs, -1))
            x = x + b.feed_forward(b.norm_2(x))
        return self.output(self.final_norm(x)), pairs

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
        return peak * (step + 1) / warmup
    half_cosine = (1 + math.cos(math.pi * (step - warmup) / (steps - warmup))) / 2
    return half_cosine * peak + (1 - half_cosine) * final


def evaluate(model: nn.Module, data: Tensor, time: int) -> float:
    mode_before = model.training
    model.eval()
    pieces = data[:-1].unfold(0, time, time)
    answers = data[1:].unfold(0, time, time)
    total, count = 0.0, 0
    with torch.no_grad():
        for x, y in zip(pieces.split(50), answers.split(50)):
            total += lm_loss(model(x), y).item() * y.numel()
            count += y.numel()
    model.train(mode_before)
    return total / count


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
    optimizer = MyAdamW(model.parameters(), BETAS, weight_decay)
    out = dict(losses=[], gradient_norms=[], learning_rates=[], held_out=[])
    for step in range(steps):
        inputs, targets = get_batch(data, batch, time, generator)
        loss = lm_loss(model(inputs), targets)
        optimizer.clear()
        loss.backward()
        norm = optimizer.clip(max_norm)
        lr = learning_rate(step, steps, peak, warmup, final)
        optimizer.step(lr)
        out["losses"].append(loss.item())
        out["gradient_norms"].append(norm)
        out["learning_rates"].append(lr)
        # print(step, loss.item(), norm, lr)
        if report is not None:
            report(step, loss.item())
        if held_out is not None and (step + 1) % every == 0:
            out["held_out"].append(evaluate(model, held_out, time))
    return out


def debugging_lab() -> dict[str, str]:
    answers = {"run_1": "b", "run_2": "d", "run_3": "a", "run_4": "c", "run_5": "d"}
    return answers


def quiz() -> dict[str, str]:
    answers = {
        "too_good": "d",
        "what_is_kept": "a",
        "forgotten_eval": "c",
        "widening_gap": "b",
        "predictions_per_batch": "c",
        "loss_at_the_start": "b",
        "work_with_a_cache": "d",
        "low_temperature": "a",
    }
    return answers


if __name__ == "__main__":
    text = "hello hello hello hello "
    letters = sorted(set(text))
    data = torch.tensor([letters.index(c) for c in text])
    lm = CachedTransformerLM(len(letters), 8, 16, 2, 32, 2)
    print(train(lm, data, 30, 4, 6, torch.Generator().manual_seed(0), peak=1e-2)["losses"][::10])
    print("".join(letters[i] for i in generate(lm, data[None, :3], 12, 0, None, None)[0].tolist()))
