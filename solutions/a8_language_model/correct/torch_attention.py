"""torch's own attention on the cache, float masks, classes on axis 1, a topk that is scattered into a mask."""

import math

import torch
from torch.nn import functional


def get_batch(data, batch, time, generator):
    windows = data.unfold(0, time + 1, 1)
    rows = windows[torch.randint(len(windows), (batch,), generator=generator)]
    return rows[:, :-1], rows[:, 1:]


class TransformerLM(TransformerLM):
    def forward(self, ids):
        b, t = ids.size()
        x = self.token_embedding(ids) + self.position_embedding(torch.arange(t, device=ids.device).expand(b, t))
        x = functional.dropout(x, self.dropout.p, training=self.training)
        mask = torch.triu(torch.full((t, t), -math.inf, device=ids.device), diagonal=1) == 0
        for block in self.blocks:
            x = x + block.attention(block.norm_1(x), mask)
            x = x + block.feed_forward(block.norm_2(x))
        return self.output(self.final_norm(x))


def lm_loss(logits, targets):
    return functional.cross_entropy(logits.transpose(1, 2), targets)


def generate(model, ids, n, temperature, top_k, uniforms):
    written = ids.clone()
    for step in range(n):
        logits = model(written[:, -model.block_size :])[:, -1, :]
        if temperature == 0:
            token = logits.max(-1)[1]
        else:
            if top_k is not None and top_k < logits.size(-1):
                border, _ = torch.kthvalue(logits, logits.size(-1) - top_k + 1, keepdim=True)
                logits = torch.where(logits >= border, logits, torch.tensor(-1e9))
            sums = (logits / temperature).double().softmax(-1).cumsum(-1)
            sums = sums / sums[:, -1:]
            token = torch.searchsorted(sums, uniforms[:, step, None].double(), right=True)[:, 0]
        written = torch.hstack([written, token[:, None]])
    return written


class CachedTransformerLM(CachedTransformerLM):
    def step(self, ids, cache):
        T_past = cache[0][0].size(1) if cache else 0
        T_new = ids.size(1)
        x = self.token_embedding(ids) + self.position_embedding.weight[T_past : T_past + T_new]
        x = self.dropout(x)
        new_cache = []
        mask = torch.ones(T_new, T_past + T_new, dtype=torch.bool, device=ids.device).tril(T_past)

        def heads(y, n):
            return y.view(y.size(0), y.size(1), n, -1).transpose(1, 2)

        for i, block in enumerate(self.blocks):
            a = block.attention
            y = block.norm_1(x)
            k, v = a.W_k(y), a.W_v(y)
            if cache:
                k = torch.cat([cache[i][0], k], dim=1)
                v = torch.cat([cache[i][1], v], dim=1)
            new_cache += [(k, v)]
            n = a.n_heads
            out = functional.scaled_dot_product_attention(heads(a.W_q(y), n), heads(k, n), heads(v, n), attn_mask=mask)
            x = x + a.W_o(out.transpose(1, 2).reshape(x.shape))
            x = x + block.feed_forward(block.norm_2(x))
        return self.output(self.final_norm(x)), tuple(new_cache)


def learning_rate(step, steps, peak, warmup, final):
    if warmup and step < warmup:
        return peak / warmup * (step + 1)
    ratio = min(1.0, (step - warmup) / max(1, steps - warmup))
    if step >= steps:
        ratio = 1.0
    coefficient = 0.5 * (1.0 + math.cos(math.pi * ratio))
    return final + coefficient * (peak - final)


@torch.no_grad()
def evaluate(model, data, time):
    mode = model.training
    model.eval()
    n = (len(data) - 1) // time
    logits = model(torch.stack(data[: n * time].split(time)))
    loss = functional.cross_entropy(logits.flatten(0, 1), data[1 : n * time + 1])
    if mode:
        model.train()
    return loss.item()


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
    """Uses a scheduler, and clears the gradients behind each step."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.0, betas=(0.9, 0.95), weight_decay=weight_decay)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: learning_rate(step, steps, peak, warmup, final)
    )
    losses, norms, rates, evaluations = [], [], [], []
    for step in range(steps):
        model.train()
        x, y = get_batch(data, batch, time, generator)
        loss = lm_loss(model(x), y)
        loss.backward()
        norms.append(float(torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)))
        rates.append(scheduler.get_last_lr()[0])
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        losses.append(float(loss))
        if report:
            report(step, loss.item())
        if held_out is not None and step % every == every - 1:
            evaluations.append(evaluate(model, held_out, time))
    return {"losses": losses, "gradient_norms": norms, "learning_rates": rates, "held_out": evaluations}
