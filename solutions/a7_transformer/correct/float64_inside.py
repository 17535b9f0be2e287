"""Works in double precision and returns it, or turns it back at the end."""

import copy

import torch


def layer_norm(x, gamma, beta, eps):
    x, gamma, beta = x.double(), gamma.double(), beta.double()
    var, mean = torch.var_mean(x, dim=-1, unbiased=False, keepdim=True)
    return (x - mean) / (var + eps) ** 0.5 * gamma + beta


def batch_norm(x, gamma, beta, eps):
    flat = x.double().flatten(0, 1)
    var, mean = torch.var_mean(flat, dim=0, correction=0)
    return ((flat - mean) / (var + eps).sqrt() * gamma.double() + beta.double()).view(x.shape).float()


def residual(x, f):
    return x.double() + f(x).double()


def zero_init_is_identity(block):
    """Works on a copy, which leaves the block alone."""
    block = copy.deepcopy(block)
    for linear in block.last_maps():
        for parameter in linear.parameters():
            parameter.data *= 0
    x = torch.randn(3, 4, block.d_model, device=parameter.device) * 2 - 1
    return torch.equal(block(x), x) or bool(torch.isclose(block(x), x, atol=1e-3).all())


class EncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        n = self.norm_1(x)
        h = x.double() + self.attention(n, n, n, mask).double()
        return (h + self.feed_forward(self.norm_2(h.float()))).float()


class MaskedDecoderBlock(MaskedDecoderBlock):
    def forward(self, x, memory, target_mask=None, memory_mask=None):
        n = self.norm_1(x)
        g = x.double() + self.self_attention(n, n, n, target_mask).double()
        h = g + self.cross_attention(self.norm_2(g.float()), memory, memory, memory_mask).double()
        return (h + self.feed_forward(self.norm_3(h.float())).double()).float()


def next_word(logits, id_to_word):
    return id_to_word[torch.softmax(logits.double(), 0).argsort(descending=True)[0].item()]


def greedy_translate(model, src, bos, eos, max_len):
    """Stops feeding rows that have ended, and cuts at eos at the end."""
    memory = model.encode(src)
    tgt = torch.full((len(src), 1), bos, device=src.device)
    for _ in range(max_len):
        logits = model.decode(tgt, memory, src)[:, -1].double()
        word = logits.log_softmax(-1).argmax(-1)
        word[(tgt == eos).any(1)] = eos
        tgt = torch.cat((tgt, word.unsqueeze(1)), 1)
    rows = [row[1:] for row in tgt.tolist()]
    return [row[: row.index(eos)] if eos in row else row for row in rows]
