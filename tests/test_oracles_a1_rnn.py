"""The reference of a1_rnn against torch in float64: two independent ways to the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from small import module, sizes, small
from torch.nn import functional

ROOT = Path(__file__).parents[1]
TOLERANCE = 1e-10
SIZES = sizes(4)  # batch, time, input, hidden
LEADING = st.lists(st.integers(1, 4), max_size=3).map(tuple)


rnn = module(ROOT / "solutions" / "a1_rnn" / "rnn.py")


@small(text=st.text(max_size=30))
def test_texts_come_back(text: str) -> None:
    """Ids count up in the order of the characters, and decoding undoes encoding."""
    vocab = rnn.build_vocab(text)
    assert list(vocab) == sorted(set(text))
    assert list(vocab.values()) == list(range(len(vocab)))
    ids = rnn.encode(text, vocab)
    assert ids.tolist() == [sorted(set(text)).index(character) for character in text]
    assert rnn.decode(ids, vocab) == text


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator of the same numbers for every test."""
    return np.random.default_rng(20250101)


def same(mine: Any, theirs: torch.Tensor) -> None:
    """Assert that the reference and torch agree in shape and to ten digits."""
    np.testing.assert_allclose(mine, theirs.detach().numpy(), rtol=TOLERANCE, atol=TOLERANCE)
    assert np.shape(mine) == tuple(theirs.shape)


def network(rng: np.random.Generator, batch: int, time: int, inputs: int, hidden: int, outputs: int = 6) -> Any:
    """Draw x, h0, a dict of parameters, and torch's network with the same parameters."""
    params = {
        "W_x": rng.normal(size=(hidden, inputs)),
        "W_h": rng.normal(size=(hidden, hidden)),
        "b": rng.normal(size=hidden),
        "W_y": rng.normal(size=(outputs, hidden)),
        "b_y": rng.normal(size=outputs),
    }
    theirs = torch.nn.RNN(inputs, hidden, batch_first=True, dtype=torch.float64)
    # torch has two biases that it adds up; the split is arbitrary.
    state = {
        "weight_ih_l0": params["W_x"],
        "weight_hh_l0": params["W_h"],
        "bias_ih_l0": params["b"] - 0.5,
        "bias_hh_l0": np.full(hidden, 0.5),
    }
    theirs.load_state_dict({name: torch.tensor(value) for name, value in state.items()})
    return rng.normal(size=(batch, time, inputs)), rng.normal(size=(batch, hidden)), params, theirs


@small(shape=sizes(3), axis=st.integers(-3, 2))
def test_softmax_is_torchs(rng: np.random.Generator, shape: tuple[int, ...], axis: int) -> None:
    """Along every axis, also where exponentials would overflow."""
    x = rng.normal(size=shape) * 3.0
    for level in (0.0, 1000.0, -1000.0):
        same(rnn.softmax(x + level, axis=axis), torch.softmax(torch.tensor(x + level), dim=axis))


@small(sizes=SIZES)
def test_rnn_step_and_forward_are_torchs(rng: np.random.Generator, sizes: tuple[int, ...]) -> None:
    """One step equals torch's RNNCell, all states equal those of torch's RNN."""
    x, h0, params, theirs = network(rng, *sizes)
    weights = (params["W_x"], params["W_h"], params["b"])
    cell = torch.nn.RNNCell(sizes[2], sizes[3], dtype=torch.float64)
    cell.load_state_dict({name.removesuffix("_l0"): value for name, value in theirs.state_dict().items()})
    same(rnn.rnn_step(x[:, 0], h0, *weights), cell(torch.tensor(x[:, 0]), torch.tensor(h0)))
    states, _ = theirs(torch.tensor(x), torch.tensor(h0)[None])
    same(rnn.rnn_forward(x, h0, *weights), states)


