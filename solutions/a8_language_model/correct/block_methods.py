"""Each block gets a forward of its own, with and without a cache; training is cut into small functions."""

import math

import torch


class Pass(torch.nn.Module):
    """What is done with the parts of a block."""

    def __init__(self, block):
        super().__init__()
        self.parts = [block]

    def forward(self, x, mask):
        (block,) = self.parts
        x = block.attention(block.norm_1(x), mask) + x
        return block.feed_forward(block.norm_2(x)) + x

    def go_on(self, x, pair):
        (block,) = self.parts
        a, n = block.attention, block.norm_1(x)
        key, value = a.W_k(n), a.W_v(n)
        if pair is not None:
            key, value = torch.cat([pair[0], key], dim=-2), torch.cat([pair[1], value], dim=-2)
        x = x + a.W_o(self.look(a.W_q(n), key, value, a.n_heads))
        return x + block.feed_forward(block.norm_2(x)), (key, value)

    @staticmethod
    def look(query, key, value, n_heads):
        outputs = []
        for q, k, v in zip(query.chunk(n_heads, -1), key.chunk(n_heads, -1), value.chunk(n_heads, -1)):
            scores = torch.bmm(q, k.mT) / math.sqrt(q.shape[-1])
            behind = torch.full_like(scores, float("-inf")).triu(1 + k.shape[1] - q.shape[1])
            outputs.append(torch.bmm((scores + behind).softmax(-1), v))
        return torch.cat(outputs, dim=-1)


class TransformerLM(TransformerLM):
    def forward(self, ids):
        x = self.dropout(self.token_embedding(ids) + self.position_embedding.weight[None, : ids.shape[1]])
        mask = torch.logical_not(torch.ones(ids.shape[1], ids.shape[1], device=ids.device).triu(1).bool())
        for block in self.blocks:
            x = Pass(block)(x, mask)
        return self.output(self.final_norm(x))


class CachedTransformerLM(CachedTransformerLM):
    def step(self, ids, cache):
        pairs = [None] * len(self.blocks) if cache is None else cache
        begin = 0 if cache is None else cache[0][0].shape[-2]
        x = self.token_embedding(ids) + self.position_embedding.weight[begin : begin + ids.shape[1]]
        after = []
        for block, pair in zip(self.blocks, pairs):
            x, longer = Pass(block).go_on(x, pair)
            after.append(longer)
        return self.output(self.final_norm(x)), after


def lm_loss(logits, targets):
    log_p = torch.log_softmax(logits, dim=-1).flatten(0, 1)
    wanted = targets.flatten()
    rows = torch.nonzero(wanted != IGNORE).squeeze(1)
    return -log_p[rows, wanted[rows]].mean()


class _Run:
    def __init__(self, model, **settings):
        self.model, self.settings = model, settings
        self.optimizer = torch.optim.AdamW(
            model.parameters(), betas=BETAS, weight_decay=settings["weight_decay"], foreach=False
        )
        self.history = {"held_out": [], "learning_rates": [], "gradient_norms": [], "losses": []}

    def norm(self):
        return torch.sqrt(sum((p.grad**2).sum() for p in self.model.parameters() if p.grad is not None))

    def take(self, step, loss):
        self.model.zero_grad()
        loss.backward()
        norm = self.norm()
        if norm > self.settings["max_norm"]:
            for p in self.model.parameters():
                p.grad *= self.settings["max_norm"] / norm
        s = self.settings
        rate = learning_rate(step, s["steps"], s["peak"], s["warmup"], s["final"])
        self.optimizer.param_groups[0]["lr"] = rate
        self.optimizer.step()
        self.history["losses"].append(loss.detach().item())
        self.history["gradient_norms"].append(norm.item())
        self.history["learning_rates"].append(rate)


def train(
    model,
    data,
    steps,
    batch,
    time,
    generator,
    peak=1e-3,
    warmup=10,
    final=1e-4,
    weight_decay=0.1,
    max_norm=1.0,
    held_out=None,
    every=100,
    report=None,
):
    run = _Run(model, steps=steps, peak=peak, warmup=warmup, final=final, weight_decay=weight_decay, max_norm=max_norm)
    for step in range(steps):
        inputs, targets = get_batch(data, batch, time, generator)
        run.take(step, lm_loss(model.train()(inputs), targets))
        if report is not None:
            report(step, run.history["losses"][-1])
        if held_out is not None and (step + 1) % every == 0:
            run.history["held_out"].append(evaluate(model, held_out, time))
    return run.history
