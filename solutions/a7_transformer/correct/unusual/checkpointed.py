"""Sublayers are computed twice, to save memory (torch.utils.checkpoint), and norms are written out by hand."""

from torch.utils.checkpoint import checkpoint


def normed(module, x):
    return layer_norm(x, module.weight, module.bias, module.eps)


class EncoderBlock(EncoderBlock):
    def first(self, x, mask):
        return self.attention(normed(self.norm_1, x), normed(self.norm_1, x), normed(self.norm_1, x), mask)

    def forward(self, x, mask=None):
        h = x.clone()
        h += checkpoint(self.first, x, mask, use_reentrant=False)
        return h + checkpoint(lambda g: self.feed_forward(normed(self.norm_2, g)), h, use_reentrant=False)


class MaskedDecoderBlock(MaskedDecoderBlock):
    def forward(self, x, memory, target_mask=None, memory_mask=None):
        g = (own := normed(self.norm_1, x), x + self.self_attention(own, own, own, target_mask))[-1]
        h = g.add(self.cross_attention(normed(self.norm_2, g), memory, memory, memory_mask))
        return h.add(self.feed_forward(normed(self.norm_3, h)))
