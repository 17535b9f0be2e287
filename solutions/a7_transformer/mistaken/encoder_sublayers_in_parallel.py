"""The student adds up two changes of the same x."""

import torch


class EncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        a, b = self.norm_1(x), self.norm_2(x)
        return torch.stack([x, self.attention(a, a, a, mask), self.feed_forward(b)]).sum(dim=0)
