"""The student norms everything that goes into a sublayer, memory included."""


class MaskedDecoderBlock(MaskedDecoderBlock):
    def forward(self, x, memory, target_mask=None, memory_mask=None):
        def pre(norm, *inputs):
            return [norm(i) for i in inputs]

        x = x + self.self_attention(*pre(self.norm_1, x, x, x), target_mask)
        x = x + self.cross_attention(*pre(self.norm_2, x, memory, memory), memory_mask)
        return x + self.feed_forward(*pre(self.norm_3, x))
