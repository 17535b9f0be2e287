"""The reference of a8_language_model against torch's own modules, in double and in single precision."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import strategies as st
from small import module, sizes, small
from small_torch import randomised, same
from torch import nn

ROOT = Path(__file__).parents[1]
# vocab, block_size, d_model, heads, d_ff, layers
SIZES = sizes(6, 2, 4).map(lambda s: (s[0] + 1, s[1] + 3, s[2] * s[3], s[3], s[4], s[5] - 1))


lm = module(ROOT / "solutions" / "a8_language_model" / "language_model.py")


@pytest.fixture(params=[torch.float64, torch.float32], ids=["double", "single"])
def dtype(request):
    """Return each precision in turn, with the same random numbers for every test."""
    torch.manual_seed(20250108)
    return request.param


NAMES = {"norm_1": "norm1", "norm_2": "norm2", "feed_forward.0": "linear1", "feed_forward.2": "linear2"}


def torch_stack(model: Any) -> nn.TransformerEncoder:
    """Return torch's stack of blocks with the parameters of ours."""
    block = model.blocks[0]
    d, d_ff = block.feed_forward[0].in_features, block.feed_forward[0].out_features
    layer = nn.TransformerEncoderLayer(
        d, block.attention.n_heads, d_ff, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
    )
    stack = nn.TransformerEncoder(layer, len(model.blocks), nn.LayerNorm(d), enable_nested_tensor=False)
    stack = stack.to(block.norm_1.weight.dtype)
    state = {f"norm.{name}": value for name, value in model.final_norm.state_dict().items()}
    for number, ours in enumerate(model.blocks):
        for name, value in ours.state_dict().items():
            if name.startswith(tuple(NAMES)):
                part, _, last = name.rpartition(".")
                state[f"layers.{number}.{NAMES[part]}.{last}"] = value
        look = ours.attention
        for last in ("weight", "bias"):
            packed = torch.cat([getattr(linear, last) for linear in (look.W_q, look.W_k, look.W_v)])
            state[f"layers.{number}.self_attn.in_proj_{last}"] = packed
            state[f"layers.{number}.self_attn.out_proj.{last}"] = getattr(look.W_o, last)
    stack.load_state_dict(state)
    return stack


@small(shape=SIZES)
def test_model_is_torch_s_own(shape, dtype):
    """Logits and the gradient of the token embedding are those of nn.TransformerEncoder with a causal mask."""
    model = randomised(lm.TransformerLM(*shape), dtype)
    stack = torch_stack(model).train()  # its fast path of evaluation has kernels of its own
    ids = torch.randint(shape[0], (3, shape[1] - 1))
    mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1], dtype=dtype)
    mine = model(ids)
    x = model.token_embedding(ids) + model.position_embedding.weight[: ids.shape[1]]
    theirs = model.output(stack(x, mask=mask, is_causal=True))
    same(mine, theirs)
    cotangent = torch.randn_like(mine)
    gradients = [
        torch.autograd.grad((y * cotangent).sum(), model.token_embedding.weight, retain_graph=True)[0]
        for y in (mine, theirs)
    ]
    same(*gradients)


@small(shape=SIZES)
def test_cache_gives_what_the_whole_gives(shape, dtype):
    """In pieces of any length the logits are those of forward, and endings do not hear of each other."""
    model = randomised(lm.CachedTransformerLM(*shape), dtype)
    ids = torch.randint(shape[0], (2, shape[1]))
    with torch.no_grad():
        whole = model(ids)
        for pieces in ([1] * shape[1], [shape[1]], [2, 1, shape[1] - 3]):
            same(model.read(ids, pieces), whole)
        other = torch.randint(shape[0], (2, 2))
        first, second = model.fork(ids[:, :2], [other, ids[:, 2:]])
        same(first, model(torch.cat([ids[:, :2], other], dim=1))[:, 2:])
        same(second, whole[:, 2:])


@small(shape=sizes(3, 2))
def test_loss_is_cross_entropy(dtype, shape):
    """The loss is nn.CrossEntropyLoss over what counts, and a mean of surprises by hand."""
    batch, time, vocab = shape
    logits = torch.randn(shape, dtype=dtype)
    targets = torch.randint(vocab, (batch, time))
    targets[0, 1] = targets[-1, 0] = lm.IGNORE
    same(lm.lm_loss(logits, targets), nn.CrossEntropyLoss()(logits.transpose(1, 2), targets))
    rows = [
        -math.log(torch.softmax(logits[b, t].double(), 0)[targets[b, t]])
        for b in range(batch)
        for t in range(time)
        if targets[b, t] != lm.IGNORE
    ]
    same(lm.lm_loss(logits, targets), torch.tensor(sum(rows) / len(rows), dtype=dtype))


