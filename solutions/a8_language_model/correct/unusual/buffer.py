"""The causal mask is a buffer of the model, made in the constructor as nanoGPT does."""


class TransformerLM(TransformerLM):
    def __init__(self, vocab, block_size, *sizes, **more):
        super().__init__(vocab, block_size, *sizes, **more)
        self.register_buffer("bias", torch.ones(block_size, block_size).tril().bool())

    def forward(self, ids):
        T = ids.shape[1]
        x = self.dropout(self.token_embedding(ids) + self.position_embedding(torch.arange(T, device=ids.device)))
        for block in self.blocks:
            x = x + block.attention(block.norm_1(x), self.bias[:T, :T])
            x = x + block.feed_forward(block.norm_2(x))
        return self.output(self.final_norm(x))
