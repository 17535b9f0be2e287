"""Changes its own tensors in place, never the caller's."""

import torch


def layer_norm(x, gamma, beta, eps):
    y = x.clone()
    y -= y.mean(-1, keepdim=True)
    y = y / y.square().mean(-1, keepdim=True).add_(eps).sqrt_()  # y itself is needed on the way back
    y *= gamma
    y += beta
    return y


def batch_norm(x, gamma, beta, eps):
    y = x.clone()
    y -= y.mean((0, 1))
    y = y / y.square().mean((0, 1)).add_(eps).sqrt_()
    return y.mul_(gamma).add_(beta)


def residual(x, f):
    y = x.clone()
    y += f(x)
    return y


class FeedForward(FeedForward):
    def forward(self, x):
        return self.contract(self.expand(x).relu_())


class EncoderBlock(EncoderBlock):
    def forward(self, x, mask=None):
        n = self.norm_1(x)
        h = self.attention(n, n, n, mask)
        h += x
        y = self.feed_forward(self.norm_2(h))
        y += h
        return y


class MaskedDecoderBlock(MaskedDecoderBlock):
    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = x.clone()
        n = self.norm_1(x)
        x = (
            x.add_(self.self_attention(n, n, n, target_mask))
            if not torch.is_grad_enabled()
            else x + self.self_attention(n, n, n, target_mask)
        )
        x = x + self.cross_attention(self.norm_2(x), memory, memory, memory_mask)
        return x + self.feed_forward(self.norm_3(x))


class Transformer(Transformer):
    def encode(self, src):
        x = self.src_embedding(src)
        x = x * self.d_model**0.5
        x += self.positions[: src.size(1)]
        mask = torch.zeros(src.size(0), src.size(1), src.size(1), dtype=torch.bool, device=src.device)
        mask[(src != 0)[:, None, :].expand_as(mask)] = True
        for block in self.encoder:
            x = block(x, mask)
        return self.encoder_norm(x)

    def decode(self, tgt, memory, src):
        y = self.tgt_embedding(tgt)
        y = y * self.d_model**0.5
        y += self.positions[None, : tgt.size(1)]
        mask = torch.tril(torch.ones(tgt.size(1), tgt.size(1), device=tgt.device)).bool().repeat(tgt.size(0), 1, 1)
        for row, ids in enumerate(tgt):
            mask[row, :, ids == 0] = False
        for block in self.decoder:
            y = block(y, memory, target_mask=mask, memory_mask=src.ne(0).unsqueeze(1))
        return self.output(self.decoder_norm(y))


def greedy_translate(model, src, bos, eos, max_len):
    """Writes into one long tensor of targets."""
    tgt = torch.zeros(src.shape[0], max_len + 1, dtype=torch.long, device=src.device)
    tgt[:, 0] = bos
    ends = torch.full((src.shape[0],), max_len, device=src.device)
    memory = model.encode(src.clone())
    for step in range(max_len):
        word = model.decode(tgt[:, : step + 1], memory, src)[:, step].max(-1)[1]
        ends[(word == eos) & (ends == max_len)] = step
        tgt[:, step + 1] = word
    return [tuple(row[1 : 1 + int(end)].tolist()) for row, end in zip(tgt, ends)]
