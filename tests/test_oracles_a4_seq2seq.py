"""The reference of a4_seq2seq against torch's own modules, in both precisions, and decoding against brute force."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from small import module, sizes, small
from torch import nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

ROOT = Path(__file__).parents[1]
PRECISIONS = [(torch.float64, 1e-10), (torch.float32, 1e-5)]


s2s = module(ROOT / "solutions" / "a4_seq2seq" / "seq2seq.py")
hidden_cases = module(ROOT / "solutions" / "a4_seq2seq" / "cases.py")


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator of the same numbers for every test."""
    return np.random.default_rng(20250104)


@pytest.fixture(params=PRECISIONS, ids=["float64", "float32"])
def precision(request: pytest.FixtureRequest) -> tuple[torch.dtype, float]:
    """Return a dtype, and how far two right answers may be apart in it."""
    return request.param


def same(mine: torch.Tensor | None, theirs: torch.Tensor | None, tolerance: float) -> None:
    """Assert that two tensors agree in shape and value."""
    assert mine is not None
    assert theirs is not None
    assert mine.shape == theirs.shape
    assert (mine - theirs).abs().max() < tolerance


def draw(rng: np.random.Generator, dtype: torch.dtype, *shape: int) -> torch.Tensor:
    """Draw a leaf that collects a gradient."""
    return torch.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=True)


def same_gradients(mine: Any, theirs: Any, leaves: list[torch.Tensor], rng: np.random.Generator, tol: float) -> None:
    """Assert that two results agree, and the gradients that a random loss on them sends to the leaves."""
    same(mine, theirs, tol)
    cotangent = torch.tensor(rng.normal(size=mine.shape), dtype=mine.dtype)
    ours = torch.autograd.grad(mine, leaves, cotangent, retain_graph=True)
    torchs = torch.autograd.grad(theirs, leaves, cotangent, retain_graph=True)
    for a, b in zip(ours, torchs, strict=True):
        same(a, b, 10 * tol)


