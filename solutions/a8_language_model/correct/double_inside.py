"""Double precision inside, -1e9 for masked scores, einsum for the attention on the cache."""

import torch


class TransformerLM(TransformerLM):
    def forward(self, ids):
        t = torch.arange(ids.shape[1], device=ids.device)
        x = self.dropout(self.token_embedding.weight[ids] + self.position_embedding.weight[t][None])
        mask = t[:, None] >= t[None, :]
        for block in self.blocks:
            x = x + block.attention(block.norm_1(x), mask)
            x = x + block.feed_forward(block.norm_2(x))
        x = self.final_norm(x)
        return (x.double() @ self.output.weight.double().T + self.output.bias.double()).float()


def lm_loss(logits, targets):
    keep = targets.ne(IGNORE)
    rows = logits[keep].double()
    return torch.nn.CrossEntropyLoss()(rows, targets[keep]).float()


class CachedTransformerLM(CachedTransformerLM):
    def step(self, ids, cache):
        batch, T_new = ids.shape
        if cache is None:
            d = self.token_embedding.embedding_dim
            none = torch.zeros(batch, 0, d, device=ids.device)
            cache = [(none, none) for _ in self.blocks]
        T_past = cache[0][0].shape[1]
        places = T_past + torch.arange(T_new, device=ids.device)
        hidden = torch.arange(T_past + T_new, device=ids.device)[None, :] > places[:, None]
        x = self.token_embedding(ids) + self.position_embedding(places)
        result = []
        for block, (old_keys, old_values) in zip(self.blocks, cache):
            a, n = block.attention, block.norm_1(x)
            keys, values = torch.cat([old_keys, a.W_k(n)], 1), torch.cat([old_values, a.W_v(n)], 1)
            q, k, v = (y.reshape(batch, y.shape[1], a.n_heads, -1).double() for y in (a.W_q(n), keys, values))
            scores = torch.einsum("bqhd,bkhd->bhqk", q * q.shape[-1] ** -0.5, k) - 1e9 * hidden
            mixed = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v).flatten(2).float()
            x = x + a.W_o(mixed)
            x = x + block.feed_forward(block.norm_2(x))
            result.append((keys, values))
        return self.output(self.final_norm(x)), result


def generate(model, ids, n, temperature, top_k, uniforms):
    for step in range(n):
        logits = model(ids[:, -model.block_size :])[:, -1].double()
        if temperature == 0:
            choice = logits.argmax(-1)
        else:
            probabilities = torch.exp(torch.log_softmax(logits / temperature, -1))
            if top_k is not None:
                border = probabilities.sort(-1, descending=True)[0][:, min(top_k, probabilities.shape[-1]) - 1]
                probabilities = probabilities * (probabilities >= border[:, None])
                probabilities = probabilities / probabilities.sum(-1, keepdim=True)
            sums = probabilities.cumsum(-1)
            sums[:, -1] = 1.0
            choice = (sums > uniforms[:, step, None]).int().argmax(-1)
        ids = torch.cat((ids, choice.unsqueeze(1)), 1)
    return ids
