"""The student forgets the factor, and that the decoder may not see the future."""


class Transformer(Transformer):
    def _words(self, table, ids):
        return table(ids) + self.positions[: ids.size(1)]

    def encode(self, src):
        x = self._words(self.src_embedding, src)
        for block in self.encoder:
            x = block(x, (src > 0).unsqueeze(1))
        return self.encoder_norm(x)

    def decode(self, tgt, memory, src):
        y = self._words(self.tgt_embedding, tgt)
        for block in self.decoder:
            y = block(y, memory, (tgt > 0).unsqueeze(1), (src > 0).unsqueeze(1))
        return self.output(self.decoder_norm(y))
