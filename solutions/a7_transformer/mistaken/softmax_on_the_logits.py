"""The student returns probabilities, since a model says how probable each word is."""

import torch


class Transformer(Transformer):
    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)

    def decode(self, tgt, memory, src):
        length = tgt.shape[1]
        h = self.tgt_embedding(tgt) * self.d_model**0.5 + self.positions[:length]
        mask = ~torch.triu(torch.ones(length, length), diagonal=1).bool() & (tgt != 0)[:, None, :]
        for block in self.decoder:
            h = block(h, memory, mask, (src != 0)[:, None, :])
        scores = self.output(self.decoder_norm(h))
        e = (scores - scores.amax(-1, keepdim=True)).exp()
        return e / e.sum(-1, keepdim=True)
