"""The reference of a5 against oracles that are not ours: torch's attention and autograd in float64, and the slides."""

from __future__ import annotations

import types
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from small import sizes, small
from torch.nn.functional import scaled_dot_product_attention

ROOT = Path(__file__).parents[1]
CLOSE = {"rtol": 0, "atol": 1e-10}


@pytest.fixture(scope="module")
def reference() -> types.ModuleType:
    """Load the reference as a module."""
    module = types.ModuleType("a5_reference")
    exec((ROOT / "solutions/a5_attention/attention.py").read_text(encoding="utf-8"), module.__dict__)
    return module


def tensors(*arrays):
    """Return the arrays as tensors whose gradients are kept."""
    return [torch.from_numpy(array.copy()).requires_grad_() for array in arrays]


@small(leading=st.lists(st.integers(1, 3), max_size=2), size=sizes(4), masked=st.booleans())
def test_attention_and_its_gradients_are_those_of_torch(reference, leading, size, masked):
    """Forward, dQ, dK and dV, for any leading axes, with T_q != T_k and d_k != d_v, with and without a mask."""
    rng = np.random.default_rng(size)
    T_q, later, d_k, d_v = size
    T_k = T_q + later
    Q, K, V = (rng.normal(size=(*leading, *shape)) for shape in ((T_q, d_k), (T_k, d_k), (T_k, d_v)))
    mask = reference.causal_mask(T_q, T_k) if masked else None
    q, k, v = tensors(Q, K, V)
    out = scaled_dot_product_attention(q, k, v, attn_mask=None if mask is None else torch.from_numpy(mask))
    np.testing.assert_allclose(reference.attention(Q, K, V, mask), out.detach().numpy(), **CLOSE)
    dout = rng.normal(size=out.shape)
    out.backward(torch.from_numpy(dout))
    weights = reference.attention_weights(reference.attention_scores(Q, K), mask)
    for mine, theirs in zip(reference.attention_backward(dout, (Q, K, V, weights)), (q, k, v), strict=True):
        np.testing.assert_allclose(mine, theirs.grad.numpy(), **CLOSE)


@small(size=sizes(5), causal=st.booleans())
def test_self_attention_is_torch_attention_of_the_projections(reference, size, causal):
    """Causal or not, on a batch."""
    rng = np.random.default_rng(size)
    batch, T, d, d_k, d_v = size
    X, W_q, W_k, W_v = (rng.normal(size=shape) for shape in ((batch, T, d), (d, d_k), (d, d_k), (d, d_v)))
    for mine, weight in zip(reference.project_qkv(X, W_q, W_k, W_v), (W_q, W_k, W_v), strict=True):
        np.testing.assert_allclose(mine, np.einsum("btd,de->bte", X, weight), **CLOSE)
    x, wq, wk, wv = tensors(X, W_q, W_k, W_v)
    out = scaled_dot_product_attention(x @ wq, x @ wk, x @ wv, is_causal=causal).detach().numpy()
    np.testing.assert_allclose(reference.self_attention(X, W_q, W_k, W_v, causal), out, **CLOSE)


@small(size=sizes(4))
def test_the_three_attempts_agree_with_torch(reference, size):
    """The running mean and the similarities by other routes."""
    batch, T, d, _ = size
    x = np.random.default_rng(size).normal(size=(batch, T, d))
    steps = np.arange(1, T + 1)[:, None]
    np.testing.assert_allclose(reference.average_context(x), np.cumsum(x, axis=-2) / steps, **CLOSE)
    (t,) = tensors(x)
    similar = scaled_dot_product_attention(t, t, t, is_causal=True).detach().numpy()
    np.testing.assert_allclose(reference.similarity_context(x), similar, **CLOSE)


@small(size=sizes(4))
def test_folded_scores_are_torchs(reference, size):
    """One bilinear form of torch's, over the root of d_k; and torch's attention to values of ones and zeros shows their softmax."""
    batch, T, d, d_k = size
    rng = np.random.default_rng(size)
    x, W_q, W_k = tensors(rng.normal(size=(batch, T, d)), *rng.normal(size=(2, d, d_k)))
    folded = reference.folded_scores(*(t.detach().numpy() for t in (x, W_q, W_k)))
    form = torch.einsum("bid,de,fe,bjf->bij", x, W_q, W_k, x) / d_k**0.5
    np.testing.assert_allclose(folded, form.detach().numpy(), **CLOSE)
    shares = scaled_dot_product_attention(x @ W_q, x @ W_k, torch.eye(T, dtype=x.dtype).expand(batch, T, T))
    np.testing.assert_allclose(torch.tensor(folded).softmax(dim=-1), shares.detach().numpy(), **CLOSE)


@small(size=sizes(2), pad=st.integers(0, 3))
def test_masks_say_who_may_look(reference, size, pad):
    """The last query sees all keys, each one before it one fewer; filler is seen by nobody."""
    T_q, later = size
    mask = reference.causal_mask(T_q, T_q + later)
    assert mask.tolist() == [[key <= query + later for key in range(T_q + later)] for query in range(T_q)]
    ids = np.random.default_rng(size).integers(0, 4, size=size)
    assert (np.broadcast_to(reference.padding_mask(ids, pad), (T_q, 1, later)) == (ids != pad)[:, None]).all()


def test_i_like_pizza(reference):
    """The worked example, with the values the lecture computes with and with those it prints."""
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    used, printed = np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [1.0, 1.0]])
    eye = np.eye(2)
    computed = [[1.4011, 0.8022], [1.4011, 0.5989], [1.5035, 0.7517]]
    as_printed = [[1.4011, 0.5989], [1.4011, 0.8022], [1.5035, 0.7517]]
    np.testing.assert_allclose(reference.self_attention(X, eye, eye, used, False), computed, atol=5e-5)
    np.testing.assert_allclose(reference.self_attention(X, eye, eye, printed, False), as_printed, atol=5e-5)


def test_thinking_machines(reference):
    """Dot products of 112 and 96 over 64 features: scores 14 and 12, shares .8808 and .1192."""
    shares = reference.attention_weights(np.array([[112.0, 96.0]]) / np.sqrt(64))
    np.testing.assert_allclose(shares, [[0.8808, 0.1192]], atol=5e-5)


def test_the_monkey_ate_the_banana(reference):
    """Ten tokens: their true mean, and attempt two for the last "it"."""
    x = np.array(
        [
            [0.45, 0.23, 0.39, 0.72, 0.83, 0.61, 0.45, 0.23, 0.25, 0.18],
            [0.63, 0.41, 0.63, 0.41, 0.70, 0.67, 0.14, 0.61, 0.63, 0.41],
        ]
    ).reshape(10, 2)
    np.testing.assert_allclose(reference.average_context(x)[-1], [0.510, 0.448], atol=5e-4)
    np.testing.assert_allclose(reference.similarity_context(x)[-1], [0.5306, 0.4617], atol=5e-5)