def padded(rng: np.random.Generator, batch: int, T: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw lengths, and the mask that goes with them."""
    lengths = torch.tensor(rng.integers(1, T + 1, size=batch))
    return lengths, torch.arange(T) < lengths[:, None]


@small(size=sizes(2))
def test_decoder_inputs_and_targets_are_one_apart(rng, size):
    """The column that is read is the one that was to be said a step before."""
    targets = torch.tensor(rng.integers(3, 9, size=size))
    inputs = s2s.decoder_inputs(targets, 1)
    assert inputs.dtype == torch.int64
    assert inputs[:, 0].tolist() == [1] * size[0]
    assert torch.equal(inputs[:, 1:], targets[:, :-1])


@small(size=sizes(5))
def test_encoder_is_nn_gru_on_packed_sequences(rng, precision, size):
    """States, final states and every gradient; no row need be as long as the batch."""
    dtype, tol = precision
    batch, T, vocab, embed, hidden = size
    encoder = s2s.Encoder(vocab, embed, hidden).to(dtype)
    src = torch.tensor(rng.integers(0, vocab, size=(batch, T)))
    lengths, _ = padded(rng, batch, T)
    packed = pack_padded_sequence(encoder.embedding(src), lengths, batch_first=True, enforce_sorted=False)
    out, last = encoder.rnn(packed)
    theirs, _ = pad_packed_sequence(out, batch_first=True, total_length=T)
    states, final = encoder(src, lengths)
    parameters = list(encoder.parameters())
    same_gradients(states, theirs, parameters, rng, tol)
    same_gradients(final, last[0], parameters, rng, tol)


@small(size=sizes(6))
def test_scores_are_those_of_torch(rng, precision, size):
    """The dot product as cosine times lengths, nn.Bilinear and a network of nn.Linear, pair by pair."""
    dtype, tol = precision
    batch, T_q, T_k, d_q, d_k, d_a = size
    q, k, k_wide = (
        draw(rng, dtype, batch, T_q, d_q),
        draw(rng, dtype, batch, T_k, d_k),
        draw(rng, dtype, batch, T_k, d_q),
    )
    W, W_mlp, w = draw(rng, dtype, d_q, d_k), draw(rng, dtype, d_a, d_q + d_k), draw(rng, dtype, d_a)

    def pairs(keys: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        shape = batch, T_q, T_k, -1
        return q[:, :, None].expand(shape).contiguous(), keys[:, None].expand(shape).contiguous()

    a, b = pairs(k_wide)
    dots = functional.cosine_similarity(a, b, dim=-1) * a.norm(dim=-1) * b.norm(dim=-1)
    same_gradients(s2s.dot_score(q, k_wide), dots, [q, k_wide], rng, tol)
    a, b = pairs(k)
    same_gradients(s2s.bilinear_score(q, k, W), functional.bilinear(a, b, W[None])[..., 0], [q, k, W], rng, tol)
    network = functional.linear(torch.tanh(functional.linear(torch.cat([a, b], dim=-1), W_mlp)), w[None])[..., 0]
    same_gradients(s2s.mlp_score(q, k, W_mlp, w), network, [q, k, W_mlp, w], rng, tol)


@small(size=sizes(5))
def test_dot_softmax_and_context_are_torchs_attention(rng, precision, size):
    """Together they are scaled_dot_product_attention with a scale of one, masks and gradients included."""
    dtype, tol = precision
    batch, T_q, T_k, d, d_v = size
    q, k, v = draw(rng, dtype, batch, T_q, d), draw(rng, dtype, batch, T_k, d), draw(rng, dtype, batch, T_k, d_v)
    _, real = padded(rng, batch, T_k)
    for mask in (real[:, None], torch.tensor(rng.random((batch, T_q, T_k)) < 0.5) | (torch.arange(T_k) == 0)):
        mine = s2s.attention_context(s2s.masked_softmax(s2s.dot_score(q, k), mask), v)
        theirs = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask.expand(batch, T_q, T_k), scale=1.0)
        same_gradients(mine, theirs, [q, k, v], rng, tol)


def test_masked_softmax_is_a_softmax_of_what_is_left(rng, precision):
    """Row by row torch's softmax of the allowed scores, exact zeros elsewhere, in rows of zeros too; also of thousands."""
    dtype, tol = precision
    for size in (1.0, 1000.0):
        scores = size * draw(rng, dtype, 6, 5).detach()
        mask = torch.tensor(rng.random((6, 5)) < 0.5)
        mask[2] = False
        weights = s2s.masked_softmax(scores, mask)
        for row, allowed, mine in zip(scores, mask, weights, strict=True):
            same(mine[allowed], torch.softmax(row[allowed], dim=0), tol) if allowed.any() else None
            assert not mine[~allowed].any()


def test_masked_softmax_has_the_gradient_of_its_differences(rng):
    """Torch's own gradcheck, with an empty row among the others."""
    scores = draw(rng, torch.float64, 4, 5)
    mask = torch.tensor(rng.random((4, 5)) < 0.5)
    mask[1] = False
    assert torch.autograd.gradcheck(lambda s: s2s.masked_softmax(s, mask), scores)


def one_step(cell: nn.GRUCell, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
    """Take the step with nn.GRU and the weights of the cell."""
    gru = nn.GRU(cell.input_size, cell.hidden_size, batch_first=True, dtype=x.dtype)
    values = {f"{name}_l0": parameter for name, parameter in cell.named_parameters()}
    return torch.func.functional_call(gru, values, (x[:, None], h[None].contiguous()))[1][0]


def test_decoder_with_context_is_cho_et_al(rng, precision):
    """The formulas once more, around nn.GRU; every gradient, with a state and without."""
    dtype, tol = precision
    decoder = s2s.DecoderWithContext(7, 3, 4, 5).to(dtype)
    y, given, context = torch.tensor([3, 0, 6]), draw(rng, dtype, 3, 4), draw(rng, dtype, 3, 5)
    for state in (given, None):
        logits, h = decoder.step(y, state, context)
        before = state if state is not None else torch.tanh(context @ decoder.bridge.weight.T + decoder.bridge.bias)
        e = decoder.embedding.weight[y]
        theirs = one_step(decoder.cell, torch.cat([e, context], dim=1), before)
        used = [p for n, p in decoder.named_parameters() if not n.startswith("output")]
        leaves = [context, given, *used] if state is not None else [context, *used]
        if state is not None:
            leaves = [leaf for leaf in leaves if all(leaf is not p for p in decoder.bridge.parameters())]
        same_gradients(h, theirs, leaves, rng, tol)
        said = torch.cat([theirs, e, context], dim=1) @ decoder.output.weight.T + decoder.output.bias
        same_gradients(logits, said, [*leaves, *decoder.output.parameters()], rng, tol)


def test_attention_decoder_is_its_formulas(rng, precision):
    """Sentence by sentence over the real positions only, around nn.GRU; every gradient."""
    dtype, tol = precision
    decoder = s2s.AttentionDecoder(7, 3, 4, 5, 6).to(dtype)
    with torch.no_grad():
        decoder.W_score.mul_(10)
        decoder.w_score.mul_(10)
    y, state, enc = torch.tensor([3, 0, 6]), draw(rng, dtype, 3, 4), draw(rng, dtype, 3, 8, 5)
    lengths, mask = padded(rng, 3, 8)
    logits, h, weights = decoder.step(y, state, enc, mask)
    new = one_step(decoder.cell, decoder.embedding(y), state)
    rows, looks = [], []
    for n, length in enumerate(lengths.tolist()):
        pairs = torch.cat([new[n].expand(length, -1), enc[n, :length]], dim=1)
        shares = torch.softmax(torch.tanh(pairs @ decoder.W_score.T) @ decoder.w_score, dim=0)
        looks.append(functional.pad(shares, (0, 8 - length)))
        rows.append(torch.cat([shares @ enc[n, :length], new[n]]))
    theirs = decoder.output(torch.tanh(decoder.W_out(torch.stack(rows))))
    inputs = [state, enc, decoder.embedding.weight, *decoder.cell.parameters()]
    scoring = [decoder.W_score, decoder.w_score]
    same_gradients(h, new, [state, *decoder.cell.parameters()], rng, tol)
    same_gradients(weights, torch.stack(looks), [*inputs, *scoring], rng, tol)
    same_gradients(logits, theirs, [*inputs, *scoring, *decoder.W_out.parameters()], rng, tol)


def test_lstm_attention_decoder_is_its_formulas(rng, precision):
    """Sentence by sentence over the real positions only, around nn.LSTM; every gradient."""
    dtype, tol = precision
    decoder = s2s.LSTMAttentionDecoder(7, 3, 4, 5, 6).to(dtype)
    with torch.no_grad():
        decoder.W_score.mul_(10)
        decoder.w_score.mul_(10)
    y, h, c, enc = torch.tensor([3, 0, 6]), *(draw(rng, dtype, *shape) for shape in ((3, 4), (3, 4), (3, 8, 5)))
    lengths, mask = padded(rng, 3, 8)
    logits, (h_new, c_new), weights = decoder.step(y, (h, c), enc, mask)
    contexts, looks = [], []
    for n, length in enumerate(lengths.tolist()):
        pairs = torch.cat([h[n].expand(length, -1), enc[n, :length]], dim=1)
        shares = torch.softmax(torch.tanh(pairs @ decoder.W_score.T) @ decoder.w_score, dim=0)
        looks.append(functional.pad(shares, (0, 8 - length)))
        contexts.append(shares @ enc[n, :length])
    read = torch.cat([decoder.embedding(y), torch.stack(contexts)], dim=1)
    lstm = nn.LSTM(8, 4, batch_first=True, dtype=dtype)
    values = {f"{name}_l0": parameter for name, parameter in decoder.cell.named_parameters()}
    _, (after, cell) = torch.func.functional_call(lstm, values, (read[:, None], (h[None], c[None])))
    theirs = decoder.output(torch.cat([after[0], read], dim=1))
    scoring = [h, enc, decoder.W_score, decoder.w_score]
    moving = [*scoring, c, decoder.embedding.weight, *decoder.cell.parameters()]
    same_gradients(weights, torch.stack(looks), scoring, rng, tol)
    same_gradients(c_new, cell[0], moving, rng, tol)
    same_gradients(h_new, after[0], moving, rng, tol)
    same_gradients(logits, theirs, [*moving, *decoder.output.parameters()], rng, tol)


@small(pad=st.sampled_from([0, 4, -1, -100]), size=sizes(2))
def test_masked_nll_is_cross_entropy(rng, precision, pad, size):
    """With ignore_index, gradients included; the filler may be no word."""
    dtype, tol = precision
    logits = draw(rng, dtype, *size, 7)
    targets = torch.tensor(rng.integers(0, 7, size=size))
    targets[~padded(rng, *size)[1]] = pad
    targets[0, 0] = 1
    theirs = functional.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad)
    same_gradients(s2s.masked_nll(logits, targets, pad), theirs, [logits], rng, tol)


def table(rng: np.random.Generator, vocab: int, max_len: int) -> tuple[torch.Tensor, Any]:
    """Draw logits for every beginning of up to max_len words, and the decoder that looks them up."""
    logits = torch.tensor(2 * rng.normal(size=((vocab + 1) ** max_len, vocab)))

    def step(y_prev: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        new = state * vocab + y_prev[:, None] + 1
        return logits[new[:, 0].long() % len(logits)], new

    return logits, step


def all_sentences(step: Any, vocab: int, bos: int, eos: int, max_len: int) -> dict[tuple[int, ...], float]:
    """Return log P of every sentence that ends in EOS or is cut off, each computed by itself."""
    found = {}
    for n in range(1, max_len + 1):
        for words in itertools.product(range(vocab), repeat=n):
            if eos in words[:-1] or (n < max_len and words[-1] != eos):
                continue
            state, last, total = torch.zeros(1, 1), bos, 0.0
            for word in words:
                raw, state = step(torch.tensor([last]), state)
                total += float(torch.log_softmax(raw, dim=-1)[0, word])
                last = word
            found[words] = total
    return found


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.5])
@pytest.mark.parametrize(("vocab", "max_len"), [(2, 5), (3, 4), (4, 3)])
def test_a_wide_beam_is_brute_force(rng, vocab, max_len, alpha):
    """Over all sentences of a small vocabulary: the same best one, with the same score; and they are all there is."""
    _, step = table(rng, vocab, max_len)
    bos, eos = vocab - 1, 0
    sentences = all_sentences(step, vocab, bos, eos, max_len)
    assert math.isclose(sum(math.exp(total) for total in sentences.values()), 1.0)
    scores = {words: total / ((5 + len(words)) / 6) ** alpha for words, total in sentences.items()}
    best = max(scores, key=lambda words: scores[words])
    ids, score = s2s.beam_search(step, torch.zeros(1, 1), bos, eos, max_len, len(sentences), alpha)
    assert tuple(ids) == best
    assert math.isclose(score, scores[best], rel_tol=1e-10)


