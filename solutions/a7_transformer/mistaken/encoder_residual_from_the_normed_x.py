"""The student overwrites x by its norm and adds to that."""


class EncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        for norm, sublayer in (
            (self.norm_1, lambda t: self.attention(t, t, t, mask)),
            (self.norm_2, self.feed_forward),
        ):
            x = norm(x)
            x = x + sublayer(x)
        return x
