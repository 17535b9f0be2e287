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
    """Cut `batch` random pieces out of the text, and the same pieces one token later."""
    # the last target of a piece is data[s + time], so s + time has to be at most len(data) - 1
    number_of_starts = data.shape[0] - time
    starts = torch.randint(number_of_starts, (batch,), generator=generator)
    input_rows = []
    target_rows = []
    for start in starts.tolist():
        input_rows.append(data[start : start + time])
        target_rows.append(data[start + 1 : start + time + 1])
    inputs = torch.stack(input_rows)
    targets = torch.stack(target_rows)
    return inputs, targets


def causal_mask(n_new: int, n_past: int, device: torch.device) -> Tensor:
    """(n_new, n_past + n_new): a new token may look at the whole past, at the new ones before it, and at itself."""
    mask = torch.zeros(n_new, n_past + n_new, dtype=torch.bool, device=device)
    for row in range(n_new):
        mask[row, : n_past + row + 1] = True
    return mask


class TransformerLM(nn.Module):
    """GPT-2 in small."""

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
        """Tokens to logits."""
        time = ids.shape[1]
        positions = torch.arange(time, device=ids.device)
        tokens = self.token_embedding(ids)  # (batch, time, d_model)
        places = self.position_embedding(positions)  # (time, d_model), the same for every row of the batch
        stream = self.dropout(tokens + places)

        mask = causal_mask(time, 0, ids.device)

        for block in self.blocks:
            normed = block.norm_1(stream)
            attended = block.attention(normed, mask)
            stream = stream + attended

            normed = block.norm_2(stream)
            fed = block.feed_forward(normed)
            stream = stream + fed

        stream = self.final_norm(stream)
        logits = self.output(stream)
        return logits


