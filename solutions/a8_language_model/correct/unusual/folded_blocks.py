"""The forward pass is a fold over blocks, each of which is a fold over its two sublayers; positions come from an iota in memory."""

from functools import reduce


class TransformerLM(TransformerLM):
    def __init__(self, vocab, block_size, *sizes, **dropout):
        super().__init__(vocab, block_size, *sizes, **dropout)
        self.register_buffer("lower", torch.tril(torch.ones((block_size,) * 2)).bool(), persistent=False)

    def sublayers(self, T):
        for block in self.blocks:
            yield lambda x, b=block: b.attention(b.norm_1(x), self.lower[:T, :T])
            yield lambda x, b=block: b.feed_forward(b.norm_2(x))

    def forward(self, ids):
        T = ids.shape[-1]
        x = self.dropout(self.token_embedding(ids).add(self.position_embedding.weight[:T]))
        return self.output(self.final_norm(reduce(lambda x, change: x + change(x), self.sublayers(T), x)))


class CachedTransformerLM(TransformerLM):
    step, read, fork = CachedTransformerLM.step, CachedTransformerLM.read, CachedTransformerLM.fork
