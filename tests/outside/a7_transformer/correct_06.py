from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

PAD = 0


import math


def _standard(x, axes, eps):
    count = math.prod(x.shape[a] for a in axes)
    centred = x - x.sum(axes, keepdim=True) / count
    spread = (centred * centred).sum(axes, keepdim=True) / count
    return centred * (spread + eps).rsqrt()


def _visible(ids):
    return ids.ne(PAD)[:, None, :]


def _embed(model, table, ids):
    rows = [math.sqrt(model.d_model) * table.weight[row] for row in ids]
    return torch.stack(rows) + model.positions[None, : ids.size(1), :]


class Attention(nn.Module):

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.heads = nn.MultiheadAttention(d_model, n_heads, batch_first=True)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        if mask is None:
            return self.heads(query, key, value, need_weights=False)[0]
        if mask.dtype != torch.bool:
            raise TypeError(f"a mask is boolean here, and True means 'may look'; this one is {mask.dtype}")
        mask = mask.expand(query.shape[0], query.shape[1], key.shape[1])
        some = mask.any(dim=-1, keepdim=True)
        forbidden = (some & ~mask).repeat_interleave(self.heads.num_heads, dim=0)
        output, _ = self.heads(query, key, value, attn_mask=forbidden, need_weights=False)
        return output.masked_fill(~some, 0.0)


def position_table(length: int, d_model: int) -> Tensor:
    speeds = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    hands = 1j * torch.exp(-1j * torch.outer(torch.arange(length, dtype=torch.float64), speeds))
    return torch.view_as_real(hands).flatten(start_dim=1).float()


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return torch.addcmul(beta, _standard(x, (-1,), eps), gamma)


def batch_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return torch.addcmul(beta, _standard(x, (0, 1), eps), gamma)


def residual(x: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
    return torch.add(f(x), x)


def zero_init_is_identity(block: Any) -> bool:
    parameters = [p for linear in block.last_maps() for p in (linear.weight, linear.bias) if p is not None]
    kept = [p.detach().clone() for p in parameters]
    reference = parameters[0]
    grid = torch.arange(2 * 4 * block.d_model, dtype=reference.dtype, device=reference.device)
    probe = (3 * torch.sin(1.7 * grid**1.3) + 0.4).reshape(2, 4, block.d_model)
    with torch.no_grad():
        for p in parameters:
            p.fill_(0.0)
        answer = block(probe.clone())
        for p, value in zip(parameters, kept):
            p.copy_(value)
    return (answer - probe).abs().max().item() < 1e-4


class FeedForward(nn.Module):

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        hidden = x @ self.expand.weight.T + self.expand.bias
        hidden = torch.where(hidden > 0, hidden, torch.zeros_like(hidden))
        return hidden @ self.contract.weight.T + self.contract.bias


class EncoderBlock(nn.Module):

    def __init__(self, d_model: int, n_heads: int, d_ff: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.norm_1 = nn.LayerNorm(d_model)
        self.attention = Attention(d_model, n_heads)
        self.norm_2 = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff)

    def last_maps(self) -> list[nn.Linear]:
        return [self.attention.heads.out_proj, self.feed_forward.contract]

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:

        def look(n):
            return self.attention(n, n, n, mask=mask)

        for norm, sublayer in ((self.norm_1, look), (self.norm_2, self.feed_forward)):
            x = residual(x, lambda v, norm=norm, sublayer=sublayer: sublayer(norm(v)))
        return x


class MaskedDecoderBlock(nn.Module):

    def __init__(self, d_model: int, n_heads: int, d_ff: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.norm_1 = nn.LayerNorm(d_model)
        self.self_attention = Attention(d_model, n_heads)
        self.norm_2 = nn.LayerNorm(d_model)
        self.cross_attention = Attention(d_model, n_heads)
        self.norm_3 = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff)

    def forward(
        self, x: Tensor, memory: Tensor, target_mask: Tensor | None = None, memory_mask: Tensor | None = None
    ) -> Tensor:

        side_ways = [
            lambda v: self.self_attention(query=self.norm_1(v), key=self.norm_1(v), value=self.norm_1(v), mask=target_mask),
            lambda v: self.cross_attention(query=self.norm_2(v), key=memory, value=memory, mask=memory_mask),
            lambda v: self.feed_forward(self.norm_3(v)),
        ]
        for way in side_ways:
            x = residual(x, way)
        return x


class Transformer(nn.Module):

    def __init__(
        self, src_vocab: int, tgt_vocab: int, d_model: int, n_heads: int, d_ff: int, n_layers: int, max_len: int = 64
    ) -> None:
        super().__init__()
        self.d_model = d_model
        self.src_embedding = nn.Embedding(src_vocab, d_model)
        self.tgt_embedding = nn.Embedding(tgt_vocab, d_model)
        self.register_buffer("positions", position_table(max_len, d_model), persistent=False)
        self.encoder = nn.ModuleList(EncoderBlock(d_model, n_heads, d_ff) for _ in range(n_layers))
        self.encoder_norm = nn.LayerNorm(d_model)
        self.decoder = nn.ModuleList(MaskedDecoderBlock(d_model, n_heads, d_ff) for _ in range(n_layers))
        self.decoder_norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, tgt_vocab)

    def encode(self, src: Tensor) -> Tensor:
        x = _embed(self, self.src_embedding, src)
        for i in range(len(self.encoder)):
            x = self.encoder[i](x, _visible(src))
        return self.encoder_norm(x)

    def decode(self, tgt: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        places = torch.arange(tgt.size(1), device=tgt.device)
        not_later = places[None, :] <= places[:, None]
        target_mask = torch.logical_and(not_later[None], _visible(tgt))
        x = _embed(self, self.tgt_embedding, tgt)
        for layer in self.decoder:
            x = layer(x, memory, target_mask=target_mask, memory_mask=_visible(src))
        return nn.functional.linear(self.decoder_norm(x), self.output.weight, self.output.bias)

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        memory = self.encode(src)
        logits = self.decode(tgt, memory, src)
        return logits


def next_word(logits: Tensor, id_to_word: dict[int, str]) -> str:
    shares = torch.softmax(logits - logits.max(), dim=0).tolist()
    return id_to_word[max(range(len(shares)), key=lambda i: shares[i])]


def greedy_translate(model: Any, src: Tensor, bos: int, eos: int, max_len: int) -> list[list[int]]:
    said = []
    with torch.no_grad():
        for r in range(len(src)):
            row = src[r : r + 1]
            memory = model.encode(row)
            so_far = [bos]
            while len(so_far) <= max_len:
                scores = model.decode(torch.tensor([so_far], device=src.device), memory, row)[0, -1]
                word = torch.argmax(scores).item()
                if word == eos:
                    break
                so_far.append(word)
            said.append(so_far[1:])
    return said


def quiz() -> dict[str, str]:
    answers = {
        "why_residual": "",
        "layer_or_batch": "",
        "why_not_batch_norm": "",
        "pre_or_post": "",
        "decoder_has_more": "",
        "roles_in_cross_attention": "",
        "what_trains_in_parallel": "",
        "who_mixes_what": "",
    }
    letters = iter("b d a c b a c b".split())
    answers = {question: next(letters) for question in answers}
    return answers