def lm_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy by hand: add up -log p of what came next, divide by how many there were."""
    log_p = torch.log_softmax(logits, dim=-1)
    total = torch.zeros((), dtype=log_p.dtype, device=log_p.device)
    asked = 0
    for row in range(targets.shape[0]):
        keep = targets[row] != IGNORE
        wanted = targets[row][keep]
        row_log_p = log_p[row][keep]
        picked = row_log_p.gather(1, wanted.unsqueeze(1))
        total = total - picked.sum()
        asked = asked + int(keep.sum())
    return total / asked


def keep_best(row: list[float], top_k: int) -> list[float]:
    """Put minus infinity in place of all logits below the top_k-th largest one."""
    if top_k >= len(row):
        return row
    threshold = sorted(row, reverse=True)[top_k - 1]
    result = []
    for value in row:
        if value >= threshold:
            result.append(value)
        else:
            result.append(-math.inf)
    return result


def to_probabilities(row: list[float]) -> list[float]:
    """A softmax of one row."""
    largest = max(row)
    exponentials = [math.exp(value - largest) for value in row]
    total = sum(exponentials)
    return [e / total for e in exponentials]


def draw(probabilities: list[float], u: float) -> int:
    """The smallest id whose running sum exceeds u; if rounding has left none, the last possible one."""
    running = 0.0
    last_possible = 0
    for token, probability in enumerate(probabilities):
        running += probability
        if probability > 0:
            last_possible = token
        if running > u:
            return token
    return last_possible


def generate(model: Any, ids: Tensor, n: int, temperature: float, top_k: int | None, uniforms: Tensor | None) -> Tensor:
    """Write n more tokens behind each row of ids."""
    written = ids.clone()
    for i in range(n):
        context = written[:, -model.block_size :]
        with torch.no_grad():
            logits = model(context)
        at_the_end = logits[:, -1, :]

        new_tokens = []
        for b in range(ids.shape[0]):
            row = at_the_end[b].tolist()
            if temperature == 0:
                token = row.index(max(row))
            else:
                if top_k is not None:
                    row = keep_best(row, top_k)
                row = [value / temperature for value in row]
                probabilities = to_probabilities(row)
                token = draw(probabilities, float(uniforms[b, i]))
            new_tokens.append([token])

        column = torch.tensor(new_tokens, dtype=ids.dtype, device=ids.device)
        written = torch.cat([written, column], dim=1)
    return written


def attend_by_hand(attention: Attention, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
    """One head after the other; query (batch, T_new, d_model), keys and values (batch, T_past + T_new, d_model)."""
    d_model = query.shape[-1]
    d_head = d_model // attention.n_heads
    outputs = []
    for head in range(attention.n_heads):
        first, behind = head * d_head, (head + 1) * d_head
        q = query[:, :, first:behind]
        k = keys[:, :, first:behind]
        v = values[:, :, first:behind]
        scores = q @ k.transpose(1, 2) / math.sqrt(d_head)
        scores = scores.masked_fill(~mask, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        outputs.append(weights @ v)
    return attention.W_o(torch.cat(outputs, dim=-1))


class CachedTransformerLM(TransformerLM):
    """Reads new tokens only."""

    def step(self, ids: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
        """Logits of the new tokens, and a new cache."""
        n_new = ids.shape[1]
        if cache is None:
            n_past = 0
        else:
            n_past = cache[0][0].shape[1]

        positions = torch.arange(n_past, n_past + n_new, device=ids.device)
        stream = self.token_embedding(ids) + self.position_embedding(positions)
        mask = causal_mask(n_new, n_past, ids.device)

        new_cache = []
        for number, block in enumerate(self.blocks):
            normed = block.norm_1(stream)
            query = block.attention.W_q(normed)
            keys = block.attention.W_k(normed)
            values = block.attention.W_v(normed)
            if cache is not None:
                old_keys, old_values = cache[number]
                keys = torch.cat([old_keys, keys], dim=1)
                values = torch.cat([old_values, values], dim=1)
            new_cache.append((keys, values))

            stream = stream + attend_by_hand(block.attention, query, keys, values, mask)
            stream = stream + block.feed_forward(block.norm_2(stream))

        logits = self.output(self.final_norm(stream))
        return logits, new_cache

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
    """Up in a line, down along half a cosine, then flat."""
    if step < warmup:
        rate = peak * (step + 1) / warmup
    elif step < steps:
        progress = (step - warmup) / (steps - warmup)  # 0 at the top, 1 at the end
        height = 0.5 * (1.0 + math.cos(math.pi * progress))  # 1 at the top, 0 at the end
        rate = final + (peak - final) * height
    else:
        rate = final
    return float(rate)


def evaluate(model: nn.Module, data: Tensor, time: int) -> float:
    """The mean loss over all full pieces of a text, without dropout."""
    was_training = model.training
    model.eval()
    pieces = (data.shape[0] - 1) // time
    total = 0.0
    with torch.no_grad():
        for piece in range(pieces):
            start = piece * time
            inputs = data[start : start + time].unsqueeze(0)
            targets = data[start + 1 : start + time + 1].unsqueeze(0)
            loss = lm_loss(model(inputs), targets)
            total += float(loss)
    model.train(was_training)
    return total / pieces


class HandmadeAdamW:
    """AdamW with two running averages for each parameter."""

    def __init__(self, parameters: list[Tensor], betas: tuple[float, float], weight_decay: float) -> None:
        self.parameters = parameters
        self.beta_1, self.beta_2 = betas
        self.weight_decay = weight_decay
        self.eps = 1e-8
        self.m = [torch.zeros_like(p) for p in parameters]
        self.v = [torch.zeros_like(p) for p in parameters]
        self.t = 0

    def step(self, rate: float) -> None:
        """Change all parameters in place."""
        self.t += 1
        with torch.no_grad():
            for p, m, v in zip(self.parameters, self.m, self.v):
                if p.grad is None:
                    continue
                m.mul_(self.beta_1).add_(p.grad, alpha=1 - self.beta_1)
                v.mul_(self.beta_2).addcmul_(p.grad, p.grad, value=1 - self.beta_2)
                m_hat = m / (1 - self.beta_1**self.t)
                v_hat = v / (1 - self.beta_2**self.t)
                p.mul_(1 - rate * self.weight_decay)
                p.sub_(rate * m_hat / (v_hat.sqrt() + self.eps))


def norm_of_gradients(parameters: list[Tensor]) -> float:
    """One norm for all gradients together."""
    squares = 0.0
    for p in parameters:
        if p.grad is not None:
            squares += float((p.grad.double() ** 2).sum())
    return math.sqrt(squares)


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
    """The training loop."""
    losses = []
    gradient_norms = []
    learning_rates = []
    held_out_losses = []

    parameters = list(model.parameters())
    optimizer = HandmadeAdamW(parameters, BETAS, weight_decay)
    model.train()

    for step in range(steps):
        # 1. a batch and its loss
        inputs, targets = get_batch(data, batch, time, generator)
        logits = model(inputs)
        loss = lm_loss(logits, targets)

        # 2. the gradients of this batch alone
        for p in parameters:
            p.grad = None
        loss.backward()
        norm = norm_of_gradients(parameters)
        if norm > max_norm:
            for p in parameters:
                if p.grad is not None:
                    p.grad.mul_(max_norm / norm)

        # 3. the step
        rate = learning_rate(step, steps, peak, warmup, final)
        optimizer.step(rate)

        # 4. write it down
        losses.append(float(loss.detach()))
        gradient_norms.append(norm)
        learning_rates.append(rate)
        if report is not None:
            report(step, float(loss.detach()))

        # 5. look at the other text now and then
        if held_out is not None and (step + 1) % every == 0:
            held_out_losses.append(evaluate(model, held_out, time))

    return {
        "losses": losses,
        "gradient_norms": gradient_norms,
        "learning_rates": learning_rates,
        "held_out": held_out_losses,
    }


def debugging_lab() -> dict[str, str]:
    """Which mistake made which run."""
    answers = {"run_1": "", "run_2": "", "run_3": "", "run_4": "", "run_5": ""}
    answers["run_1"] = "b"  # learns its batch by heart, knows nothing of other text
    answers["run_2"] = "d"  # gradients pile up
    answers["run_3"] = "a"  # held-out loss far too low: sees the next character
    answers["run_4"] = "c"  # nearly no gradient, begins at ln 63
    answers["run_5"] = "d"  # repeats what it reads
    return answers


def quiz() -> dict[str, str]:
    """My answers."""
    answers = {}
    answers["too_good"] = "d"
    answers["what_is_kept"] = "a"
    answers["forgotten_eval"] = "c"
    answers["widening_gap"] = "b"
    answers["predictions_per_batch"] = "c"  # 8 * 64
    answers["loss_at_the_start"] = "b"  # log(65)
    answers["work_with_a_cache"] = "d"  # 100 old ones and itself
    answers["low_temperature"] = "a"  # 1 / (1 + exp(-4))
    return answers
