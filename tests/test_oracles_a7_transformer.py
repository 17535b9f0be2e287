"""The reference of a7_transformer against torch's own modules: values and gradients, in double and in single precision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from small import module, sizes, small
from small_torch import randomised, same
from torch import nn

ROOT = Path(__file__).parents[1]
# batch, T_t, T_s, d_model, heads, d_ff; of one feature layer norm leaves nothing
SIZES = sizes(6, 2, 4).map(lambda s: (s[0] - 1, s[1], s[2] - 1, s[3] * s[4], s[4], s[5]))


model = module(ROOT / "solutions" / "a7_transformer" / "transformer.py")


@pytest.fixture(params=[torch.float64, torch.float32], ids=["double", "single"])
def dtype(request):
    """Return each precision in turn, with the same random numbers for every test."""
    torch.manual_seed(20250107)
    return request.param


NAMES = {
    "attention.heads": "self_attn",
    "self_attention.heads": "self_attn",
    "cross_attention.heads": "multihead_attn",
    "feed_forward.expand": "linear1",
    "feed_forward.contract": "linear2",
    "norm_1": "norm1",
    "norm_2": "norm2",
    "norm_3": "norm3",
    "encoder_norm": "encoder.norm",
    "decoder_norm": "decoder.norm",
}


def torch_name(name: str) -> str:
    """Return what torch calls a parameter of ours."""
    for ours, theirs in NAMES.items():
        if name.startswith(ours + ".") or f".{ours}." in name:
            name = name.replace(ours, theirs)
            break
    head, dot, rest = name.partition(".")
    return f"{head}.layers.{rest}" if dot and head in ("encoder", "decoder") and rest[0].isdigit() else name


def weights_for(theirs: nn.Module, ours: nn.Module) -> Any:
    """Load our parameters into torch's module under torch's names."""
    names = {torch_name(name): value for name, value in ours.state_dict().items()}
    theirs.load_state_dict({name: value for name, value in names.items() if name in theirs.state_dict()})
    return theirs.eval()


def compare_gradients(ours: nn.Module, theirs: nn.Module) -> None:
    """Assert that the gradients of all parameters that both have are the same."""
    mine = {torch_name(name): parameter.grad for name, parameter in ours.named_parameters()}
    for name, parameter in theirs.named_parameters():
        same(mine[name], parameter.grad)


def causal(T: int) -> torch.Tensor:
    """Return the causal mask, True = may look."""
    return torch.ones(T, T, dtype=torch.bool).tril()


def padding(batch: int, T: int) -> torch.Tensor:
    """Return which positions are real: the first row is whole, each next one shorter by one, at least one long."""
    lengths = (T - torch.arange(batch)).clamp(min=1)
    return torch.arange(T) < lengths[:, None]


@small(eps=st.sampled_from([1e-5, 0.1]), shape=st.lists(st.integers(2, 5), min_size=1, max_size=4))
def test_layer_norm_is_torchs(dtype, shape, eps):
    """Any number of axes in front, small and large eps."""
    norm = randomised(nn.LayerNorm(shape[-1], eps=eps), dtype)
    x = torch.randn(shape, dtype=dtype) * 3 + 1
    same(model.layer_norm(x, norm.weight, norm.bias, eps), norm(x))


@small(eps=st.sampled_from([1e-5, 0.1]), shape=sizes(3, 2))
def test_batch_norm_is_that_of_training(dtype, eps, shape):
    """Torch has features on axis 1, we on the last."""
    norm = randomised(nn.BatchNorm1d(shape[-1], eps=eps), dtype).train()
    x = torch.randn(shape, dtype=dtype) * 3 + 1
    same(model.batch_norm(x, norm.weight, norm.bias, eps), norm(x.transpose(1, 2)).transpose(1, 2))


@small(size=sizes(3, 2))
def test_a_residual_is_that_of_torchs_layer(dtype, size):
    """With an attention that adds nothing, a pre-norm layer of torch's is one residual connection around its feed-forward half."""
    batch, T, d = size
    layer = nn.TransformerEncoderLayer(d, 1, 2 * d, dropout=0.0, batch_first=True, norm_first=True)
    layer = randomised(layer, dtype).eval()
    nn.init.zeros_(layer.self_attn.out_proj.weight)
    nn.init.zeros_(layer.self_attn.out_proj.bias)
    x = (torch.randn(batch, T, d, dtype=dtype) * 3).requires_grad_()
    ours = model.residual(x, nn.Sequential(layer.norm2, layer.linear1, nn.ReLU(), layer.linear2))
    theirs = layer(x)
    same(ours, theirs)
    weights = torch.randn_like(x)
    same(*(torch.autograd.grad((y * weights).sum(), x)[0] for y in (ours, theirs)))


