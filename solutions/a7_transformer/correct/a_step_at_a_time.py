"""Each step has a variable, as in code that is written and looked at line by line."""

import torch


def layer_norm(x, gamma, beta, eps):
    mean = x.mean(-1, keepdim=True)
    centred = x - mean
    squares = centred**2
    variance = squares.mean(-1, keepdim=True)
    std = torch.sqrt(variance + eps)
    normed = centred / std
    scaled = normed * gamma
    return scaled + beta


def batch_norm(x, gamma, beta, eps):
    mean = x.mean((0, 1))
    centred = x - mean
    squares = centred**2
    variance = squares.mean((0, 1))
    std = torch.sqrt(variance + eps)
    normed = centred / std
    scaled = normed * gamma
    return scaled + beta


class FeedForward(FeedForward):
    def forward(self, x):
        wide = self.expand(x)
        active = torch.relu(wide)
        return self.contract(active)


class EncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        normed = self.norm_1(x)
        attended = self.attention(normed, normed, normed, mask)
        h = x + attended
        normed_again = self.norm_2(h)
        fed = self.feed_forward(normed_again)
        return h + fed


class MaskedDecoderBlock(MaskedDecoderBlock):
    def forward(self, x, memory, target_mask=None, memory_mask=None):
        normed = self.norm_1(x)
        attended = self.self_attention(normed, normed, normed, target_mask)
        g = x + attended
        asked = self.norm_2(g)
        crossed = self.cross_attention(asked, memory, memory, memory_mask)
        h = g + crossed
        normed_again = self.norm_3(h)
        fed = self.feed_forward(normed_again)
        return h + fed
