"""The reference of a6_multihead against oracles that are not ours: torch's attention, complex numbers, published rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from small import module, sizes, small
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

ROOT = Path(__file__).parents[1]
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}


multihead = module(ROOT / "solutions" / "a6_multihead" / "multihead.py")


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> Iterator[torch.dtype]:
    """Run a test in both precisions, with that one as torch's default and the same random numbers every time."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(request.param)
    torch.manual_seed(0)
    yield request.param
    torch.set_default_dtype(before)


def same(mine: torch.Tensor | None, theirs: torch.Tensor | None, dtype: torch.dtype) -> None:
    """Assert that two tensors agree in shape and, up to the precision's tolerance, in every number."""
    assert mine is not None
    assert theirs is not None
    assert mine.shape == theirs.shape
    assert (mine - theirs).abs().max().item() < TOLERANCE[dtype]


def pair(d_model: int, heads: int) -> tuple[nn.Module, nn.MultiheadAttention]:
    """Return the reference's layer and torch's with the same weights, of trained scale, none of them zero."""
    mine, theirs = multihead.MultiHeadAttention(d_model, heads), nn.MultiheadAttention(d_model, heads, batch_first=True)
    with torch.no_grad():
        for parameter in mine.parameters():
            parameter.normal_(std=d_model**-0.5 if parameter.dim() == 2 else 0.7)
        layers = (mine.W_q, mine.W_k, mine.W_v)
        theirs.in_proj_weight.copy_(torch.cat([layer.weight for layer in layers]))
        theirs.in_proj_bias.copy_(torch.cat([layer.bias for layer in layers]))
        theirs.out_proj.load_state_dict(mine.W_o.state_dict())
    return mine, theirs


def allowed(*shape: int) -> torch.Tensor:
    """Return a random mask in which every row allows the first key."""
    mask = torch.rand(shape) < 0.5
    mask[..., 0] = True
    return mask


def for_torch(mask: torch.Tensor | None, batch: int, heads: int, T_q: int, T_k: int) -> torch.Tensor | None:
    """Return a mask as nn.MultiheadAttention takes it: True where nobody may look, heads folded into the batch."""
    if mask is None:
        return None
    if mask.dim() == 3:
        mask = mask[:, None]
    return ~mask.expand(batch, heads, T_q, T_k).reshape(batch * heads, T_q, T_k)


def draw(mask: str, batch: int, heads: int, T_q: int, T_k: int) -> torch.Tensor | None:
    """Return a mask of a kind."""
    match mask:
        case "none":
            return None
        case "causal":
            return torch.ones(T_q, T_k, dtype=torch.bool).tril(max(0, T_k - T_q))
        case "for all":
            return allowed(T_q, T_k)
        case "by sequence":
            return allowed(batch, T_q, T_k)
        case "padding":
            return allowed(batch, 1, 1, T_k)
        case "padding by three axes":
            return allowed(batch, 1, T_k)
        case _:
            return allowed(batch, heads, T_q, T_k)


SIZES = sizes(5).map(lambda s: (*s[:3], s[3] * s[4], s[4]))  # batch, T_q, T_k, d_model, heads
MASKS = ("none", "for all", "causal", "by sequence", "padding", "padding by three axes", "by head")


@small(size=SIZES, mask=st.sampled_from(MASKS))
def test_attention_is_that_of_torch(dtype: torch.dtype, size: tuple[int, ...], mask: str) -> None:
    """Output, weights of every head and all gradients equal those of nn.MultiheadAttention, under every mask."""
    batch, T_q, T_k, d_model, heads = size
    mine, theirs = pair(d_model, heads)
    inputs = [torch.randn(batch, T, d_model) for T in (T_q, T_k, T_k)]
    one, other = ([x.clone().requires_grad_() for x in inputs] for _ in range(2))
    which = draw(mask, batch, heads, T_q, T_k)
    output, weights = mine(*one, which, need_weights=True)
    blocked = for_torch(which, batch, heads, T_q, T_k)
    wanted, wanted_weights = theirs(*other, attn_mask=blocked, average_attn_weights=False)
    same(output, wanted, dtype)
    same(weights, wanted_weights, dtype)
    same(mine(*one, which), wanted, dtype)
    cotangent = torch.randn_like(output)
    (output * cotangent).sum().backward()
    (wanted * cotangent).sum().backward()
    for x, y in zip(one, other, strict=True):
        same(x.grad, y.grad, dtype)
    packed = [getattr(mine, name) for name in ("W_q", "W_k", "W_v")]
    scale = max(1.0, theirs.in_proj_weight.grad.abs().max().item())
    same(torch.cat([p.weight.grad for p in packed]) / scale, theirs.in_proj_weight.grad / scale, dtype)
    same(torch.cat([p.bias.grad for p in packed]) / scale, theirs.in_proj_bias.grad / scale, dtype)
    same(mine.W_o.weight.grad / scale, theirs.out_proj.weight.grad / scale, dtype)
    same(mine.W_o.bias.grad / scale, theirs.out_proj.bias.grad / scale, dtype)


