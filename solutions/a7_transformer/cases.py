"""Hidden cases of a7_transformer: random weights at trained scale, no two sizes equal, and the properties that must hold."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.course.spec import Answer, Call, Code, Finding, Module, Tensor, call, call_module, case
from autograder.judge.checks import (
    agree,
    close,
    close_where_real,
    left_alike,
    permuted,
    same_prefix,
    stacked,
    untouched,
)

TINY = 1e-5
ORDER = (3, 0, 4, 1, 2)
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
    """Return a tensor: single precision for fractions, else ids or truth values as they are."""
    import torch

    array = np.asarray(array)
    return torch.from_numpy(array.astype(np.float32) if array.dtype.kind == "f" else array.copy())


def _x(rng: np.random.Generator, *shape: int) -> Any:
    """Draw vectors whose mean and variance are neither 0 and 1 nor the same everywhere."""
    spread = rng.uniform(0.5, 2.0, size=(*shape[:-1], 1))
    return _t(spread * rng.normal(size=shape) + rng.normal(size=(*shape[:-1], 1)))


def _gain(rng: np.random.Generator, d: int) -> np.ndarray:
    """Draw a scale for each feature: of both signs, never near one or zero."""
    return rng.choice([-1.0, 1.0], size=d) * rng.choice([0.4, 0.6, 1.5, 1.8], size=d)


def _shift(rng: np.random.Generator, d: int) -> np.ndarray:
    return rng.choice([-1.0, 1.0], size=d) * rng.uniform(0.3, 0.9, size=d)


def _linear(rng: np.random.Generator, name: str, out: int, width: int) -> dict[str, np.ndarray]:
    return {f"{name}.weight": rng.normal(size=(out, width)) / width**0.5, f"{name}.bias": _shift(rng, out)}


def _norm(rng: np.random.Generator, d: int) -> dict[str, np.ndarray]:
    return {"weight": rng.uniform(0.5, 1.5, size=d), "bias": _shift(rng, d)}


def _attention(rng: np.random.Generator, d: int) -> dict[str, np.ndarray]:
    packed = {name.replace(".", "_"): value for name, value in _linear(rng, "in_proj", 3 * d, d).items()}
    return packed | _linear(rng, "out_proj", d, d)


def _feed_forward(rng: np.random.Generator, d: int, d_ff: int) -> dict[str, np.ndarray]:
    return _linear(rng, "expand", d_ff, d) | _linear(rng, "contract", d, d_ff)


def _encoder(rng: np.random.Generator, d: int, d_ff: int, prefix: str = "") -> Parts:
    return {
        f"{prefix}norm_1": _norm(rng, d),
        f"{prefix}attention.heads": _attention(rng, d),
        f"{prefix}norm_2": _norm(rng, d),
        f"{prefix}feed_forward": _feed_forward(rng, d, d_ff),
    }


def _decoder(rng: np.random.Generator, d: int, d_ff: int, prefix: str = "") -> Parts:
    return {
        f"{prefix}norm_1": _norm(rng, d),
        f"{prefix}self_attention.heads": _attention(rng, d),
        f"{prefix}norm_2": _norm(rng, d),
        f"{prefix}cross_attention.heads": _attention(rng, d),
        f"{prefix}norm_3": _norm(rng, d),
        f"{prefix}feed_forward": _feed_forward(rng, d, d_ff),
    }


def _state(parts: Parts) -> dict[str, Any]:
    """Return a state dict of parts that are named after the attributes that hold them."""
    return {f"{part}.{name}".lstrip("."): _t(value) for part, values in parts.items() for name, value in values.items()}


def _some_allowed(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Draw a mask in which every row allows a key and forbids one."""
    mask = rng.random(shape) < 0.5
    mask[..., 0] = True
    mask[..., -1] = False
    return rng.permuted(mask, axis=-1)


def _real(rng: np.random.Generator, batch: int, time: int) -> np.ndarray:
    """Draw which positions are real: another number of them in each row, at least two, never all; (batch, 1, time)."""
    lengths = 2 + rng.permutation(time - 2)[:batch]
    return (np.arange(time) < lengths[:, None])[:, None, :]


# layer_norm


def _norm_inputs(rng: np.random.Generator, *shape: int) -> tuple[Any, Any, Any]:
    return _x(rng, *shape), _t(_gain(rng, shape[-1])), _t(_shift(rng, shape[-1]))


@case("layer_norm", check=close(), weight=3)
def norms_of_any_shape(rng: np.random.Generator) -> Iterator[Call]:
    """Every position is normed by itself, with no, one, two or three axes in front."""
    yield call(*_norm_inputs(rng, 5), TINY)
    yield call(*_norm_inputs(rng, 4, 3), TINY)
    yield call(*_norm_inputs(rng, 2, 4, 6), TINY)
    yield call(*_norm_inputs(rng, 2, 3, 4, 5), 0.1)


@case("layer_norm", check=close())
def large_and_small_eps(rng: np.random.Generator) -> Iterator[Call]:
    """eps counts, and it stands inside the root: .1, 2, and next to nothing."""
    x, gamma, beta = _norm_inputs(rng, 2, 3, 4)
    for eps in (0.1, 2.0, 1e-8):
        yield call(x, gamma, beta, eps)


@case("layer_norm", check=close())
def equal_features_become_the_shift(rng: np.random.Generator) -> Iterator[Call]:
    """Where all features of a position are equal there is nothing to divide by, but eps: what is left is beta."""
    _, gamma, beta = _norm_inputs(rng, 2, 3, 4)
    x = np.repeat(rng.integers(-4, 5, size=(2, 3, 1)).astype(float), 4, axis=-1)
    x[0, 0] = rng.permutation([1.0, 2.0, 4.0, 9.0])
    yield call(_t(x), gamma, beta, TINY)


