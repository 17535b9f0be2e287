"""The student puts the new axis behind, so that rows of padding are hidden."""

import torch


class Transformer(Transformer):
    def encode(self, src):
        real = src.bool()[..., None]
        h = self.src_embedding(src) * self.d_model**0.5 + self.positions[: src.size(1)]
        for block in self.encoder:
            h = block(h, real)
        return self.encoder_norm(h)

    def decode(self, tgt, memory, src):
        h = self.tgt_embedding(tgt) * self.d_model**0.5 + self.positions[: tgt.size(1)]
        steps = torch.arange(tgt.size(1))
        past = steps[None, :] <= steps[:, None]
        for block in self.decoder:
            h = block(h, memory, past & tgt.bool()[..., None], tgt.bool()[..., None])
        return self.output(self.decoder_norm(h))
