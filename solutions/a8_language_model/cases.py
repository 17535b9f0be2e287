"""Hidden cases of a8_language_model: random weights at trained scale, no two sizes equal, and the properties that must hold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.course.spec import Answer, Call, Code, Finding, Module, Tensor, call, call_module, case
from autograder.judge.checks import agree, close, left_alike, same_prefix, stacked, untouched

IGNORE = -100
Parts = dict[str, dict[str, np.ndarray]]


@dataclass(frozen=True)
class _RowByRow(stacked):
    """The first call, on a batch, returns what the other calls return on batches of one row each."""

    def judge(self, calls: tuple[Call, ...], got: tuple[Answer, ...], expected: tuple[Answer, ...]) -> Finding | None:
        """Take the batch axis off the single rows, and compare."""
        return super().judge(calls, _without_batch(got), _without_batch(expected))


def _without_batch(answers: tuple[Answer, ...]) -> tuple[Answer, ...]:
    whole, *rows = answers
    arrays = [row.value.array if isinstance(row.value, Tensor) else None for row in rows]
    return whole, *(
        row if array is None or array.shape[:1] != (1,) else Answer(Tensor(array[0]))
        for row, array in zip(rows, arrays, strict=True)
    )


def _t(array: Any) -> Any:
    """Return a tensor: single precision for fractions, else whole numbers as they are."""
    import torch

    array = np.asarray(array)
    return torch.from_numpy(array.astype(np.float32) if array.dtype.kind == "f" else array.copy())


# get_batch


def _generator(rng: np.random.Generator) -> Code:
    return Code(f"torch.Generator().manual_seed({int(rng.integers(1, 10**6))})")


def _text(rng: np.random.Generator, n: int, vocab: int) -> Any:
    """Draw a text in which no token follows itself."""
    return _t(np.cumsum(rng.integers(1, vocab, size=n)) % vocab)


@case("get_batch", check=close(names=("inputs", "targets")), weight=3)
def batches_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever the sizes, inputs and targets are cut where the generator says, and the targets are one further on."""
    for n, batch, time in ((40, 3, 7), (23, 5, 2), (100, 2, 31), (9, 12, 4)):
        yield call(_text(rng, n, 8), batch, time, _generator(rng))


@case("get_batch", check=close(names=("inputs", "targets")))
def last_start_can_be_drawn(rng: np.random.Generator) -> Iterator[Call]:
    """With one token more than a piece has inputs there is one start, with two more there are two: both come up."""
    yield call(_text(rng, 6, 5), 3, 5, _generator(rng))
    yield call(_text(rng, 7, 5), 30, 5, _generator(rng))


@case("get_batch", check=close(only="targets", names=("inputs", "targets")))
def targets_are_what_comes_next(rng: np.random.Generator) -> Iterator[Call]:
    """The targets by themselves, for a text in which every token stands once."""
    yield call(_t(rng.permutation(50)), 12, 6, _generator(rng))


@case("get_batch", check=close(names=("inputs", "targets")))
def pieces_of_one_token(rng: np.random.Generator) -> Iterator[Call]:
    """Pieces may be as short as one token, and a batch may have one row."""
    yield call(_text(rng, 20, 6), 4, 1, _generator(rng))
    for _ in range(3):  # one start alone may be the right one by chance
        yield call(_text(rng, 100, 6), 1, 40, _generator(rng))


@case("get_batch", check=untouched(names=("inputs", "targets")))
def text_stays_as_it_is(rng: np.random.Generator) -> Iterator[Call]:
    """The batch is right, and the text is as before."""
    yield call(_t(rng.permutation(60)), 9, 4, _generator(rng))


# TransformerLM

SIZES = (7, 9, 6, 3, 5, 2)  # vocab, block_size, d_model, n_heads, d_ff, n_layers


def _linear(rng: np.random.Generator, out: int, width: int) -> dict[str, np.ndarray]:
    return {
        "weight": 1.2 * rng.normal(size=(out, width)) / width**0.5,
        "bias": rng.choice([-1.0, 1.0], size=out) * rng.uniform(0.3, 0.9, size=out),
    }