@small(leading=LEADING)
def test_output_probs_are_torchs(rng: np.random.Generator, leading: tuple[int, ...]) -> None:
    """A linear layer and a softmax, for any number of axes in front."""
    h, W_y, b_y = rng.normal(size=(*leading, 5)), rng.normal(size=(7, 5)), rng.normal(size=7)
    theirs = functional.linear(torch.tensor(h), torch.tensor(W_y), torch.tensor(b_y)).softmax(dim=-1)
    same(rnn.output_probs(h, W_y, b_y), theirs)


@small(size=sizes(3), scale=st.sampled_from([1.0, 5.0, 500.0]))
def test_next_token_loss_is_torchs_cross_entropy(rng: np.random.Generator, size: tuple[int, ...], scale: float) -> None:
    """Cross-entropy with ignored targets where the mask is False, at ordinary and at enormous logits."""
    batch, time, vocab = size
    logits, targets = scale * rng.normal(size=size), rng.integers(vocab, size=(batch, time))
    mask = np.arange(time) < rng.integers(1, time + 1, size=batch)[:, None]
    kept = torch.tensor(np.where(mask, targets, -100))
    theirs = functional.cross_entropy(torch.tensor(logits).flatten(0, 1), kept.flatten())
    same(rnn.next_token_loss(logits, targets, mask), theirs)


@small(leading=LEADING)
def test_sequence_log_prob_is_torchs(rng: np.random.Generator, leading: tuple[int, ...]) -> None:
    """The sum of a categorical distribution's log-probabilities, for any number of axes in front."""
    logits, ids = 3.0 * rng.normal(size=(*leading, 6, 5)), rng.integers(5, size=(*leading, 6))
    theirs = torch.distributions.Categorical(logits=torch.tensor(logits)).log_prob(torch.tensor(ids)).sum(dim=-1)
    same(rnn.sequence_log_prob(logits, ids), theirs)


@small(lengths=st.lists(st.integers(1, 30), min_size=1, max_size=4))
def test_perplexity_and_bits_follow_from_torchs_cross_entropy(rng: np.random.Generator, lengths: list[int]) -> None:
    """Summed losses of texts of different lengths give what torch's mean over all of them gives."""
    texts = [(torch.tensor(rng.normal(size=(n, 7))), torch.tensor(rng.integers(7, size=n))) for n in lengths]
    nll = np.array([functional.cross_entropy(*text, reduction="sum").item() for text in texts])
    n = np.array(lengths)
    mean = functional.cross_entropy(*(torch.cat(part) for part in zip(*texts, strict=True)))
    same(rnn.perplexity(nll, n), mean.exp())
    same(rnn.bits_per_char(nll, n), mean / torch.log(torch.tensor(2.0, dtype=torch.float64)))
    same(rnn.perplexity(float(nll.sum()), int(n.sum())), mean.exp())


@small(sizes=SIZES)
def test_classify_sequence_is_torchs_packed_network(rng: np.random.Generator, sizes: tuple[int, ...]) -> None:
    """Torch reads packed sequences, so it never sees filler at all."""
    x, h0, params, theirs = network(rng, *sizes)
    lengths = rng.integers(1, sizes[1] + 1, size=sizes[0])
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        torch.tensor(x), torch.tensor(lengths), batch_first=True, enforce_sorted=False
    )
    _, last = theirs(packed, torch.tensor(h0)[None])
    logits = functional.linear(last[0], torch.tensor(params["W_y"]), torch.tensor(params["b_y"]))
    same(rnn.classify_sequence(x, h0, lengths, params), logits.softmax(dim=-1))


