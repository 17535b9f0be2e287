def _rows_of_words(ids):
    """One row for all queries: which keys are words."""
    return ids.ne(PAD)[:, None, :]


def _placed(model, table, ids):
    """Scaled word vectors with their places."""
    rows = [model.d_model**0.5 * table.weight[row] for row in ids]
    return torch.stack(rows) + model.positions[None, : ids.size(1), :]


class Transformer(nn.Module):
    """The whole model: from ids of the source, and of the target so far, to logits of the target's next words.

    src_embedding, tgt_embedding    nn.Embedding, a vector for each word of either language
    positions                       (max_len, d_model), the table of position_table; no parameter
    encoder, encoder_norm           n_layers of EncoderBlock, and the norm after them
    decoder, decoder_norm           n_layers of MaskedDecoderBlock, and the norm after them
    output                          nn.Linear(d_model, tgt_vocab); its weights are its own, not those of tgt_embedding
    """

    def __init__(
        self, src_vocab: int, tgt_vocab: int, d_model: int, n_heads: int, d_ff: int, n_layers: int, max_len: int = 64
    ) -> None:
        super().__init__()
        self.d_model = d_model
        self.src_embedding = nn.Embedding(src_vocab, d_model)
        self.tgt_embedding = nn.Embedding(tgt_vocab, d_model)
        self.register_buffer("positions", position_table(max_len, d_model), persistent=False)
        self.encoder = nn.ModuleList(EncoderBlock(d_model, n_heads, d_ff) for _ in range(n_layers))
        self.encoder_norm = nn.LayerNorm(d_model)
        self.decoder = nn.ModuleList(MaskedDecoderBlock(d_model, n_heads, d_ff) for _ in range(n_layers))
        self.decoder_norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, tgt_vocab)

    def encode(self, src: Tensor) -> Tensor:
        seq_len = src.shape[1]
        mask = src != PAD
        x = self.src_embedding(src) * (self.d_model**0.5)
        x = x + self.positions[:seq_len]
        for layer in self.encoder:
            x = layer(x, mask)
        x = self.encoder_norm(x)
        return x

    def decode(self, tgt: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        """Say for every position of the target which word comes next.

        Embed the ids as the encoder does, with the embedding of the target's language. Then all blocks of the decoder,
        the decoder's norm, and the output map.

        Args:
            tgt: (batch, T_t), ids, the target so far, with a word for its beginning first.
            memory: (batch, T_s, d_model), from encode(src).
            src: (batch, T_s), the ids of the source, which tell where memory is padding.

        Returns:
            logits: (batch, T_t, tgt_vocab); logits[:, i] are for the word after tgt[:, i]. No softmax.

        Watch: position i looks at the positions 0 to i of the target and at all of memory, and no query looks at a padded
        position, wherever it stands.
        Source: Vaswani et al. 2017, sections 3.1 and 3.2.3; README, section 6.
        """
        places = torch.arange(tgt.size(1), device=tgt.device)
        not_later = places[None, :] <= places[:, None]
        target_mask = torch.logical_and(not_later[None], _rows_of_words(tgt))
        x = _placed(self, self.tgt_embedding, tgt)
        for layer in self.decoder:
            x = layer(x, memory, target_mask=target_mask, memory_mask=_rows_of_words(src))
        return nn.functional.linear(self.decoder_norm(x), self.output.weight, self.output.bias)

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Read the source, and say for every position of the target which word comes next.

        Args:
            src: (batch, T_s), ids.
            tgt: (batch, T_t), ids.

        Returns:
            logits: (batch, T_t, tgt_vocab).

        Watch: source first.
        Source: Vaswani et al. 2017, figure 1; README, section 6.
        """
        memory = self.encode(src)
        logits = self.decode(tgt, memory, src)
        return logits
