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
        seq_len = ids.shape[1]
        positions = torch.arange(seq_len, device=ids.device)
        emb = self.dropout(self.token_embedding(ids) + self.position_embedding(positions))
        mask = torch.tril(torch.ones(seq_len, seq_len, device=ids.device)).bool()
        for block in self.blocks:
            h = emb + block.attention(block.norm_1(emb), mask)
            out = h + block.feed_forward(block.norm_2(h))
        return self.output(self.final_norm(out))
