"""Hidden cases of a4_seq2seq: random inputs in which no two sizes are equal, and the properties that must hold."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from autograder.course.spec import Call, Code, Module, call, call_module, case
from autograder.judge.checks import agree, close, permuted, same_prefix, sums_to_one, untouched

ORDER = (3, 0, 4, 1, 2)


def _tensor(array: np.ndarray) -> Any:
    """Return a tensor as the course uses them: float32, int64 or bool."""
    import torch

    tensor = torch.from_numpy(np.ascontiguousarray(array))
    return tensor.float() if array.dtype.kind == "f" else tensor


def _normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> Any:
    return _tensor(scale * rng.normal(size=shape))


def _solid(rng: np.random.Generator, *shape: int) -> Any:
    """Draw weights of which none is small, so that a missing one shows."""
    return _tensor(rng.choice([-1.0, 1.0], size=shape) * rng.uniform(0.3, 0.9, size=shape))


def _lengths(rng: np.random.Generator, batch: int, time: int) -> np.ndarray:
    """Draw another length for each row, the full one among them, never the longest first.

    To sort three rows or more twice does not put them back.
    """
    while True:
        shorter = 1 + rng.permutation(time - 1)[: batch - 1]
        lengths = np.append(shorter[0], rng.permutation(np.append(shorter[1:], time)))
        order = np.argsort(-lengths)
        if batch < 3 or (order[order] != np.arange(batch)).any():
            return lengths


def _real(lengths: np.ndarray, time: int) -> np.ndarray:
    return np.arange(time) < lengths[:, None]


def _some_allowed(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Draw a mask in which every row allows a position and forbids one."""
    mask = rng.random(shape) < 0.5
    mask[..., 0] = True
    mask[..., -1] = False
    return rng.permuted(mask, axis=-1)


def _through(*args: Any, cotangent: Any) -> Call:
    """Call the exercise's function, and send a gradient back through it."""
    return call_module(*args, module=Module(init=None, cotangents=(cotangent,)))


def _gru(rng: np.random.Generator, features: int, hidden: int) -> dict[str, Any]:
    shapes = {"weight_ih": (features,), "weight_hh": (hidden,), "bias_ih": (), "bias_hh": ()}
    return {name: _solid(rng, 3 * hidden, *rest) for name, rest in shapes.items()}


# decoder_inputs


def _targets(rng: np.random.Generator, batch: int, time: int, eos: int, pad: int) -> np.ndarray:
    """Draw rows of other words than EOS and pad; each ends in EOS, then padding."""
    words = np.setdiff1d(np.arange(20), [eos, pad])
    targets = rng.choice(words, size=(batch, time))
    lengths = _lengths(rng, batch, time)
    targets[~_real(lengths, time)] = pad
    targets[np.arange(batch), lengths - 1] = eos
    return targets


@case("decoder_inputs", check=close(), weight=2)
def inputs_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Rows of different lengths, and other ids for BOS, EOS and padding each time."""
    for batch, time in ((3, 6), (5, 7), (4, 4)):
        bos, eos, pad = (int(i) for i in rng.permutation(20)[:3])
        yield call(_tensor(_targets(rng, batch, time, eos, pad)), bos)


@case("decoder_inputs", check=close())
def one_word_sentences(rng: np.random.Generator) -> Iterator[Call]:
    """With one target in each row, all there is to read is BOS."""
    yield call(_tensor(rng.integers(3, 9, size=(4, 1))), int(rng.integers(9, 20)))


@case("decoder_inputs", check=same_prefix(axis=1, upto=4))
def no_input_is_its_own_target(rng: np.random.Generator) -> Iterator[Call]:
    """Changing the fourth target and those after it leaves the first four inputs as they were."""
    targets = rng.integers(3, 20, size=(3, 7))
    later = targets.copy()
    later[:, 3:] += 20
    yield call(_tensor(targets), 1)
    yield call(_tensor(later), 1)


@case("decoder_inputs", check=untouched())
def the_loss_still_has_its_targets(rng: np.random.Generator) -> Iterator[Call]:
    """The inputs are right, and the targets are as before."""
    yield call(_tensor(_targets(rng, 3, 5, 2, 0)), 1)


# Encoder


def _encoder(rng: np.random.Generator, vocab: int, embed: int, hidden: int, cotangents: tuple[Any, ...] = ()) -> Module:
    parameters = {f"rnn.{name}_l0": value for name, value in _gru(rng, embed, hidden).items()}
    state = {"embedding.weight": _normal(rng, vocab, embed)} | parameters
    return Module(init=(vocab, embed, hidden), state=state, cotangents=cotangents)


ENCODED = ("states", "final")


def _padded_batches(rng: np.random.Generator) -> Iterator[Call]:
    for batch, time, vocab, embed, hidden in ((3, 6, 9, 2, 4), (4, 5, 7, 3, 2), (2, 7, 8, 3, 3)):
        src, lengths = rng.integers(0, vocab, size=(batch, time)), _lengths(rng, batch, time)
        yield call_module(_tensor(src), _tensor(lengths), module=_encoder(rng, vocab, embed, hidden))


@case("Encoder", check=close(names=ENCODED, only="states"), weight=2)
def states_of_padded_rows(rng: np.random.Generator) -> Iterator[Call]:
    """The states are right at real positions, and zero behind the end of each row."""
    yield from _padded_batches(rng)


@case("Encoder", check=close(names=ENCODED, only="final"), weight=2)
def final_states_of_padded_rows(rng: np.random.Generator) -> Iterator[Call]:
    """`final` is the state after the last real position of each row, in the order of the rows."""
    yield from _padded_batches(rng)


@case("Encoder", check=close(names=ENCODED))
def rows_shorter_than_the_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Also where no row fills all positions, there are as many states as positions."""
    src, lengths = rng.integers(0, 9, size=(3, 7)), np.array([2, 5, 3])
    yield call_module(_tensor(src), _tensor(lengths), module=_encoder(rng, 9, 3, 4))


@case("Encoder", check=close(names=ENCODED))
def id_zero_is_a_word(rng: np.random.Generator) -> Iterator[Call]:
    """Ids of 0 stand in the text, and others in the padding: only `lengths` says what is real."""
    lengths = _lengths(rng, 4, 6)
    src = np.where(_real(lengths, 6), rng.integers(0, 2, size=(4, 6)), rng.integers(1, 5, size=(4, 6)))
    yield call_module(_tensor(src), _tensor(lengths), module=_encoder(rng, 5, 3, 2))


