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
import math
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
        """Let every query look at the keys, and return the mixture of values it takes home."""
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
    """Return the sinusoidal encoding of positions 0 to length - 1, given: (length, d_model), d_model even."""
    speeds = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    hands = 1j * torch.exp(-1j * torch.outer(torch.arange(length, dtype=torch.float64), speeds))
    return torch.view_as_real(hands).flatten(start_dim=1).float()


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    """Bring every vector to mean 0 and variance 1 by itself, then give it a scale and a shift that are learned."""
    d = x.shape[-1]
    mean = x.sum(dim=-1, keepdim=True) / d
    deviation = x - mean
    variance = (deviation * deviation).sum(dim=-1, keepdim=True) / d
    normed = deviation / torch.sqrt(variance + eps)
    return normed * gamma + beta


def batch_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    """Bring every feature to mean 0 and variance 1 over all positions of all sequences, then scale and shift it."""
    batch, time, d = x.shape
    columns = []
    for j in range(d):
        feature = x[:, :, j]
        mean = feature.sum() / (batch * time)
        deviation = feature - mean
        variance = (deviation**2).sum() / (batch * time)
        normed = deviation / torch.sqrt(variance + eps)
        columns.append(gamma[j] * normed + beta[j])
    return torch.stack(columns, dim=-1)


def residual(x: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
    """Let f say what to change about x, instead of what to make of it."""
    change: Tensor = f(x)
    y: Tensor = x + change
    return y


def zero_init_is_identity(block: Any) -> bool:
    """Say whether a block returns its input when the last linear map of each of its sublayers is zero."""
    # work on a copy, so that the block of the caller is never touched
    trial = copy.deepcopy(block)
    for linear in trial.last_maps():
        nn.init.zeros_(linear.weight)
        if linear.bias is not None:
            nn.init.zeros_(linear.bias)
    numbers = torch.arange(2.0 * 3 * block.d_model).reshape(2, 3, block.d_model)
    x = 4 * torch.sin(numbers**2) + 0.1 * numbers - 1
    with torch.no_grad():
        y = trial(x)
    if y.shape != x.shape:
        return False
    return bool((y - x).abs().max() < 1e-3)


class FeedForward(nn.Module):
    """Two linear maps with a ReLU between them: each position thinks by itself."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """Apply both maps to every position."""
        inner = self.expand(x)
        inner = torch.maximum(inner, torch.zeros_like(inner))
        outer = self.contract(inner)
        return outer


class EncoderBlock(nn.Module):
    """One layer of the encoder, pre-norm: self-attention, then feed-forward, each inside a residual."""

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
        """Let the positions talk to each other, then let each think by itself."""

        # first sublayer
        normed = self.norm_1(x)
        attended = self.attention(query=normed, key=normed, value=normed, mask=mask)
        h = x + attended

        # second sublayer
        normed = self.norm_2(h)
        thought = self.feed_forward(normed)
        y = h + thought
        return y


class MaskedDecoderBlock(nn.Module):
    """One layer of the decoder, pre-norm: masked self-attention, cross-attention, feed-forward, each inside a residual."""

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
        """Look at what was said so far, then at the source, then think."""

        # first sublayer: the target looks at itself
        normed = self.norm_1(x)
        attended = self.self_attention(query=normed, key=normed, value=normed, mask=target_mask)
        g = x + attended

        # second sublayer: the target looks at the source
        normed = self.norm_2(g)
        attended = self.cross_attention(query=normed, key=memory, value=memory, mask=memory_mask)
        h = g + attended

        # third sublayer
        normed = self.norm_3(h)
        thought = self.feed_forward(normed)
        y = h + thought
        return y


class Transformer(nn.Module):
    """The whole model: from ids of the source, and of the target so far, to logits of the target's next words."""

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
        """Read the source."""
        batch, T_s = src.shape
        x = self.src_embedding(src) * math.sqrt(self.d_model)
        x = x + self.positions[0:T_s]

        mask = torch.zeros(batch, T_s, T_s, dtype=torch.bool, device=src.device)
        for b in range(batch):
            for key in range(T_s):
                if src[b, key] != PAD:
                    mask[b, :, key] = True

        for layer in self.encoder:
            x = layer(x, mask=mask)
        x = self.encoder_norm(x)
        return x

    def decode(self, tgt: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        """Say for every position of the target which word comes next."""
        batch, T_t = tgt.shape
        T_s = src.shape[1]
        y = self.tgt_embedding(tgt) * math.sqrt(self.d_model)
        y = y + self.positions[0:T_t]

        target_mask = torch.zeros(batch, T_t, T_t, dtype=torch.bool, device=tgt.device)
        for i in range(T_t):
            for j in range(i + 1):
                target_mask[:, i, j] = tgt[:, j] != PAD
        memory_mask = torch.zeros(batch, T_t, T_s, dtype=torch.bool, device=tgt.device)
        for i in range(T_t):
            memory_mask[:, i, :] = src != PAD

        for layer in self.decoder:
            y = layer(y, memory, target_mask=target_mask, memory_mask=memory_mask)
        y = self.decoder_norm(y)
        logits = self.output(y)
        return logits

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Read the source, and say for every position of the target which word comes next."""
        memory = self.encode(src)
        logits = self.decode(tgt, memory, src)
        return logits


def next_word(logits: Tensor, id_to_word: dict[int, str]) -> str:
    """Turn the logits for one position into the most probable word."""
    probabilities = torch.softmax(logits, dim=0)
    best_id = 0
    for i in range(len(probabilities)):
        if probabilities[i] > probabilities[best_id]:
            best_id = i
    return id_to_word[best_id]


def greedy_translate(model: Any, src: Tensor, bos: int, eos: int, max_len: int) -> list[list[int]]:
    """Translate word by word, taking the most probable one each time."""
    translations: list[list[int]] = []
    with torch.no_grad():
        all_memory = model.encode(src)
        for row in range(src.shape[0]):
            one_src = src[row : row + 1]
            one_memory = all_memory[row : row + 1]
            words: list[int] = []
            while len(words) < max_len:
                so_far = torch.tensor([[bos] + words], dtype=torch.long, device=src.device)
                logits = model.decode(so_far, one_memory, one_src)
                word = int(torch.argmax(logits[0, -1]))
                if word == eos:
                    break
                words.append(word)
            translations.append(words)
    return translations


def debugging_lab() -> dict[str, str]:
    """Name the mistake behind each run in the section "The debugging lab" of README.md, by the letter of its cause."""
    answers = {"run_1": "b", "run_2": "d", "run_3": "a", "run_4": "c", "run_5": "d"}
    return answers


def quiz() -> dict[str, str]:
    """Answer the questions of README.md, in the section "The quiz", each with the letter of its one right option."""
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