def test_batches_are_pieces_of_the_text():
    """Every row is a stretch of the text, targets are one further on, and all starts come up equally often."""
    data = torch.arange(100, 112)
    inputs, targets = lm.get_batch(data, 4000, 3, torch.Generator().manual_seed(1))
    assert torch.equal(targets, inputs + 1)
    assert torch.equal(inputs, inputs[:, :1] + torch.arange(3))
    counts = torch.bincount(inputs[:, 0] - 100)
    assert len(counts) == 9
    assert counts.min() > 350


class Table(nn.Module):
    """A model that looks at the last token only."""

    block_size = 3

    def __init__(self, logits: torch.Tensor) -> None:
        super().__init__()
        self.logits = nn.Parameter(logits)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the logits behind each token; a context that is too long is an error."""
        assert ids.shape[1] <= self.block_size
        return self.logits[ids]


def test_sampling_follows_the_distribution(dtype):
    """Of many evenly spaced numbers, as many mean a token as its probability says, with and without top_k."""
    logits = torch.randn(5, 5, dtype=dtype)
    uniforms = ((torch.arange(4000, dtype=dtype) + 0.5) / 4000)[:, None]
    ids = torch.full((4000, 4), 2)
    for temperature, top_k in ((1.0, None), (0.6, None), (1.7, 3)):
        drawn = lm.generate(Table(logits), ids, 1, temperature, top_k, uniforms)[:, -1]
        scaled = logits[2] / temperature
        if top_k:
            scaled[scaled.argsort()[:-top_k]] = -math.inf
        shares = torch.bincount(drawn, minlength=5) / 4000
        assert (shares - torch.softmax(scaled, 0)).abs().max() < 1e-3
    greedy = lm.generate(Table(logits), ids[:1], 3, 0, None, None)[0, 4:].tolist()
    token = 2
    for said in greedy:
        token = int(logits[token].argmax())
        assert said == token


@small(warmup=st.integers(1, 6), fall=st.integers(1, 12))
def test_learning_rate_is_torch_s_cosine(warmup, fall):
    """Behind the way up, the rates are those of CosineAnnealingLR."""
    peak, final, steps = 0.5, 0.02, warmup + fall
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=peak)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps - warmup, eta_min=final)
    for step in range(warmup, steps + 1):
        assert lm.learning_rate(step, steps, peak, warmup, final) == pytest.approx(optimizer.param_groups[0]["lr"])
        optimizer.step()
        cosine.step()
    assert [lm.learning_rate(s, steps, peak, warmup, final) for s in range(warmup)] == pytest.approx(
        [peak * (s + 1) / warmup for s in range(warmup)]
    )
    assert lm.learning_rate(99, steps, peak, warmup, final) == final


@small(length=st.integers(4, 16))
def test_evaluation_covers_the_text_once(dtype, length):
    """The loss is the mean over the full pieces, one by one, and the model is left as it was found."""
    model = Table(torch.randn(5, 5, dtype=dtype))
    data = torch.randint(5, (length,))
    for mode in (True, False):
        model.train(mode)
        found = lm.evaluate(model, data, 3)
        pieces = [
            nn.functional.cross_entropy(model.logits[data[s : s + 3]], data[s + 1 : s + 4]).item()
            for s in range(0, length - 3, 3)
        ]
        assert found == pytest.approx(sum(pieces) / len(pieces), rel=1e-5)
        assert model.training is mode


def test_training_is_torch_s_adamw(dtype):
    """The same batches through AdamW with torch's own schedulers lead to the same losses and parameters."""
    model, other = (Table(torch.zeros(5, 5, dtype=dtype)) for _ in range(2))
    data = torch.randint(5, (40,))
    settings = {"peak": 0.2, "warmup": 3, "final": 0.02, "weight_decay": 0.3, "max_norm": 0.1}
    found = lm.train(model, data, 8, 2, 3, torch.Generator().manual_seed(3), **settings)
    generator = torch.Generator().manual_seed(3)
    optimizer = torch.optim.AdamW(other.parameters(), lr=0.2, betas=(0.9, 0.95), weight_decay=0.3)
    up = torch.optim.lr_scheduler.LinearLR(optimizer, 1 / 3, 1.0, 2)
    down = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 5, eta_min=0.02)
    for step in range(8):
        inputs, targets = lm.get_batch(data, 2, 3, generator)
        loss = nn.functional.cross_entropy(other(inputs).flatten(0, 1), targets.flatten())
        other.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(other.parameters(), 0.1)
        optimizer.step()
        assert found["losses"][step] == pytest.approx(loss.item(), rel=1e-5)
        assert found["gradient_norms"][step] == pytest.approx(norm.item(), rel=1e-4)
        if step < 2:
            up.step()
        elif step > 2:
            down.step()
    same(model.logits, other.logits)
    assert found["held_out"] == []