@case("Encoder", check=close(names=ENCODED))
def whatever_stands_in_the_padding(rng: np.random.Generator) -> Iterator[Call]:
    """Three times the same text with other ids in the padding: states and final states stay the same."""
    encoder, lengths = _encoder(rng, 9, 3, 4), _lengths(rng, 3, 6)
    src, real = rng.integers(0, 9, size=(3, 6)), _real(lengths, 6)
    for _ in range(3):
        yield call_module(
            _tensor(np.where(real, src, rng.integers(0, 9, size=(3, 6)))), _tensor(lengths), module=encoder
        )


def _encoder_gradients(rng: np.random.Generator) -> Iterator[Call]:
    lengths = _lengths(rng, 3, 5)
    cotangents = _normal(rng, 3, 5, 4), _normal(rng, 3, 4)
    module = _encoder(rng, 7, 2, 4, cotangents)
    yield call_module(_tensor(rng.integers(0, 7, size=(3, 5))), _tensor(lengths), module=module)


@case("Encoder", check=close(at=("param_grads", "embedding.weight")))
def gradients_reach_the_embedding(rng: np.random.Generator) -> Iterator[Call]:
    """A gradient on all states and final states finds its way back to the embedding, but not from padding."""
    yield from _encoder_gradients(rng)


@case("Encoder", check=close(at=("param_grads", "rnn.weight_hh_l0")))
def gradients_reach_the_recurrence(rng: np.random.Generator) -> Iterator[Call]:
    """The same for the weights of the recurrence."""
    yield from _encoder_gradients(rng)


@case("Encoder", check=untouched(names=ENCODED))
def encoding_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The states are right, and the ids and lengths are as before."""
    src, lengths = rng.integers(1, 9, size=(3, 6)), _lengths(rng, 3, 6)
    yield call_module(_tensor(src), _tensor(lengths), module=_encoder(rng, 9, 3, 4))


# dot_score


@case("dot_score", check=close(), weight=2)
def dots_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """More keys than queries and fewer, one query alone, and as many as keys."""
    for batch, T_q, T_k, d in ((2, 3, 5, 4), (3, 6, 2, 5), (4, 1, 3, 2), (2, 3, 3, 6)):
        yield call(_normal(rng, batch, T_q, d), _normal(rng, batch, T_k, d))


@case("dot_score", check=permuted(axis=-1, order=ORDER))
def moved_keys_move_their_scores(rng: np.random.Generator) -> Iterator[Call]:
    """Keys in another order give the same scores, in that order."""
    q, k = _normal(rng, 2, 3, 4), _normal(rng, 2, 5, 4)
    yield call(q, k)
    yield call(q, k[:, list(ORDER)])


@case("dot_score", check=close(at=("input_grads",)))
def dots_let_gradients_through(rng: np.random.Generator) -> Iterator[Call]:
    """Queries and keys both get their gradient."""
    yield _through(_normal(rng, 2, 3, 4), _normal(rng, 2, 5, 4), cotangent=_normal(rng, 2, 3, 5))


# bilinear_score


@case("bilinear_score", check=close(), weight=2)
def bilinear_scores_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Wide queries and narrow keys, and the other way round."""
    for batch, T_q, T_k, d_q, d_k in ((2, 3, 5, 4, 6), (3, 4, 2, 6, 5), (4, 1, 3, 2, 7)):
        yield call(_normal(rng, batch, T_q, d_q), _normal(rng, batch, T_k, d_k), _normal(rng, d_q, d_k))


@case("bilinear_score", check=close())
def equal_widths_hide_no_transpose(rng: np.random.Generator) -> Iterator[Call]:
    """Where queries are as many and as wide as keys, and no shape can warn of a slip, the scores still are right."""
    yield call(_normal(rng, 3, 3, 3), _normal(rng, 3, 3, 3), _normal(rng, 3, 3))


@case("bilinear_score", check=close(at=("input_grads",)))
def the_matrix_gets_its_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """Queries, keys and W all get their gradient."""
    args = _normal(rng, 2, 3, 4), _normal(rng, 2, 5, 6), _normal(rng, 4, 6)
    yield _through(*args, cotangent=_normal(rng, 2, 3, 5))


# mlp_score


def _mlp_inputs(rng: np.random.Generator, *sizes: int) -> tuple[Any, ...]:
    batch, T_q, T_k, d_q, d_k, d_a = sizes
    W = _normal(rng, d_a, d_q + d_k, scale=0.7)
    return _normal(rng, batch, T_q, d_q), _normal(rng, batch, T_k, d_k), W, _normal(rng, d_a)


@case("mlp_score", check=close(), weight=3)
def mlp_scores_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """All sizes different, in three different orders."""
    for sizes in ((2, 3, 5, 4, 6, 7), (3, 4, 2, 6, 5, 1), (4, 1, 3, 2, 7, 5)):
        yield call(*_mlp_inputs(rng, *sizes))


@case("mlp_score", check=close())
def equal_widths_hide_no_swap(rng: np.random.Generator) -> Iterator[Call]:
    """Where queries are as many and as wide as keys, each still meets its own columns of W."""
    yield call(*_mlp_inputs(rng, 3, 3, 3, 3, 3, 3))


@case("mlp_score", check=permuted(axis=1, order=ORDER))
def moved_queries_move_their_scores(rng: np.random.Generator) -> Iterator[Call]:
    """Queries in another order give the same rows, in that order."""
    q, *rest = _mlp_inputs(rng, 2, 5, 3, 4, 6, 7)
    yield call(q, *rest)
    yield call(q[:, list(ORDER)], *rest)


@case("mlp_score", check=close(at=("input_grads",)))
def the_small_network_gets_its_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """Queries, keys, W and w all get their gradient."""
    yield _through(*_mlp_inputs(rng, 2, 3, 4, 5, 2, 6), cotangent=_normal(rng, 2, 3, 4))


# masked_softmax


@case("masked_softmax", check=close(), weight=3)
def shares_under_every_mask(rng: np.random.Generator) -> Iterator[Call]:
    """Another mask for each row, one for all queries of a sentence, one with an axis of heads to be filled in, one for all sentences."""
    yield call(_normal(rng, 3, 5), _tensor(_some_allowed(rng, 3, 5)))
    yield call(_normal(rng, 2, 4, 6), _tensor(_some_allowed(rng, 2, 4, 6)))
    yield call(_normal(rng, 3, 4, 6), _tensor(_real(_lengths(rng, 3, 6), 6)[:, None]))
    yield call(_normal(rng, 2, 3, 4, 6), _tensor(_real(_lengths(rng, 2, 6), 6)[:, None, None]))
    yield call(_normal(rng, 2, 4, 6), _tensor(np.ones((1, 1, 6), bool)))
    yield call(_normal(rng, 2, 4, 6), _tensor(_some_allowed(rng, 4, 6)))
    yield call(_normal(rng, 2, 4, 6), _tensor(_some_allowed(rng, 1, 6)[0]))