@case("layer_norm", check=close())
def equal_sizes_hide_no_axis(rng: np.random.Generator) -> Iterator[Call]:
    """With as many sequences as positions and features, it still is the features that share mean and variance."""
    yield call(*_norm_inputs(rng, 4, 4, 4), TINY)
    yield call(*_norm_inputs(rng, 3, 3), 0.1)


@case("layer_norm", check=agree())
def size_and_offset_are_forgotten(rng: np.random.Generator) -> Iterator[Call]:
    """Multiplying a vector by 100 and adding 30 to all of its features changes nothing, as long as eps is small."""
    x, gamma, beta = _norm_inputs(rng, 2, 3, 5)
    yield call(10.0 * x, gamma, beta, 1e-9)
    yield call(1000.0 * x + 30.0, gamma, beta, 1e-9)


@case("layer_norm", check=stacked())
def the_batch_does_not_matter(rng: np.random.Generator) -> Iterator[Call]:
    """A batch gives what its sequences give one by one."""
    x, gamma, beta = _norm_inputs(rng, 3, 4, 5)
    x -= 6.0  # the means are negative, so that a variance that lacks a square is positive, and never NaN
    yield call(x, gamma, beta, TINY)
    for row in x:
        yield call(row, gamma, beta, TINY)


@case("layer_norm", check=untouched())
def norming_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The result is right, and x, gamma and beta are as before."""
    yield call(*_norm_inputs(rng, 2, 3, 4), 0.1)


@case("layer_norm", check=close(at=("input_grads",), called="gradients"))
def gradients_pass_the_norm(rng: np.random.Generator) -> Iterator[Call]:
    """x, gamma and beta get their gradients; that of x goes by way of mean and variance, too."""
    module = Module(init=None, cotangents=(_x(rng, 2, 3, 5),))
    yield call_module(*_norm_inputs(rng, 2, 3, 5), 0.1, module=module)


# batch_norm


@case("batch_norm", check=close(), weight=3)
def batches_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Every feature is normed over batch and time, whatever the sizes."""
    yield call(*_norm_inputs(rng, 2, 5, 3), TINY)
    yield call(*_norm_inputs(rng, 4, 3, 6), TINY)
    yield call(*_norm_inputs(rng, 3, 1, 4), 0.1)
    yield call(*_norm_inputs(rng, 1, 4, 2), 0.1)


@case("batch_norm", check=close())
def large_and_small_eps_in_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """eps counts, and it stands inside the root: .1, 2, and next to nothing."""
    x, gamma, beta = _norm_inputs(rng, 3, 2, 4)
    for eps in (0.1, 2.0, 1e-8):
        yield call(x, gamma, beta, eps)


@case("batch_norm", check=close())
def equal_sizes_hide_no_batch_axis(rng: np.random.Generator) -> Iterator[Call]:
    """With as many sequences as positions and features, each feature still has one mean and one variance."""
    yield call(*_norm_inputs(rng, 4, 4, 4), 0.1)


@case("batch_norm", check=close())
def a_batch_of_one_position(rng: np.random.Generator) -> Iterator[Call]:
    """One position alone is its own mean, and its variance is zero: what is left is beta. Then two positions."""
    x, gamma, beta = _norm_inputs(rng, 2, 1, 4)
    yield call(x[:1], gamma, beta, TINY)
    yield call(x, gamma, beta, 0.1)


@case("batch_norm", check=untouched())
def batch_norming_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The result is right, and x, gamma and beta are as before."""
    yield call(*_norm_inputs(rng, 2, 3, 4), 0.1)


@case("batch_norm", check=close(at=("input_grads",), called="gradients"))
def gradients_pass_the_batch_norm(rng: np.random.Generator) -> Iterator[Call]:
    """x, gamma and beta get their gradients; that of x goes by way of mean and variance, too."""
    module = Module(init=None, cotangents=(_x(rng, 2, 3, 5),))
    yield call_module(*_norm_inputs(rng, 2, 3, 5), 0.1, module=module)


# residual


@case("residual", check=close(), weight=2)
def residuals_around_anything(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever the function does, its output is added to its input, for tensors of any shape."""
    x = _x(rng, 2, 3, 4)
    for f in ("lambda x: torch.tanh(x) - 2", "lambda x: x * x", "lambda x: x.mean(-1, keepdim=True).expand_as(x)"):
        yield call(x, Code(f))
    yield call(_x(rng, 5), Code("lambda x: x.flip(0)"))


@case("residual", check=close())
def negative_inputs_pass(rng: np.random.Generator) -> Iterator[Call]:
    """Nothing stands behind the sum: negative numbers pass as they are."""
    yield call(-1.0 - _x(rng, 2, 3, 4).abs(), Code("lambda x: 0.5 * x"))


