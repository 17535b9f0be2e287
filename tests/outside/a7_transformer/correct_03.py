"""The Transformer: normalisation, residual connections, encoder and decoder blocks, the whole model, and translation.

    x, y      (batch, time, d_model)    vectors, one for each position of each sequence
    src, tgt  (batch, T_s), (batch, T_t)    ids of words, whole numbers; PAD = 0 fills up short rows
    memory    (batch, T_s, d_model)     what the encoder made of src

A mask is boolean, and True means "may look": (T_q, T_k), (batch, T_q, T_k), or anything that broadcasts to the latter,
such as (batch, 1, T_k). None means that everything may be looked at.

Blocks are PRE-NORM: a sublayer reads the normed input, and what it says is added to the input as it was,
x + sublayer(norm(x)). After a stack of such blocks stands one more norm. (Vaswani et al. 2017 are post-norm,
norm(x + sublayer(x)), and have no such final norm.)

The constructors are given: they make all parameters, so that a state dict loads by name. You write what happens to the
inputs. There is no dropout. No function here changes the tensors it is given. Each may call any other of this file, also
one further down.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

PAD = 0


def standardise(x: Tensor, axes: tuple[int, ...], eps: float) -> Tensor:
    mean = x.mean(dim=axes, keepdim=True)
    variance = x.var(dim=axes, unbiased=False, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps)


def not_padding(ids: Tensor) -> Tensor:
    """(batch, 1, T): which keys may be looked at."""
    return ids.ne(PAD).unsqueeze(-2)


def embed(table: nn.Embedding, positions: Tensor, ids: Tensor) -> Tensor:
    vectors = math.sqrt(table.embedding_dim) * table(ids)
    return vectors + positions[torch.arange(ids.shape[1])]


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
    return standardise(x, (-1,), eps) * gamma + beta


def batch_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return standardise(x, (0, 1), eps) * gamma + beta


def residual(x: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
    return torch.add(x, f(x))


def zero_init_is_identity(block: Any) -> bool:
    saved = [(parameter, parameter.detach().clone()) for last in block.last_maps() for parameter in last.parameters()]
    probe = torch.linspace(-4.0, 7.0, 3 * 4 * block.d_model).sin().reshape(3, 4, block.d_model) * 2.5 + 0.7
    try:
        with torch.no_grad():
            for parameter, _ in saved:
                nn.init.zeros_(parameter)
            difference = (block(probe) - probe).abs().max()
    finally:
        with torch.no_grad():
            for parameter, value in saved:
                parameter.copy_(value)
    return difference.item() < 1e-4


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.contract(torch.clamp(self.expand(x), min=0))


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
        def look(z):
            n = self.norm_1(z)
            return self.attention(n, n, n, mask)

        def think(z):
            return self.feed_forward(self.norm_2(z))

        return residual(residual(x, look), think)


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
        def look_back(z):
            n = self.norm_1(z)
            return self.self_attention(n, n, n, target_mask)

        def look_over(z):
            return self.cross_attention(self.norm_2(z), memory, memory, memory_mask)

        def think(z):
            return self.feed_forward(self.norm_3(z))

        for sublayer in (look_back, look_over, think):
            x = residual(x, sublayer)
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
        states = embed(self.src_embedding, self.positions, src)
        allowed = not_padding(src)
        for layer in self.encoder:
            states = layer(states, allowed)
        return self.encoder_norm(states)

    def decode(self, tgt: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        states = embed(self.tgt_embedding, self.positions, tgt)
        place = torch.arange(tgt.shape[1], device=tgt.device)
        causal = place[None, :] <= place[:, None]
        visible = torch.logical_and(causal, not_padding(tgt))
        for layer in self.decoder:
            states = layer(states, memory, visible, not_padding(src))
        return self.output(self.decoder_norm(states))

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        return self.decode(tgt=tgt, memory=self.encode(src=src), src=src)


def next_word(logits: Tensor, id_to_word: dict[int, str]) -> str:
    probabilities = torch.softmax(logits.double(), dim=0)
    return id_to_word[int(probabilities.argmax())]


def greedy_translate(model: Any, src: Tensor, bos: int, eos: int, max_len: int) -> list[list[int]]:
    with torch.no_grad():
        memory = model.encode(src)
        count = src.shape[0]
        tgt = torch.full((count, 1), bos, dtype=torch.long)
        done = torch.zeros(count, dtype=torch.bool)
        results = [[] for _ in range(count)]
        for _ in range(max_len):
            logits = model.decode(tgt, memory, src)
            chosen = logits[:, -1, :].argmax(dim=-1)
            done = done | (chosen == eos)
            if done.all():
                break
            chosen = chosen.masked_fill(done, PAD)
            for row in range(count):
                if not done[row]:
                    results[row].append(int(chosen[row]))
            tgt = torch.cat((tgt, chosen.unsqueeze(1)), dim=1)
    return results


def quiz() -> dict[str, str]:
    answers = {
        "why_residual": "b",
        "layer_or_batch": "d",
        "why_not_batch_norm": "a",
        "pre_or_post": "c",
        "decoder_has_more": "b",
        "roles_in_cross_attention": "a",
        "what_trains_in_parallel": "c",
        "who_mixes_what": "b",
    }
    return answers