def _norm(rng: np.random.Generator, d: int) -> dict[str, np.ndarray]:
    return {"weight": rng.uniform(0.5, 1.5, size=d), "bias": rng.normal(size=d)}


def _parts(rng: np.random.Generator, vocab: int, block_size: int, d: int, d_ff: int, n_layers: int) -> Parts:
    parts: Parts = {
        "token_embedding": {"weight": rng.normal(size=(vocab, d))},
        "position_embedding": {"weight": rng.normal(size=(block_size, d))},
    }
    for layer in range(n_layers):
        name = f"blocks.{layer}"
        parts |= {f"{name}.norm_1": _norm(rng, d), f"{name}.norm_2": _norm(rng, d)}
        parts |= {f"{name}.attention.{w}": _linear(rng, d, d) for w in ("W_q", "W_k", "W_v", "W_o")}
        parts |= {f"{name}.feed_forward.0": _linear(rng, d_ff, d), f"{name}.feed_forward.2": _linear(rng, d, d_ff)}
    return parts | {"final_norm": _norm(rng, d), "output": _linear(rng, vocab, d)}


def _lm(
    rng: np.random.Generator,
    sizes: tuple[int, int, int, int, int, int] = SIZES,
    *,
    method: str = "forward",
    dropout: float = 0.0,
    training: bool = False,
    cotangents: tuple[Any, ...] = (),
    loud: float = 1.0,
) -> Module:
    """Draw a model of some sizes, whose sublayers add `loud` times as much."""
    vocab, block_size, d, _, d_ff, n_layers = sizes
    parts = _parts(rng, vocab, block_size, d, d_ff, n_layers)
    times = {part: loud if part.endswith(("W_o", "feed_forward.2")) else 1.0 for part in parts}
    state = {
        f"{part}.{name}": _t(times[part] * value) for part, values in parts.items() for name, value in values.items()
    }
    return Module((*sizes, dropout), state, method, training, cotangents)


def _ids(rng: np.random.Generator, *shape: int, vocab: int = 7) -> Any:
    return _t(rng.integers(0, vocab, size=shape))


@case("TransformerLM", check=close(), weight=3)
def models_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever the number of tokens, heads and layers, the logits are the reference's."""
    yield call_module(_ids(rng, 2, 5), module=_lm(rng))
    yield call_module(_ids(rng, 3, 4, vocab=5), module=_lm(rng, (5, 6, 8, 2, 12, 3)))
    yield call_module(_ids(rng, 2, 3, vocab=4), module=_lm(rng, (4, 8, 4, 1, 6, 1)))


@case("TransformerLM", check=close())
def full_contexts_and_short_ones(rng: np.random.Generator) -> Iterator[Call]:
    """As many tokens as there are places, one token, and one row."""
    module = _lm(rng)
    yield call_module(_ids(rng, 2, 9), module=module)
    yield call_module(_ids(rng, 3, 1), module=module)
    yield call_module(_ids(rng, 1, 6), module=module)


@case("TransformerLM", check=same_prefix(axis=-2, upto=3))
def future_tokens_change_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """Other tokens from place 3 on leave the logits at places 0 to 2 as they were."""
    module, ids = _lm(rng), rng.integers(0, 7, size=(2, 6))
    other = ids.copy()
    other[:, 3:] = (ids[:, 3:] + rng.integers(1, 7, size=(2, 3))) % 7
    yield call_module(_t(ids), module=module)
    yield call_module(_t(other), module=module)


@case("TransformerLM", check=close())
def same_token_at_every_place(rng: np.random.Generator) -> Iterator[Call]:
    """A row of equal tokens still has logits that differ from place to place: the positions are told apart."""
    yield call_module(_t(np.full((2, 5), int(rng.integers(0, 7)))), module=_lm(rng))


@case("TransformerLM", check=_RowByRow())
def rows_do_not_meet(rng: np.random.Generator) -> Iterator[Call]:
    """A batch gives what its rows give one by one."""
    module, ids = _lm(rng), _ids(rng, 3, 4)
    yield call_module(ids, module=module)
    for row in ids:
        yield call_module(row[None], module=module)


