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

from math import cos, pi, sqrt
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
        """Let every position of x look at those that the mask allows."""
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
    """The parts of one layer, given. It has no forward: what is done with them is your part."""

    def __init__(self, d_model: int, n_heads: int, d_ff: int) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(d_model)
        self.attention = Attention(d_model, n_heads)
        self.norm_2 = nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))


def get_batch(data: Tensor, batch: int, time: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Return random pieces of a long text as inputs, and as targets the next token at every position."""
    number_of_starts = data.shape[0] - time
    starts = torch.randint(number_of_starts, (batch,), generator=generator)
    inputs = torch.zeros(batch, time, dtype=data.dtype, device=data.device)
    targets = torch.zeros(batch, time, dtype=data.dtype, device=data.device)
    for row in range(batch):
        s = int(starts[row])
        inputs[row] = data[s : s + time]
        targets[row] = data[s + 1 : s + 1 + time]
    return inputs, targets


class TransformerLM(nn.Module):
    """A decoder-only Transformer: from the tokens so far to logits for the next one, at every position."""

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
        """Return the logits of the next token at every position, from the tokens up to there."""
        batch, time = ids.shape

        # every position may look at itself and at what is before it
        mask = torch.zeros(time, time, dtype=torch.bool, device=ids.device)
        for i in range(time):
            mask[i, : i + 1] = True

        tokens = self.token_embedding(ids)
        positions = self.position_embedding.weight[:time]
        x = self.dropout(tokens + positions)

        for block in self.blocks:
            normed = block.norm_1(x)
            attended = block.attention(normed, mask)
            x = x + attended
            normed = block.norm_2(x)
            thought = block.feed_forward(normed)
            x = x + thought

        x = self.final_norm(x)
        logits = self.output(x)
        return logits


def lm_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Return the cross-entropy: the mean negative log-likelihood of the tokens that do come, in nats per token."""
    log_p = torch.log_softmax(logits, dim=-1)
    asked = targets != IGNORE
    safe_targets = torch.where(asked, targets, torch.zeros_like(targets))
    chosen = log_p.gather(2, safe_targets.unsqueeze(2)).squeeze(2)
    total = -(chosen * asked).sum()
    return total / asked.sum()


def generate(model: Any, ids: Tensor, n: int, temperature: float, top_k: int | None, uniforms: Tensor | None) -> Tensor:
    """Return ids with n more tokens: ask the model for the next one, choose, append, ask again."""
    out = ids.clone()
    for step in range(n):
        context = out
        if context.shape[1] > model.block_size:
            context = context[:, context.shape[1] - model.block_size :]
        logits = model(context).detach()[:, -1, :]

        new_tokens = []
        for row in range(out.shape[0]):
            scores = logits[row].double()
            if temperature == 0:
                new_tokens.append(int(torch.argmax(scores)))
                continue
            scores = scores / temperature
            if top_k is not None and top_k < len(scores):
                kth_largest = torch.sort(scores, descending=True).values[top_k - 1]
                scores[scores < kth_largest] = -float("inf")
            probabilities = torch.softmax(scores, dim=0).tolist()
            u = float(uniforms[row, step])
            running = 0.0
            chosen = None
            last_possible = 0
            for token, p in enumerate(probabilities):
                if p > 0:
                    last_possible = token
                running += p
                if running > u:
                    chosen = token
                    break
            if chosen is None:
                chosen = last_possible
            new_tokens.append(chosen)

        column = torch.tensor(new_tokens, dtype=out.dtype, device=out.device).unsqueeze(1)
        out = torch.cat([out, column], dim=1)
    return out


class CachedTransformerLM(TransformerLM):
    """The same model with the same parameters, which reads new tokens without computing the old ones again."""

    def step(self, ids: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
        """Return the logits of new tokens that follow those in the cache, and the cache of all of them."""
        batch, T_new = ids.shape
        if cache is None:
            T_past = 0
        else:
            T_past = cache[0][0].shape[1]

        x = self.token_embedding(ids) + self.position_embedding.weight[T_past : T_past + T_new]

        next_cache: Cache = []
        for b, block in enumerate(self.blocks):
            attention = block.attention
            normed = block.norm_1(x)
            queries = attention.W_q(normed)
            keys = attention.W_k(normed)
            values = attention.W_v(normed)
            if cache is not None:
                keys = torch.cat((cache[b][0], keys), dim=1)
                values = torch.cat((cache[b][1], values), dim=1)
            next_cache.append((keys, values))

            d_head = queries.shape[2] // attention.n_heads
            outputs = []
            for i in range(T_new):
                seen = T_past + i + 1
                heads = []
                for h in range(attention.n_heads):
                    part = slice(h * d_head, (h + 1) * d_head)
                    q = queries[:, i : i + 1, part]
                    k = keys[:, :seen, part]
                    v = values[:, :seen, part]
                    weights = torch.softmax(q @ k.transpose(1, 2) / sqrt(d_head), dim=-1)
                    heads.append(weights @ v)
                outputs.append(torch.cat(heads, dim=2))
            attended = attention.W_o(torch.cat(outputs, dim=1))

            x = x + attended
            x = x + block.feed_forward(block.norm_2(x))

        logits = self.output(self.final_norm(x))
        return logits, next_cache

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
    """Return the learning rate of a step: up in a straight line, then down along half a cosine."""
    if step < warmup:
        rate = peak * (step + 1) / warmup
    elif step < steps:
        progress = (step - warmup) / (steps - warmup)
        rate = final + 0.5 * (peak - final) * (1.0 + cos(pi * progress))
    else:
        rate = final
    return rate


def evaluate(model: nn.Module, data: Tensor, time: int) -> float:
    """Return the loss on a text that the model does not learn from."""
    mode = model.training
    model.eval()
    losses: list[float] = []
    start = 0
    with torch.no_grad():
        while start + time + 1 <= len(data):
            inputs = data[start : start + time].unsqueeze(0)
            targets = data[start + 1 : start + time + 1].unsqueeze(0)
            loss = lm_loss(model(inputs), targets)
            losses.append(loss.item())
            start = start + time
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
    """Train a model on a text, in place, and return what was measured at each step."""
    beta_1, beta_2 = BETAS
    eps = 1e-8
    parameters = [p for p in model.parameters() if p.requires_grad]
    first = [torch.zeros_like(p) for p in parameters]
    second = [torch.zeros_like(p) for p in parameters]
    losses: list[float] = []
    norms: list[float] = []
    rates: list[float] = []
    held_out_losses: list[float] = []

    model.train()
    for step in range(steps):
        inputs, targets = get_batch(data, batch, time, generator)
        loss = lm_loss(model(inputs), targets)
        for p in parameters:
            p.grad = None
        loss.backward()

        squares = 0.0
        for p in parameters:
            if p.grad is not None:
                squares += float((p.grad.double() ** 2).sum())
        norm = sqrt(squares)
        shrink = max_norm / norm if norm > max_norm else 1.0

        rate = learning_rate(step, steps, peak, warmup, final)
        with torch.no_grad():
            for p, m, v in zip(parameters, first, second):
                if p.grad is None:
                    continue
                g = p.grad * shrink
                m.mul_(beta_1).add_((1 - beta_1) * g)
                v.mul_(beta_2).add_((1 - beta_2) * g**2)
                m_hat = m / (1 - beta_1 ** (step + 1))
                v_hat = v / (1 - beta_2 ** (step + 1))
                p.mul_(1 - rate * weight_decay)
                p.sub_(rate * m_hat / (v_hat.sqrt() + eps))

        losses.append(loss.item())
        norms.append(norm)
        rates.append(rate)
        if report is not None:
            report(step, loss.item())
        if held_out is not None and (step + 1) % every == 0:
            held_out_losses.append(evaluate(model, held_out, time))

    return {"losses": losses, "gradient_norms": norms, "learning_rates": rates, "held_out": held_out_losses}


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause."""
    answers = {"run_1": "b", "run_2": "d", "run_3": "a", "run_4": "c", "run_5": "d"}
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option."""
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
