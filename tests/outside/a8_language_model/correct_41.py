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
    """Return random pieces of a long text as inputs, and as targets the next token at every position.

    A piece that starts at s has the inputs data[s], ..., data[s + time - 1] and the targets data[s + 1], ..., data[s + time].
    Every s for which all of these exist is as likely as any other. Draw all of them with one call of

        torch.randint(number_of_starts, (batch,), generator=generator)

    Args:
        data: (n,), ids, with n > time.
        batch: how many pieces.
        time: how long each of them is.
        generator: where the random numbers come from.

    Returns:
        inputs, targets: (batch, time) each.

    Watch: how many starts are there? Count them for a text of five tokens and pieces of three.
    Source: Jurafsky and Martin, the chapter on large language models (self-supervised training); README, section 1.
    """
    number_of_starts = len(data) - time
    starts = torch.randint(number_of_starts, (batch,), generator=generator).to(data.device)
    places = starts[:, None] + torch.arange(time, device=data.device)
    inputs = data[places]
    targets = data[places + 1]
    return inputs, targets


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
        """Return the logits of the next token at every position, from the tokens up to there.

            x = dropout(token + position)
            x = x + attention(norm_1(x), mask)      in each block,
            x = x + feed_forward(norm_2(x))         one block after another
            logits = output(final_norm(x))

        Args:
            ids: (batch, time), with time at most block_size.

        Returns:
            logits: (batch, time, vocab). No softmax.

        Watch: a position looks at itself and at what is before it. Embeddings are added as they are, without a factor.
        Source: Radford et al. 2019, section 2.3; Vaswani et al. 2017, section 3; README, section 2.
        """
        time = ids.shape[1]
        positions = torch.arange(time, device=ids.device)
        mask = torch.ones(time, time, dtype=torch.bool, device=ids.device).tril()
        x = self.dropout(self.token_embedding(ids) + self.position_embedding(positions))
        for block in self.blocks:
            x = x + block.attention(block.norm_1(x), mask)
            x = x + block.feed_forward(block.norm_2(x))
        return self.output(self.final_norm(x))