@case("TransformerLM", check=close())
def nothing_is_dropped_in_evaluation(rng: np.random.Generator) -> Iterator[Call]:
    """With a dropout of 1 and of .5, a model in evaluation mode computes as if there were none."""
    for dropout in (1.0, 0.5):
        yield call_module(_ids(rng, 2, 5), module=_lm(rng, dropout=dropout))


@case("TransformerLM", check=close())
def everything_can_be_dropped_in_training(rng: np.random.Generator) -> Iterator[Call]:
    """With a dropout of 1 nothing is left of tokens and positions while training; the rest of the model goes on."""
    # Loud, so that what a norm adds to the variance is nothing beside it: what scales all sublayers then never shows.
    yield call_module(_ids(rng, 2, 5), module=_lm(rng, dropout=1.0, training=True, loud=8.0))


def _gradients(rng: np.random.Generator) -> Call:
    sizes = (5, 7, 8, 2, 6, 2)
    module = _lm(rng, sizes, cotangents=(_t(rng.normal(size=(2, 4, 5))),))
    return call_module(_ids(rng, 2, 4, vocab=5), module=module)


@case("TransformerLM", check=close(at=("param_grads", "token_embedding.weight")))
def token_vectors_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of the token embedding, which everything above it has to let through."""
    yield _gradients(rng)


@case("TransformerLM", check=close(at=("param_grads", "position_embedding.weight")))
def place_vectors_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of the position embedding: places that no token stood at have none."""
    yield _gradients(rng)


@case("TransformerLM", check=untouched())
def model_leaves_ids_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The logits are right, and the ids are as before."""
    yield call_module(_ids(rng, 2, 4), module=_lm(rng))


# lm_loss: one number is right by chance now and then, so that cases here and of evaluate make several calls


def _scores(rng: np.random.Generator, *shape: int) -> Any:
    return _t(rng.uniform(-1.5, 1.5, size=shape))


def _targets(rng: np.random.Generator, batch: int, time: int, vocab: int) -> np.ndarray:
    """Draw targets; one of each row is 0, a token like the others."""
    targets = rng.integers(0, vocab, size=(batch, time))
    targets[np.arange(batch), rng.integers(time, size=batch)] = 0
    return targets


def _asked(rng: np.random.Generator, batch: int, time: int, vocab: int) -> np.ndarray:
    """Draw targets of which some are IGNORE, another number of them in each row, and one is 0."""
    targets = rng.integers(0, vocab, size=(batch, time))
    for row in range(batch):
        places = rng.permutation(time)
        targets[row, places[: 1 + row % (time - 1)]] = IGNORE
        targets[row, places[-1]] = 0
    return targets


@case("lm_loss", check=close(), weight=3)
def losses_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever the number of rows, positions and tokens, the loss is the mean surprise."""
    for batch, time, vocab in ((2, 4, 6), (3, 5, 2), (1, 7, 3), (4, 4, 4)):
        yield call(_scores(rng, batch, time, vocab), _t(_targets(rng, batch, time, vocab)))


@case("lm_loss", check=close(), weight=2)
def some_targets_are_not_asked(rng: np.random.Generator) -> Iterator[Call]:
    """Where the target is IGNORE nothing is counted: neither in the sum nor in the number it is divided by."""
    for batch, time, vocab in ((3, 5, 4), (4, 3, 7)):
        yield call(_scores(rng, batch, time, vocab), _t(_asked(rng, batch, time, vocab)))


@case("lm_loss", check=close())
def very_large_logits(rng: np.random.Generator) -> Iterator[Call]:
    """Logits of several hundred, of either sign, give a finite loss."""
    for _ in range(3):
        yield call(400.0 * _scores(rng, 2, 3, 5), _t(_targets(rng, 2, 3, 5)))


@case("lm_loss", check=close())
def a_constant_changes_no_loss(rng: np.random.Generator) -> Iterator[Call]:
    """Adding the same number to all logits of a position leaves the loss as it is."""
    for _ in range(3):
        logits, targets = _scores(rng, 2, 4, 5), _t(_targets(rng, 2, 4, 5))
        yield call(logits, targets)
        yield call(logits + _t(rng.normal(size=(2, 4, 1))), targets)