@small(size=st.integers(1, 9))
def test_the_next_word_is_the_mode_of_torchs_distribution(dtype, size):
    """Also where logits are large: torch.distributions.Categorical says which word has the largest probability."""
    words = {number: f"word {number}" for number in range(size)}
    for scale in (1, 1000):
        logits = scale * torch.randn(size, dtype=dtype)
        mode = torch.distributions.Categorical(logits=logits).mode
        assert model.next_word(logits, words) == words[int(mode)]


def test_positions_are_the_published_rows():
    """The interleaved table of sines and cosines for d_model = 4, and its formula at another size."""
    rows = torch.tensor([[0, 1, 0, 1], [0.8415, 0.5403, 0.0100, 0.99995], [0.9093, -0.4161, 0.0200, 0.9998]])
    assert (model.position_table(3, 4) - rows).abs().max() < 6e-5
    table, t, i = model.position_table(50, 10).double(), 37, 3
    angle = torch.tensor(t / 10000 ** (2 * i / 10), dtype=torch.float64)
    assert abs(table[t, 2 * i] - angle.sin()) < 1e-6
    assert abs(table[t, 2 * i + 1] - angle.cos()) < 1e-6


def test_attention_gives_zeros_where_nothing_may_be_looked_at():
    """A fully masked row is zero, without NaN and with finite gradients, and other rows are torch's; masks are boolean."""
    attention = randomised(model.Attention(6, 3), torch.float64)
    x, mask = torch.randn(2, 4, 6, dtype=torch.float64, requires_grad=True), causal(4).repeat(2, 1, 1)
    mask[0, 2] = False
    output = attention(x, x, x, mask)
    assert (output[0, 2] == 0).all()
    theirs, _ = attention.heads(x, x, x, attn_mask=~causal(4))
    same(output[1], theirs[1])
    same(output[0, [0, 1, 3]], theirs[0, [0, 1, 3]])
    output.sum().backward()
    assert torch.isfinite(x.grad).all()
    with pytest.raises(TypeError, match="boolean"):
        attention(x, x, x, causal(4).double())


@small(size=SIZES)
def test_encoder_block_is_torchs_layer(dtype, size):
    """Values under a padding mask, and the gradients of x and of every parameter."""
    batch, T, _, d, heads, d_ff = size
    ours = randomised(model.EncoderBlock(d, heads, d_ff), dtype)
    theirs = nn.TransformerEncoderLayer(d, heads, d_ff, dropout=0.0, batch_first=True, norm_first=True, dtype=dtype)
    weights_for(theirs, ours)
    x = torch.randn(batch, T, d, dtype=dtype, requires_grad=True)
    twin, real = x.detach().clone().requires_grad_(), padding(batch, T)
    mine, wanted = ours(x, real[:, None]), theirs(twin, src_key_padding_mask=~real)
    same(mine, wanted)
    same(ours(x), theirs(twin))
    cotangent = torch.randn_like(mine)
    mine.backward(cotangent)
    wanted.backward(cotangent)
    same(x.grad, twin.grad)
    compare_gradients(ours, theirs)


