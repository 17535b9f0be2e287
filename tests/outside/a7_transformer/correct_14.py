"""The Transformer: normalisation, residual connections, encoder and decoder blocks, the whole model, and translation.

    x, y      (batch, time, d_model)    vectors, one for each position of each sequence
    src, tgt  (batch, T_s), (batch, T_t)    ids of words, whole numbers; PAD = 0 fills up short rows
    memory    (batch, T_s, d_model)     what the encoder made of src

A mask is boolean, and True means "may look": (T_q, T_k), (batch, T_q, T_k), or anything that broadcasts to the latter,
such as (batch, 1, T_k). None means that everything may be looked at.

Blocks are PRE-NORM: a sublayer reads the normed input, and what it says is added to the input as it was,
x + sublayer(norm(x)). After a stack of such blocks stands one more norm. (Vaswani et al. 2017 are post-norm,
norm(x + sublayer(x)), and have no such final norm.)

All tensors of a call are on one device, the CPU or a GPU. What you make yourself belongs there, too: write
torch.ones(T, T, device=tgt.device).

The constructors are given: they make all parameters, so that a state dict loads by name. You write what happens to the
inputs. There is no dropout. No function here changes the tensors it is given. Each may call any other of this file, also
one further down.
"""

import copy
import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

PAD = 0


class Attention(nn.Module):
    """Multi-head attention, given: torch's own, with masks as everywhere in this course."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.heads = nn.MultiheadAttention(d_model, n_heads, batch_first=True)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        """Let every query look at the keys, and return the mixture of values it takes home.

        Args:
            query: (batch, T_q, d_model).
            key, value: (batch, T_k, d_model).
            mask: boolean, True = may look; broadcasts to (batch, T_q, T_k). None lets every query look at every key.

        Returns:
            output: (batch, T_q, d_model). A query that may look at nothing gets zeros.
        """
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
    """Return the sinusoidal encoding of positions 0 to length - 1, given: (length, d_model), d_model even.

    Each pair of columns is a hand of a clock that turns at a speed of its own; the hands are complex numbers here.
    """
    speeds = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    hands = 1j * torch.exp(-1j * torch.outer(torch.arange(length, dtype=torch.float64), speeds))
    return torch.view_as_real(hands).flatten(start_dim=1).float()


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    z = x - x.mean(-1, keepdim=True)
    return gamma * z / (z.pow(2).mean(-1, keepdim=True) + eps).sqrt() + beta


def batch_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    rows = x.flatten(0, 1)
    z = (rows - rows.mean(0)) / (rows.var(0, unbiased=False) + eps).sqrt()
    return (gamma * z + beta).reshape(x.shape)


def residual(x: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
    return x + f(x)


def zero_init_is_identity(block: Any) -> bool:
    twin = copy.deepcopy(block)
    for p in [p for m in twin.last_maps() for p in m.parameters()]:
        nn.init.zeros_(p)
    x = torch.empty(3, 4, block.d_model).normal_(0.7, 2.5, generator=torch.Generator().manual_seed(0)).to(p)
    with torch.no_grad():
        return torch.allclose(twin(x.clone()), x, atol=1e-5)


class FeedForward(nn.Module):
    """Two linear maps with a ReLU between them: each position thinks by itself.

    expand    nn.Linear(d_model, d_ff)
    contract  nn.Linear(d_ff, d_model)
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.contract(nn.functional.relu(self.expand(x)))


class EncoderBlock(nn.Module):
    """One layer of the encoder, pre-norm: self-attention, then feed-forward, each inside a residual.

    norm_1, attention       the first sublayer: nn.LayerNorm, Attention
    norm_2, feed_forward    the second sublayer: nn.LayerNorm, FeedForward
    """

    def __init__(self, d_model: int, n_heads: int, d_ff: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.norm_1 = nn.LayerNorm(d_model)
        self.attention = Attention(d_model, n_heads)
        self.norm_2 = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff)

    def last_maps(self) -> list[nn.Linear]:
        """Return the last linear map of each sublayer, given, for zero_init_is_identity."""
        return [self.attention.heads.out_proj, self.feed_forward.contract]

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        x = residual(x, lambda s: self.attention(*[self.norm_1(s)] * 3, mask))
        return residual(x, lambda s: self.feed_forward(self.norm_2(s)))