@small(size=SIZES)
def test_attention_is_that_of_the_functional(dtype: torch.dtype, size: tuple[int, ...]) -> None:
    """The same through F.scaled_dot_product_attention, whose masks are read as ours: True may look."""
    batch, T_q, T_k, d_model, heads = size
    mine, _ = pair(d_model, heads)
    query, key, value = (torch.randn(batch, T, d_model) for T in (T_q, T_k, T_k))
    mask = allowed(batch, T_q, T_k)
    q, k, v = (
        layer(x).unflatten(-1, (heads, d_model // heads)).transpose(1, 2)
        for layer, x in ((mine.W_q, query), (mine.W_k, key), (mine.W_v, value))
    )
    context = scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None])
    same(mine(query, key, value, mask), mine.W_o(context.transpose(1, 2).flatten(2)), dtype)


def test_blind_queries_get_the_bias_and_spoil_no_gradient(dtype: torch.dtype) -> None:
    """A fully masked row: zero weights, the bias of W_o, finite gradients, and other rows as if it were not there."""
    mine, _ = pair(12, 3)
    x = torch.randn(2, 5, 12, requires_grad=True)
    mask = allowed(2, 5, 5)
    mask[1, 2] = False
    output, weights = mine(x, x, x, mask, need_weights=True)
    assert (weights[1, :, 2] == 0).all()
    same(output[1, 2], mine.W_o.bias, dtype)
    others = mask.clone()
    others[1, 2] = True
    rest = torch.arange(5) != 2
    same(output[1, rest], mine(x, x, x, others)[1, rest], dtype)
    output.square().sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in (x, *mine.parameters()))


@small(size=sizes(4))
def test_split_and_merge_undo_each_other(dtype: torch.dtype, size: tuple[int, ...]) -> None:
    """Against plain indexing, and there and back."""
    batch, T, n_heads, d = size
    x = torch.randn(batch, T, n_heads * d)
    heads = multihead.split_heads(x, n_heads)
    for h in range(n_heads):
        assert torch.equal(heads[:, h], x[:, :, d * h : d * h + d])
    assert torch.equal(multihead.merge_heads(heads), x)


def test_published_rows_of_both_layouts() -> None:
    """The rows of the figure, and those of the formula printed beside it."""
    figure = [[0, 0, 1, 1], [0.84, 0.0001, 0.54, 1], [0.91, 0.0002, -0.42, 1]]
    formula = [[0, 1, 0, 1], [0.8415, 0.5403, 0.0100, 0.99995], [0.9093, -0.4161, 0.0200, 0.9998]]
    np.testing.assert_allclose(multihead.timing_signal(3, 4).numpy(), figure, atol=5e-3)
    np.testing.assert_allclose(multihead.timing_signal(3, 4).numpy()[:, 1], [0, 0.0001, 0.0002], atol=5e-6)
    np.testing.assert_allclose(multihead.sinusoidal_encoding(3, 4).numpy(), formula, atol=5e-5)


@small(T=st.integers(1, 50), pairs=st.integers(2, 8), base=st.sampled_from([10000, 70]))
def test_sinusoids_are_powers_of_complex_numbers(dtype: torch.dtype, T: int, pairs: int, base: float) -> None:
    """Both layouts from e^(i t w), and any base."""
    t, d = np.arange(T)[:, None], 2 * pairs
    waves = np.exp(1j * t * base ** (-np.arange(0, d, 2) / d))
    expected = np.stack([waves.imag, waves.real], axis=-1).reshape(T, d)
    same(multihead.sinusoidal_encoding(T, d, base), torch.tensor(expected, dtype=dtype), dtype)
    waves = np.exp(1j * t * np.logspace(0, -4, pairs))
    expected = np.concatenate([waves.imag, waves.real], axis=-1)
    same(multihead.timing_signal(T, d), torch.tensor(expected, dtype=dtype), dtype)


