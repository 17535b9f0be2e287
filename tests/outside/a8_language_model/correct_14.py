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
    starts = torch.randint(len(data) - time, (batch,), generator=generator)
    windows = data.unfold(0, time + 1, 1)[starts.to(data.device)]
    return windows[:, :time].contiguous(), windows[:, 1:].contiguous()


class TransformerLM(nn.Module):
    """A decoder-only Transformer: from the tokens so far to logits for the next one, at every position.

    token_embedding       nn.Embedding(vocab, d_model)
    position_embedding    nn.Embedding(block_size, d_model): a learned vector for each place, counted from 0
    dropout               nn.Dropout, for the sum of the two, and nowhere else
    blocks                n_layers of Block
    final_norm, output    nn.LayerNorm, and nn.Linear(d_model, vocab) with weights of its own
    """

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
        x = self.dropout(self.token_embedding(ids) + self.position_embedding.weight[:T])
        for b in self.blocks:
            x = x + b.attention(b.norm_1(x), mask)
            x = x + b.feed_forward(b.norm_2(x))
        return self.output(self.final_norm(x))


def lm_loss(logits: Tensor, targets: Tensor) -> Tensor:
    return functional.cross_entropy(logits.transpose(1, 2), targets, ignore_index=IGNORE)


def generate(model: Any, ids: Tensor, n: int, temperature: float, top_k: int | None, uniforms: Tensor | None) -> Tensor:
    for i in range(n):
        logits = model(ids[:, -model.block_size :])[:, -1].double()
        if temperature == 0:
            new = logits.argmax(-1, keepdim=True)
        else:
            if top_k is not None:
                kth = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]
                logits = logits.masked_fill(logits < kth, -torch.inf)
            p = ((logits - logits.amax(-1, keepdim=True)) / temperature).softmax(-1)
            last = p.shape[-1] - 1 - (p > 0).flip(-1).int().argmax(-1, keepdim=True)
            u = uniforms[:, i : i + 1].to(p).contiguous()
            new = torch.searchsorted(p.cumsum(-1), u, right=True).clamp(max=last)
        ids = torch.cat([ids, new], dim=1)
    return ids


class CachedTransformerLM(TransformerLM):
    """The same model with the same parameters, which reads new tokens without computing the old ones again.

    Its cache is a list with a pair (keys, values) for each block, both (batch, T_past, d_model): what W_k and W_v of that
    block have made of every position so far, heads not split. None stands for the cache before anything was read.
    """

    def step(self, ids: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
        P, T = 0 if cache is None else cache[0][0].shape[1], ids.shape[1]
        mask = torch.ones(T, P + T, dtype=torch.bool, device=ids.device).tril(P)
        x, out = self.token_embedding(ids) + self.position_embedding.weight[P : P + T], []
        for i, b in enumerate(self.blocks):
            a, z = b.attention, b.norm_1(x)
            q, k, v = a.W_q(z), a.W_k(z), a.W_v(z)
            if cache:
                k, v = (torch.cat(pair, 1) for pair in zip(cache[i], (k, v)))
            out.append((k, v))
            q, k, v = (t.unflatten(-1, (a.n_heads, -1)).transpose(1, 2) for t in (q, k, v))
            mix = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            x = x + a.W_o(mix.transpose(1, 2).flatten(2))
            x = x + b.feed_forward(b.norm_2(x))
        return self.output(self.final_norm(x)), out

    def read(self, ids: Tensor, pieces: Sequence[int]) -> Tensor:
        """Read ids in pieces of these lengths, given: the logits of all positions, as forward would give them."""
        cache, logits = None, []
        for piece in ids.split(list(pieces), dim=1):
            some, cache = self.step(piece, cache)
            logits.append(some)
        return torch.cat(logits, dim=1)

    def fork(self, prompt: Tensor, endings: Sequence[Tensor]) -> list[Tensor]:
        """Read a prompt once and go on from it with each of several endings, given: the logits of each ending."""
        _, cache = self.step(prompt, None)
        return [self.step(ending, cache)[0] for ending in endings]


def learning_rate(step: int, steps: int, peak: float, warmup: int, final: float) -> float:
    if step < warmup:
        return peak * (step + 1) / warmup
    share = (step - warmup) / (steps - warmup) if step < steps else 1.0
    return final + (peak - final) * (1 + math.cos(math.pi * share)) / 2


def evaluate(model: nn.Module, data: Tensor, time: int) -> float:
    mode, k = model.training, (len(data) - 1) // time
    x, y = (data[s : s + k * time].view(k, time) for s in (0, 1))
    with torch.no_grad():
        loss = lm_loss(model.eval()(x), y).item()
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
    opt = torch.optim.AdamW(model.parameters(), lr=peak, betas=BETAS, weight_decay=weight_decay)
    log = {k: [] for k in ("losses", "gradient_norms", "learning_rates", "held_out")}
    model.train()
    for step in range(steps):
        x, y = get_batch(data, batch, time, generator)
        loss = lm_loss(model(x), y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        for g in opt.param_groups:
            g["lr"] = learning_rate(step, steps, peak, warmup, final)
        opt.step()
        for k, v in (("losses", loss), ("gradient_norms", norm), ("learning_rates", g["lr"])):
            log[k].append(float(v))
        if report is not None:
            report(step, float(loss))
        if held_out is not None and (step + 1) % every == 0:
            log["held_out"].append(evaluate(model, held_out, time))
    return log


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "", "run_2": "", "run_3": "", "run_4": "", "run_5": ""}
    raise NotImplementedError("debugging_lab is not written yet")
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "too_good": "",
        "what_is_kept": "",
        "forgotten_eval": "",
        "widening_gap": "",
        "predictions_per_batch": "",
        "loss_at_the_start": "",
        "work_with_a_cache": "",
        "low_temperature": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
