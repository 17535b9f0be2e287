"""The student draws the block as in the figure of 2017: Add & Norm."""


class EncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        attended = self.attention(x, x, x, mask=mask)
        x = self.norm_1(attended + x)
        thought = self.feed_forward(x)
        return self.norm_2(thought + x)