@case("lm_loss", check=close(at=("input_grads", 0), called="gradient of the logits"))
def gradients_flow_back_from_the_loss(rng: np.random.Generator) -> Iterator[Call]:
    """The logits get their gradient, and where nothing is asked it is zero."""
    module = Module(init=None, cotangents=(_t(1.0),))
    for batch, time, vocab in ((3, 5, 4), (2, 4, 6)):
        yield call_module(_scores(rng, batch, time, vocab), _t(_asked(rng, batch, time, vocab)), module=module)


@case("lm_loss", check=untouched())
def loss_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The loss is right, and logits and targets are as before."""
    for _ in range(3):
        yield call(_scores(rng, 2, 3, 4), _t(_asked(rng, 2, 3, 4)))


# generate: the wrong token is the right one by chance now and then, so that many rows write at once


def _seer(rng: np.random.Generator, vocab: int, block_size: int, states: int = 11) -> Code:
    """Return a model whose logits depend on every token it is shown and on its place, and on nothing else."""
    table = (2.0 * rng.normal(size=(states, vocab))).round(6).tolist()  # without ties
    state = f"(ids * torch.arange(1, ids.shape[1] + 1)).cumsum(1) % {states}"
    forward = f"lambda self, ids: torch.tensor({table})[{state}]"
    return Code(f"type('Seer', (torch.nn.Module,), {{'block_size': {block_size}, 'forward': {forward}}})()")


def _uniforms(rng: np.random.Generator, *shape: int) -> Any:
    return _t(rng.uniform(0.0, 0.999, size=shape))


@case("generate", check=close(), weight=2)
def greedy_texts(rng: np.random.Generator) -> Iterator[Call]:
    """At temperature 0 the most probable token is taken, in every row and at every step."""
    for vocab, batch, time, n in ((6, 3, 4, 7), (9, 2, 1, 5)):
        yield call(_seer(rng, vocab, 20), _ids(rng, batch, time, vocab=vocab), n, 0, None, None)


@case("generate", check=close(), weight=2)
def sampled_texts(rng: np.random.Generator) -> Iterator[Call]:
    """Each row and each step has a number of its own, and the cumulative probabilities say which token it means."""
    for vocab, batch, time, n in ((6, 3, 4, 7), (9, 2, 1, 6)):
        ids = _ids(rng, batch, time, vocab=vocab)
        yield call(_seer(rng, vocab, 20), ids, n, 1.0, None, _uniforms(rng, batch, n))


@case("generate", check=close(), weight=2)
def cold_and_warm(rng: np.random.Generator) -> Iterator[Call]:
    """A temperature below 1 sharpens the distribution, one above 1 flattens it."""
    for temperature in (0.4, 0.8, 2.5):
        yield call(_seer(rng, 7, 20), _ids(rng, 3, 2), 6, temperature, None, _uniforms(rng, 3, 6))


@case("generate", check=close(), weight=2)
def best_few(rng: np.random.Generator) -> Iterator[Call]:
    """Only the top_k tokens of a row can be drawn, with probabilities that sum to 1 again."""
    for top_k, temperature in ((1, 1.0), (2, 1.0), (4, 1.7), (3, 0.6)):
        yield call(_seer(rng, 7, 20), _ids(rng, 20, 2), 6, temperature, top_k, _uniforms(rng, 20, 6))


@case("generate", check=close())
def equals_at_the_border_stay(rng: np.random.Generator) -> Iterator[Call]:
    """Several tokens are as good as the last of the top_k: none of them is left out."""
    row = np.array([2.0, 0.0, 1.0, 0.0, 1.0, 1.0, -1.0])
    table = np.stack([rng.permutation(row) for _ in range(7)]).tolist()
    forward = f"lambda self, ids: torch.tensor({table})[ids]"
    model = Code(f"type('Ties', (torch.nn.Module,), {{'block_size': 9, 'forward': {forward}}})()")
    yield call(model, _ids(rng, 9, 2), 6, 1.0, 2, _uniforms(rng, 9, 6))


@case("generate", check=close())
def more_than_there_are(rng: np.random.Generator) -> Iterator[Call]:
    """A top_k of the whole vocabulary, or beyond it, leaves everything possible."""
    for top_k in (5, 6, 40):
        yield call(_seer(rng, 5, 20), _ids(rng, 40, 2, vocab=5), 5, 1.0, top_k, _uniforms(rng, 40, 5))


@case("generate", check=close(), weight=2)
def last_tokens_are_the_context(rng: np.random.Generator) -> Iterator[Call]:
    """The model is shown its last block_size tokens: of a long beginning, and of what it has written itself."""
    yield call(_seer(rng, 7, 4), _ids(rng, 8, 9), 6, 0, None, None)
    yield call(_seer(rng, 7, 5), _ids(rng, 2, 3), 8, 1.0, None, _uniforms(rng, 2, 8))
    yield call(_seer(rng, 19, 1, 19), _ids(rng, 40, 2, vocab=19), 4, 1.0, 3, _uniforms(rng, 40, 4))


@case("generate", check=close())
def numbers_close_to_one(rng: np.random.Generator) -> Iterator[Call]:
    """A number as close to 1 as it gets means the last token, even where the probabilities sum to a hair less."""
    table = rng.normal(size=(61, 60)).round(2).tolist()
    forward = f"lambda self, ids: torch.tensor({table})[ids % 61]"
    model = Code(f"type('Many', (torch.nn.Module,), {{'block_size': 9, 'forward': {forward}}})()")
    yield call(model, _t(np.arange(60)[:, None]), 1, 1.0, None, _t(np.full((60, 1), np.float32(1 - 2**-24))))


@case("generate", check=close())
def numbers_at_the_bottom(rng: np.random.Generator) -> Iterator[Call]:
    """The number 0 means the first token that is possible at all."""
    for rows in (40, 40, 40, *[1] * 8):
        yield call(_seer(rng, 6, 9, 31), _ids(rng, rows, 2, vocab=6), 8, 1.0, 2, _t(np.zeros((rows, 8))))


@case("generate", check=untouched())
def beginning_stays_as_it_is(rng: np.random.Generator) -> Iterator[Call]:
    """What is returned begins with ids; ids and the numbers are as before. Then with nothing to add."""
    yield call(_seer(rng, 6, 3), _ids(rng, 8, 5, vocab=6), 4, 1.0, None, _uniforms(rng, 8, 4))
    yield call(_seer(rng, 6, 3), _ids(rng, 2, 5, vocab=6), 0, 1.0, None, _uniforms(rng, 2, 0))


# CachedTransformerLM

PARTS = ("logits", "cache")


def _cache(rng: np.random.Generator, batch: int, past: int, d: int = 6, layers: int = 2) -> list[tuple[Any, Any]]:
    """Draw a cache that no tokens have led to."""
    return [(_t(rng.normal(size=(batch, past, d))), _t(rng.normal(size=(batch, past, d)))) for _ in range(layers)]


@case("CachedTransformerLM", check=close(names=PARTS, only="logits"), weight=2)
def first_tokens(rng: np.random.Generator) -> Iterator[Call]:
    """With nothing in the cache: several tokens, then one. The logits."""
    module = _lm(rng, method="step")
    yield call_module(_ids(rng, 2, 5), None, module=module)
    yield call_module(_ids(rng, 3, 1), None, module=module)


@case("CachedTransformerLM", check=close(names=PARTS, only="logits"), weight=2)
def one_token_behind_others(rng: np.random.Generator) -> Iterator[Call]:
    """One token behind a cache of four, and of one. The logits."""
    module = _lm(rng, method="step")
    yield call_module(_ids(rng, 2, 1), _cache(rng, 2, 4), module=module)
    yield call_module(_ids(rng, 3, 1), _cache(rng, 3, 1), module=module)


@case("CachedTransformerLM", check=close(names=PARTS, only="logits"), weight=2)
def several_tokens_behind_others(rng: np.random.Generator) -> Iterator[Call]:
    """Three tokens behind a cache of four; five behind one of two; two behind one of three, in three blocks. The logits."""
    yield call_module(_ids(rng, 2, 3), _cache(rng, 2, 4), module=_lm(rng, method="step"))
    yield call_module(_ids(rng, 3, 5), _cache(rng, 3, 2), module=_lm(rng, method="step"))
    module = _lm(rng, (5, 8, 8, 2, 3, 3), method="step")
    yield call_module(_ids(rng, 2, 2, vocab=5), _cache(rng, 2, 3, 8, 3), module=module)


@case("CachedTransformerLM", check=close(names=PARTS, only="cache"), weight=2)
def everything_so_far_is_kept(rng: np.random.Generator) -> Iterator[Call]:
    """The cache that a step returns holds the keys and values of all tokens so far, for each block."""
    module = _lm(rng, method="step")
    yield call_module(_ids(rng, 2, 3), None, module=module)
    yield call_module(_ids(rng, 2, 1), _cache(rng, 2, 4), module=module)
    yield call_module(_ids(rng, 2, 3), _cache(rng, 2, 2), module=module)


@case("CachedTransformerLM", check=agree())
def pieces_do_not_matter(rng: np.random.Generator) -> Iterator[Call]:
    """Token by token, in two pieces or at once: the logits are the same."""
    module, ids = _lm(rng, method="read"), _ids(rng, 2, 7)
    for pieces in ([7], [1] * 7, [4, 3], [1, 5, 1]):
        yield call_module(ids, pieces, module=module)


@case("CachedTransformerLM", check=close(), weight=2)
def as_without_a_cache(rng: np.random.Generator) -> Iterator[Call]:
    """Read token by token or in pieces up to the last place, the logits are those of the model without a cache."""
    yield call_module(_ids(rng, 2, 9), [1] * 9, module=_lm(rng, method="read"))
    sizes = (5, 6, 8, 2, 12, 3)
    yield call_module(_ids(rng, 3, 6, vocab=5), [2, 1, 1, 2], module=_lm(rng, sizes, method="read"))


@case("CachedTransformerLM", check=same_prefix(axis=-2, upto=4))
def later_pieces_change_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """In pieces of 2 and 4, other tokens from place 4 on leave the logits before them as they were."""
    module, ids = _lm(rng, method="read"), rng.integers(0, 7, size=(2, 6))
    other = ids.copy()
    other[:, 4:] = (ids[:, 4:] + rng.integers(1, 7, size=(2, 2))) % 7
    yield call_module(_t(ids), [2, 4], module=module)
    yield call_module(_t(other), [2, 4], module=module)


@case("CachedTransformerLM", check=close(), weight=2)
def one_prompt_two_endings(rng: np.random.Generator) -> Iterator[Call]:
    """`fork` goes on from one cache in three ways; none of them hears of the others."""
    endings = [_ids(rng, 2, 2), _ids(rng, 2, 1), _ids(rng, 2, 2)]
    yield call_module(_ids(rng, 2, 4), endings, module=_lm(rng, method="fork"))


@case("CachedTransformerLM", check=untouched(names=PARTS))
def given_cache_stays_as_it_is(rng: np.random.Generator) -> Iterator[Call]:
    """Logits and new cache are right, and the cache that was passed in is as before."""
    yield call_module(_ids(rng, 2, 2), _cache(rng, 2, 3), module=_lm(rng, method="step"))


# learning_rate


@case("learning_rate", check=close(), weight=2)
def rates_on_the_way_up(rng: np.random.Generator) -> Iterator[Call]:
    """The rate grows by the same amount each time, from the first step on."""
    peak, final = float(rng.uniform(0.5, 2.0)), float(rng.uniform(0.01, 0.2))
    for step in range(5):
        yield call(step, 20, peak, 5, final)


@case("learning_rate", check=close(), weight=2)
def rates_on_the_way_down(rng: np.random.Generator) -> Iterator[Call]:
    """The rate follows half a cosine from peak to final."""
    peak, final = float(rng.uniform(0.5, 2.0)), float(rng.uniform(0.01, 0.2))
    for step in (4, 5, 8, 13, 16):
        yield call(step, 17, peak, 4, final)
    yield call(2, 5, peak, 0, 0.0)


@case("learning_rate", check=close())
def rates_behind_the_end(rng: np.random.Generator) -> Iterator[Call]:
    """Behind the last step the rate stays at final; also where the way up takes all the steps there are."""
    final = float(rng.uniform(0.1, 0.2))
    for step in (12, 13, 40):
        yield call(step, 12, 1.5, 3, final)
    for step in (3, 4):
        yield call(step, 4, 1.5, 4, final)


# evaluate, train


def _net(rng: np.random.Generator, vocab: int, mode: str, forward: str, shown: str) -> Code:
    """Return a model with a table of logits and a bias, which is also a list of what is to be seen of it afterwards."""
    table, bias = rng.normal(size=(vocab, vocab)).round(2), rng.normal(size=vocab).round(2)
    lines = [
        f"model.add_module('table', torch.nn.Embedding({vocab}, {vocab}, _weight=torch.tensor({table.tolist()})))",
        f"model.register_parameter('bias', torch.nn.Parameter(torch.tensor({bias.tolist()})))",
        f"model.train(mode={mode == 'train'})",
    ]
    members = [
        "'__hash__': object.__hash__",
        "'__bool__': lambda self: True",
        f"'__iter__': lambda self: iter({shown})",
        f"'forward': lambda self, ids: {forward}",
    ]
    return Code(
        f"(lambda model: [{', '.join(lines)}, model][-1])"
        f"(type('Net', (torch.nn.Module, list), {{{', '.join(members)}}})())"
    )


PLAIN = "self.table(ids) + self.bias"
HALF = "(0.8 if self.training else 1.0) * (0.625 if self.table.training else 1.0)"  # the model's mode, and its part's
SHY = f"({PLAIN}) * {HALF}"  # half as sure of itself while it learns
WATCHED = f"({PLAIN}) * (0.5 if torch.is_grad_enabled() else 1.0)"


@case("evaluate", check=close(), weight=3)
def texts_of_any_length(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever the length of the text and of its pieces, the loss is the mean over all full pieces, of 78 as of three."""
    for n, time in ((23, 5), (31, 6), (18, 4), (40, 13), (150, 2), (138, 2), (79, 1)):
        yield call(_net(rng, 6, "eval", PLAIN, "[]"), _text(rng, n, 6), time)


