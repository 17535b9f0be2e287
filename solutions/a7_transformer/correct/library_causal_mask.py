"""The causal mask from nn.Transformer.generate_square_subsequent_mask, by itself and under other names."""

from torch.nn import Transformer as Library

later_words_of = nn.Transformer.generate_square_subsequent_mask


class Transformer(Transformer):
    def decode(self, tgt, memory, src):
        length, words = tgt.shape[1], self.tgt_embedding(tgt) * self.d_model**0.5
        y, real = words + self.positions[:length], (tgt != PAD)[:, None, :]
        allowed = nn.Transformer.generate_square_subsequent_mask(length, device=tgt.device) == 0
        allowed &= Library.generate_square_subsequent_mask(length, device=tgt.device).isfinite()
        allowed &= later_words_of(length, device=tgt.device) > -1
        for block in self.decoder:
            y = block(y, memory, allowed & real, (src != PAD)[:, None, :])
        return self.output(self.decoder_norm(y))
