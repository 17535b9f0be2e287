"""The student follows the figure of 2017, and sees one mask in it."""


class MaskedDecoderBlock(MaskedDecoderBlock):
    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = self.norm_1(x + self.self_attention(x, x, x, target_mask))
        x = self.norm_2(x + self.cross_attention(x, memory, memory))
        return self.norm_3(x + self.feed_forward(x))