def test_a_beam_of_one_is_greedy(rng):
    """With one place, beam search writes what greedy decoding writes."""
    for _ in range(20):
        _, step = table(rng, 4, 5)
        ids, _ = s2s.beam_search(step, torch.zeros(1, 1), 3, 0, 5, 1, 0.7)
        greedy = s2s.greedy_decode(step, torch.zeros(1, 1), 3, 0, -1, 5)
        assert greedy[0].tolist() == ids + [-1] * (5 - len(ids))


def test_beams_of_every_width_are_those_of_a_second_implementation(rng):
    """The hidden cases bring a search of their own to measure margins: no tensors, one hypothesis at a time."""
    namespace = {"torch": torch}
    for _ in range(30):
        search = hidden_cases._search(rng, 5, 5, float(rng.uniform(-1, 1)))
        step = eval(search.script.code().expression, namespace)  # noqa: S307 (our own text)
        for width, alpha in ((1, 0.0), (2, 1.0), (3, 0.5), (6, 2.0)):
            words, clear = search.best(width, alpha)
            if clear < 1e-4:
                continue
            state = torch.tensor([[float(search.start)]])
            ids, _ = s2s.beam_search(step, state, search.bos, search.eos, search.max_len, width, alpha)
            assert ids == words


def test_greedy_rows_are_what_they_are_alone(rng):
    """A batch writes what its rows write one by one, and each word is the argmax after those before it."""
    logits, step = table(rng, 4, 6)
    starts = torch.tensor([[0.0], [5.0], [2.0], [9.0]])
    ids = s2s.greedy_decode(step, starts, 3, 0, -1, 6)
    for start, row in zip(starts, ids, strict=True):
        assert torch.equal(row, s2s.greedy_decode(step, start[None], 3, 0, -1, 6)[0])
        past, last = int(start), 3
        for word in row.tolist():
            if last == 0:
                break
            past = past * 4 + last + 1
            assert word == int(logits[past % len(logits)].argmax())
            last = word


