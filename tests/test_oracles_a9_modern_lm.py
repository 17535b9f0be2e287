"""The reference of a9_modern_lm against torch's own modules and optimiser, in double and in single precision."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from small import module, sizes, small
from small_torch import randomised, same
from torch import nn
from torch.nn import functional

ROOT = Path(__file__).parents[1]
# vocab, d_model, n_heads, n_kv_heads, d_ff, n_layers, window
SIZES = sizes(6, 1, 3).map(lambda s: (s[0] + 2, 4 * s[1] * s[2], s[1] * s[2], s[2], s[3] + 1, s[4], s[5]))

lm = module(ROOT / "solutions" / "a9_modern_lm" / "modern_lm.py")


@pytest.fixture(params=[torch.float64, torch.float32], ids=["double", "single"])
def dtype(request):
    """Return each precision in turn, with the same random numbers for every test."""
    torch.manual_seed(20250109)
    return request.param


def torch_s_logits(model: Any, ids: torch.Tensor) -> torch.Tensor:
    """Return the logits of a model from its parameters, by torch's own norm and attention."""
    time, width = ids.shape[1], model.d_model
    far = torch.arange(time)[:, None] - torch.arange(time)
    mask = (far >= 0) & (far < model.window)
    x = model.embedding(ids)
    for block in model.blocks:
        normed = functional.rms_norm(x, (width,), block.gain_1, 1e-5)
        heads = ((block.W_q, model.n_heads), (block.W_k, model.n_kv_heads), (block.W_v, model.n_kv_heads))
        q, k, v = (linear(normed).unflatten(-1, (n, -1)).transpose(1, 2) for linear, n in heads)
        q, k = (turned(part, model.base) for part in (q, k))
        read = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
        x = x + block.W_o(read.transpose(1, 2).flatten(2))
        normed = functional.rms_norm(x, (width,), block.gain_2, 1e-5)
        x = x + block.W_down(functional.silu(block.W_gate(normed)) * block.W_up(normed))
    return functional.rms_norm(x, (width,), model.final_gain, 1e-5) @ model.embedding.weight.T


def turned(x: torch.Tensor, base: float) -> torch.Tensor:
    """Turn pairs as complex numbers."""
    time, d = x.shape[-2:]
    angles = torch.outer(torch.arange(time).double(), base ** (-torch.arange(0, d, 2).double() / d))
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2).to(x.dtype)


@small(shape=SIZES)
def test_model_is_made_of_torch_s_parts(shape, dtype):
    """Logits, and the gradient of the tied embedding, are those of torch's norm and attention with the same parameters."""
    model = randomised(lm.ModernLM(*shape, 50.0), dtype)
    ids = torch.randint(shape[0], (2, 5))
    mine, theirs = model(ids)[0], torch_s_logits(model, ids)
    same(mine, theirs)
    cotangent = torch.randn_like(mine)
    gradients = [torch.autograd.grad((y * cotangent).sum(), model.embedding.weight)[0] for y in (mine, theirs)]
    same(*gradients)


@small(shape=SIZES)
def test_cache_gives_what_the_whole_gives(shape, dtype):
    """In pieces of any length the logits are those of one pass, and endings do not hear of each other."""
    model = randomised(lm.ModernLM(*shape), dtype)
    ids = torch.randint(shape[0], (2, 6))
    with torch.no_grad():
        whole = model(ids)[0]
        for pieces in ([1] * 6, [2, 1, 3], [6]):
            same(model.read(ids, pieces), whole)
        other = torch.randint(shape[0], (2, 2))
        first, second = model.fork(ids[:, :2], [other, ids[:, 2:]])
        same(first, model(torch.cat([ids[:, :2], other], dim=1))[0][:, 2:])
        same(second, whole[:, 2:])