@case("residual", check=close(at=("input_grads", 0), called="gradient of x"))
def gradients_go_both_ways(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of x is right: through f, and past it."""
    module = Module(init=None, cotangents=(_x(rng, 2, 3, 4),))
    for f in ("lambda x: x * x", "torch.sin"):
        yield call_module(_x(rng, 2, 3, 4), Code(f), module=module)


@case("residual", check=untouched())
def residual_leaves_x_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The sum is right, and x is as before."""
    yield call(_x(rng, 2, 3, 4), Code("lambda x: 2 * x + 1"))


# zero_init_is_identity


LN = "torch.nn.functional.layer_norm({}, (self.d_model,))"


def _block(
    rng: np.random.Generator,
    forward: str,
    maps: str = "[self.last]",
    *,
    bias: bool = True,
    lists: bool = False,
    least: int = 3,
) -> Code:
    """Return an expression for a block of linear maps `first`, `last`, `up`, `down` with weights drawn here.

    With `lists` the block is also a list of its parameters, so that they come back as data and can be looked at. It has
    `least` features or a few more.
    """
    d, wide = int(rng.integers(least, least + 3)), int(rng.integers(6, 9))
    sizes = {"first": (d, wide), "last": (wide, d), "up": (d, wide), "down": (wide, d)}
    lines = [
        f"block.add_module({name!r}, torch.nn.Linear({a}, {b}, bias={bias if name in ('last', 'down') else True}))"
        for name, (a, b) in sizes.items()
    ]
    seed = int(rng.integers(1, 1000))
    lines.append(
        f"[p.data.copy_((torch.arange(p.numel()) * {seed} % 17 - 8).view_as(p) / 8 + 0.05) for p in block.parameters()]"
    )
    if lists:
        lines.append("list.extend(block, block.parameters())")
    members = [
        f"'d_model': {d}",
        "'__hash__': object.__hash__",
        f"'last_maps': lambda self: {maps}",
        f"'forward': lambda self, x, mask=None: {forward}",
    ]
    bases = "torch.nn.Module, list" if lists else "torch.nn.Module,"
    return Code(
        f"(lambda block: [{', '.join(lines)}, block][-1])(type('Block', ({bases}), {{{', '.join(members)}}})())"
    )


PRE_NORM = f"x + self.last(torch.relu(self.first({LN.format('x')})))"
POST_NORM = LN.format("x + self.last(torch.relu(self.first(x)))")
BARE = "self.last(torch.relu(self.first(x)))"


@case("zero_init_is_identity", check=close(), weight=2)
def where_the_norm_stands(rng: np.random.Generator) -> Iterator[Call]:
    """Pre-norm, post-norm, a norm on the sublayer's output, a norm on what goes around it."""
    yield call(_block(rng, PRE_NORM))
    yield call(_block(rng, POST_NORM))
    yield call(_block(rng, f"x + {LN.format('self.last(torch.relu(self.first(x)))')}"))
    yield call(_block(rng, f"{LN.format('x')} + self.last(torch.relu(self.first(x)))"))


@case("zero_init_is_identity", check=close())
def what_stands_behind_the_sum(rng: np.random.Generator) -> Iterator[Call]:
    """No residual, a part of one, one with a ReLU or an absolute value behind it, also behind all features but the first, and
    a plain one.
    """
    yield call(_block(rng, BARE))
    yield call(_block(rng, f"0.8 * x + {BARE}"))
    # So many features that some are negative in whatever input is tried.
    yield call(_block(rng, f"torch.relu(x + {BARE})", least=30))
    yield call(_block(rng, f"(x + {BARE}).abs()", least=30))
    yield call(_block(rng, f"torch.cat([x[..., :1], x[..., 1:].abs()], dim=-1) + {BARE}", least=30))
    yield call(_block(rng, f"x + {BARE}"))


@case("zero_init_is_identity", check=close(), weight=2)
def every_sublayer_counts(rng: np.random.Generator) -> Iterator[Call]:
    """Two sublayers: both inside a residual, or one of them not; and one that is no last map and stays as it is."""
    both = "[self.last, self.down]"
    inside = "(lambda h: h + self.down(torch.tanh(self.up(h))))"
    outside = "(lambda h: self.down(torch.tanh(self.up(h))))"
    yield call(_block(rng, f"{inside}(x + {BARE})", both))
    yield call(_block(rng, f"{outside}(x + {BARE})", both))
    yield call(_block(rng, f"{inside}({BARE})", both))
    yield call(_block(rng, f"x + {BARE} + self.down(torch.tanh(self.up(x)))", "[self.last]"))
    yield call(
        _block(
            rng,
            "x + self.last(torch.relu(self.first(x + self.down(torch.tanh(self.up(x))))))",
            "[self.down, self.last]",
        )
    )


@case("zero_init_is_identity", check=close())
def a_function_behind_the_last_map(rng: np.random.Generator) -> Iterator[Call]:
    """A sigmoid turns the zeros of the last map into halves, a tanh leaves them zeros."""
    yield call(_block(rng, f"x + torch.sigmoid({BARE})"))
    yield call(_block(rng, f"x + torch.tanh({BARE})"))


@case("zero_init_is_identity", check=close())
def maps_may_have_no_bias(rng: np.random.Generator) -> Iterator[Call]:
    """Last maps with a bias, and without one: then the bias is None, and only the weight is set to zero."""
    yield call(_block(rng, f"x - {BARE}"))
    yield call(_block(rng, PRE_NORM, bias=False))
    yield call(_block(rng, POST_NORM, bias=False))


@case("zero_init_is_identity", check=close())
def positions_are_not_mixed_up(rng: np.random.Generator) -> Iterator[Call]:
    """A block that changes the order of positions or of features does not return its input."""
    for axis in (1, 2):
        yield call(_block(rng, f"x.flip({axis}) + {BARE}"))
    yield call(_block(rng, f"x.flip(1).flip(1) + {BARE}"))


@case(
    "zero_init_is_identity",
    check=left_alike(complaint="Your function changed the block's parameters; put back what was in them."),
)
def the_block_is_left_as_it_was(rng: np.random.Generator) -> Iterator[Call]:
    """The answer is right, and every parameter of the block is afterwards what it was before."""
    yield call(_block(rng, PRE_NORM, lists=True))
    yield call(_block(rng, POST_NORM, lists=True))


# FeedForward


def _both_signs(rng: np.random.Generator, d: int, d_ff: int) -> dict[str, Any]:
    """Draw a state whose first feature comes out negative and whose second positive, with next to no exceptions."""
    maps = _feed_forward(rng, d, d_ff)
    maps["contract.bias"][:2] = -5.0, 5.0
    return _state({"": maps})


def _feed_forward_call(
    rng: np.random.Generator, batch: int, time: int, d: int, d_ff: int, *, gradients: bool = False
) -> Call:
    cotangents = (_x(rng, batch, time, d),) if gradients else ()
    module = Module(init=(d, d_ff), state=_both_signs(rng, d, d_ff), cotangents=cotangents)
    return call_module(_x(rng, batch, time, d), module=module)


@case("FeedForward", check=close(), weight=3)
def feed_forwards_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Wide and narrow inner layers, several sequences and positions."""
    yield _feed_forward_call(rng, 2, 5, 3, 7)
    yield _feed_forward_call(rng, 3, 2, 6, 4)
    yield _feed_forward_call(rng, 2, 3, 4, 4)


@case("FeedForward", check=permuted(axis=1, order=ORDER))
def positions_do_not_talk(rng: np.random.Generator) -> Iterator[Call]:
    """Moving the positions moves the result in the same way."""
    module = Module(init=(3, 6), state=_both_signs(rng, 3, 6))
    x = _x(rng, 2, 5, 3)
    yield call_module(x, module=module)
    yield call_module(x[:, list(ORDER)], module=module)


@case("FeedForward", check=close(at=("param_grads", "expand.weight")))
def gradients_reach_the_first_map(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of the first map's weight is right."""
    yield _feed_forward_call(rng, 2, 4, 3, 5, gradients=True)


@case("FeedForward", check=close(at=("param_grads", "contract.weight")))
def gradients_reach_the_second_map(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of the second map's weight is right."""
    yield _feed_forward_call(rng, 2, 4, 3, 5, gradients=True)


@case("FeedForward", check=close(at=("input_grads", 0)))
def gradients_reach_the_input_of_the_maps(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of x is right."""
    yield _feed_forward_call(rng, 2, 4, 3, 5, gradients=True)


@case("FeedForward", check=untouched())
def thinking_leaves_x_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The result is right, and x is as before."""
    yield _feed_forward_call(rng, 2, 3, 4, 5)


# EncoderBlock


def _encoder_module(rng: np.random.Generator, d: int, heads: int, d_ff: int) -> Module:
    return Module(init=(d, heads, d_ff), state=_state(_encoder(rng, d, d_ff)))


@case("EncoderBlock", check=close(), weight=3)
def encoder_blocks_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Two and three heads, wide and narrow inner layers, without a mask; also a single position, which looks at itself."""
    yield call_module(_x(rng, 2, 5, 4), module=_encoder_module(rng, 4, 2, 7))
    yield call_module(_x(rng, 2, 1, 4), module=_encoder_module(rng, 4, 2, 7))
    yield call_module(_x(rng, 3, 4, 6), None, module=_encoder_module(rng, 6, 3, 5))


@case("EncoderBlock", check=close(), weight=3)
def encoder_blocks_under_masks(rng: np.random.Generator) -> Iterator[Call]:
    """One mask for all, one row for each sequence, one mask for each sequence."""
    module = _encoder_module(rng, 6, 3, 8)
    yield call_module(_x(rng, 2, 4, 6), _t(_some_allowed(rng, 4, 4)), module=module)
    yield call_module(_x(rng, 2, 5, 6), _t(_real(rng, 2, 5)), module=module)
    yield call_module(_x(rng, 3, 4, 6), _t(_some_allowed(rng, 3, 4, 4)), module=module)


@case("EncoderBlock", check=close())
def a_position_that_may_look_at_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """A row of the mask without a True: the position gets nothing from the others, and no NaN."""
    mask = _some_allowed(rng, 2, 4, 4)
    mask[0, 2] = False
    mask[1] = False
    yield call_module(_x(rng, 2, 4, 6), _t(mask), module=_encoder_module(rng, 6, 2, 5))


@case("EncoderBlock", check=permuted(axis=1, order=ORDER))
def encoder_block_knows_no_order(rng: np.random.Generator) -> Iterator[Call]:
    """Moving the positions moves the result in the same way: order comes from the embedding alone."""
    module, x = _encoder_module(rng, 4, 2, 6), _x(rng, 2, 5, 4)
    yield call_module(x, module=module)
    yield call_module(x[:, list(ORDER)], module=module)


@case("EncoderBlock", check=same_prefix(axis=1, upto=3))
def hidden_positions_are_ignored(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever stands at the last two positions, which no query may look at, the others come out the same."""
    module, x, mask = _encoder_module(rng, 4, 2, 6), _x(rng, 2, 5, 4), np.ones((5, 5), dtype=bool)
    mask[:, 3:] = False
    other = x.clone()
    other[:, 3:] = _x(rng, 2, 2, 4)
    yield call_module(x, _t(mask), module=module)
    yield call_module(other, _t(mask), module=module)


@case("EncoderBlock", check=_RowByRow())
def encoder_block_takes_rows_one_by_one(rng: np.random.Generator) -> Iterator[Call]:
    """A batch gives what its sequences give one by one."""
    module, x = _encoder_module(rng, 4, 2, 6), _x(rng, 3, 4, 4)
    yield call_module(x, module=module)
    for row in x:
        yield call_module(row[None], module=module)


@case("EncoderBlock", check=close(at=("param_grads", "attention.heads.in_proj_weight")))
def gradients_reach_the_attention(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of the attention's maps is right."""
    module = replace(_encoder_module(rng, 8, 2, 5), cotangents=(_x(rng, 2, 3, 8),))
    yield call_module(_x(rng, 2, 3, 8), module=module)


@case("EncoderBlock", check=close(at=("input_grads", 0)))
def gradients_take_the_short_way(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of x is right: through both sublayers, and past them."""
    module = replace(_encoder_module(rng, 8, 2, 5), cotangents=(_x(rng, 2, 3, 8),))
    yield call_module(_x(rng, 2, 3, 8), module=module)


@case("EncoderBlock", check=untouched())
def encoder_block_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The result is right, and x and the mask are as before."""
    mask = _some_allowed(rng, 4, 4)
    mask[:, [0, 2, 3]] = True, False, True  # no query looks at the third position, and all but the last one look ahead
    yield call_module(_x(rng, 2, 4, 6), _t(mask), module=_encoder_module(rng, 6, 3, 5))


# MaskedDecoderBlock


def _decoder_module(rng: np.random.Generator, d: int, heads: int, d_ff: int) -> Module:
    return Module(init=(d, heads, d_ff), state=_state(_decoder(rng, d, d_ff)))


@case("MaskedDecoderBlock", check=close(), weight=2)
def decoder_blocks_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Targets longer and shorter than sources, two and three heads, without masks, given as None or left out."""
    yield call_module(_x(rng, 2, 5, 4), _x(rng, 2, 3, 4), None, None, module=_decoder_module(rng, 4, 2, 7))
    yield call_module(_x(rng, 3, 2, 6), _x(rng, 3, 4, 6), module=_decoder_module(rng, 6, 3, 5))


@case("MaskedDecoderBlock", check=close(), weight=3)
def decoder_blocks_under_both_masks(rng: np.random.Generator) -> Iterator[Call]:
    """A causal target over a padded source; then a mask for each sequence, in both attentions."""
    module = _decoder_module(rng, 6, 3, 8)
    causal = np.tri(4, dtype=bool)
    yield call_module(_x(rng, 2, 4, 6), _x(rng, 2, 5, 6), _t(causal), _t(_real(rng, 2, 5)), module=module)
    both = causal & _real(rng, 2, 4)
    yield call_module(_x(rng, 2, 4, 6), _x(rng, 2, 3, 6), _t(both), _t(_some_allowed(rng, 2, 4, 3)), module=module)


@case("MaskedDecoderBlock", check=close())
def target_mask_is_taken_as_it_is(rng: np.random.Generator) -> Iterator[Call]:
    """A target mask that is not causal: the block neither adds to it nor takes from it."""
    module = _decoder_module(rng, 4, 2, 5)
    yield call_module(_x(rng, 2, 4, 4), _x(rng, 2, 3, 4), _t(_some_allowed(rng, 2, 4, 4)), None, module=module)


@case("MaskedDecoderBlock", check=close())
def memory_mask_alone(rng: np.random.Generator) -> Iterator[Call]:
    """Only the source has something to hide: another mask for each target position, then one row for each source."""
    module = _decoder_module(rng, 4, 2, 5)
    yield call_module(_x(rng, 2, 3, 4), _x(rng, 2, 5, 4), None, _t(_some_allowed(rng, 3, 5)), module=module)
    yield call_module(_x(rng, 2, 3, 4), _x(rng, 2, 5, 4), None, _t(_real(rng, 2, 5)), module=module)


@case("MaskedDecoderBlock", check=close())
def equal_lengths_hide_no_mask(rng: np.random.Generator) -> Iterator[Call]:
    """With as many target positions as source positions and features, each mask still belongs to its own attention."""
    masks = _t(np.tri(4, dtype=bool)), _t(_some_allowed(rng, 4, 4))
    yield call_module(_x(rng, 4, 4, 4), _x(rng, 4, 4, 4), *masks, module=_decoder_module(rng, 4, 2, 4))


@case("MaskedDecoderBlock", check=close())
def nothing_to_look_at(rng: np.random.Generator) -> Iterator[Call]:
    """A source that is padding throughout, and a target position that may look at nothing: no NaN."""
    target, source = np.tri(3, dtype=bool), np.zeros((2, 1, 4), dtype=bool)
    target[0, 0] = False
    source[0, 0] = rng.permutation([True, True, True, False])  # where there is but one key, no query matters
    module = _decoder_module(rng, 6, 2, 5)
    yield call_module(_x(rng, 2, 3, 6), _x(rng, 2, 4, 6), _t(target), _t(source), module=module)


@case("MaskedDecoderBlock", check=same_prefix(axis=1, upto=2))
def later_targets_cannot_leak(rng: np.random.Generator) -> Iterator[Call]:
    """Under a causal mask, changing the target from the third position on leaves the first two outputs as they were."""
    module, x, memory = _decoder_module(rng, 4, 2, 6), _x(rng, 2, 5, 4), _x(rng, 2, 3, 4)
    later = x.clone()
    later[:, 2:] = _x(rng, 2, 3, 4)
    causal = _t(np.tri(5, dtype=bool))
    yield call_module(x, memory, causal, None, module=module)
    yield call_module(later, memory, causal, None, module=module)


@case("MaskedDecoderBlock", check=agree())
def padded_memory_is_never_read(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever stands in memory where the source is padding, the output stays the same."""
    module, x, memory = _decoder_module(rng, 4, 2, 6), _x(rng, 3, 3, 4), _x(rng, 3, 5, 4)
    real = (np.arange(5) < np.array([[3], [2], [4]]))[:, None]  # neither the first row nor the last would do for all
    yield call_module(x, memory, None, _t(real), module=module)
    for size in (3.0, 30.0):
        noise = size * rng.normal(size=(3, 5, 4))
        other = np.where(real[:, 0, :, None], memory.numpy(), noise)
        yield call_module(x, _t(other), None, _t(real), module=module)


@case("MaskedDecoderBlock", check=agree())
def order_of_memory_does_not_matter(rng: np.random.Generator) -> Iterator[Call]:
    """Cross-attention knows no order: moving the positions of memory changes nothing."""
    module, x, memory = _decoder_module(rng, 4, 2, 6), _x(rng, 2, 3, 4), _x(rng, 2, 5, 4)
    yield call_module(x, memory, None, None, module=module)
    yield call_module(x, memory[:, list(ORDER)], None, None, module=module)


@case("MaskedDecoderBlock", check=close(at=("param_grads", "cross_attention.heads.in_proj_weight")))
def gradients_reach_the_cross_attention(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of the cross-attention's maps is right."""
    module = replace(_decoder_module(rng, 8, 2, 5), cotangents=(_x(rng, 2, 3, 8),))
    yield call_module(_x(rng, 2, 3, 8), _x(rng, 2, 5, 8), _t(np.tri(3, dtype=bool)), None, module=module)


@case("MaskedDecoderBlock", check=close(at=("input_grads", 1)))
def gradients_reach_the_memory(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of memory is right: it is all that the encoder learns from."""
    module = replace(_decoder_module(rng, 8, 2, 5), cotangents=(_x(rng, 2, 3, 8),))
    yield call_module(_x(rng, 2, 3, 8), _x(rng, 2, 5, 8), _t(np.tri(3, dtype=bool)), None, module=module)


@case("MaskedDecoderBlock", check=close(at=("input_grads", 0)))
def gradients_reach_the_target(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of x is right: the blocks below learn from it."""
    module = replace(_decoder_module(rng, 8, 2, 5), cotangents=(_x(rng, 2, 3, 8),))
    yield call_module(_x(rng, 2, 3, 8), _x(rng, 2, 5, 8), _t(np.tri(3, dtype=bool)), None, module=module)


@case("MaskedDecoderBlock", check=close(at=("param_grads", "self_attention.heads.in_proj_weight")))
def gradients_reach_the_self_attention(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of the self-attention's maps is right."""
    module = replace(_decoder_module(rng, 8, 2, 5), cotangents=(_x(rng, 2, 3, 8),))
    yield call_module(_x(rng, 2, 3, 8), _x(rng, 2, 5, 8), _t(np.tri(3, dtype=bool)), None, module=module)


@case("MaskedDecoderBlock", check=untouched())
def decoder_block_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The result is right, and x, memory and both masks are as before."""
    masks = _t(np.tri(3, dtype=bool)), _t(_real(rng, 2, 5))
    yield call_module(_x(rng, 2, 3, 6), _x(rng, 2, 5, 6), *masks, module=_decoder_module(rng, 6, 3, 5))


# Transformer


SIZES = (9, 7, 6, 3, 5, 2)  # src_vocab, tgt_vocab, d_model, n_heads, d_ff, n_layers
# To make a model takes longer than to run it, and it is made for each call: where calls are compared, one layer is enough.
ONE_LAYER = (*SIZES[:-1], 1)


def _model(rng: np.random.Generator, method: str, sizes: tuple[int, ...] = SIZES) -> Module:
    """Draw a model of some sizes."""
    src_vocab, tgt_vocab, d, _, d_ff, layers = sizes
    parts: Parts = {"src_embedding": {"weight": rng.normal(size=(src_vocab, d))}}
    parts |= {"tgt_embedding": {"weight": rng.normal(size=(tgt_vocab, d))}}
    for layer in range(layers):
        parts |= _encoder(rng, d, d_ff, f"encoder.{layer}.") | _decoder(rng, d, d_ff, f"decoder.{layer}.")
    parts |= {"encoder_norm": _norm(rng, d), "decoder_norm": _norm(rng, d), "": _linear(rng, "output", tgt_vocab, d)}
    return Module(init=sizes, state=_state(parts), method=method)


def _ids(rng: np.random.Generator, batch: int, time: int, vocab: int) -> np.ndarray:
    """Draw words, none of them padding; one of the first two in each row is 1, next to PAD and a word like any other."""
    ids = rng.integers(1, vocab, size=(batch, time))
    ids[np.arange(batch), rng.integers(2, size=batch)] = 1
    return ids


def _with_the_last_word(src: np.ndarray) -> np.ndarray:
    """Return sources of 9 words with the last of them at the third position, for which no target has a word."""
    return np.where((np.arange(src.shape[1]) == 2) & (src > 0), 8, src)


def _padded(rng: np.random.Generator, batch: int, time: int, vocab: int) -> np.ndarray:
    """Draw words that end in padding, after another number of words in each row."""
    return np.where(_real(rng, batch, time)[:, 0], _ids(rng, batch, time, vocab), 0)


@case("Transformer", check=close(), weight=2)
def encoders_without_padding(rng: np.random.Generator) -> Iterator[Call]:
    """Memory of sources without padding, for two layers of three heads and three layers of two."""
    yield call_module(_t(_ids(rng, 2, 5, 9)), module=_model(rng, "encode"))
    yield call_module(_t(_ids(rng, 3, 4, 6)), module=_model(rng, "encode", (6, 8, 4, 2, 7, 3)))


@case("Transformer", check=close_where_real(argument=0))
def encoders_with_padding(rng: np.random.Generator) -> Iterator[Call]:
    """Memory of padded sources, at the words; padding stands at the end of a row, and once in between."""
    model = _model(rng, "encode")
    yield call_module(_t(_padded(rng, 2, 5, 9)), module=model)
    between = _ids(rng, 2, 6, 9)
    between[0, 1] = between[1, 3] = 0
    yield call_module(_t(between), module=model)


@case("Transformer", check=close(), weight=2)
def decoders_without_padding(rng: np.random.Generator) -> Iterator[Call]:
    """Logits from a memory that is given, for targets longer and shorter than their sources."""
    yield call_module(_t(_ids(rng, 2, 5, 7)), _x(rng, 2, 3, 6), _t(_ids(rng, 2, 3, 9)), module=_model(rng, "decode"))
    model = _model(rng, "decode", (6, 8, 4, 2, 7, 3))
    yield call_module(_t(_ids(rng, 3, 2, 8)), _x(rng, 3, 4, 4), _t(_ids(rng, 3, 4, 6)), module=model)


@case("Transformer", check=close())
def decoders_of_padded_sources(rng: np.random.Generator) -> Iterator[Call]:
    """Logits where memory has padded positions: they are not read."""
    model = _model(rng, "decode")
    yield call_module(_t(_ids(rng, 2, 4, 7)), _x(rng, 2, 6, 6), _t(_padded(rng, 2, 6, 9)), module=model)


@case("Transformer", check=close_where_real(argument=0))
def decoders_of_padded_targets(rng: np.random.Generator) -> Iterator[Call]:
    """Logits at the words of targets that are padded at the end, before the beginning, or in between."""
    model = _model(rng, "decode", ONE_LAYER)
    end, start, between = _padded(rng, 2, 5, 7), _ids(rng, 2, 5, 7), _ids(rng, 2, 5, 7)
    start[0, :2] = start[1, :1] = 0
    between[0, 1] = between[1, 2] = 0
    for tgt in (end, start, between):
        yield call_module(_t(tgt), _x(rng, 2, 3, 6), _t(_ids(rng, 2, 3, 9)), module=model)


@case("Transformer", check=close())
def each_target_has_a_length_of_its_own(rng: np.random.Generator) -> Iterator[Call]:
    """Logits of a model that has decoded a shorter target before, or a longer one."""
    for before in (1, 5):
        given = _x(rng, 2, 3, 6), _t(_ids(rng, 2, 3, 9))
        model = replace(
            _model(rng, "decode", ONE_LAYER), before=(_t(_ids(rng, 2, max(before, 2), 7)[:, :before]), *given)
        )
        yield call_module(_t(_ids(rng, 2, 4, 7)), *given, module=model)


@case("Transformer", check=close(), weight=3)
def models_from_end_to_end(rng: np.random.Generator) -> Iterator[Call]:
    """Logits from padded sources and whole targets, for two layers of three heads and three layers of two."""
    yield call_module(_t(_padded(rng, 2, 6, 9)), _t(_ids(rng, 2, 4, 7)), module=_model(rng, "forward"))
    model = _model(rng, "forward", (6, 8, 4, 2, 7, 3))
    yield call_module(_t(_padded(rng, 3, 5, 6)), _t(_ids(rng, 3, 3, 8)), module=model)


@case("Transformer", check=close())
def equal_sizes_hide_no_slip_of_the_model(rng: np.random.Generator) -> Iterator[Call]:
    """With vocabularies and lengths alike, source and target still have their own embeddings and masks."""
    model = _model(rng, "forward", (6, 6, 6, 2, 6, 2))
    yield call_module(_t(_padded(rng, 2, 6, 6)), _t(_ids(rng, 2, 6, 6)), module=model)


@case("Transformer", check=close())
def a_source_of_padding_alone(rng: np.random.Generator) -> Iterator[Call]:
    """A row of the source without a single word: its logits are numbers, and the other row's are what they are."""
    src = _ids(rng, 2, 4, 9)
    src[1] = 0
    yield call_module(_t(src), _t(_ids(rng, 2, 3, 7)), module=_model(rng, "forward", ONE_LAYER))


@case("Transformer", check=same_prefix(axis=1, upto=3))
def the_future_cannot_leak(rng: np.random.Generator) -> Iterator[Call]:
    """Changing the target from the fourth word on leaves the logits of the first three positions as they were."""
    model, src, tgt = _model(rng, "forward", ONE_LAYER), _t(_with_the_last_word(_ids(rng, 2, 4, 9))), _ids(rng, 2, 6, 7)
    later = tgt.copy()
    later[:, 3:] = tgt[:, 3:] % 6 + 1
    yield call_module(src, _t(tgt), module=model)
    yield call_module(src, _t(later), module=model)


@case("Transformer", check=agree())
def more_padding_changes_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """None, one or two more padded positions behind the sources: the logits are the same."""
    model, src, tgt = _model(rng, "forward", ONE_LAYER), _with_the_last_word(_ids(rng, 2, 4, 9)), _t(_ids(rng, 2, 3, 7))
    src[0, 3] = 0
    for width in (0, 1, 2):
        yield call_module(_t(np.pad(src, ((0, 0), (0, width)))), tgt, module=model)


@case("Transformer", check=_RowByRow())
def sentences_one_by_one(rng: np.random.Generator) -> Iterator[Call]:
    """A batch gives what its sentences give one by one."""
    model, src, tgt = _model(rng, "forward", ONE_LAYER), _with_the_last_word(_padded(rng, 2, 5, 9)), _ids(rng, 2, 4, 7)
    yield call_module(_t(src), _t(tgt), module=model)
    for row, target in zip(src, tgt, strict=True):
        yield call_module(_t(row[None]), _t(target[None]), module=model)


@case("Transformer", check=close(at=("param_grads", "src_embedding.weight")))
def gradients_go_all_the_way(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of the source's embedding is right: it comes from the far end of the model."""
    model = replace(_model(rng, "forward", (9, 7, 12, 3, 5, 2)), cotangents=(_x(rng, 2, 4, 7),))
    yield call_module(_t(_ids(rng, 2, 5, 9)), _t(_ids(rng, 2, 4, 7)), module=model)


@case("Transformer", check=untouched())
def model_leaves_its_inputs_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The logits are right, and src and tgt are as before."""
    yield call_module(_t(_padded(rng, 2, 5, 9)), _t(_ids(rng, 2, 4, 7)), module=_model(rng, "forward", ONE_LAYER))


# next_word


def _words(rng: np.random.Generator, vocab: int) -> dict[int, str]:
    letters = rng.permutation(list("abcdefghijklmnopqrstuvwxyz"))[:vocab]
    return {i: f"{letter}{letter}a" for i, letter in enumerate(letters)}


@case("next_word", check=close(), weight=2)
def words_of_any_vocabulary(rng: np.random.Generator) -> Iterator[Call]:
    """The word of the largest logit, wherever in the vocabulary it stands."""
    for vocab in (3, 8, 20):
        logits = rng.permutation(np.arange(vocab) - vocab / 2)
        if vocab == 8:  # here the best is 0, an id like any other
            logits = np.roll(logits, -int(logits.argmax()))
        yield call(_t(logits), _words(rng, vocab))


@case("next_word", check=close())
def large_logits_do_not_overflow(rng: np.random.Generator) -> Iterator[Call]:
    """Logits of several hundreds, the largest among them in the middle."""
    yield call(_t([100.0, 950.0, 300.0, 1000.0, 900.0]), _words(rng, 5))
    yield call(_t([-900.0, -700.0, -1000.0]), _words(rng, 3))


@case("next_word", check=close())
def forbidden_words_have_no_chance(rng: np.random.Generator) -> Iterator[Call]:
    """A logit of minus infinity is a probability of zero, and a large negative one is no large one."""
    yield call(_t(np.array([-np.inf, -3.0, 0.5, -20.0, -np.inf])), _words(rng, 5))


# greedy_translate


@dataclass(frozen=True)
class _Script:
    """What a model says: row n of src, which begins with the id n + 1, gets `said[n]`; else other words."""

    vocab: int
    bos: int
    said: tuple[tuple[int, ...], ...]

    def model(self, rng: np.random.Generator) -> Code:
        """Return a model that says it, and goes wrong where it is not handed the source, the memory or the whole target."""
        rows, steps = len(self.said), len(self.said[0])
        logits = rng.normal(size=(rows, steps, self.vocab)).round(2) - 9.0
        wrong = rng.uniform(1.0, 3.0, size=(steps, self.vocab)).round(2)
        for row, words in enumerate(self.said):
            for step, word in enumerate(words):
                logits[row, step, word] = -4.0 + rng.integers(0, 3)
                wrong[step, word] = 0.0  # the least of all below, so that going wrong never says the right word
        before = [(self.bos, *words[:-1]) for words in self.said]
        members = {
            "L": f"torch.tensor({logits.round(2).tolist()})",
            "W": f"torch.tensor({wrong.round(2).tolist()})",
            "B": f"torch.tensor({[list(words) for words in before]})",
            "encode": "lambda self, src: (src[:, :, None] * 0.5 - 0.5).expand(-1, -1, 2)",
            "forward": "None",  # it has two methods, and cannot be called itself
            "decode": "lambda self, tgt, memory, src: self.say((memory[:, 0, 0] * 2).long(), tgt, src, tgt.shape[1])",
            "say": "lambda self, n, tgt, src, T: torch.where((((tgt == self.B[n, :T]) & (src[:, :1] == n[:, None] + 1))"
            ".long().cumprod(1) > 0)[:, :, None], self.L[n, :T], torch.sin(self.W[:T] * (2 + tgt[:, :1, None])).abs())",
        }
        listed = ", ".join(f"{name!r}: {value}" for name, value in members.items())
        return Code(f"type('Scripted', (torch.nn.Module,), {{{listed}}})()")


def _said(rng: np.random.Generator, vocab: int, bos: int, eos: int, lengths: tuple[int, ...], steps: int) -> _Script:
    """Draw what is said: eos after as many words as `lengths` has it, and other words behind it."""
    words = [w for w in range(1, vocab) if w not in (bos, eos)]
    said = rng.choice(words, size=(len(lengths), steps))
    first = rng.permutation(words)
    for row, length in enumerate(lengths):
        # No word twice in a row, so that a step that is left out or said twice shows; and no two rows begin alike.
        order = rng.permutation(words)
        said[row] = np.resize(np.roll(order, -int(np.argmax(order == first[row]))), steps)
        if length < steps:
            said[row, length] = eos
        if length + 1 < steps:
            said[row, length + 1] = bos  # which ends nothing
    return _Script(vocab, bos, tuple(tuple(int(w) for w in row) for row in said))


def _sources(rng: np.random.Generator, rows: int, time: int) -> np.ndarray:
    """Draw sources that begin with 1, 2, 3 and so on, with some padding at the end."""
    src = _padded(rng, rows, time, 9)
    src[:, 0] = np.arange(1, rows + 1)
    return src


@case("greedy_translate", check=close(), weight=2)
def one_sentence_at_a_time(rng: np.random.Generator) -> Iterator[Call]:
    """One row, with another bos and another eos each time."""
    for (bos, eos), length in zip(((1, 2), (6, 4), (3, 7)), rng.permutation([2, 3, 5]), strict=True):
        script = _said(rng, 9, bos, eos, (int(length),), 12)
        yield call(script.model(rng), _t(_sources(rng, 1, 4)), bos, eos, 8)


@case("greedy_translate", check=close(), weight=2)
def rows_of_any_length(rng: np.random.Generator) -> Iterator[Call]:
    """Rows that end at different steps, each after its own eos."""
    lengths = tuple(int(n) for n in rng.permutation([1, 3, 4, 8]))
    for order in (lengths, lengths[::-1]):  # so that neither the first row nor the last is the longest in both
        script = _said(rng, 10, 1, 2, order, 14)
        yield call(script.model(rng), _t(_sources(rng, 4, 6)), 1, 2, 10)


@case("greedy_translate", check=close())
def an_empty_translation(rng: np.random.Generator) -> Iterator[Call]:
    """A row whose first word is eos has nothing to say; the other one goes on."""
    script = _said(rng, 9, 4, 3, (0, 4), 12)
    yield call(script.model(rng), _t(_sources(rng, 2, 4)), 4, 3, 6)


@case("greedy_translate", check=close())
def no_end_in_sight(rng: np.random.Generator) -> Iterator[Call]:
    """Rows that reach no eos in time have max_len ids; another one has exactly max_len and then would end."""
    limit = int(rng.integers(3, 6))
    script = _said(rng, 9, 1, 2, (12, limit, limit - 1), 12)
    yield call(script.model(rng), _t(_sources(rng, 3, 5)), 1, 2, limit)


@case("greedy_translate", check=close())
def bos_among_the_words(rng: np.random.Generator) -> Iterator[Call]:
    """A bos that is said before eos is a word like any other."""
    others = [rng.permutation([3, 5, 6, 7, 8]) for _ in range(2)]
    said = tuple((int(a), 4, int(b), int(c), 2, *[int(d)] * 7) for a, b, c, d, _ in others)
    yield call(_Script(9, 4, said).model(rng), _t(_sources(rng, 2, 4)), 4, 2, 8)


@case("greedy_translate", check=close())
def a_limit_of_one_or_none(rng: np.random.Generator) -> Iterator[Call]:
    """max_len may be 1, and 0."""
    script = _said(rng, 9, 1, 2, (5, 3), 12)
    for limit in (1, 0):
        yield call(script.model(rng), _t(_sources(rng, 2, 4)), 1, 2, limit)


@case("greedy_translate", check=untouched())
def translating_leaves_the_source_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The translations are right, and src is as before."""
    script = _said(rng, 9, 1, 2, (2, 4, 3), 12)
    yield call(script.model(rng), _t(_sources(rng, 3, 5)), 1, 2, 6)
