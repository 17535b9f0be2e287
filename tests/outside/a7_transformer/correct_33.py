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

import torch.nn.functional as F
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

PAD = 0


def _standardise(x, dims, eps):
    var, mean = torch.var_mean(x, dim=dims, correction=0, keepdim=True)
    return (x - mean) * torch.rsqrt(var + eps)


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
    return torch.addcmul(beta, _standardise(x, -1, eps), gamma)


def batch_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return torch.addcmul(beta, _standardise(x, (0, 1), eps), gamma)


def residual(x: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
    return torch.add(f(x), x)


def zero_init_is_identity(block: Any) -> bool:
    before = {name: t.clone() for name, t in block.state_dict().items()}
    p = next(block.parameters())
    x = torch.empty(2, 7, block.d_model).uniform_(-3, 5, generator=torch.Generator().manual_seed(7)).to(p)
    with torch.no_grad():
        for p in [p for m in block.last_maps() for p in m.parameters()]:
            p.fill_(0)
        same = torch.isclose(block(x), x, rtol=1e-4, atol=1e-4).all().item()
    block.load_state_dict(before)
    return same


class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        inner = F.linear(x, self.expand.weight, self.expand.bias)
        return F.linear(F.relu(inner), self.contract.weight, self.contract.bias)


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
        x = residual(x, lambda t: self.attention(*[self.norm_1(t)] * 3, mask))
        return residual(x, lambda t: self.feed_forward(self.norm_2(t)))


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
        x = residual(x, lambda t: self.self_attention(*[self.norm_1(t)] * 3, target_mask))
        x = residual(x, lambda t: self.cross_attention(self.norm_2(t), memory, memory, memory_mask))
        return residual(x, lambda t: self.feed_forward(self.norm_3(t)))


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
        words = F.embedding(src, self.src_embedding.weight)
        x = torch.add(self.positions[: src.size(1)], words, alpha=self.d_model**0.5)
        for block in self.encoder:
            x = block(x, src.ne(PAD)[:, None])
        return self.encoder_norm(x)

    def decode(self, tgt: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        words = F.embedding(tgt, self.tgt_embedding.weight)
        y = torch.add(self.positions[: tgt.size(1)], words, alpha=self.d_model**0.5)
        place = torch.arange(tgt.size(1), device=tgt.device)
        causal = place[:, None] >= place
        for block in self.decoder:
            y = block(y, memory, tgt.ne(PAD)[:, None].logical_and(causal), src.ne(PAD)[:, None])
        return self.output(self.decoder_norm(y))

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        return self.decode(tgt=tgt, memory=self.encode(src), src=src)


def next_word(logits: Tensor, id_to_word: dict[int, str]) -> str:
    scores = logits.tolist()
    return id_to_word[max(range(len(scores)), key=scores.__getitem__)]


def greedy_translate(model: Any, src: Tensor, bos: int, eos: int, max_len: int) -> list[list[int]]:
    out = [[] for _ in src]
    alive = list(range(len(out)))
    memory = model.encode(src)
    while alive and len(out[alive[0]]) < max_len:
        tgt = torch.tensor([[bos, *out[i]] for i in alive], device=src.device)
        best = model.decode(tgt, memory[alive], src[alive]).argmax(-1)[:, -1].tolist()
        still = []
        for i, word in zip(alive, best):
            if word != eos:
                out[i].append(word)
                still.append(i)
        alive = still
    return out


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