@case("evaluate", check=close())
def pieces_begin_where_the_last_ended(rng: np.random.Generator) -> Iterator[Call]:
    """Texts of which exactly two pieces can be cut, and one token less, and one more."""
    for n in (13, 12, 14):
        yield call(_net(rng, 5, "eval", PLAIN, "[]"), _text(rng, n, 5), 6)


BEFORE = "(self.table(ids) + self.table(torch.nn.functional.pad(ids, (1, 0))[:, :-1])) + self.bias"


@case("evaluate", check=close())
def pieces_are_stretches_of_text(rng: np.random.Generator) -> Iterator[Call]:
    """A model that looks at two tokens has to be shown neighbours."""
    for _ in range(3):
        yield call(_net(rng, 6, "eval", BEFORE, "[]"), _text(rng, 31, 6), 5)


@case("evaluate", check=close())
def evaluated_in_the_middle_of_training(rng: np.random.Generator) -> Iterator[Call]:
    """A model in training mode, whose logits are others then, is evaluated in evaluation mode."""
    yield call(_net(rng, 5, "train", SHY, "[]"), _text(rng, 20, 5), 4)
    yield call(_net(rng, 5, "eval", SHY, "[]"), _text(rng, 20, 5), 4)


@case("evaluate", check=left_alike(complaint="Your function leaves the model in another mode than it was in."))
def mode_is_as_before(rng: np.random.Generator) -> Iterator[Call]:
    """The model is afterwards in the mode in which it was found, be it training or evaluation."""
    for mode in ("train", "eval"):
        yield call(_net(rng, 5, mode, SHY, "[self.training]"), _text(rng, 20, 5), 4)