@small(size=SIZES)
def test_decoder_block_is_torchs_layer(dtype, size):
    """Values under both masks, and the gradients of x, memory and every parameter."""
    batch, T_t, T_s, d, heads, d_ff = size
    ours = randomised(model.MaskedDecoderBlock(d, heads, d_ff), dtype)
    theirs = nn.TransformerDecoderLayer(d, heads, d_ff, dropout=0.0, batch_first=True, norm_first=True, dtype=dtype)
    weights_for(theirs, ours)
    x, memory = (torch.randn(batch, T, d, dtype=dtype, requires_grad=True) for T in (T_t, T_s))
    twins = [a.detach().clone().requires_grad_() for a in (x, memory)]
    real = padding(batch, T_s)
    mine = ours(x, memory, causal(T_t), real[:, None])
    wanted = theirs(*twins, tgt_mask=~causal(T_t), memory_key_padding_mask=~real)
    same(mine, wanted)
    same(ours(x, memory), theirs(*twins))
    cotangent = torch.randn_like(mine)
    mine.backward(cotangent)
    wanted.backward(cotangent)
    same(x.grad, twins[0].grad)
    same(memory.grad, twins[1].grad)
    compare_gradients(ours, theirs)


@small(layers=st.integers(1, 3), size=sizes(3))
@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
def test_transformer_is_torchs(dtype, layers, size):
    """nn.Transformer has no embedding and no output map; between them everything is the same, masks included."""
    ours = randomised(model.Transformer(9, 7, 6, 2, 10, layers), dtype)
    theirs = nn.Transformer(6, 2, layers, layers, 10, dropout=0.0, batch_first=True, norm_first=True, dtype=dtype)
    weights_for(theirs, ours)
    batch, T_s, T_t = size
    src, tgt = torch.randint(1, 9, (batch, T_s)), torch.randint(1, 7, (batch, T_t))
    src = src.masked_fill(~padding(batch, T_s), 0)
    table = model.position_table(8, 6).to(dtype)
    x, y = ours.src_embedding(src) * 6**0.5 + table[:T_s], ours.tgt_embedding(tgt) * 6**0.5 + table[:T_t]
    hidden = src == 0
    states = theirs(x, y, tgt_mask=~causal(T_t), src_key_padding_mask=hidden, memory_key_padding_mask=hidden)
    same(ours(src, tgt), ours.output(states))


def test_zero_init_tells_pre_norm_from_post_norm():
    """Our encoder block is the identity with its last maps at zero and keeps its weights; a post-norm one is not."""
    torch.manual_seed(0)
    block = randomised(model.EncoderBlock(6, 2, 8), torch.float32)
    before = {name: value.clone() for name, value in block.state_dict().items()}
    assert model.zero_init_is_identity(block) is True
    assert all(torch.equal(value, before[name]) for name, value in block.state_dict().items())

    class PostNorm(model.EncoderBlock):
        def forward(self, x, mask=None):
            h = self.norm_1(x + self.attention(x, x, x, mask))
            return self.norm_2(h + self.feed_forward(h))

    assert model.zero_init_is_identity(PostNorm(6, 2, 8)) is False


def test_greedy_translation_follows_the_model():
    """Each row is what decoding it alone, word by word, with the reference model gives."""
    torch.manual_seed(1)
    net = randomised(model.Transformer(9, 8, 6, 2, 10, 2), torch.float32)
    src = torch.randint(1, 9, (4, 5)).masked_fill(~padding(4, 5), 0)
    found = model.greedy_translate(net, src, 1, 2, 10)
    for row, words in zip(src, found, strict=True):
        ids = [1]
        while len(ids) <= 10:
            word = int(net(row[None], torch.tensor([ids]))[0, -1].argmax())
            if word == 2:
                break
            ids.append(word)
        assert words == ids[1:]
    assert any(found)
