"""Whole classes rewritten, with the same parameters and nothing shared between them."""

import torch
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.expand, self.contract = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return nn.Sequential(self.expand, nn.ReLU(), self.contract)(x)


class _Sublayers(nn.Module):
    def add(self, norm, sublayer, x, *rest):
        normed = norm(x)
        return x + (sublayer(normed, *rest) if rest else sublayer(normed))


class EncoderBlock(_Sublayers):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.d_model = d_model
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.attention, self.feed_forward = Attention(d_model, n_heads), FeedForward(d_model, d_ff)

    def last_maps(self):
        return [self.attention.heads.out_proj, self.feed_forward.contract]

    def forward(self, x, mask=None):
        x = self.add(self.norm_1, lambda n: self.attention(n, n, n, mask=mask), x)
        return self.add(self.norm_2, self.feed_forward, x)


class MaskedDecoderBlock(_Sublayers):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1, self.norm_2, self.norm_3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.self_attention, self.cross_attention = Attention(d_model, n_heads), Attention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x = self.add(self.norm_1, lambda n: self.self_attention(n, n, n, target_mask), x)
        x = self.add(self.norm_2, self.cross_attention, x, memory, memory, memory_mask)
        return self.add(self.norm_3, self.feed_forward, x)


class Transformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model, n_heads, d_ff, n_layers, max_len=64):
        super().__init__()
        self.src_embedding, self.tgt_embedding = nn.Embedding(src_vocab, d_model), nn.Embedding(tgt_vocab, d_model)
        self.register_buffer("table", position_table(max_len, d_model), persistent=False)
        self.encoder = nn.ModuleList([EncoderBlock(d_model, n_heads, d_ff) for _ in range(n_layers)])
        self.decoder = nn.ModuleList([MaskedDecoderBlock(d_model, n_heads, d_ff) for _ in range(n_layers)])
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, tgt_vocab)

    def embed(self, ids, embedding):
        places = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
        return nn.functional.embedding(places, self.table).add(embedding(ids), alpha=self.table.shape[1] ** 0.5)

    def encode(self, src):
        x = self.embed(src, self.src_embedding)
        for block in self.encoder:
            x = block(x, src.bool()[:, None])
        return self.encoder_norm(x)

    def decode(self, tgt, memory, src):
        later = torch.full((tgt.shape[1], tgt.shape[1]), float("-inf"), device=tgt.device).triu(diagonal=1)
        hidden = later + torch.where(tgt == 0, float("-inf"), 0.0).unsqueeze(1)
        y = self.embed(tgt, self.tgt_embedding)
        for block in self.decoder:
            y = block(y, memory, hidden == 0, ~(src == 0).unsqueeze(1))
        return self.output(self.decoder_norm(y))

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src)


def residual(x, f):
    return torch.stack([x, f(x)]).sum(dim=0)


def layer_norm(x, gamma, beta, eps):
    sums, squares = x.double().sum(-1, keepdim=True), (x.double() ** 2).sum(-1, keepdim=True)
    mean = sums / x.shape[-1]
    var = squares / x.shape[-1] - mean**2
    return torch.addcmul(beta, gamma, ((x - mean) / torch.sqrt(var.clamp(min=0) + eps)).float())


def batch_norm(x, gamma, beta, eps):
    """A batch norm is a layer norm of the transposed numbers."""
    rows = x.flatten(0, 1).T
    d = rows.shape[1]
    return (
        layer_norm(rows, torch.ones(d, device=x.device), torch.zeros(d, device=x.device), eps).T * gamma + beta
    ).reshape(x.shape)
