"""The reference of a10 against oracles that are not ours: torch's attention and autograd in float64, its scaler, and counting."""

from __future__ import annotations

import types
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from small import sizes, small
from torch.nn.functional import scaled_dot_product_attention
from torch.utils.flop_counter import FlopCounterMode

ROOT = Path(__file__).parents[1]
CLOSE = {"rtol": 0, "atol": 1e-10}


@pytest.fixture(scope="module")
def reference() -> types.ModuleType:
    """Load the reference as a module."""
    module = types.ModuleType("a10_reference")
    exec((ROOT / "solutions/a10_fast_attention/fast_attention.py").read_text(encoding="utf-8"), module.__dict__)
    return module


def drawn(size: tuple[int, ...], leading: list[int]) -> tuple[np.ndarray, ...]:
    """Draw q, k and v with more keys than queries."""
    rng = np.random.default_rng(size)
    T_q, later, d_k, d_v = size
    return tuple(rng.normal(size=(*leading, *shape)) for shape in ((T_q, d_k), (T_q + later, d_k), (T_q + later, d_v)))


def of_torch(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """Return torch's attention, with the queries as the last positions."""
    T_q, T_k = q.shape[-2], k.shape[-2]
    mask = torch.ones(T_q, T_k, dtype=torch.bool).tril(T_k - T_q) if causal else None
    return scaled_dot_product_attention(q, k, v, attn_mask=mask)


@small(leading=st.lists(st.integers(1, 3), max_size=2), size=sizes(4), block=st.integers(1, 9), causal=st.booleans())
def test_tiles_are_torch_attention_and_its_gradients(reference, leading, size, block, causal):
    """Output, logsumexp, dq, dk and dv, for any leading axes and tiles of any size."""
    arrays = drawn(size, leading)
    q, k, v = (torch.from_numpy(array).requires_grad_() for array in arrays)
    expected = of_torch(q, k, v, causal)
    output, logsumexp = reference.tiled_attention(*arrays, block, causal)
    np.testing.assert_allclose(output, expected.detach().numpy(), **CLOSE)
    T_q, T_k = q.shape[-2], k.shape[-2]
    scores = q.detach() @ k.detach().mT / q.shape[-1] ** 0.5
    if causal:
        scores = scores.masked_fill(~torch.ones(T_q, T_k, dtype=torch.bool).tril(T_k - T_q), -torch.inf)
    np.testing.assert_allclose(logsumexp, torch.logsumexp(scores, -1).numpy(), **CLOSE)
    dout = np.random.default_rng(block).normal(size=output.shape)
    expected.backward(torch.from_numpy(dout))
    found = reference.tiled_backward(dout, *arrays, output, logsumexp, block, causal)
    for mine, theirs in zip(found, (q, k, v), strict=True):
        np.testing.assert_allclose(mine, theirs.grad.numpy(), **CLOSE)


@small(lengths=st.lists(st.integers(1, 5), min_size=1, max_size=5), hidden=st.booleans())
def test_an_online_softmax_is_a_softmax(reference, lengths, hidden):
    """Of all blocks together, also behind one in which nothing may be read."""
    rng = np.random.default_rng(lengths)
    blocks = [(rng.normal(0, 30, size=n), rng.normal(size=(n, 2))) for n in lengths]
    if hidden:
        blocks.insert(0, (np.full(3, -np.inf), rng.normal(size=(3, 2))))
    scores, values = (torch.from_numpy(np.concatenate(arrays)) for arrays in zip(*blocks, strict=True))
    m, total, y = reference.online_softmax(blocks)
    assert m == scores.max()
    np.testing.assert_allclose(m + np.log(total), torch.logsumexp(scores, 0).numpy(), **CLOSE)
    np.testing.assert_allclose(y, (torch.softmax(scores, 0) @ values).numpy(), **CLOSE)


@small(size=sizes(4), past=st.integers(0, 4), chunk=st.integers(1, 7))
def test_chunks_are_one_pass(reference, size, past, chunk):
    """The output of the last tokens of torch's causal attention over all of them."""
    rng = np.random.default_rng(size)
    T, d, d_k, d_v = size
    x = rng.normal(size=(2, past + T, d))
    W_q, W_k, W_v = (rng.normal(size=shape) for shape in ((d, d_k), (d, d_k), (d, d_v)))
    whole = of_torch(*(torch.from_numpy(x @ W) for W in (W_q, W_k, W_v)), causal=True)
    cache = x[:, :past] @ W_k, x[:, :past] @ W_v
    output, K, V = reference.chunked_prefill(x[:, past:], cache, W_q, W_k, W_v, chunk)
    np.testing.assert_allclose(output, whole[:, past:].numpy(), **CLOSE)
    np.testing.assert_allclose(K, x @ W_k, **CLOSE)
    np.testing.assert_allclose(V, x @ W_v, **CLOSE)


@small(lengths=st.lists(st.integers(1, 9), min_size=1, max_size=4), page=st.integers(1, 4))
def test_what_is_put_into_pages_comes_out_again(reference, lengths, page):
    """Texts are written into the pages of a drawn order, and read as torch pads them."""
    rng = np.random.default_rng([*lengths, page])
    texts = [rng.normal(size=(n, 3)) for n in lengths]
    free = rng.permutation(sum(-(-n // page) for n in lengths) + 2).tolist()
    pages, tables = rng.normal(size=(len(free), page, 3)), np.full((len(texts), max(lengths)), -1)
    for text, table in zip(texts, tables, strict=True):
        for place, vector in enumerate(text):
            if place % page == 0:
                table[place // page] = free.pop()
            pages[table[place // page], place % page] = vector
    padded = torch.nn.utils.rnn.pad_sequence([torch.from_numpy(text) for text in texts], batch_first=True)
    np.testing.assert_array_equal(reference.paged_gather(pages, tables, np.array(lengths)), padded.numpy())


def test_a_cache_has_the_bytes_of_its_tensors(reference):
    """Of keys and values in bfloat16, layer by layer; and the sizes that the text names."""
    layers, heads, width = 3, 2, 5
    tensors = [torch.zeros(heads, n, width, dtype=torch.bfloat16) for n in (7, 4) for _ in range(2 * layers)]
    assert reference.cache_bytes([7, 4], layers, heads, width) == sum(tensor.nbytes for tensor in tensors)
    assert reference.cache_bytes([8192], 32, 32, 128) == 4 * 2**30
    assert reference.cache_bytes([8192], 32, 8, 128) == 2**30
    assert reference.cache_bytes([5, 16, 17], 1, 1, 1, 1, 16) == 2 * 64


def test_operations_are_those_that_torch_counts(reference):
    """And bytes are those of the arrays; a processor below its ridge waits for them."""
    T_q, T_k, d = 6, 10, 4
    q, k, v = (torch.zeros(1, T, d) for T in (T_q, T_k, T_k))
    with FlopCounterMode(display=False) as counter:
        output = torch.softmax(q @ k.mT, -1) @ v
    fused = sum(tensor.nbytes for tensor in (q, k, v, output))
    between = 4 * torch.zeros(T_q, T_k).nbytes
    operations = counter.get_total_flops()
    assert reference.arithmetic_intensity(T_q, T_k, d, 4, True) == operations / fused
    assert reference.arithmetic_intensity(T_q, T_k, d, 4) == operations / (fused + between)
    seconds = np.maximum(operations / 300.0, np.array([fused, fused + between]) / 20.0)
    intensities = operations / np.array([fused, fused + between])
    np.testing.assert_allclose(reference.roofline(intensities, 300.0, 20.0), operations / seconds)


def test_speculative_decoding_leaves_the_distribution_alone(reference):
    """Of two tokens drawn one after the other: 40,000 drafts against the large model's own probabilities."""
    rng = np.random.default_rng(0)
    first_p, first_q = rng.dirichlet(np.ones(4), size=2)
    next_p, next_q = rng.dirichlet(np.ones(4), size=(2, 4))  # a row for each first token
    last = rng.dirichlet(np.ones(4))
    pairs, runs = np.zeros((4, 4)), 40000
    for _ in range(runs):
        a = rng.choice(4, p=first_q)
        b = rng.choice(4, p=next_q[a])
        written = reference.accept(
            np.array([a, b]), np.stack([first_p, next_p[a], last]), np.stack([first_q, next_q[a]]), rng.random(3)
        )
        second = written[1] if len(written) > 1 else rng.choice(4, p=next_p[written[0]])
        pairs[written[0], second] += 1 / runs
    np.testing.assert_allclose(pairs, first_p[:, None] * next_p, atol=0.01)


@small(size=sizes(2), power=st.integers(4, 12), good=st.integers(0, 3))
def test_a_scaled_step_is_that_of_torch(reference, size, power, good):
    """Unscaled gradients, torch's clipping and its SGD; the scale goes as torch's scaler has it."""
    rng = np.random.default_rng(size)
    weights, scale = [rng.normal(size=size), rng.normal(size=3)], 2.0**power
    grads = [(scale * rng.normal(size=weight.shape)).astype(np.float16) for weight in weights]
    parameters = [torch.nn.Parameter(torch.from_numpy(weight.copy())) for weight in weights]
    for parameter, grad in zip(parameters, grads, strict=True):
        parameter.grad = torch.from_numpy(grad).double() / scale
    torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    torch.optim.SGD(parameters, lr=0.1).step()
    stepped, new_scale, count = reference.loss_scaled_step(weights, grads, scale, 0.1, 1.0, good, 4)
    for mine, theirs in zip(stepped, parameters, strict=True):
        np.testing.assert_allclose(mine, theirs.detach().numpy(), rtol=0, atol=1e-6)
    for overflow, found in ((0.0, (new_scale, count)), (1.0, (scale / 2, 0))):
        kept, tracker = torch.tensor(scale), torch.tensor(good, dtype=torch.int32)
        torch._amp_update_scale_(kept, tracker, torch.tensor(overflow), 2.0, 0.5, 4)
        assert found == (kept.item(), tracker.item())
    grads[1][0] = np.inf
    skipped, *told = reference.loss_scaled_step(weights, grads, scale, 0.1, 1.0, good, 4)
    assert all(np.array_equal(mine, weight) for mine, weight in zip(skipped, weights, strict=True))
    assert told == [scale / 2, 0]
