"""The whole forward pass is a cached step for one token after the other, and its cache is a list of named pairs."""

from collections import namedtuple

Pair = namedtuple("Pair", ("keys", "values"))


class CachedTransformerLM(CachedTransformerLM):
    def one(self, ids, cache, place):
        x, grown = self.token_embedding(ids) + self.position_embedding.weight[place], []
        for block, past in zip(self.blocks, cache or [None] * len(self.blocks)):
            heads, n = block.attention, block.norm_1(x)
            pair = Pair(heads.W_k(n)[:, None], heads.W_v(n)[:, None])
            if past is not None:
                pair = Pair(*(torch.cat((old, new), dim=1) for old, new in zip(past, pair)))
            grown.append(pair)
            q, k, v = (t.unflatten(-1, (heads.n_heads, -1)) for t in (heads.W_q(n), *pair))
            shares = torch.einsum("bhd,bthd->bht", q, k).div(q.shape[-1] ** 0.5).softmax(-1)
            x = x + heads.W_o(torch.einsum("bht,bthd->bhd", shares, v).flatten(1))
            x = x + block.feed_forward(block.norm_2(x))
        return self.output(self.final_norm(x)), grown

    def step(self, ids, cache):
        said, place = [], cache[0][0].size(1) if cache else 0
        for number, column in enumerate(ids.T):
            logits, cache = self.one(column, cache, place + number)
            said.append(logits)
        return torch.stack(said, dim=1), cache
