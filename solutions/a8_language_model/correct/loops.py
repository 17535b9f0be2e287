"""One row, one position, one head at a time, in plain Python loops."""

import math

import torch


def get_batch(data, batch, time, generator):
    starts = torch.randint(high=len(data) - time, size=(batch,), generator=generator)
    inputs = torch.stack([data[s : s + time] for s in starts.tolist()])
    targets = torch.stack([data[s + 1 : s + 1 + time] for s in starts.tolist()])
    return inputs, targets


class TransformerLM(TransformerLM):
    def forward(self, ids):
        rows = [[self.token_embedding.weight[i] for i in row] for row in ids.tolist()]
        x = torch.stack([torch.stack(row) for row in rows]) + self.position_embedding.weight[: ids.shape[1]]
        x = self.dropout(x)
        places = range(ids.shape[1])
        mask = torch.tensor([[key <= query for key in places] for query in places], device=ids.device)
        for i in range(len(self.blocks)):
            block = self.blocks[i]
            h = x + block.attention(block.norm_1(x), mask)
            x = h + block.feed_forward(block.norm_2(h))
        return self.output(self.final_norm(x))


def lm_loss(logits, targets):
    surprises = []
    for row, wanted in zip(logits, targets.tolist()):
        for scores, target in zip(row, wanted):
            if target != IGNORE:
                surprises.append(torch.logsumexp(scores, 0) - scores[target])
    return sum(surprises) / len(surprises)


def _draw(logits, temperature, top_k, u):
    scores = [value / temperature for value in logits.double().tolist()]
    if top_k is not None:
        border = sorted(scores, reverse=True)[:top_k][-1]
        scores = [value if value >= border else -math.inf for value in scores]
    largest = max(scores)
    powers = [math.exp(value - largest) for value in scores]
    reached, last = 0.0, 0
    for i, power in enumerate(powers):
        if power > 0:
            reached, last = reached + power / sum(powers), i
            if reached > u:
                return i
    return last


def generate(model, ids, n, temperature, top_k, uniforms):
    """Each row is written by itself."""
    rows = []
    for r, row in enumerate(ids.tolist()):
        for step in range(n):
            logits = model(torch.tensor([row[-model.block_size :]], device=ids.device))[0, -1]
            if temperature == 0:
                row.append(int(torch.argmax(logits)))
            else:
                row.append(_draw(logits, temperature, top_k, float(uniforms[r, step])))
        rows.append(row)
    return torch.tensor(rows, device=ids.device)


class CachedTransformerLM(CachedTransformerLM):
    def step(self, ids, cache):
        """One new token after another, one head after another."""
        logits = []
        for t in range(ids.shape[1]):
            past = 0 if cache is None else cache[0][0].shape[1]
            x = self.token_embedding(ids[:, t]) + self.position_embedding.weight[past]
            pairs = []
            for layer, block in enumerate(self.blocks):
                n, a = block.norm_1(x), block.attention
                q, k, v = a.W_q(n), a.W_k(n)[:, None], a.W_v(n)[:, None]
                if past:
                    k, v = torch.cat((cache[layer][0], k), 1), torch.cat((cache[layer][1], v), 1)
                pairs.append([k, v])
                size, heads = q.shape[1] // a.n_heads, []
                for h in range(a.n_heads):
                    own = slice(h * size, (h + 1) * size)
                    weights = ((k[:, :, own] * q[:, None, own]).sum(-1) / size**0.5).softmax(-1)
                    heads.append((weights[:, :, None] * v[:, :, own]).sum(1))
                x = x + a.W_o(torch.cat(heads, -1))
                x = x + block.feed_forward(block.norm_2(x))
            logits.append(self.output(self.final_norm(x)))
            cache = pairs
        return torch.stack(logits, 1), cache


def evaluate(model, data, time):
    was = model.training
    model.train(False)
    losses = []
    for begin in range(0, len(data) - time, time):
        with torch.inference_mode():
            logits = model(data[None, begin : begin + time])
            losses.append(float(lm_loss(logits, data[None, begin + 1 : begin + time + 1])))
    model.train(was)
    return sum(losses) / len(losses)