class MaskedDecoderBlock(nn.Module):
    """One layer of the decoder, pre-norm: masked self-attention, cross-attention, feed-forward, each inside a residual.

    norm_1, self_attention     the first sublayer: nn.LayerNorm, Attention
    norm_2, cross_attention    the second sublayer: nn.LayerNorm, Attention
    norm_3, feed_forward       the third sublayer: nn.LayerNorm, FeedForward
    """

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
        x = residual(x, lambda s: self.self_attention(*[self.norm_1(s)] * 3, target_mask))
        x = residual(x, lambda s: self.cross_attention(self.norm_2(s), memory, memory, memory_mask))
        return residual(x, lambda s: self.feed_forward(self.norm_3(s)))


class Transformer(nn.Module):
    """The whole model: from ids of the source, and of the target so far, to logits of the target's next words.

    src_embedding, tgt_embedding    nn.Embedding, a vector for each word of either language
    positions                       (max_len, d_model), the table of position_table; no parameter
    encoder, encoder_norm           n_layers of EncoderBlock, and the norm after them
    decoder, decoder_norm           n_layers of MaskedDecoderBlock, and the norm after them
    output                          nn.Linear(d_model, tgt_vocab); its weights are its own, not those of tgt_embedding
    """

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
        seen = (src != PAD)[:, None]
        x = self.src_embedding(src) * self.d_model**0.5 + self.positions[: src.shape[1]]
        return self.encoder_norm(functools.reduce(lambda h, block: block(h, seen), self.encoder, x))

    def decode(self, tgt: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        T = tgt.shape[1]
        causal = torch.ones(T, T, dtype=torch.bool, device=tgt.device).tril()
        own, other = causal & (tgt != PAD)[:, None], (src != PAD)[:, None]
        x = self.tgt_embedding(tgt) * self.d_model**0.5 + self.positions[:T]
        for block in self.decoder:
            x = block(x, memory, own, other)
        return self.output(self.decoder_norm(x))

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        return self.decode(tgt, self.encode(src), src)


def next_word(logits: Tensor, id_to_word: dict[int, str]) -> str:
    return id_to_word[max(range(len(logits)), key=logits.tolist().__getitem__)]


def greedy_translate(model: Any, src: Tensor, bos: int, eos: int, max_len: int) -> list[list[int]]:
    said: list[list[int]] = [[] for _ in range(len(src))]
    alive = torch.arange(len(src), device=src.device)
    tgt = torch.full((len(src), 1), bos, device=src.device)
    memory = model.encode(src)
    for _ in range(max_len):
        words = model.decode(tgt, memory, src)[:, -1].argmax(-1)
        go = words != eos
        alive, memory, src = alive[go], memory[go], src[go]
        tgt = torch.cat([tgt, words[:, None]], dim=1)[go]
        if not len(alive):
            break
        for i, word in zip(alive.tolist(), tgt[:, -1].tolist()):
            said[i].append(word)
    return said


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {"run_1": "", "run_2": "", "run_3": "", "run_4": "", "run_5": ""}
    raise NotImplementedError("debugging_lab is not written yet")
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option.

    Write a letter between each pair of empty quotation marks, and delete the line that raises an error.
    """
    answers = {
        "why_residual": "",
        "why_not_batch_norm": "",
        "pre_or_post": "",
        "what_trains_in_parallel": "",
        "normed_by_hand": "",
        "feed_forward_size": "",
        "growing_stream": "",
        "cross_attention_map": "",
    }
    raise NotImplementedError("quiz is not written yet")
    return answers