def test_generate_draws_what_torch_draws(rng: np.random.Generator) -> None:
    """Torch's network on the one-hot text so far, read anew at every step, and torch's search in its probabilities."""
    _, h0, params, theirs = network(rng, 1, 1, 6, 4, outputs=6)
    uniforms = rng.random(40)
    drawn = rnn.generate(h0[0], 2, 40, params, uniforms)
    text = [2]
    for u in uniforms:
        one_hot = functional.one_hot(torch.tensor(text), 6).double()
        states, _ = theirs(one_hot[None], torch.tensor(h0)[None])
        logits = functional.linear(states[0, -1], torch.tensor(params["W_y"]), torch.tensor(params["b_y"]))
        cumulative = logits.softmax(dim=-1).cumsum(dim=-1)
        text.append(torch.searchsorted(cumulative, float(u), right=True).item())
    assert drawn.tolist() == text[1:]
    assert len(set(text)) > 3


def test_caption_writes_what_torch_finds_most_probable(rng: np.random.Generator) -> None:
    """Torch's network on the one-hot text so far, from tanh(W_i image), until EOS or max_len; and the README's captions."""
    for eos in range(6):
        _, _, params, theirs = network(rng, 1, 1, 6, 4, outputs=6)
        image, W_i = rng.normal(size=3), rng.normal(size=(4, 3))
        first = torch.tanh(torch.tensor(W_i) @ torch.tensor(image))[None, None]
        text = [2]
        while len(text) <= 9 and (len(text) == 1 or text[-1] != eos):
            one_hot = functional.one_hot(torch.tensor(text), 6).double()
            states, _ = theirs(one_hot[None], first)
            logits = functional.linear(states[0, -1], torch.tensor(params["W_y"]), torch.tensor(params["b_y"]))
            text.append(int(logits.argmax()))
        assert rnn.caption(image, W_i, params, 2, eos, 9).tolist() == text[1:]
    cases = module(ROOT / "assignments" / "a1_rnn" / "cases.py")
    readme = (ROOT / "assignments" / "a1_rnn" / "README.md").read_text(encoding="utf-8")
    for features in ((0, 0), (1, 0), (0, 1)):
        image = np.array(features, dtype=float)
        ids = rnn.caption(image, cases.W_I, cases.HELLO, cases.BEGIN, cases.END, 8)
        said = " ".join(rnn.decode(ids, cases.HELLO_VOCAB))
        first = ", ".join(f"{x:.4f}".replace("0.", ".") if x else "0" for x in np.tanh(cases.W_I @ image))
        assert f"| {features} | {first} | {said} | `{ids}` |" in readme


def test_worked_example_is_the_readmes(rng: np.random.Generator) -> None:
    """The numbers that the README and its figures print are what the reference computes."""
    cases = module(ROOT / "assignments" / "a1_rnn" / "cases.py")
    figures = module(ROOT / "assignments" / "figures" / "a1_rnn.py")
    x, h0 = np.eye(4)[rnn.encode("hell", cases.HELLO_VOCAB)][None], np.zeros((1, 3))
    states = rnn.rnn_forward(x, h0, cases.W_X, cases.W_H, cases.B)
    logits = states @ cases.W_Y.T + cases.B_Y
    targets = rnn.encode("ello", rnn.build_vocab("hello"))[None]
    np.testing.assert_allclose(states[0], cases.STATES, atol=6e-5)
    np.testing.assert_allclose(logits[0], cases.LOGITS, atol=6e-5)
    drawn_states, drawn_probs = figures.run("hell")
    np.testing.assert_allclose(drawn_states, states[0], atol=TOLERANCE)
    np.testing.assert_allclose(drawn_probs, rnn.softmax(logits[0]), atol=TOLERANCE)
    nll = -rnn.sequence_log_prob(logits[0], targets[0])
    readme = (ROOT / "assignments" / "a1_rnn" / "README.md").read_text(encoding="utf-8")
    for number in (nll, nll / 4, rnn.perplexity(nll, 4), rnn.bits_per_char(nll, 4)):
        assert f"{number:.4f}".removeprefix("0") in readme
    assert rnn.next_token_loss(logits, targets, np.ones((1, 4), dtype=bool)) == pytest.approx(nll / 4)