@case("evaluate", check=close())
def no_gradients_are_tracked(rng: np.random.Generator) -> Iterator[Call]:
    """A model that computes otherwise where gradients are kept track of: here they are not."""
    for _ in range(3):
        yield call(_net(rng, 5, "eval", WATCHED, "[]"), _text(rng, 20, 5), 4)


@case("evaluate", check=left_alike(complaint="Your function changes the model; evaluating it is looking only."))
def nothing_is_learned(rng: np.random.Generator) -> Iterator[Call]:
    """The loss is right, and the model's parameters and the text are as before."""
    for _ in range(3):
        yield call(_net(rng, 5, "train", SHY, "[*self.parameters()]"), _text(rng, 20, 5), 4)


# Rates that no real training would have: mistakes of the optimiser show in a few steps, a decade above the tolerance.
SETTINGS = (2.0, 3, 0.3, 0.1, 0.03)  # peak, warmup, final, weight_decay, max_norm
LEFT = "[*self.parameters()]"


def _training(
    rng: np.random.Generator,
    steps: int = 15,
    settings: Sequence[float] = SETTINGS,
    *,
    mode: str = "train",
    forward: str = SHY,
    shown: str = "[]",
    held_out: Any = None,
    every: int = 100,
    report: Code | None = None,
) -> Call:
    """Draw a training on a short text, two pieces of four at a time."""
    net, text, generator = _net(rng, 6, mode, forward, shown), _text(rng, 60, 6), _generator(rng)
    return call(net, text, steps, 2, 4, generator, *settings, held_out, every, report)


