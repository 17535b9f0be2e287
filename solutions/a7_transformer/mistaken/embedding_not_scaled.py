"""The student adds the positions to the embeddings as they are, as in GPT-2."""

import torch


class Transformer(Transformer):
    def encode(self, src):
        x = torch.stack([self.src_embedding(src[:, t]) + self.positions[t] for t in range(src.size(1))], dim=1)
        keys = src.ne(0).unsqueeze(1)
        for layer in self.encoder:
            x = layer(x, mask=keys)
        return self.encoder_norm(x)

    def decode(self, tgt, memory, src):
        n = tgt.size(1)
        y = self.tgt_embedding(tgt) + self.positions[None, :n]
        may = torch.tensor([[j <= i for j in range(n)] for i in range(n)]).logical_and(tgt.ne(0).unsqueeze(1))
        for layer in self.decoder:
            y = layer(y, memory, target_mask=may, memory_mask=src.ne(0).unsqueeze(1))
        return self.output(self.decoder_norm(y))
