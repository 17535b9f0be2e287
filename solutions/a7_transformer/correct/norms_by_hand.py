"""Blocks that call layer_norm with the parameters of their norms."""


def _normed(norm, x):
    return layer_norm(x, norm.weight, norm.bias, norm.eps)


class EncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        n = _normed(self.norm_1, x)
        x = residual(x, lambda _: self.attention(n, n, n, mask))
        return residual(x, lambda x: self.feed_forward(_normed(self.norm_2, x)))


class MaskedDecoderBlock(MaskedDecoderBlock):
    def forward(self, x, memory, target_mask=None, memory_mask=None):
        n = _normed(self.norm_1, x)
        x = residual(x, lambda _: self.self_attention(n, n, n, target_mask))
        x = residual(x, lambda x: self.cross_attention(_normed(self.norm_2, x), memory, memory, memory_mask))
        return residual(x, lambda x: self.feed_forward(_normed(self.norm_3, x)))