@small(k=st.integers(-40, 40))
def test_shift_matrix_moves_every_row(dtype: torch.dtype, k: int) -> None:
    """PE[t + k] = PE[t] @ M.T for every t, and M is a rotation."""
    PE, M = multihead.sinusoidal_encoding(100, 16), multihead.shift_matrix(k, 16)
    rows = torch.arange(max(0, -k), min(100, 100 - k))
    same(PE[rows] @ M.T, PE[rows + k], dtype)
    same(M @ M.T, torch.eye(16), dtype)
    same(multihead.shift_matrix(-k, 16), M.T, dtype)
    same(multihead.shift_matrix(2 * k, 16), M @ M, dtype)


@small(size=sizes(4), by_sequence=st.booleans())
def test_rope_is_a_product_with_complex_numbers(dtype: torch.dtype, size: tuple[int, ...], by_sequence: bool) -> None:
    """Each pair as one complex number, times e^(i p theta), at positions with gaps."""
    batch, heads, T, pairs = size
    x, positions = torch.randn(batch, heads, T, 2 * pairs), torch.randint(0, 300, (batch, T) if by_sequence else (T,))
    for base in (10000, 70):
        angles = positions.double()[..., None] * base ** (-torch.arange(0, 2 * pairs, 2).double() / (2 * pairs))
        turns = torch.polar(torch.ones_like(angles), angles)
        turns = turns[:, None] if positions.dim() == 2 else turns
        numbers = torch.view_as_complex(x.double().unflatten(-1, (pairs, 2)))
        same(multihead.apply_rope(x, positions, base), torch.view_as_real(numbers * turns).flatten(-2).to(dtype), dtype)


def test_scores_after_rope_depend_on_differences(dtype: torch.dtype) -> None:
    """Moved on together, queries and keys keep their dot products; lengths stay; moved apart, they do not."""
    q, k, at = torch.randn(2, 3, 5, 8), torch.randn(2, 3, 5, 8), torch.tensor([3, 0, 17, 4, 9])
    scores = multihead.apply_rope(q, at) @ multihead.apply_rope(k, at).mT
    moved = multihead.apply_rope(q, at + 250) @ multihead.apply_rope(k, at + 250).mT
    same(moved, scores, dtype)
    same(multihead.apply_rope(q, at).norm(dim=-1), q.norm(dim=-1), dtype)
    assert (multihead.apply_rope(q, at + 1) @ multihead.apply_rope(k, at).mT - scores).abs().max() > 0.1


def test_rope_turns_as_the_shift_matrix_does(dtype: torch.dtype) -> None:
    """With the features of a pair read as (cos, sin), rotating by position p is moving on by p."""
    PE = multihead.sinusoidal_encoding(40, 8).unflatten(-1, (4, 2)).flip(-1).flatten(-2)
    start = PE[:1].expand(40, 8)[None, None]
    same(multihead.apply_rope(start, torch.arange(40))[0, 0], PE, dtype)


def test_the_worked_example_of_the_readme() -> None:
    """I like pizza, with two heads: weights and output as the README prints them."""
    layer = multihead.MultiHeadAttention(4, 2)
    W_v = [[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    W_o = [[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, -1, 0], [0, 0, 0, 1]]
    with torch.no_grad():
        for name, weight in (("W_q", np.eye(4)), ("W_k", np.eye(4)), ("W_v", W_v), ("W_o", W_o)):
            getattr(layer, name).weight.copy_(torch.tensor(weight))
            getattr(layer, name).bias.zero_()
        layer.W_o.bias[3] = 1
        x = torch.tensor([[[1.0, 0, 0, 1], [0, 1, 0, 2], [1, 1, 2, 0]]])
        output, weights = layer(x, x, x, need_weights=True)
    second = [[0.2840, 0.5760, 0.1400], [0.1867, 0.7679, 0.0454], [0.0529, 0.0529, 0.8943]]
    expected = [[1.6812, 2.2382, 1.1211, 2.4359], [1.4919, 2.3214, 1.3103, 2.7225], [3.2921, 0.9103, -0.2851, 1.1586]]
    np.testing.assert_allclose(weights[0, 1].numpy(), second, atol=5e-5)
    np.testing.assert_allclose(output[0].numpy(), expected, atol=1e-4)
