"""Writes into tensors of its own: a long row of ids, logits, a cache that has room for all places."""

import math

import torch


def get_batch(data, batch, time, generator):
    inputs = data.new_empty(batch, time)
    targets = torch.empty_like(inputs)
    for row, start in enumerate(torch.randint(len(data) - time, (batch,), generator=generator)):
        inputs[row] = data[start : start + time]
        targets[row] = data[start + 1 : start + time + 1]
    return [inputs, targets]


class TransformerLM(TransformerLM):
    def forward(self, ids):
        x = self.token_embedding(ids)
        x += self.position_embedding(torch.arange(ids.shape[1], device=ids.device))
        x = self.dropout(x)
        mask = torch.zeros(ids.shape[1], ids.shape[1], dtype=torch.bool, device=ids.device)
        for t in range(ids.shape[1]):
            mask[t, : t + 1] = True
        for block in self.blocks:
            y = block.attention(block.norm_1(x), mask)
            y += x
            x = block.feed_forward(block.norm_2(y))
            x += y
        return self.output(self.final_norm(x))


def generate(model, ids, n, temperature, top_k, uniforms):
    long = torch.zeros(ids.shape[0], ids.shape[1] + n, dtype=torch.long, device=ids.device)
    long[:, : ids.shape[1]] = ids
    for step in range(n):
        end = ids.shape[1] + step
        logits = model(long[:, max(0, end - model.block_size) : end])[:, -1].clone()
        if temperature == 0:
            long[:, end] = logits.argmax(1)
            continue
        logits /= temperature
        if top_k:
            border = torch.topk(logits, min(top_k, logits.size(1)))[0]
            logits[logits < border[:, [-1]]] = -float("inf")
        sums = torch.softmax(logits, dim=-1).cumsum(-1)
        best = torch.where(logits > -math.inf, torch.arange(logits.shape[1], device=logits.device), 0).max(-1).values
        long[:, end] = torch.minimum((sums <= uniforms[:, [step]]).sum(-1), best)
    return long


class CachedTransformerLM(CachedTransformerLM):
    def step(self, ids, cache):
        batch, new = ids.shape
        past = 0 if not cache else cache[0][0].shape[1]
        x = self.token_embedding(ids)
        x += self.position_embedding.weight[past : past + new]
        after = []
        for layer, block in enumerate(self.blocks):
            n = block.norm_1(x)
            keys = torch.empty(batch, past + new, x.shape[-1], device=x.device)
            values = torch.empty_like(keys)
            if past:
                keys[:, :past], values[:, :past] = cache[layer]
            keys[:, past:] = block.attention.W_k(n)
            values[:, past:] = block.attention.W_v(n)
            after.append((keys, values))
            heads = block.attention.n_heads
            q = block.attention.W_q(n).view(batch, new, heads, -1).permute(0, 2, 1, 3)
            k = keys.view(batch, past + new, heads, -1).permute(0, 2, 3, 1)
            v = values.view(batch, past + new, heads, -1).permute(0, 2, 1, 3)
            scores = q @ k
            scores /= math.sqrt(q.shape[-1])
            for t in range(new):
                scores[:, :, t, past + t + 1 :] = -torch.inf
            y = block.attention.W_o((scores.softmax(-1) @ v).permute(0, 2, 1, 3).reshape(batch, new, -1))
            x = y.add_(x)
            x = x + block.feed_forward(block.norm_2(x))
        return [self.output(self.final_norm(x)), after]


def evaluate(model, data, time):
    """Puts every module back into its own mode."""
    modes = {module: module.training for module in model.modules()}
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for piece in data.unfold(0, time + 1, time):
            total += lm_loss(model(piece[None, :-1]), piece[None, 1:]).item() * time
            count += time
    for module, mode in modes.items():
        module.training = mode
    return total / count
