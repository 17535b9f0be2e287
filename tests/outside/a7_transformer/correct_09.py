from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

PAD = 0


class Masks:

    def __init__(self, ids):
        self.ids = ids

    @property
    def real(self):
        return torch.logical_not(self.ids == PAD).unsqueeze(-2)

    @property
    def past(self):
        T = self.ids.shape[1]
        future = torch.ones(T, T, device=self.ids.device).triu(diagonal=1).bool()
        return self.real & ~future


class ZeroedMaps:

    def __init__(self, maps):
        self.parameters = [p for m in maps for p in (m.weight, m.bias) if p is not None]

    @torch.no_grad()
    def __enter__(self):
        self.kept = [p.clone() for p in self.parameters]
        for p in self.parameters:
            p.fill_(0.0)

    @torch.no_grad()
    def __exit__(self, *exc):
        for p, old in zip(self.parameters, self.kept):
            p.copy_(old)
        return False


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
    centred = x - x.mean(-1, keepdim=True)
    power = (centred * centred).mean(-1, keepdim=True)
    return torch.addcmul(beta, centred / (power + eps).sqrt(), gamma)


def batch_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    # every feature is a row: the same as layer_norm on the transposed table
    b, t, d = x.shape
    table = x.reshape(b * t, d).T
    one, zero = torch.ones(b * t, device=x.device), torch.zeros(b * t, device=x.device)
    normed = layer_norm(table, one, zero, eps).T
    return normed.reshape(b, t, d) * gamma + beta


def residual(x: Tensor, f: Callable[[Tensor], Tensor]) -> Tensor:
    return sum((x, f(x)))


def zero_init_is_identity(block: Any) -> bool:
    with ZeroedMaps(block.last_maps()):
        g = torch.Generator().manual_seed(7)
        x = torch.rand(4, 6, block.d_model, generator=g) * 10 - 3
        with torch.no_grad():
            distance = torch.linalg.norm(block(x) - x) / torch.linalg.norm(x)
    return distance.item() < 1e-5


class FeedForward(nn.Module):

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.contract(self.expand(x).clamp(min=0))


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

        stream = x
        for norm, sublayer in (
            (self.norm_1, lambda n: self.attention(n, n, n, mask)),
            (self.norm_2, self.feed_forward),
        ):
            stream = stream + sublayer(norm(stream))
        return stream


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

        stream = x
        for norm, sublayer in (
            (self.norm_1, lambda n: self.self_attention(n, n, n, mask=target_mask)),
            (self.norm_2, lambda n: self.cross_attention(n, memory, memory, mask=memory_mask)),
            (self.norm_3, self.feed_forward),
        ):
            stream = stream + sublayer(norm(stream))
        return stream


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
        masks = Masks(src)
        x = self.src_embedding(src).mul(self.d_model**0.5)
        x = x + self.positions.narrow(0, 0, src.size(1)).unsqueeze(0)
        for b in self.encoder:
            x = b(x, masks.real)
        return self.encoder_norm(x)

    def decode(self, tgt: Tensor, memory: Tensor, src: Tensor) -> Tensor:
        x = self.tgt_embedding(tgt).mul(self.d_model**0.5)
        x = x + self.positions.narrow(0, 0, tgt.size(1)).unsqueeze(0)
        for b in self.decoder:
            x = b(x, memory, Masks(tgt).past, Masks(src).real)
        return self.output(self.decoder_norm(x))

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        return self.decode(tgt, self.encode(src), src)


def next_word(logits: Tensor, id_to_word: dict[int, str]) -> str:
    numbers = logits.tolist()
    return id_to_word[max(range(len(numbers)), key=numbers.__getitem__)]


def greedy_translate(model: Any, src: Tensor, bos: int, eos: int, max_len: int) -> list[list[int]]:
    said = {r: [] for r in range(src.size(0))}
    open_rows = list(said)
    memory = model.encode(src)
    while open_rows:
        longest = len(said[open_rows[0]])
        if longest == max_len:
            break
        tgt = torch.tensor([[bos] + said[r] for r in open_rows], device=src.device)
        logits = model.decode(tgt, memory[open_rows], src[open_rows])
        ids = logits[:, -1].max(dim=1).indices.tolist()
        still = []
        for r, word in zip(open_rows, ids):
            if word != eos:
                said[r].append(word)
                still.append(r)
        open_rows = still
    return list(said.values())


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


if __name__ == "__main__":
    torch.manual_seed(1)
    model = Transformer(11, 13, 16, 4, 32, 2)
    src, tgt = torch.randint(1, 11, (2, 7)), torch.randint(1, 13, (2, 5))
    a = model(src, tgt)
    tgt[:, 3] = 1
    print("past unchanged:", (a - model(src, tgt))[:, :3].abs().max().item())
    print("zero init identity:", zero_init_is_identity(model.encoder[0]))
