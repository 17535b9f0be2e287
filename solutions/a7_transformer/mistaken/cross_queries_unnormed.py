"""The student believes that only what is attended to itself needs a norm."""


class MaskedDecoderBlock(MaskedDecoderBlock):
    def forward(self, x, memory, target_mask=None, memory_mask=None):
        own = self.norm_1(x)
        said = self.self_attention(own, own, own, target_mask).add(x)
        asked = self.cross_attention(said, memory, memory, memory_mask).add(said)
        return self.feed_forward(self.norm_3(asked)).add(asked)
