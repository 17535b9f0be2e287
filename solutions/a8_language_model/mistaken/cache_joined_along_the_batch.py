def split_heads(x, heads):
    """(batch, time, d_model) to a list with (batch, time, d_head) for each head."""
    return list(torch.chunk(x, heads, dim=2))


def attend(attention, x, keys, values):
    """Attention of new positions x to all keys; the new ones stand at the end."""
    n_new, n_all = x.size(1), keys.size(1)
    hidden = torch.ones(n_new, n_all, device=x.device).triu(n_all - n_new + 1) == 1
    heads = []
    for q, k, v in zip(*(split_heads(t, attention.n_heads) for t in (attention.W_q(x), keys, values))):
        scores = torch.bmm(q, k.transpose(1, 2)) / q.size(2) ** 0.5
        heads.append(torch.bmm(torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=2), v))
    return attention.W_o(torch.cat(heads, dim=2))


class CachedTransformerLM(TransformerLM):
    """The same model with the same parameters, which reads new tokens without computing the old ones again.

    Its cache is a list with a pair (keys, values) for each block, both (batch, T_past, d_model): what W_k and W_v of that
    block have made of every position so far, heads not split. None stands for the cache before anything was read.
    """

    def step(self, ids: Tensor, cache: Cache | None) -> tuple[Tensor, Cache]:
        past = 0
        if cache is not None:
            past = cache[0][0].size(1)
        x = self.token_embedding(ids) + self.position_embedding(torch.arange(past, past + ids.size(1), device=ids.device))
        out = []
        for i, block in enumerate(self.blocks):
            n = block.norm_1(x)
            k_new = block.attention.W_k(n)
            v_new = block.attention.W_v(n)
            if cache is None:
                k, v = k_new, v_new
            else:
                k = torch.cat([cache[i][0], k_new])
                v = torch.cat([cache[i][1], v_new])
            out.append((k, v))
            x = x + attend(block.attention, n, k, v)
            x = x + block.feed_forward(block.norm_2(x))
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