@case("train", check=close(at=("losses",), called="losses"), weight=2)
def losses_of_any_training(rng: np.random.Generator) -> Iterator[Call]:
    """The losses of fifteen steps, from the first to the last."""
    yield _training(rng)


@case("train", check=close(at=("losses",), called="losses"))
def harsh_and_gentle(rng: np.random.Generator) -> Iterator[Call]:
    """The losses with gradients cut very short and with gradients as they are, with much weight decay and none."""
    yield _training(rng, 8, (2.0, 2, 0.5, 0.4, 0.01))
    yield _training(rng, 8, (2.0, 2, 0.5, 0.4, 0.1))
    yield _training(rng, 8, (2.0, 0, 0.5, 0.0, 50.0))


@case("train", check=left_alike(complaint="Your losses are right, but the model is left with other parameters."))
def what_was_learned(rng: np.random.Generator) -> Iterator[Call]:
    """The parameters after seven steps, of which two are very large ones."""
    yield _training(rng, 7, (1.0, 1, 0.2, 1.0, 0.03), shown=LEFT)


@case("train", check=close(at=("gradient_norms",), called="gradient norms"))
def norms_before_clipping(rng: np.random.Generator) -> Iterator[Call]:
    """The norm of all gradients together, as it was before they were scaled down."""
    yield _training(rng, 8)


