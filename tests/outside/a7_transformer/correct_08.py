from collections.abc import Callable
from typing import Any

import math

import torch
from torch import Tensor, nn

PAD = 0


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
    d = x.shape[-1]
    rows = []
    for row in x.reshape(-1, d):
        mu = row.sum() / d
        sigma2 = ((row - mu) ** 2).sum() / d
        rows.append(gamma * ((row - mu) / (sigma2 + eps) ** 0.5) + beta)
    return torch.stack(rows).reshape(x.shape)


def batch_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    features = []
    for k in range(x.shape[2]):
        column = x[:, :, k]
        n = column.numel()
        mu = column.sum() / n
        sigma2 = ((column - mu) ** 2).sum() / n
        features.append(gamma[k] * (column - mu) / (sigma2 + eps).sqrt() + beta[k])
    return torch.stack(features, dim=2)


def residual(x: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
    change = f(x)
    y = x + change
    return y


def zero_init_is_identity(block: Any) -> bool:
    saved = {name: p.detach().clone() for name, p in block.named_parameters()}
    try:
        for linear in block.last_maps():
            nn.init.zeros_(linear.weight)
            if linear.bias is not None:
                nn.init.zeros_(linear.bias)
        x = torch.linspace(-4.0, 7.0, 3 * block.d_model).reshape(1, 3, block.d_model) ** 2 - 6.0
        x = x.to(linear.weight.device)
        with torch.no_grad():
            y = block(x)
        difference = (y - x).abs().max().item()
    finally:
        with torch.no_grad():
            for name, p in block.named_parameters():
                p.copy_(saved[name])
    return difference < 1e-4


class FeedForward(nn.Module):

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.expand(x)
        hidden = torch.where(hidden > 0, hidden, torch.zeros_like(hidden))
        return self.contract(hidden)


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

        # sublayer 1
        normed = self.norm_1(x)
        attended = self.attention(query=normed, key=normed, value=normed, mask=mask)
        h = x + attended
        # sublayer 2
        normed = self.norm_2(h)
        y = h + self.feed_forward(normed)
        return y


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

        # sublayer 1: the target looks at itself
        normed = self.norm_1(x)
        g = x + self.self_attention(normed, normed, normed, target_mask)
        # sublayer 2: the target looks at the source
        query = self.norm_2(g)
        h = g + self.cross_attention(query, memory, memory, memory_mask)
        # sublayer 3
        y = h + self.feed_forward(self.norm_3(h))
        return y


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
        batch, T = src.shape
        scale = math.sqrt(self.d_model)
        columns = []
        for t in range(T):
            columns.append(scale * self.src_embedding(src[:, t]) + self.positions[t])
        x = torch.stack(columns, dim=1)
        real = src.ne(PAD).view(batch, 1, T)
        for i in range(len(self.encoder)):
            x = self.encoder[i](x, mask=real)
        return self.encoder_norm(x)

    def decode(self, tgt: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        batch, T = tgt.shape
        scale = math.sqrt(self.d_model)
        columns = []
        for t in range(T):
            columns.append(scale * self.tgt_embedding(tgt[:, t]) + self.positions[t])
        y = torch.stack(columns, dim=1)
        real = tgt != PAD
        target_mask = torch.zeros(batch, T, T, dtype=torch.bool, device=tgt.device)
        for i in range(T):
            target_mask[:, i, : i + 1] = real[:, : i + 1]
        source_mask = (src != PAD)[:, None, :]
        for i in range(len(self.decoder)):
            y = self.decoder[i](y, memory, target_mask=target_mask, memory_mask=source_mask)
        y = self.decoder_norm(y)
        return self.output(y)

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        memory = self.encode(src)
        logits = self.decode(tgt, memory, src)
        return logits


def next_word(logits: Tensor, id_to_word: dict[int, str]) -> str:
    best = 0
    for i in range(len(logits)):
        if logits[i] > logits[best]:
            best = i
    return id_to_word[best]


def greedy_translate(model: Any, src: Tensor, bos: int, eos: int, max_len: int) -> list[list[int]]:
    translations = []
    for r in range(src.shape[0]):
        row = src[r : r + 1]
        memory = model.encode(row)
        words = [bos]
        while len(words) - 1 < max_len:
            tgt = torch.tensor([words], device=src.device)
            word = model.decode(tgt, memory, row)[0, -1].argmax().item()
            if word == eos:
                break
            words.append(word)
        translations.append(words[1:])
    return translations


def debugging_lab() -> dict[str, str]:
    answers = {"run_1": "b", "run_2": "d", "run_3": "a", "run_4": "c", "run_5": "d"}
    return answers


def quiz() -> dict[str, str]:
    answers = {
        "why_residual": "b",
        "why_not_batch_norm": "a",
        "pre_or_post": "c",
        "what_trains_in_parallel": "d",
        "normed_by_hand": "c",
        "feed_forward_size": "a",
        "growing_stream": "d",
        "cross_attention_map": "b",
    }
    return answers
