"""Padded queries look at nothing either, and their outputs are set to zero: nobody reads them."""

import torch


class Transformer(Transformer):
    def encode(self, src):
        real = src > 0
        x = (self.src_embedding(src) * self.d_model**0.5 + self.positions[: src.shape[1]]) * real[..., None]
        mask = real[:, :, None] & real[:, None, :]
        for block in self.encoder:
            x = block(x, mask) * real[..., None]
        return self.encoder_norm(x) * real[..., None]

    def decode(self, tgt, memory, src):
        real, length = tgt > 0, tgt.shape[1]
        steps = torch.arange(length, device=tgt.device)
        mask = real[:, :, None] & real[:, None, :] & (steps[None, :] <= steps[:, None])
        y = self.tgt_embedding(tgt) * self.d_model**0.5 + self.positions[:length]
        for block in self.decoder:
            y = block(y, memory, mask, (src > 0)[:, None, :].expand(-1, length, -1))
        return self.output(self.decoder_norm(y)) * real[..., None]