@case("masked_softmax", check=sums_to_one())
def rows_sum_to_one(rng: np.random.Generator) -> Iterator[Call]:
    """Where anything may be looked at, the shares of a row sum to one."""
    yield call(_normal(rng, 2, 4, 6, scale=2.0), _tensor(_some_allowed(rng, 2, 4, 6)))


@case("masked_softmax", check=close())
def square_masks_keep_their_direction(rng: np.random.Generator) -> Iterator[Call]:
    """With as many queries as keys, rows of the mask still belong to queries."""
    yield call(_normal(rng, 3, 4, 4), _tensor(_some_allowed(rng, 3, 4, 4)))


@case("masked_softmax", check=close())
def empty_rows_among_others(rng: np.random.Generator) -> Iterator[Call]:
    """Some rows may look at nothing: they are zeros, and all others are what they would be without them."""
    mask = _some_allowed(rng, 2, 4, 6)
    mask[0, rng.permutation(4)[:2]] = False
    mask[1, rng.integers(4)] = False
    yield call(_normal(rng, 2, 4, 6), _tensor(mask))
    yield call(_normal(rng, 2, 6), _tensor(np.zeros((2, 6), bool)))


@case("masked_softmax", check=close())
def every_row_has_its_own_level(rng: np.random.Generator) -> Iterator[Call]:
    """A row of scores near 1000 beside a row near -1000: both give ordinary shares."""
    levels = rng.permutation([1000.0, -1000.0, 0.0, 500.0])[:, None]
    scores = levels + rng.integers(-3, 4, size=(4, 6))
    yield call(_tensor(scores), _tensor(_some_allowed(rng, 4, 6)))


@case("masked_softmax", check=close())
def forbidden_scores_may_be_the_largest(rng: np.random.Generator) -> Iterator[Call]:
    """Scores far above the allowed ones get nothing where the mask forbids, and spoil nothing."""
    mask = _some_allowed(rng, 3, 6)
    mask[:, :2] |= ~mask.any(axis=-1, keepdims=True)
    scores = np.where(mask, -600.0, 600.0) + rng.integers(-3, 4, size=(3, 6))
    yield call(_tensor(scores), _tensor(mask))