def test_the_decoders_can_be_decoded_with(rng):
    """Encoder, attention and decoding fit together, as the README says."""
    encoder, decoder = s2s.Encoder(9, 3, 5), s2s.AttentionDecoder(7, 3, 5, 5, 4)
    lengths, mask = padded(rng, 2, 6)
    with torch.no_grad():
        enc, final = encoder(torch.tensor(rng.integers(0, 9, size=(2, 6))), lengths)
        ids = s2s.greedy_decode(lambda y, h: decoder.step(y, h, enc, mask)[:2], final, 1, 2, 0, 8)
        one, look = enc[:1], mask[:1]
        words, score = s2s.beam_search(
            lambda y, h: decoder.step(y, h, one.expand(len(y), -1, -1), look.expand(len(y), -1))[:2],
            final[:1], 1, 2, 8, 3, 0.6,
        )  # fmt: skip
    assert ids.shape == (2, 8)
    assert 1 <= len(words) <= 8
    assert score < 0
    lstm = s2s.LSTMAttentionDecoder(7, 3, 5, 5, 4)

    def step(y: torch.Tensor, both: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        raw, new, _ = lstm.step(y, tuple(both.chunk(2, dim=1)), enc, mask)
        return raw, torch.cat(new, dim=1)

    with torch.no_grad():
        assert s2s.greedy_decode(step, torch.cat([final, final], dim=1), 1, 2, 0, 8).shape == (2, 8)


def test_the_handout_prints_what_is_so():
    """The numbers of the worked examples are the reference's."""
    text = (ROOT / "assignments" / "a4_seq2seq" / "README.md").read_text(encoding="utf-8")
    figures = module(ROOT / "assignments" / "figures" / "a4_seq2seq.py")
    q, k = torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[1.0, 0.0], [0.0, 1.0], [2.0, -1.0]]])
    assert s2s.dot_score(q, k).tolist() == [[[1, 2, 0]]]
    assert s2s.bilinear_score(q, k, torch.tensor([[0.0, 1.0], [2.0, -1.0]])).tolist() == [[[4, -1, 9]]]
    W, w = torch.tensor([[1.0, 0.0, 1.0, 0.0], [0.0, 0.5, 0.0, -1.0]]), torch.tensor([1.0, -2.0])
    for score in s2s.mlp_score(q, k, W, w).flatten().tolist():
        assert f"**{score:.4f}**".replace("0.", ".") in text
    weights = s2s.masked_softmax(s2s.dot_score(q, k), torch.tensor([True, True, True]))
    for share in [*weights.flatten().tolist(), *s2s.attention_context(weights, k).flatten().tolist()]:
        assert f"{share:.4f}".removeprefix("0") in text
    rows = torch.tensor([figures.TABLE["BOS"], figures.TABLE["yes"], figures.TABLE["ok"]])
    last = torch.tensor([0, 1, 2, 0])  # EOS is never read; BOS is 3

    def step(y_prev: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return rows[last[y_prev]].log(), state

    ids, score = s2s.beam_search(step, torch.zeros(1, 1), 3, 0, 3, 2, 0.0)
    assert ids == [2, 0]
    assert math.isclose(math.exp(score), 0.36, rel_tol=1e-5)
    assert s2s.greedy_decode(step, torch.zeros(1, 1), 3, 0, 9, 3).tolist() == [[1, 1, 1]]