@case("train", check=close(at=("learning_rates",), called="learning rates"))
def rates_are_as_planned(rng: np.random.Generator) -> Iterator[Call]:
    """The rate of every step; also with steps that all belong to the way up."""
    yield _training(rng, 9)
    yield _training(rng, 3, (0.2, 5, 0.1, 0.1, 1.0))


@case("train", check=close(at=("held_out",), called="held_out"))
def evaluations_on_the_way(rng: np.random.Generator) -> Iterator[Call]:
    """A held-out text is evaluated after every third step; without one there is nothing to report."""
    yield _training(rng, 9, held_out=_text(rng, 36, 6), every=3)
    yield _training(rng, 7, held_out=_text(rng, 36, 6), every=4)
    yield _training(rng, 3, every=2)
    yield _training(rng, 5, (2.0, 0, 2.0, 0.4, 0.1), held_out=_text(rng, 36, 6), every=1)


@case("train", check=close(), weight=2)
def training_goes_on_after_an_evaluation(rng: np.random.Generator) -> Iterator[Call]:
    """A model that computes otherwise in evaluation mode: it is in training mode for every batch, however it came."""
    yield _training(rng, 7, mode="eval", held_out=_text(rng, 36, 6), every=2)
    yield _training(rng, 5, mode="eval")


@case("train", check=left_alike(complaint="Your training is right, but `report` did not hear of every step as agreed."))
def every_step_is_reported(rng: np.random.Generator) -> Iterator[Call]:
    """`report` is called after every step, with its number, counted from 0, and its loss, a float."""
    call_ = "lambda self, step, loss: self.append((step, loss))"
    members = f"{{'__call__': {call_}, '__bool__': lambda self: True}}"
    yield _training(rng, 5, report=Code(f"type('Report', (list,), {members})()"))