@case("masked_softmax", check=agree())
def what_is_forbidden_does_not_count(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever the forbidden scores are, the weights stay the same."""
    scores, mask = rng.normal(size=(2, 3, 5)), _some_allowed(rng, 2, 3, 5)
    for size in (1.0, 5.0, 50.0):
        yield call(_tensor(np.where(mask, scores, size * rng.normal(size=(2, 3, 5)))), _tensor(mask))
    yield call(_tensor(np.where(mask, scores, rng.uniform(200, 400, size=(2, 3, 5)))), _tensor(mask))


@case("masked_softmax", check=close(at=("input_grads", 0), called="gradient of the scores"), weight=2)
def gradients_stay_finite(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of the scores is right, and zero in rows of zeros: never NaN."""
    mask = _some_allowed(rng, 3, 6)
    mask[rng.integers(3)] = False
    yield _through(_normal(rng, 3, 6), _tensor(mask), cotangent=_normal(rng, 3, 6))


@case("masked_softmax", check=untouched())
def scores_are_left_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The weights are right, and scores and mask are as before."""
    yield call(_normal(rng, 2, 4, 6), _tensor(_some_allowed(rng, 2, 4, 6)))


# attention_context


def _weights(rng: np.random.Generator, *shape: int) -> Any:
    raw = rng.uniform(0.05, 1.0, size=shape)
    return _tensor(raw / raw.sum(axis=-1, keepdims=True))


@case("attention_context", check=close(), weight=2)
def contexts_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """More values than queries and fewer, one query alone, and as many as values."""
    for batch, T_q, T_k, d in ((2, 3, 5, 4), (3, 6, 2, 5), (4, 1, 3, 2), (2, 3, 3, 6)):
        yield call(_weights(rng, batch, T_q, T_k), _normal(rng, batch, T_k, d))


@case("attention_context", check=close())
def weights_are_used_as_they_are(rng: np.random.Generator) -> Iterator[Call]:
    """A row of zeros gives a context of zeros, and a row with a single one gives that value."""
    weights = np.zeros((2, 3, 4))
    weights[0, 0, rng.integers(4)] = weights[1, 2, rng.integers(4)] = 1.0
    weights[1, 0] = [0.5, 0.0, 0.25, 0.25]
    yield call(_tensor(weights), _normal(rng, 2, 4, 5))


@case("attention_context", check=close(at=("input_grads",)))
def contexts_let_gradients_through(rng: np.random.Generator) -> Iterator[Call]:
    """Weights and values both get their gradient."""
    args = _weights(rng, 2, 3, 5), _normal(rng, 2, 5, 4)
    yield _through(*args, cotangent=_normal(rng, 2, 3, 4))


# DecoderWithContext


def _context_decoder(rng: np.random.Generator, *sizes: int, cotangents: tuple[Any, ...] = ()) -> Module:
    vocab, embed, hidden, context = sizes
    state = {
        "embedding.weight": _normal(rng, vocab, embed),
        "bridge.weight": _solid(rng, hidden, context),
        "bridge.bias": _solid(rng, hidden),
        "output.weight": _solid(rng, vocab, hidden + embed + context),
        "output.bias": _solid(rng, vocab),
    } | {f"cell.{name}": value for name, value in _gru(rng, embed + context, hidden).items()}
    return Module(init=sizes, state=state, method="step", cotangents=cotangents)


STEP = ("logits", "state")


def _words(rng: np.random.Generator, batch: int, vocab: int) -> Any:
    return _tensor(rng.integers(0, vocab, size=batch))


def _later_steps(rng: np.random.Generator) -> Iterator[Call]:
    for batch, vocab, embed, hidden, context in ((3, 7, 2, 4, 5), (2, 6, 5, 3, 4), (4, 5, 3, 2, 6)):
        module = _context_decoder(rng, vocab, embed, hidden, context)
        yield call_module(
            _words(rng, batch, vocab), _normal(rng, batch, hidden), _normal(rng, batch, context), module=module
        )


@case("DecoderWithContext", check=close(names=STEP, only="logits"), weight=2)
def logits_of_later_steps(rng: np.random.Generator) -> Iterator[Call]:
    """The logits, from the new state, the word before and the context."""
    yield from _later_steps(rng)


@case("DecoderWithContext", check=close(names=STEP, only="state"), weight=2)
def states_of_later_steps(rng: np.random.Generator) -> Iterator[Call]:
    """The new state, from the state before, the word before and the context."""
    yield from _later_steps(rng)


@case("DecoderWithContext", check=close(names=STEP), weight=2)
def the_context_makes_the_first_state(rng: np.random.Generator) -> Iterator[Call]:
    """Without a state, the decoder starts from one made of the context."""
    for batch, vocab, embed, hidden, context in ((3, 7, 2, 4, 5), (2, 6, 5, 3, 4)):
        module = _context_decoder(rng, vocab, embed, hidden, context)
        yield call_module(_words(rng, batch, vocab), None, _normal(rng, batch, context), module=module)


@case("DecoderWithContext", check=close(names=STEP))
def equal_sizes_hide_no_order(rng: np.random.Generator) -> Iterator[Call]:
    """Where all sizes are equal, and no shape can warn of a slip, everything still stands in its place."""
    module = _context_decoder(rng, 3, 3, 3, 3)
    yield call_module(_words(rng, 3, 3), _normal(rng, 3, 3), _normal(rng, 3, 3), module=module)


@case("DecoderWithContext", check=close(at=("input_grads", 2), called="gradient of the context"))
def gradients_reach_the_context(rng: np.random.Generator) -> Iterator[Call]:
    """Torch finds its way back to the context, and so to the encoder."""
    module = _context_decoder(rng, 6, 2, 4, 3, cotangents=(_normal(rng, 3, 6), _normal(rng, 3, 4)))
    yield call_module(_words(rng, 3, 6), None, _normal(rng, 3, 3), module=module)


@case("DecoderWithContext", check=close(at=("param_grads",)))
def gradients_reach_the_parameters(rng: np.random.Generator) -> Iterator[Call]:
    """Torch finds its way back to all parameters."""
    module = _context_decoder(rng, 6, 2, 4, 3, cotangents=(_normal(rng, 3, 6), _normal(rng, 3, 4)))
    yield call_module(_words(rng, 3, 6), None, _normal(rng, 3, 3), module=module)


@case("DecoderWithContext", check=close(at=("input_grads", 1), called="gradient of the state"))
def gradients_reach_the_state_before(rng: np.random.Generator) -> Iterator[Call]:
    """Torch finds its way back to the state that was handed in, and so to every earlier word."""
    module = _context_decoder(rng, 6, 2, 4, 3, cotangents=(_normal(rng, 3, 6), _normal(rng, 3, 4)))
    yield call_module(_words(rng, 3, 6), _normal(rng, 3, 4), _normal(rng, 3, 3), module=module)


@case("DecoderWithContext", check=untouched(names=STEP))
def stepping_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The step is right, and word, state and context are as before."""
    module = _context_decoder(rng, 6, 2, 4, 3)
    yield call_module(_words(rng, 3, 6), _normal(rng, 3, 4), _normal(rng, 3, 3), module=module)


# AttentionDecoder


def _attention_decoder(rng: np.random.Generator, *sizes: int, cotangents: tuple[Any, ...] = ()) -> Module:
    vocab, embed, hidden, enc, attn = sizes
    state = {
        "embedding.weight": _normal(rng, vocab, embed),
        "W_score": _solid(rng, attn, hidden + enc),
        "w_score": 2 * _solid(rng, attn),
        "W_out.weight": _solid(rng, hidden, enc + hidden),
        "output.weight": _solid(rng, vocab, hidden),
        "output.bias": _solid(rng, vocab),
    } | {f"cell.{name}": value for name, value in _gru(rng, embed, hidden).items()}
    return Module(init=sizes, state=state, method="step", cotangents=cotangents)


ATTENTION_STEP = ("logits", "state", "weights")


def _attention_inputs(rng: np.random.Generator, batch: int, T: int, *sizes: int) -> tuple[Any, ...]:
    vocab, _, hidden, enc, _ = sizes
    mask = _real(_lengths(rng, batch, T), T)
    return _words(rng, batch, vocab), _normal(rng, batch, hidden), _normal(rng, batch, T, enc), _tensor(mask)


def _attention_steps(rng: np.random.Generator) -> Iterator[Call]:
    for batch, T, *sizes in ((3, 6, 7, 2, 4, 5, 8), (2, 5, 6, 5, 3, 4, 7), (4, 7, 5, 3, 2, 6, 9)):
        yield call_module(*_attention_inputs(rng, batch, T, *sizes), module=_attention_decoder(rng, *sizes))


@case("AttentionDecoder", check=close(names=ATTENTION_STEP, only="logits"), weight=2)
def logits_with_attention(rng: np.random.Generator) -> Iterator[Call]:
    """The logits, from the context and the new state."""
    yield from _attention_steps(rng)


@case("AttentionDecoder", check=close(names=ATTENTION_STEP, only="state"))
def states_with_attention(rng: np.random.Generator) -> Iterator[Call]:
    """The new state, which is what the cell says."""
    yield from _attention_steps(rng)


@case("AttentionDecoder", check=close(names=ATTENTION_STEP, only="weights"), weight=2)
def where_the_decoder_looks(rng: np.random.Generator) -> Iterator[Call]:
    """The weights: the new state asks, and padding gets none."""
    yield from _attention_steps(rng)


@case("AttentionDecoder", check=close(names=ATTENTION_STEP))
def equal_sizes_hide_no_order_with_attention(rng: np.random.Generator) -> Iterator[Call]:
    """Where all sizes are equal, and no shape can warn of a slip, everything still stands in its place."""
    module = _attention_decoder(rng, 3, 3, 3, 3, 3)
    yield call_module(*_attention_inputs(rng, 3, 3, 3, 3, 3, 3, 3), module=module)


@case("AttentionDecoder", check=close(names=ATTENTION_STEP))
def an_empty_source_stays_finite(rng: np.random.Generator) -> Iterator[Call]:
    """Where the mask allows nothing, weights and context are zeros and the logits are finite; other rows are as ever."""
    y_prev, state, enc, mask = _attention_inputs(rng, 3, 5, 6, 2, 4, 3, 7)
    mask[int(rng.integers(3))] = False
    yield call_module(y_prev, state, enc, mask, module=_attention_decoder(rng, 6, 2, 4, 3, 7))


def _attention_gradients(rng: np.random.Generator) -> Iterator[Call]:
    # None into the weights: they are for looking at, and code that detaches them before returning them is right as well.
    cotangents = _normal(rng, 3, 6), _normal(rng, 3, 4), _normal(rng, 3, 5, scale=0.0)
    module = _attention_decoder(rng, 6, 2, 4, 3, 7, cotangents=cotangents)
    yield call_module(*_attention_inputs(rng, 3, 5, 6, 2, 4, 3, 7), module=module)


@case("AttentionDecoder", check=close(at=("input_grads", 2), called="gradient of enc"))
def gradients_reach_the_encoder(rng: np.random.Generator) -> Iterator[Call]:
    """Torch finds its way back to the encoder states: as keys and as values."""
    yield from _attention_gradients(rng)


@case("AttentionDecoder", check=close(at=("input_grads", 1), called="gradient of the state"))
def gradients_reach_earlier_steps(rng: np.random.Generator) -> Iterator[Call]:
    """Torch finds its way back to the state that was handed in, and so to every earlier word."""
    yield from _attention_gradients(rng)


@case("AttentionDecoder", check=close(at=("param_grads",)))
def gradients_reach_every_weight(rng: np.random.Generator) -> Iterator[Call]:
    """Torch finds its way back to all parameters, those of the score among them."""
    yield from _attention_gradients(rng)


@case("AttentionDecoder", check=untouched(names=ATTENTION_STEP))
def looking_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The step is right, and word, state, encoder states and mask are as before."""
    yield call_module(*_attention_inputs(rng, 3, 5, 6, 2, 4, 3, 7), module=_attention_decoder(rng, 6, 2, 4, 3, 7))


# LSTMAttentionDecoder


def _lstm_decoder(rng: np.random.Generator, *sizes: int, cotangents: tuple[Any, ...] = ()) -> Module:
    vocab, embed, hidden, enc, attn = sizes
    cell = {"weight_ih": (embed + enc,), "weight_hh": (hidden,), "bias_ih": (), "bias_hh": ()}
    state = {
        "embedding.weight": _normal(rng, vocab, embed),
        "W_score": _solid(rng, attn, hidden + enc),
        "w_score": 2 * _solid(rng, attn),
        "output.weight": _solid(rng, vocab, hidden + embed + enc),
        "output.bias": _solid(rng, vocab),
    } | {f"cell.{name}": _solid(rng, 4 * hidden, *rest) for name, rest in cell.items()}
    return Module(init=sizes, state=state, method="step", cotangents=cotangents)


def _lstm_inputs(rng: np.random.Generator, batch: int, T: int, *sizes: int) -> tuple[Any, ...]:
    y_prev, h, enc, mask = _attention_inputs(rng, batch, T, *sizes)
    return y_prev, (h, _normal(rng, *h.shape)), enc, mask


def _lstm_steps(rng: np.random.Generator) -> Iterator[Call]:
    for batch, T, *sizes in ((3, 6, 7, 2, 4, 5, 8), (2, 5, 6, 5, 3, 4, 7), (4, 7, 5, 3, 2, 6, 9)):
        yield call_module(*_lstm_inputs(rng, batch, T, *sizes), module=_lstm_decoder(rng, *sizes))


@case("LSTMAttentionDecoder", check=close(names=ATTENTION_STEP, only="logits"), weight=2)
def logits_of_an_lstm_that_looks(rng: np.random.Generator) -> Iterator[Call]:
    """The logits, from the new h, the word and the context."""
    yield from _lstm_steps(rng)


@case("LSTMAttentionDecoder", check=close(names=ATTENTION_STEP, only="state"), weight=2)
def both_parts_of_the_state_go_on(rng: np.random.Generator) -> Iterator[Call]:
    """The new state, h and c in this order, from a cell that has read the context."""
    yield from _lstm_steps(rng)


@case("LSTMAttentionDecoder", check=close(names=ATTENTION_STEP, only="weights"), weight=2)
def the_state_before_asks(rng: np.random.Generator) -> Iterator[Call]:
    """The weights: h before the step asks, and padding gets none."""
    yield from _lstm_steps(rng)


@case("LSTMAttentionDecoder", check=close(names=ATTENTION_STEP))
def equal_sizes_hide_no_order_in_an_lstm(rng: np.random.Generator) -> Iterator[Call]:
    """Where all sizes are equal, and no shape can warn of a slip, everything still stands in its place."""
    yield call_module(*_lstm_inputs(rng, 3, 3, 3, 3, 3, 3, 3), module=_lstm_decoder(rng, 3, 3, 3, 3, 3))


@case("LSTMAttentionDecoder", check=close(names=ATTENTION_STEP))
def an_lstm_stays_finite_without_a_source(rng: np.random.Generator) -> Iterator[Call]:
    """Where the mask allows nothing, weights and context are zeros and all stays finite; other rows are as ever."""
    y_prev, state, enc, mask = _lstm_inputs(rng, 3, 5, 6, 2, 4, 3, 7)
    mask[int(rng.integers(3))] = False
    yield call_module(y_prev, state, enc, mask, module=_lstm_decoder(rng, 6, 2, 4, 3, 7))


def _lstm_gradients(rng: np.random.Generator) -> Iterator[Call]:
    # None into the weights, as in AttentionDecoder.
    state = _normal(rng, 3, 4), _normal(rng, 3, 4)
    module = _lstm_decoder(rng, 6, 2, 4, 3, 7, cotangents=(_normal(rng, 3, 6), state, _normal(rng, 3, 5, scale=0.0)))
    yield call_module(*_lstm_inputs(rng, 3, 5, 6, 2, 4, 3, 7), module=module)


@case("LSTMAttentionDecoder", check=close(at=("input_grads", 2), called="gradient of enc"))
def an_lstm_teaches_the_encoder(rng: np.random.Generator) -> Iterator[Call]:
    """Torch finds its way back to the encoder states: as keys and as values."""
    yield from _lstm_gradients(rng)


@case("LSTMAttentionDecoder", check=close(at=("input_grads", 1), called="gradient of (h_prev, c_prev)"))
def an_lstm_teaches_earlier_steps(rng: np.random.Generator) -> Iterator[Call]:
    """Torch finds its way back to h_prev and c_prev, and so to every earlier word."""
    yield from _lstm_gradients(rng)


@case("LSTMAttentionDecoder", check=close(at=("param_grads",)))
def an_lstm_teaches_every_weight(rng: np.random.Generator) -> Iterator[Call]:
    """Torch finds its way back to all parameters, those of the score among them."""
    yield from _lstm_gradients(rng)


@case("LSTMAttentionDecoder", check=untouched(names=ATTENTION_STEP))
def an_lstm_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The step is right, and word, state, encoder states and mask are as before."""
    yield call_module(*_lstm_inputs(rng, 3, 5, 6, 2, 4, 3, 7), module=_lstm_decoder(rng, 6, 2, 4, 3, 7))


# masked_nll


def _loss_inputs(rng: np.random.Generator, batch: int, time: int, vocab: int, pad: int) -> tuple[Any, Any, int]:
    words = np.setdiff1d(np.arange(vocab), [pad])
    targets = rng.choice(words, size=(batch, time))
    targets[~_real(_lengths(rng, batch, time), time)] = pad
    return _normal(rng, batch, time, vocab, scale=2.0), _tensor(targets), pad


@case("masked_nll", check=close(), weight=2)
def losses_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Rows of different lengths, and another filler each time."""
    for batch, time, vocab, pad in ((3, 5, 7, 0), (4, 6, 3, 2), (2, 3, 8, 5)):
        yield call(*_loss_inputs(rng, batch, time, vocab, pad))


@case("masked_nll", check=close())
def the_filler_may_be_no_word(rng: np.random.Generator) -> Iterator[Call]:
    """The filler is a number that is no id of the vocabulary, and 0 is a word."""
    yield call(*_loss_inputs(rng, 3, 5, 7, -1))
    yield call(*_loss_inputs(rng, 3, 4, 6, -100))


@case("masked_nll", check=close())
def large_logits_give_finite_losses(rng: np.random.Generator) -> Iterator[Call]:
    """Logits of several hundreds, as a diverging network has them, give a large loss and not an infinite one."""
    for batch, time, vocab, pad in ((3, 4, 5, 0), (2, 5, 4, 3), (4, 6, 3, 1)):
        logits, targets, _ = _loss_inputs(rng, batch, time, vocab, pad)
        yield call(150 * logits, targets, pad)


@case("masked_nll", check=close(at=("input_grads", 0), called="gradient of the logits"))
def the_loss_has_a_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """The logits get their gradient, those of padded positions zero."""
    logits, targets, pad = _loss_inputs(rng, 3, 5, 7, 2)
    import torch

    yield _through(logits / 2, targets, pad, cotangent=torch.tensor(1.5))


@case("masked_nll", check=untouched())
def the_loss_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The losses are right, and logits and targets are as before."""
    yield call(*_loss_inputs(rng, 3, 5, 7, -1))
    yield call(*_loss_inputs(rng, 4, 6, 5, -1))
    yield call(*_loss_inputs(rng, 3, 4, 6, 5))


# greedy_decode and beam_search, on scripts


@dataclass(frozen=True)
class _Script:
    """A decoder without weights: its state is a number that stands for all words so far, and waves make logits of it."""

    frequency: float
    phases: tuple[float, ...]
    lift: tuple[float, ...]
    numbers: tuple[int, ...]  # what the state knows each word as

    @property
    def vocab(self) -> int:
        return len(self.phases)

    def code(self) -> Code:
        """Return it as a step function; states are (batch, 1), and exact in float32 up to 2 ** 24."""
        waves = f"3 * torch.sin({self.frequency} * s.double() + torch.tensor({list(self.phases)})).float()"
        return Code(
            f"lambda y_prev, state: (lambda s: ({waves} + torch.tensor({list(self.lift)}), s))"
            f"(state * {self.vocab} + torch.tensor({list(self.numbers)})[y_prev][:, None] + 1)",
            f"a decoder of {self.vocab} words, whose state stands for all words so far, and whose logits are waves of it",
        )

    def read(self, past: int, word: int) -> tuple[np.ndarray, int]:
        """Take a step for one sentence; return the log-probabilities and the new state."""
        state = past * self.vocab + self.numbers[word] + 1
        logits = 3 * np.sin(self.frequency * state + np.array(self.phases)) + np.array(self.lift)
        return logits - np.log(np.exp(logits).sum()), state


def _script(rng: np.random.Generator, vocab: int, eos: int, lift: float = 0.0) -> _Script:
    """Draw a script; with lift, EOS is likelier (or less likely) than the other words."""
    phases = tuple(round(float(p), 3) for p in rng.uniform(0, 2 * math.pi, size=vocab))
    lifts = tuple(lift if word == eos else 0.0 for word in range(vocab))
    return _Script(round(float(rng.uniform(0.5, 2.5)), 3), phases, lifts, tuple(range(vocab)))


CLEAR = 0.02  # what decides is at least this much better, so that no rounding can turn it round


def _draw(rng: np.random.Generator, draw: Callable[[], Any], fits: Callable[[Any], bool]) -> Any:
    """Draw until it fits."""
    for _ in range(20_000):
        drawn = draw()
        if fits(drawn):
            return drawn
    raise RuntimeError("no script fits")


def _write(script: _Script, start: int, bos: int, eos: int, max_len: int) -> tuple[list[int], float]:
    """Write greedily from a state; return the words and how clear the least clear choice was."""
    words, clear, word, past = [], math.inf, bos, start
    while len(words) < max_len and eos not in words:
        log_probs, past = script.read(past, word)
        second, first = np.sort(log_probs)[-2:]
        word, clear = int(log_probs.argmax()), min(clear, first - second)
        words.append(word)
    return words, clear


def _greedy_call(
    rng: np.random.Generator,
    lengths: tuple[int, ...],
    vocab: int,
    max_len: int,
    *,
    cut: int = 0,
    says_pad: bool = False,
) -> Call:
    """Draw a script in which the rows end after so many words each; `cut` of them are cut off instead.

    With `says_pad` each row says the word whose id is that of padding before it ends.
    """
    pad = int(rng.integers(1, vocab))  # not 0, with which rows could be filled up by chance
    bos, eos = (int(i) for i in rng.permutation(np.setdiff1d(np.arange(vocab), [pad]))[:2])

    def draw() -> Any:
        script = _script(rng, vocab, eos)
        starts = rng.permutation(60)[: 8 * len(lengths)]
        return script, [(int(s), *_write(script, int(s), bos, eos, max_len)) for s in starts]

    def rows_of(drawn: Any) -> list[int] | None:
        clear = {start: words for start, words, gap in drawn[1] if gap > CLEAR}
        rows = []
        for number, length in enumerate(lengths):
            ends = number >= cut
            last = {eos} if ends else set(range(vocab)) - {eos, pad}
            asked = {s: w for s, w in clear.items() if len(w) == length and w[-1] in last and s not in rows}
            fitting = [s for s, w in asked.items() if not says_pad or pad in w[:-1]]
            if not fitting:
                return None
            rows.append(fitting[0])
        return rows

    drawn = _draw(rng, draw, lambda drawn: rows_of(drawn) is not None)
    rows = rng.permutation(rows_of(drawn))
    return call(drawn[0].code(), _tensor(rows[:, None].astype(float)), bos, eos, pad, max_len)


@case("greedy_decode", check=close(), weight=3)
def rows_of_every_length(rng: np.random.Generator) -> Iterator[Call]:
    """Rows that end early, late and not at all; ids of BOS, EOS and padding are others each time."""
    for _ in range(3):
        yield _greedy_call(rng, (6, 2, 4), 6, 6, cut=1)
        yield _greedy_call(rng, (5, 1, 3, 4), 7, 5, cut=1)


@case("greedy_decode", check=close())
def all_rows_end_before_the_last_word(rng: np.random.Generator) -> Iterator[Call]:
    """When all have ended, what is left of every row is padding."""
    for _ in range(5):
        yield _greedy_call(rng, (2, 3, 1), 5, 7)


@case("greedy_decode", check=close())
def the_last_word_may_be_eos(rng: np.random.Generator) -> Iterator[Call]:
    """A sentence that ends with its very last word, and one that is cut off there."""
    for _ in range(6):
        yield _greedy_call(rng, (4, 4), 6, 4, cut=1)


@case("greedy_decode", check=close())
def a_batch_of_one_sentence(rng: np.random.Generator) -> Iterator[Call]:
    """One row alone still is a batch, also one that says the word whose id is that of padding."""
    yield _greedy_call(rng, (3,), 6, 5, says_pad=True)
    for _ in range(5):
        yield _greedy_call(rng, (3,), 6, 5)


@case("greedy_decode", check=close())
def nobody_asks_after_the_end(rng: np.random.Generator) -> Iterator[Call]:
    """The script has as many steps as are needed and no more, once because all rows end, once because of max_len."""
    eos, others = 2, [0, 1, 3, 4]
    for ends, max_len in (((3, 1, 4), 7), ((3, 6, 2), 5)):
        steps = min(max(ends), max_len)
        words = rng.choice(others, size=(steps, 3))
        words[-1] = rng.choice(others[1:], size=3)  # not padding, which would hide that the last word is missing
        for row, end in enumerate(ends):
            if end <= steps:
                words[end - 1, row] = eos
        place = "(state[:, 0] % 10).long(), (state[:, 0] // 10).long()"
        label = f"a decoder that says {words.tolist()}, a word to each sentence at each step, and no more"
        step = Code(f"lambda y_prev, state: (torch.eye(5)[torch.tensor({words.tolist()})[{place}]], state + 1)", label)
        yield call(step, _tensor(np.array([[0.0], [10.0], [20.0]])), 1, eos, 0, max_len)


@case("greedy_decode", check=untouched())
def decoding_leaves_the_state_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The ids are right, and the state before the first step is as before."""
    for _ in range(5):
        yield _greedy_call(rng, (4, 2, 3), 6, 5)


Scored = tuple[float, list[int]]


@dataclass
class _Search:
    """A beam search written for its margins: how clear was what decided?"""

    script: _Script
    bos: int
    eos: int
    max_len: int
    start: int

    def candidates(self, width: int, *, freed: bool = False, single: bool = False) -> tuple[list[Scored], float]:
        """Return all (log P, words) that are finished or cut off, and how clear the least clear cut was.

        Two mistakes can be made on purpose: places of finished ones are `freed`; each hypothesis has a `single` child.
        """
        alive: list[tuple[float, list[int], int]] = [(0.0, [], self.start)]
        finished: list[Scored] = []
        clear = math.inf
        for _ in range(self.max_len):
            extended = []
            for total, words, past in alive:
                log_probs, state = self.script.read(past, words[-1] if words else self.bos)
                children = [(total + p, [*words, word], state) for word, p in enumerate(log_probs.tolist())]
                extended += [max(children)] if single and words else children
            extended.sort(key=lambda item: -item[0])
            places = width if freed else width - len(finished)
            if places < len(extended):
                clear = min(clear, extended[places - 1][0] - extended[places][0])
            finished += [(total, words) for total, words, _ in extended[:places] if words[-1] == self.eos]
            alive = [item for item in extended[:places] if item[1][-1] != self.eos]
            if not alive:
                break
        return finished + [(total, words) for total, words, _ in alive], clear

    def best(self, width: int, alpha: float, **mistakes: bool) -> tuple[list[int], float]:
        """Return the words with the best score, and how clear everything on the way to them was."""
        found, clear = self.candidates(width, **mistakes)
        scored = sorted((total / ((5 + len(words)) / 6) ** alpha, words) for total, words in found)
        if len(scored) > 1:
            clear = min(clear, scored[-1][0] - scored[-2][0])
        return scored[-1][1], clear


def _search(rng: np.random.Generator, vocab: int, max_len: int, lift: float = 0.0) -> _Search:
    bos, eos = (int(i) for i in rng.permutation(vocab)[:2])
    return _Search(_script(rng, vocab, eos, lift), bos, eos, max_len, int(rng.integers(1, 40)))


def _known(rng: np.random.Generator, number: int, *args: Any) -> _Search:
    """Return the script with this number; its words have other ids each time, and a little other probabilities.

    The numbers in the cases stand for scripts that each mistake gets wrong at any seed, or at none.
    """
    same = _search(np.random.default_rng(number), *args)
    names = rng.permutation(same.script.vocab)  # the new id of each word
    numbers = np.argsort(names)
    phases = np.array(same.script.phases) + rng.uniform(-0.001, 0.001, size=len(names))
    script = _Script(
        same.script.frequency,
        tuple(phases[numbers].round(5).tolist()),
        tuple(same.script.lift[number] for number in numbers),
        tuple(numbers.tolist()),
    )
    return _Search(script, int(names[same.bos]), int(names[same.eos]), same.max_len, same.start)


def _clear(search: _Search, *settings: tuple[int, float]) -> bool:
    return all(search.best(width, alpha)[1] > CLEAR for width, alpha in settings)


def _beam_call(search: _Search, width: int, alpha: float) -> Call:
    state = _tensor(np.array([[float(search.start)]]))
    return call(search.script.code(), state, search.bos, search.eos, search.max_len, width, alpha)


BEAM = ("ids", "score")

Setting = tuple[int, float]  # width and length penalty


def _beam_calls(
    rng: np.random.Generator,
    numbers: tuple[int, ...],
    sizes: tuple[Any, ...],
    settings: tuple[Setting, ...],
    fits: Callable[[_Search], bool] = lambda _: True,
) -> Iterator[Call]:
    """Search each of these known scripts with all settings; it is checked that each still is what the case is about."""
    for number in numbers:
        search = _draw(rng, partial(_known, rng, number, *sizes), lambda s: fits(s) and _clear(s, *settings))
        for width, alpha in settings:
            yield _beam_call(search, width, alpha)


@case("beam_search", check=close(names=BEAM), weight=2)
def a_wider_beam_finds_more(rng: np.random.Generator) -> Iterator[Call]:
    """Scripts in which greedy decoding, a beam of two and a beam of four find three different sentences."""
    settings = (1, 0.0), (2, 0.0), (4, 0.0)

    def fits(search: _Search) -> bool:
        right, wrong = ([tuple(search.best(*s, single=single)[0]) for s in settings] for single in (False, True))
        return len(set(right)) == len(settings) and right != wrong

    yield from _beam_calls(rng, (74, 32), (5, 5, -1.0), settings, fits)


@case("beam_search", check=close(names=BEAM, only="ids"), weight=2)
def the_length_penalty_decides(rng: np.random.Generator) -> Iterator[Call]:
    """A short sentence wins without a length penalty, a longer one with it."""
    settings = (3, 0.0), (3, 0.8), (3, 2.0)

    def fits(search: _Search) -> bool:
        short, middle, long = (search.best(*s)[0] for s in settings)
        return len(short) < len(middle) <= len(long)

    yield from _beam_calls(rng, (2787, 228, 53), (6, 6), settings, fits)


@case("beam_search", check=close(names=BEAM, only="score"))
def scores_are_those_of_wu(rng: np.random.Generator) -> Iterator[Call]:
    """The score is log P over ((5 + n) / 6) to the power of the length penalty."""
    settings = (2, 0.0), (2, 0.6), (3, 1.5)
    yield from _beam_calls(rng, (180, 801), (5, 5), settings, lambda s: len(s.best(2, 0.6)[0]) > 2)


@case("beam_search", check=close(names=BEAM), weight=2)
def finished_ones_wait_for_the_others(rng: np.random.Generator) -> Iterator[Call]:
    """The first hypothesis to finish is neither the best one, nor the end of the search."""
    settings = (3, 0.0), (4, 1.0)

    def fits(search: _Search) -> bool:
        for width, alpha in settings:
            found, _ = search.candidates(width)
            ends = [len(words) for _, words in found if words[-1] == search.eos]
            best = search.best(width, alpha)[0]
            if len(set(ends)) < 2 or best[-1] != search.eos or len(best) == min(ends):
                return False
        return True

    yield from _beam_calls(rng, (1225, 28), (5, 6), settings, fits)


@case("beam_search", check=close(names=BEAM))
def finished_ones_keep_their_places(rng: np.random.Generator) -> Iterator[Call]:
    """A finished hypothesis takes one of three places for good, so what it would leave room for is not found."""
    yield from _beam_calls(
        rng, (1344, 109, 1425), (7, 6), ((3, 1.0),), lambda s: s.best(3, 1.0)[0] != s.best(3, 1.0, freed=True)[0]
    )


@case("beam_search", check=close(names=BEAM))
def cut_off_sentences_count(rng: np.random.Generator) -> Iterator[Call]:
    """The best hypothesis may be one that was cut off, beside others that are finished."""

    def fits(search: _Search) -> bool:
        found, _ = search.candidates(3)
        finished = [words for _, words in found if words[-1] == search.eos]
        return bool(finished) and search.best(3, 0.7)[0][-1] != search.eos

    yield from _beam_calls(rng, (148, 6, 116), (5, 4, -0.5), ((3, 0.7),), fits)


@case("beam_search", check=close(names=BEAM))
def a_beam_as_wide_as_all_sentences(rng: np.random.Generator) -> Iterator[Call]:
    """With more places than there are sentences, the best of all is found."""
    yield from _beam_calls(rng, (165, 159), (3, 4, -1.0), ((100, 0.0), (100, 1.0)))


@case("beam_search", check=close(names=BEAM))
def a_single_word_at_most(rng: np.random.Generator) -> Iterator[Call]:
    """With max_len = 1 the best word is the sentence, also where EOS is the second best."""

    def fits(search: _Search) -> bool:
        found, _ = search.candidates(2)
        (best,) = max(found)[1]
        return 1 < best != search.eos and min(found)[1] == [search.eos] and _clear(search, (2, 0.5))

    yield _beam_call(_draw(rng, lambda: _search(rng, 6, 1), fits), 2, 0.5)


@case("beam_search", check=close(names=BEAM))
def nobody_asks_after_the_last_hypothesis(rng: np.random.Generator) -> Iterator[Call]:
    """The script has two steps, after which all hypotheses are finished: no third one is asked for, whatever max_len is."""
    eos, bos, one, other, _ = (int(i) for i in rng.permutation(5))
    for likeliest, *less in ((eos, one, other), (one, eos, other)):
        logits = np.full((2, 5), -8.0)
        logits[0, [likeliest, *rng.permutation(less)]] = 1.4, 0.7, 0.0
        logits[1, eos] = 0.0
        step = Code(
            f"lambda y_prev, state: (torch.tensor({logits.tolist()})[int(state[0])].repeat(len(y_prev), 1), state + 1)",
            f"a decoder whose logits are {logits.round(1).tolist()}, a row for each step, and no more",
        )
        for width, max_len in ((1, 5), (3, 5), (3, 2)):
            yield call(step, _tensor(np.zeros((1, 1))), bos, eos, max_len, width, 0.0)


@case("beam_search", check=untouched(names=BEAM))
def searching_leaves_the_state_alone(rng: np.random.Generator) -> Iterator[Call]:
    """Sentence and score are right, and the state before the first step is as before."""
    yield from _beam_calls(rng, (180, 801), (5, 5), ((2, 0.0), (2, 0.6), (3, 1.5)))