@small(shape=SIZES)
def test_parameters_are_counted(shape, dtype):
    """As many as the model has, and as many operations as torch counts in products of matrices."""
    from torch.utils.flop_counter import FlopCounterMode

    vocab, d, heads, kv, d_ff, layers, _ = shape
    model = lm.ModernLM(vocab, d, heads, kv, d_ff, layers, 7).to(dtype)
    with FlopCounterMode(display=False) as counted, torch.no_grad():
        cache = model(torch.zeros(1, 4, dtype=torch.long))[1]
        before = counted.get_total_flops()
        model(torch.zeros(1, 1, dtype=torch.long), cache)
    told = counted.get_total_flops() - before
    assert lm.count(model, 5) == (sum(p.numel() for p in model.parameters()), told)


@small(shape=sizes(3))
def test_norm_is_torch_s_own(shape, dtype):
    """Values and both gradients are those of nn.RMSNorm."""
    norm = randomised(nn.RMSNorm(shape[-1], eps=1e-5), dtype)
    x = torch.randn(shape, dtype=dtype, requires_grad=True)
    mine, theirs = lm.rms_norm(x, norm.weight), norm(x)
    same(mine, theirs)
    cotangent = torch.randn_like(mine)
    pairs = [torch.autograd.grad((y * cotangent).sum(), [x, norm.weight]) for y in (mine, theirs)]
    for one, other in zip(*pairs, strict=True):
        same(one, other)


@small(shape=sizes(6, 1, 4))
def test_grouped_attention_is_torch_s_own(shape, dtype):
    """With a mask and without, groups of any size."""
    batch, kv, group, T_q, T_k, d = shape
    q = torch.randn(batch, kv * group, T_q, d, dtype=dtype)
    k, v = torch.randn(2, batch, kv, T_k, d, dtype=dtype)
    mask = torch.rand(T_q, T_k) < 0.5
    mask[:, 0] = True
    for allowed in (None, mask):
        theirs = functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed, enable_gqa=True)
        same(lm.grouped_attention(q, k, v, allowed), theirs)


@small(shape=sizes(2, 1, 5))
def test_many_steps_are_those_of_torch_s_adamw(shape, dtype):
    """Twenty steps with random gradients, from the same parameter."""
    w = torch.randn(shape, dtype=dtype)
    theirs = nn.Parameter(w.clone())
    optimizer = torch.optim.AdamW([theirs], lr=0.03, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.2)
    state = (torch.zeros_like(w), torch.zeros_like(w), 0)
    for _ in range(20):
        g = torch.randn_like(w)
        w, state = lm.adamw_step(w, g, state, 0.03, (0.8, 0.95), 1e-6, 0.2)
        theirs.grad = g
        optimizer.step()
    same(w, theirs)
    assert state[2] == 20


@small(shape=sizes(3, 2))
def test_loss_is_torch_s_smoothed_cross_entropy(shape, dtype):
    """For several amounts of smoothing."""
    logits = 3 * torch.randn(shape, dtype=dtype)
    targets = torch.randint(shape[-1], shape[:-1])
    for eps in (0.0, 0.1, 1.0):
        theirs = functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), label_smoothing=eps)
        same(lm.label_smoothed_nll(logits, targets, eps), theirs)


@small(shape=sizes(2, 2, 7))
def test_nucleus_is_the_smallest_set_that_reaches_p(shape, dtype):
    """What stays reaches p, would not without its least probable token, and keeps its proportions."""
    logits = torch.randn(shape, dtype=dtype)
    shares = torch.softmax(logits, dim=-1)
    for p in (0.2, 0.6, 0.9):
        kept = lm.top_p(logits, p)
        for row, share in zip(kept, shares, strict=True):
            inside = share[row > 0]
            assert inside.sum() >= p
            assert inside.sum() - inside.min() < p
            assert (share[row == 0] < inside.min()).all()
            same(row[row > 0], inside / inside.sum())


def test_first_parameters_have_their_scales():
    """Ones, .02, and .02 / sqrt(2 n) for what writes into the residual stream; the model itself is changed."""
    model = lm.ModernLM(300, 128, 4, 2, 256, 8, 16)
    state = lm.init_(model, torch.Generator().manual_seed(3))
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, state[name])
        if parameter.dim() == 1:
            assert (parameter == 1).all()
        else:
            std = 0.02 / math.sqrt(16) if name.endswith(("W_o.weight", "W_down.weight")) else 0.02
            assert abs(float(state[name].std()) / std - 1) < 0.05
