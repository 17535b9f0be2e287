"""The student hands each attention the other one's mask."""


class MaskedDecoderBlock(MaskedDecoderBlock):
    def forward(self, x, memory, target_mask=None, memory_mask=None):
        n = self.norm_1(x)
        x = x + self.self_attention(query=n, key=n, value=n, mask=memory_mask)
        x = x + self.cross_attention(query=self.norm_2(x), key=memory, value=memory, mask=target_mask)
        return x + self.feed_forward(self.norm_3(x))
