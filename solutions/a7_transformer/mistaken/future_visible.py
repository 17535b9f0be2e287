"""The student thinks that a mask is about padding."""


class Transformer(Transformer):
    def decode(self, tgt, memory, src):
        scale = self.d_model**0.5
        y = scale * self.tgt_embedding(tgt) + self.positions[: tgt.shape[-1]]
        target, source = (ids.unsqueeze(-2).not_equal(0) for ids in (tgt, src))
        for i in range(len(self.decoder)):
            y = self.decoder[i](y, memory, target, source)
        return self.output(self.decoder_norm(y))
