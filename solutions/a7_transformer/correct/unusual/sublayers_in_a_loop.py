"""Blocks are lists of (norm, what to do), and one loop serves them all."""


def run(x, *sublayers):
    for norm, tell in sublayers:
        x = x + tell(norm(x))
    return x


class EncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        look = lambda n: self.attention(n, n, n, mask=mask)
        return run(x, (self.norm_1, look), (self.norm_2, self.feed_forward))


class MaskedDecoderBlock(MaskedDecoderBlock):
    def forward(self, x, memory, target_mask=None, memory_mask=None):
        back = lambda n: self.self_attention(query=n, key=n, value=n, mask=target_mask)
        across = lambda n: self.cross_attention(query=n, key=memory, value=memory, mask=memory_mask)
        norms = (getattr(self, f"norm_{i}") for i in (1, 2, 3))
        return run(x, *zip(norms, (back, across, self.feed_forward)))