def lm_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Return the cross-entropy: the mean negative log-likelihood of the tokens that do come, in nats per token.

        loss = mean of -log softmax(logits[b, t])[targets[b, t]]       over all b, t with targets[b, t] != IGNORE

    Args:
        logits: (batch, time, vocab).
        targets: (batch, time), the token after each position; at least one of them is not IGNORE.

    Returns:
        loss: a tensor with one number and no axes, from which gradients flow back.

    Watch: targets have been shifted already. You may use torch's cross-entropy; it wants the classes on axis 1.
    Source: Jurafsky and Martin, the chapter on neural networks (cross-entropy); README, section 3.
    """
    return functional.cross_entropy(logits.transpose(1, 2), targets, ignore_index=IGNORE)


def generate(model: Any, ids: Tensor, n: int, temperature: float, top_k: int | None, uniforms: Tensor | None) -> Tensor:
    """Return ids with n more tokens: ask the model for the next one, choose, append, ask again.

    How to choose, from the logits at the last position:

    - temperature 0: the token of the largest logit; which of several equal ones is up to you. top_k and uniforms are not
      looked at.
    - else: divide the logits by temperature. If top_k is given, only tokens whose logit is at least the top_k-th largest of
      their row stay possible: top_k tokens, or more where several are equal to that one, or all where there are fewer.
      The others get the probability 0. Of the probabilities of those that stay, which sum to 1, it is the smallest id
      whose p_0 + ... + p_id exceeds the uniform number of this row and step.

    Args:
        model: model(ids) returns logits (batch, time, vocab) for at most model.block_size positions. You need no more of it.
        ids: (batch, time), at least one token in each row, perhaps more than model.block_size.
        n: how many tokens to add.
        temperature: 0 or a positive number.
        top_k: a positive number, or None for no limit.
        uniforms: (batch, n), numbers in [0, 1); may be None where temperature is 0.

    Returns:
        ids: (batch, time + n), what there was and what was written.

    Watch: the model gets the last block_size tokens and no more. Rounding may leave the last sum a hair below 1; a number
    beyond it means the token of the largest id whose probability is above 0. No random numbers but those given. The
    caller has put the model into the mode that is wanted: leave it in that.
    Source: Holtzman et al. 2020, section 3 (top-k, temperature); Devroye 1986, chapter III (inversion); README,
    section 4.
    """
    with torch.no_grad():
        for i in range(n):
            context = ids[:, -model.block_size :]
            logits = model(context)[:, -1]
            if temperature == 0:
                token = logits.argmax(dim=-1)
            else:
                scaled = logits / temperature
                if top_k is not None:
                    k = min(top_k, logits.shape[-1])
                    smallest_kept = torch.topk(logits, k, dim=-1).values[:, -1:]
                    scaled = scaled.masked_fill(logits < smallest_kept, float("-inf"))
                p = torch.softmax(scaled, dim=-1)
                sums = torch.cumsum(p, dim=-1)
                u = uniforms[:, i : i + 1].to(sums.device)
                # how many running sums do not exceed u = the smallest id whose sum does
                token = (sums <= u).sum(dim=-1)
                numbers = torch.arange(p.shape[-1], device=p.device)
                last_possible = torch.where(p > 0, numbers, 0).amax(dim=-1)
                token = torch.minimum(token, last_possible)
            ids = torch.cat([ids, token[:, None]], dim=1)
    return ids.clone() if n == 0 else ids


class CachedTransformerLM(TransformerLM):
    """The same model with the same parameters, which reads new tokens without computing the old ones again.

    Its cache is a list with a pair (keys, values) for each block, both (batch, T_past, d_model): what W_k and W_v of that
    block have made of every position so far, heads not split. None stands for the cache before anything was read.
    """

    def step(self, ids: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
        """Return the logits of new tokens that follow those in the cache, and the cache of all of them.

        Args:
            ids: (batch, T_new), the new tokens, one or several; they stand at the places T_past, T_past + 1, ...
            cache: of the tokens before them, or None if there are none.

        Returns:
            logits: (batch, T_new, vocab), what TransformerLM gives for the whole sequence, at its last T_new positions.
            cache: of all T_past + T_new tokens, for the next step.

        Watch: a new token looks at everything in the cache, at itself, and at the new ones before it. The cache you were
        given stays as it was: the caller may want to go on from it in another way. Use the four maps of block.attention; its
        forward is of no use here. torch's scaled_dot_product_attention is allowed. Dropout may be left out.
        Source: Jurafsky and Martin, the chapter on the Transformer (KV cache); Pope et al. 2022, section 2; README,
        section 5.
        """
        batch, new = ids.shape
        past = 0 if cache is None else cache[0][0].shape[1]
        positions = torch.arange(past, past + new, device=ids.device)
        mask = torch.ones(new, past + new, dtype=torch.bool, device=ids.device).tril(diagonal=past)
        x = self.dropout(self.token_embedding(ids) + self.position_embedding(positions))
        new_cache = []
        for i, block in enumerate(self.blocks):
            attention = block.attention

            def split(t: Tensor, heads: int = attention.n_heads) -> Tensor:
                return t.reshape(batch, t.shape[1], heads, -1).transpose(1, 2)

            normed = block.norm_1(x)
            queries, keys, values = attention.W_q(normed), attention.W_k(normed), attention.W_v(normed)
            if cache is not None:
                keys = torch.cat([cache[i][0], keys], dim=1)
                values = torch.cat([cache[i][1], values], dim=1)
            new_cache.append((keys, values))
            mixed = functional.scaled_dot_product_attention(split(queries), split(keys), split(values), attn_mask=mask)
            x = x + attention.W_o(mixed.transpose(1, 2).reshape(batch, new, -1))
            x = x + block.feed_forward(block.norm_2(x))
        return self.output(self.final_norm(x)), new_cache

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
    """Return the learning rate of a step: up in a straight line, then down along half a cosine.

        peak (step + 1) / warmup                                               step < warmup
        final + (peak - final) (1 + cos(pi (step - warmup) / (steps - warmup))) / 2    warmup <= step < steps
        final                                                                  from then on

    Args:
        step: which step, counted from 0.
        steps: how many there will be.
        peak: the largest rate.
        warmup: how many steps the way up takes, at most `steps`; it may be 0.
        final: the rate at the end.

    Returns:
        rate: a float.

    Watch: the first step has a rate above zero, or nothing would happen in it.
    Source: Loshchilov and Hutter 2017, equation 5; Vaswani et al. 2017, section 5.3 (warm-up); README, section 6.
    """
    if step < warmup:
        return peak * (step + 1) / warmup
    if step < steps:
        progress = (step - warmup) / (steps - warmup)
        return final + (peak - final) * (1 + math.cos(math.pi * progress)) / 2
    return final


def evaluate(model: nn.Module, data: Tensor, time: int) -> float:
    """Return the loss on a text that the model does not learn from.

    The text is cut into pieces of `time` inputs, one after another from its beginning, each with its targets; the rest
    that fills no piece is left out. The loss is the mean over all positions of all pieces.

    Args:
        model: model(ids) returns logits; a module, which may be in training mode or in evaluation mode.
        data: (n,), ids, with n > time.
        time: how long the pieces are.

    Returns:
        loss: a float, in nats per token.

    Watch: the model is in evaluation mode meanwhile, so that nothing is dropped, and no gradients are kept track of; after
    that `model.training` is what it was. n tokens give n - 1 input-target pairs.
    Source: Srivastava et al. 2014, section 4 (no dropout at test time); README, section 7.
    """
    pieces = (len(data) - 1) // time
    inputs = data[: pieces * time].reshape(pieces, time)
    targets = data[1 : pieces * time + 1].reshape(pieces, time)
    was_training = model.training
    model.eval()
    total = 0.0
    with torch.no_grad():
        for some_inputs, some_targets in zip(inputs.split(64), targets.split(64)):
            total += lm_loss(model(some_inputs), some_targets).item() * len(some_inputs)
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
    """Train a model on a text, in place, and return what was measured at each step.

    The optimiser is AdamW over all parameters, with BETAS and weight_decay and torch's other defaults: torch.optim.AdamW,
    or the same steps by hand. The model is put into training mode, however it was found, and is left in it. Then, for
    step = 0, ..., steps - 1:

    1. draw a batch with get_batch, and compute its lm_loss;
    2. compute the gradients of this batch alone, and scale them down together where the norm of all of them is above
       max_norm;
    3. take a step of the optimiser with learning_rate(step, steps, peak, warmup, final);
    4. if report is given, call report(step, loss) with a float;
    5. if held_out is given and step + 1 is a multiple of `every`, evaluate the model on it, in pieces of `time`.

    Args:
        model: a module; model(ids) returns logits.
        data: (n,), ids, what to learn from.
        steps: how many steps.
        batch, time, generator: for get_batch.
        peak, warmup, final: for learning_rate.
        weight_decay: for AdamW.
        max_norm: the largest norm of the gradients that is left as it is.
        held_out: (m,), ids, a text to evaluate on, or None.
        every: how many steps lie between two evaluations.
        report: a function that hears of every step, or None.

    Returns:
        A dict of four lists of floats: "losses", "gradient_norms" (before they are scaled down) and "learning_rates" of
        every step, and "held_out", the losses of the evaluations, empty where there were none.

    Watch: every batch's gradients are added to what is there, unless you clear it. One norm for all parameters together.
    Source: Loshchilov and Hutter 2019, algorithm 2 (AdamW); Pascanu et al. 2013, algorithm 1 (clipping); README, section 7.
    """
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, betas=BETAS, weight_decay=weight_decay)
    history = {"losses": [], "gradient_norms": [], "learning_rates": [], "held_out": []}
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
