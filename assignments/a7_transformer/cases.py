"""Public cases of a7_transformer: the worked examples of the README, small enough to follow by hand."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course.spec import Call, Code, Module, call, call_module, case
from autograder.judge.checks import close, close_where_real, left_alike, untouched

TINY = 1e-5

# The numbers of the README's section 1: two sequences of two positions with two features.
X = np.array([[[1.0, 1.0], [2.0, 5.0]], [[3.0, 4.0], [6.0, 6.0]]])

# One head, two features, all maps of the attention the identity; norms without scale and shift.
IDENTITY_NORM = {"weight": np.ones(2), "bias": np.zeros(2)}
IDENTITY_ATTENTION = {
    "in_proj_weight": np.concatenate([np.eye(2)] * 3),
    "in_proj_bias": np.zeros(6),
    "out_proj.weight": np.eye(2),
    "out_proj.bias": np.zeros(2),
}
TWO_UNITS = {
    "expand.weight": np.eye(2),
    "expand.bias": np.zeros(2),
    "contract.weight": np.array([[1.0, 2.0], [3.0, 4.0]]),
    "contract.bias": np.array([0.0, -0.5]),
}
TOKENS = np.array([[[3.0, 1.0], [0.0, 4.0]]])
MEMORY = np.array([[[2.0, 0.0], [0.0, 1.0], [7.0, 7.0]]])
CAUSAL = np.array([[True, False], [True, True]])

ENCODER_BY_HAND = {"norm_1": IDENTITY_NORM, "attention.heads": IDENTITY_ATTENTION, "norm_2": IDENTITY_NORM}
ENCODER_BY_HAND |= {"feed_forward": TWO_UNITS}
DECODER_BY_HAND = {"norm_1": IDENTITY_NORM, "self_attention.heads": IDENTITY_ATTENTION, "norm_2": IDENTITY_NORM}
DECODER_BY_HAND |= {"cross_attention.heads": IDENTITY_ATTENTION, "norm_3": IDENTITY_NORM, "feed_forward": TWO_UNITS}


def _t(array: Any) -> Any:
    """Return a tensor: single precision for fractions, else ids or truth values as they are."""
    import torch

    array = np.asarray(array)
    return torch.from_numpy(array.astype(np.float32) if array.dtype.kind == "f" else array.copy())


def _state(parts: dict[str, dict[str, np.ndarray]]) -> dict[str, Any]:
    """Return a state dict of parts that are named after the attributes that hold them."""
    return {f"{part}.{name}".lstrip("."): _t(value) for part, values in parts.items() for name, value in values.items()}


# Weights that are no identities: made once, with one decimal, the same in every run.


def _linear(rng: np.random.Generator, name: str, out: int, width: int) -> dict[str, np.ndarray]:
    weight, bias = rng.normal(size=(out, width)).round(1), rng.normal(size=out).round(1)
    return {f"{name}.weight": weight, f"{name}.bias": bias}


def _norm(rng: np.random.Generator, d: int) -> dict[str, np.ndarray]:
    return {"weight": rng.uniform(0.5, 1.5, size=d).round(1), "bias": rng.normal(size=d).round(1)}


def _attention(rng: np.random.Generator, d: int) -> dict[str, np.ndarray]:
    packed = _linear(rng, "in_proj", 3 * d, d)
    renamed = {name.replace(".", "_"): value for name, value in packed.items()}
    return renamed | _linear(rng, "out_proj", d, d)


def _feed_forward(rng: np.random.Generator, d: int, d_ff: int) -> dict[str, np.ndarray]:
    return _linear(rng, "expand", d_ff, d) | _linear(rng, "contract", d, d_ff)


def _encoder(rng: np.random.Generator, d: int, d_ff: int, prefix: str = "") -> dict[str, dict[str, np.ndarray]]:
    return {
        f"{prefix}norm_1": _norm(rng, d),
        f"{prefix}attention.heads": _attention(rng, d),
        f"{prefix}norm_2": _norm(rng, d),
        f"{prefix}feed_forward": _feed_forward(rng, d, d_ff),
    }


def _decoder(rng: np.random.Generator, d: int, d_ff: int, prefix: str = "") -> dict[str, dict[str, np.ndarray]]:
    return {
        f"{prefix}norm_1": _norm(rng, d),
        f"{prefix}self_attention.heads": _attention(rng, d),
        f"{prefix}norm_2": _norm(rng, d),
        f"{prefix}cross_attention.heads": _attention(rng, d),
        f"{prefix}norm_3": _norm(rng, d),
        f"{prefix}feed_forward": _feed_forward(rng, d, d_ff),
    }


def _small_transformer(method: str, cotangents: tuple[Any, ...] = ()) -> Module:
    """Return a model for 5 words of a source and 6 of a target: two layers, d_model 4, two heads, d_ff 3."""
    rng = np.random.default_rng(7)
    parts = {"src_embedding": {"weight": rng.normal(size=(5, 4)).round(1)}}
    parts |= {"tgt_embedding": {"weight": rng.normal(size=(6, 4)).round(1)}}
    for layer in range(2):
        parts |= _encoder(rng, 4, 3, f"encoder.{layer}.") | _decoder(rng, 4, 3, f"decoder.{layer}.")
    parts |= {"encoder_norm": _norm(rng, 4), "decoder_norm": _norm(rng, 4), "": _linear(rng, "output", 6, 4)}
    return Module(init=(5, 6, 4, 2, 3, 2), state=_state(parts), method=method, cotangents=cotangents)


SRC = np.array([[1, 3, 2, 4], [2, 4, 0, 0]])
TGT = np.array([[1, 4, 2], [1, 5, 3]])


# layer_norm, batch_norm


@case("layer_norm", check=close())
def one_vector_by_hand(rng: np.random.Generator) -> Iterator[Call]:
    """(1, 2, 3, 6) has mean 3 and variance 3.5; with eps = .5 the root is 2. Scaled and shifted: (-1, 0, 0, 2)."""
    yield call(_t([1.0, 2.0, 3.0, 6.0]), _t([1.0, 2.0, 1.0, 2.0]), _t([0.0, 1.0, 0.0, -1.0]), 0.5)


@case("layer_norm", check=close())
def every_position_by_itself(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of two positions: each position has a mean of its own, and equal features become the shift. Then the
    same behind a fourth axis.
    """
    for x in (X, X[None]):
        yield call(_t(x), _t([1.0, 3.0]), _t([0.5, -1.0]), 0.5)


@case("layer_norm", check=untouched())
def eps_is_what_you_are_given(rng: np.random.Generator) -> Iterator[Call]:
    """Three features, with eps = .00001 and with eps = .1; x, gamma and beta are as before."""
    x, gamma, beta = _t([[2.0, -1.0, 0.5], [0.1, 0.3, -0.2]]), _t([1.5, 0.5, 2.0]), _t([0.3, -0.7, 0.1])
    yield call(x, gamma, beta, TINY)
    yield call(x, gamma, beta, 0.1)


@case("batch_norm", check=close())
def every_feature_by_itself(rng: np.random.Generator) -> Iterator[Call]:
    """The first feature is 1, 2, 3, 6 over batch and time, the second 1, 5, 4, 6; with eps = .5 both roots are 2."""
    yield call(_t(X), _t([1.0, 1.0]), _t([0.0, 0.0]), 0.5)


@case("batch_norm", check=untouched())
def features_are_scaled_and_shifted(rng: np.random.Generator) -> Iterator[Call]:
    """The same, the second feature doubled, with a scale and a shift for each and eps = .1; what was passed in is as before."""
    yield call(_t(X * [1.0, 2.0]), _t([2.0, -0.5]), _t([1.0, 3.0]), 0.1)


@case("layer_norm", check=close(at=("input_grads",), called="gradients"))
def norms_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """(1, 2, 3, 6) again, for the loss that is the first number of y: x, gamma and beta all get a gradient."""
    module = Module(init=None, cotangents=(_t([1.0, 0.0, 0.0, 0.0]),))
    gamma, beta = _t([1.0, 2.0, 1.0, 2.0]), _t([0.0, 1.0, 0.0, -1.0])
    yield call_module(_t([1.0, 2.0, 3.0, 6.0]), gamma, beta, 0.5, module=module)


@case("batch_norm", check=close(at=("input_grads",), called="gradients"))
def norms_of_a_batch_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The two sequences again, for the loss that is the sum of the very first vector of y."""
    module = Module(init=None, cotangents=(_t([[[1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]),))
    yield call_module(_t(X), _t([1.0, 2.0]), _t([0.0, 0.0]), 0.5, module=module)


# residual, zero_init_is_identity


@case("residual", check=close())
def say_what_to_change(rng: np.random.Generator) -> Iterator[Call]:
    """With f(x) = 3 x - 1, x = 2 becomes 2 + 5 = 7."""
    yield call(_t([[2.0, -1.0, 0.5]]), Code("lambda x: 3 * x - 1"))


@case("residual", check=untouched())
def a_function_that_says_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """A function of zeros changes nothing, neither in the result nor in x; one that mixes features changes both rows. One
    that returns x itself doubles it, and x is still as before.
    """
    x = _t([[1.0, 2.0], [-3.0, 0.5]])
    yield call(x, Code("lambda x: torch.zeros_like(x)"))
    yield call(x, Code("lambda x: x.flip(-1)"))
    yield call(x, Code("lambda x: x"))


@case("residual", check=close(at=("input_grads", 0), called="gradient of x"), weight=0.5)
def gradients_of_a_square(rng: np.random.Generator) -> Iterator[Call]:
    """With f(x) = x², for the loss that is the sum of y, the gradient of x is 1 + 2 x: for x = 2 it is 5."""
    module = Module(init=None, cotangents=(_t([[1.0, 1.0, 1.0]]),))
    yield call_module(_t([[2.0, -1.0, 0.5]]), Code("lambda x: x * x"), module=module)


def _block(
    forward: str, d: int = 3, *, last: tuple[str, ...] = ("last",), bias: bool = True, lists: bool = False
) -> Code:
    """Return an expression for a block of two linear maps, `first` and `last`, d to 4 to d features.

    Its last maps are those of the names in `last`. With `lists` its parameters are 1, 2, 3 and so on, and it is also a list
    of them, so that they can be looked at.
    """
    parts = f"self.add_module('first', torch.nn.Linear({d}, 4)), "
    parts += f"self.add_module('last', torch.nn.Linear(4, {d}{'' if bias else ', bias=False'}))"
    if lists:
        parts += ", [p.data.copy_(torch.arange(p.numel()).view_as(p) + 1) for p in self.parameters()]"
        parts += ", list.extend(self, self.parameters())"
    members = {
        "forward": f"lambda self, x, mask=None: {forward}",
        "last_maps": f"lambda self: [{', '.join(f'self.{name}' for name in last)}]",
        "d_model": str(d),
        "__init__": f"lambda self: [torch.nn.Module.__init__(self), {parts}] and None",
    }
    if lists:
        members["__hash__"] = "object.__hash__"
    listed = ", ".join(f"{name!r}: {value}" for name, value in members.items())
    plain = re.sub(r"self\.|torch\.(nn\.functional\.)?", "", forward)
    label = f"a block that gives {plain}; first and last are linear maps"
    label += "" if bias else ", last without a bias"
    label += "" if last == ("last",) else ", and each is the last map of a sublayer"
    return Code(f"type('Block', (torch.nn.Module, {'list' if lists else ''}), {{{listed}}})()", label)


@case("zero_init_is_identity", check=close())
def norm_before_or_after(rng: np.random.Generator) -> Iterator[Call]:
    """A pre-norm block returns its input when its last map is zero; a post-norm block returns its normed input."""
    yield call(_block("x + self.last(torch.relu(self.first(torch.nn.functional.layer_norm(x, (3,)))))"))
    yield call(_block("torch.nn.functional.layer_norm(x + self.last(torch.relu(self.first(x))), (3,))"))


@case("zero_init_is_identity", check=close())
def with_and_without_a_residual(rng: np.random.Generator) -> Iterator[Call]:
    """Without the residual nothing is left of the input; with half of it, half. The last block gives -x before and after its
    map is set to zero, and that is not x.
    """
    yield call(_block("self.last(torch.relu(self.first(x)))"))
    yield call(_block("x + self.last(torch.tanh(self.first(x)))"))
    yield call(_block("0.5 * x + self.last(torch.tanh(self.first(x)))"))
    yield call(_block("0 * self.last(self.first(x)) - x"))


@case("zero_init_is_identity", check=close())
def every_number_of_every_input_counts(rng: np.random.Generator) -> Iterator[Call]:
    """A ReLU behind the sum changes negative inputs only; a flip of features or of positions leaves all means as they are; the
    fourth block is fine. The fifth halves all features but the first.
    """
    # So many features that some are negative in whatever input is tried.
    yield call(_block("torch.relu(x + self.last(torch.relu(self.first(x))))", d=30))
    yield call(_block("x.flip(-1) + self.last(torch.relu(self.first(x)))"))
    yield call(_block("x.flip(1) + self.last(torch.relu(self.first(x)))"))
    yield call(_block("x - self.last(self.first(x))"))
    yield call(_block("torch.cat([x[..., :1], 0.5 * x[..., 1:]], dim=-1) + self.last(self.first(x))"))


@case("zero_init_is_identity", check=close(), weight=0.5)
def two_sublayers_beside_each_other(rng: np.random.Generator) -> Iterator[Call]:
    """Where both maps are last maps of a sublayer, nothing is left but x. Where one is not, it stays as it is."""
    yield call(_block("x + self.first(x) + self.last(x)", d=4, last=("first", "last")))
    yield call(_block("x + self.first(x) + self.last(x)", d=4))


@case("zero_init_is_identity", check=close(), weight=0.5)
def a_map_without_a_bias(rng: np.random.Generator) -> Iterator[Call]:
    """The last map may be made with `bias=False`: x is what is left with a residual, and zeros without one."""
    yield call(_block("x + self.last(torch.relu(self.first(x)))", bias=False))
    yield call(_block("self.last(torch.relu(self.first(x)))", bias=False))


@case(
    "zero_init_is_identity",
    check=left_alike(complaint="Your function changed the block's parameters; put back what was in them."),
)
def old_values_are_put_back(rng: np.random.Generator) -> Iterator[Call]:
    """The answer is right, and every parameter of the block is afterwards what it was before."""
    yield call(_block("x + self.last(torch.relu(self.first(x)))", lists=True))


# FeedForward


@case("FeedForward", check=close())
def two_units_by_hand(rng: np.random.Generator) -> Iterator[Call]:
    """(1, -1) becomes (1, 0) behind the ReLU, then (1, 2.5); (-1, 1) becomes (0, 1), then (2, 3.5)."""
    state = _state({"": TWO_UNITS})
    yield call_module(_t([[[1.0, -1.0], [-1.0, 1.0]]]), module=Module(init=(2, 2), state=state))


@case("FeedForward", check=untouched())
def feed_forward_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of two positions, two features, three units."""
    state = _state({"": _feed_forward(np.random.default_rng(3), 2, 3)})
    yield call_module(_t(X - 3.0), module=Module(init=(2, 3), state=state))


@case("FeedForward", check=close(at=("param_grads", "expand.weight")))
def first_map_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The same two units with the sum of all outputs as the loss: the first map's weight gets its gradient."""
    cotangents = (_t(np.ones((1, 2, 2))),)
    module = Module(init=(2, 2), state=_state({"": TWO_UNITS}), cotangents=cotangents)
    yield call_module(_t([[[1.0, -1.0], [-1.0, 1.0]]]), module=module)


@case("FeedForward", check=close(at=("param_grads", "contract.weight")), weight=0.5)
def second_map_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The same for the second map's weight: each row is the sum of the units over both positions, (1, 1)."""
    cotangents = (_t(np.ones((1, 2, 2))),)
    module = Module(init=(2, 2), state=_state({"": TWO_UNITS}), cotangents=cotangents)
    yield call_module(_t([[[1.0, -1.0], [-1.0, 1.0]]]), module=module)


@case("FeedForward", check=close(at=("input_grads", 0), called="gradient of x"), weight=0.5)
def layers_below_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The same for x, from which the layers below learn: (1, -1) gets (4, 0), and (-1, 1) gets (0, 6)."""
    cotangents = (_t(np.ones((1, 2, 2))),)
    module = Module(init=(2, 2), state=_state({"": TWO_UNITS}), cotangents=cotangents)
    yield call_module(_t([[[1.0, -1.0], [-1.0, 1.0]]]), module=module)


# EncoderBlock


SIGNS = "its norms of two features leave signs, and traces of their eps; whether traces are right, other cases tell"


@case("EncoderBlock", check=close(tolerance=1e-3, because=SIGNS))
def encoder_block_by_hand(rng: np.random.Generator) -> Iterator[Call]:
    """Two tokens, (3, 1) and (0, 4), in the block that the README works through."""
    module = Module(init=(2, 1, 2), state=_state(ENCODER_BY_HAND))
    yield call_module(_t(TOKENS), module=module)


@case("EncoderBlock", check=untouched())
def encoder_block_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of three positions, d_model 4, two heads; without a mask, then with the last position hidden."""
    draw = np.random.default_rng(18)
    module = Module(init=(4, 2, 3), state=_state(_encoder(draw, 4, 3)))
    x = _t(draw.normal(size=(2, 3, 4)).round(1) + 0.5)
    yield call_module(x, module=module)
    yield call_module(x, _t([[[True, True, True]], [[True, True, False]]]), module=module)


@case("EncoderBlock", check=close(at=("input_grads",), called="gradients"))
def encoder_block_lets_gradients_through(rng: np.random.Generator) -> Iterator[Call]:
    """The same two sequences without a mask: for a loss on the output, x gets a gradient, on all ways that lead back to it."""
    draw = np.random.default_rng(18)
    state = _state(_encoder(draw, 4, 3))
    x, loss = _t(draw.normal(size=(2, 3, 4)).round(1) + 0.5), _t(draw.normal(size=(2, 3, 4)).round(1))
    yield call_module(x, module=Module(init=(4, 2, 3), state=state, cotangents=(loss,)))


# MaskedDecoderBlock


@case("MaskedDecoderBlock", check=close())
def decoder_block_by_hand(rng: np.random.Generator) -> Iterator[Call]:
    """The tokens (3, 1) and (0, 4) with a causal mask, and a memory of (2, 0), (0, 1) and padding, as in the README."""
    module = Module(init=(2, 1, 2), state=_state(DECODER_BY_HAND))
    yield call_module(_t(TOKENS), _t(MEMORY), _t(CAUSAL), _t([[[True, True, False]]]), module=module)


@case("MaskedDecoderBlock", check=untouched())
def decoder_block_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two targets of three positions, sources of two, d_model 4, two heads; without masks, then with both."""
    draw = np.random.default_rng(12)
    module = Module(init=(4, 2, 3), state=_state(_decoder(draw, 4, 3)))
    x, memory = _t(draw.normal(size=(2, 3, 4)).round(1) + 0.5), _t(draw.normal(size=(2, 2, 4)).round(1))
    yield call_module(x, memory, None, None, module=module)
    masks = _t(np.tri(3, dtype=bool)), _t([[[True, True]], [[True, False]]])
    yield call_module(x, memory, *masks, module=module)


@case("MaskedDecoderBlock", check=close(at=("input_grads",), called="gradients"))
def decoder_block_lets_gradients_through(rng: np.random.Generator) -> Iterator[Call]:
    """Two targets of three positions, sources of two: for a loss on the output, x and memory get a gradient."""
    draw = np.random.default_rng(12)
    state, x = _state(_decoder(draw, 4, 3)), _t(draw.normal(size=(2, 3, 4)).round(1) + 0.5)
    memory, loss = (_t(draw.normal(size=(2, T, 4)).round(1)) for T in (2, 3))
    yield call_module(x, memory, None, None, module=Module(init=(4, 2, 3), state=state, cotangents=(loss,)))


# Transformer


@case("Transformer", check=close())
def small_model_encodes(rng: np.random.Generator) -> Iterator[Call]:
    """Two layers, d_model 4; one source of four words, and one of two."""
    yield call_module(_t(SRC[:1]), module=_small_transformer("encode"))
    yield call_module(_t(SRC[1:, :2]), module=_small_transformer("encode"))


@case("Transformer", check=close())
def small_model_decodes(rng: np.random.Generator) -> Iterator[Call]:
    """Two targets of three words, from a memory that is given; the second source ends in padding."""
    memory = _t(np.random.default_rng(13).normal(size=(2, 4, 4)).round(1))
    yield call_module(_t(TGT), memory, _t(SRC), module=_small_transformer("decode"))


@case("Transformer", check=close_where_real(argument=0))
def words_behind_padding(rng: np.random.Generator) -> Iterator[Call]:
    """Targets with padding in front of their words, and between them: the logits at the words, which do not look at it.
    Then sources of this kind: the memory at the words.
    """
    memory = _t(np.random.default_rng(13).normal(size=(2, 4, 4)).round(1))
    yield call_module(_t([[0, 1, 4], [1, 0, 5]]), memory, _t(SRC), module=_small_transformer("decode"))
    yield call_module(_t([[0, 1, 4], [1, 0, 3]]), module=_small_transformer("encode"))


@case("Transformer", check=close(), weight=0.5)
def targets_grow(rng: np.random.Generator) -> Iterator[Call]:
    """The same targets, decoded by a model that has decoded others before, with fewer words each, then with more: what it kept of
    those is no use here."""
    memory = _t(np.random.default_rng(13).normal(size=(2, 4, 4)).round(1))
    for words in ([[1], [1]], [[1, 4, 2, 3], [1, 5, 3, 2]]):
        model = replace(_small_transformer("decode"), before=(_t(words), memory, _t(SRC)))
        yield call_module(_t(TGT), memory, _t(SRC), module=model)


@case("Transformer", check=untouched())
def small_model_from_end_to_end(rng: np.random.Generator) -> Iterator[Call]:
    """Logits for the words after each of three, from two sources, of which the second is padded."""
    yield call_module(_t(SRC), _t(TGT), module=_small_transformer("forward"))


@case("Transformer", check=close(at=("param_grads", "src_embedding.weight")))
def source_words_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The same two sources: for a loss on the logits, the vectors of the source's words get a gradient."""
    loss = _t(np.random.default_rng(14).normal(size=(2, 3, 6)).round(1))
    yield call_module(_t(SRC), _t(TGT), module=_small_transformer("forward", (loss,)))


# next_word, greedy_translate

WORDS = {0: "<pad>", 1: "<bos>", 2: "<eos>", 3: "i", 4: "like", 5: "pizza"}


@case("next_word", check=close())
def pizza_is_most_probable(rng: np.random.Generator) -> Iterator[Call]:
    """The logits 0, 0, 1, -4, 2 and 3 make "pizza" the most probable word, with .62."""
    yield call(_t([0.0, 0.0, 1.0, -4.0, 2.0, 3.0]), WORDS)


@case("next_word", check=close())
def all_logits_may_be_negative(rng: np.random.Generator) -> Iterator[Call]:
    """Of negative logits the largest is the one nearest to zero; then with the words listed from the last id to the first."""
    yield call(_t([-9.0, -8.0, -7.0, -1.5, -2.0, -6.0]), WORDS)
    yield call(_t([-1.5, -8.0, -7.0, -9.0, -2.0, -6.0]), dict(reversed(WORDS.items())))


@case("next_word", check=close(), weight=0.5)
def logits_of_a_thousand(rng: np.random.Generator) -> Iterator[Call]:
    """Logits of 900 and 1000: their exponentials are too large for a computer, and yet "pizza" is the most probable word."""
    yield call(_t([0.0, 900.0, 300.0, -4.0, 900.0, 1000.0]), WORDS)


def _scripted(script: list[list[int]], vocab: int) -> Code:
    """Return a model that says the words of a script, one row after another; src[:, 0] is the row, counted from 1.

    Where memory and src do not belong together it says 0.
    """
    table = f"torch.nn.functional.one_hot(torch.tensor({script}), {vocab}).float()"
    together = "(memory[:, :1, :1] == src[:, :1, None] - 1)"
    decode = f"lambda self, tgt, memory, src: {table}[memory[:, 0, 0].long(), :tgt.shape[1]] * {together}"
    encode = "lambda self, src: (src - 1)[:, :, None].float()"
    made = f"type('Scripted', (torch.nn.Module,), {{'encode': {encode}, 'decode': {decode}, 'forward': None}})()"
    rows = " or ".join(" ".join(map(str, row)) for row in script)
    return Code(made, f"a model that says {rows}, whatever it has said before")


@case("greedy_translate", check=close())
def i_like_pizza(rng: np.random.Generator) -> Iterator[Call]:
    """The model says i (3), like (4), pizza (5), and eos (2): the translation is [3, 4, 5], and with max_len = 2 it is [3, 4]."""
    for max_len in (5, 2):
        yield call(_scripted([[3, 4, 5, 2, 4, 4]], 6), _t([[1, 4]]), 1, 2, max_len)


@case("greedy_translate", check=untouched())
def rows_end_at_different_steps(rng: np.random.Generator) -> Iterator[Call]:
    """Three rows: one ends after two words, one after one, whatever the model says behind it, be it a second eos, and one would
    go on and is cut off at max_len = 4.
    """
    script = [[4, 5, 2, 3, 3, 3, 3], [3, 2, 4, 2, 3, 3, 3], [5, 4, 5, 3, 4, 3, 3]]
    yield call(_scripted(script, 6), _t([[1, 4], [2, 3], [3, 0]]), 1, 2, 4)


@case("greedy_translate", check=close(), weight=0.5)
def nothing_to_say(rng: np.random.Generator) -> Iterator[Call]:
    """The first row ends at once, and its translation is []; that of the other one is [3]. With max_len = 0 both are []."""
    for max_len in (4, 0):
        yield call(_scripted([[2, 4, 5, 3], [3, 2, 5, 4]], 6), _t([[1, 4], [2, 3]]), 1, 2, max_len)


@case("greedy_translate", check=close())
def bos_is_said_again(rng: np.random.Generator) -> Iterator[Call]:
    """Only eos ends a row and is left out: a bos (1) that the model says is one of its ids, as in [3, 1, 4]."""
    yield call(_scripted([[3, 1, 4, 2, 5, 5, 5], [1, 5, 2, 3, 3, 3, 3]], 6), _t([[1, 4], [2, 3]]), 1, 2, 6)


def _chain(following: list[int]) -> Code:
    """Return a model that only looks at the last word: after word w it says following[w]. All of its logits are negative."""
    table = f"(torch.nn.functional.one_hot(torch.tensor({following}), {len(following)}) - 2.0)"
    members = (
        f"'encode': lambda self, src: src[:, :, None].float(), 'decode': lambda self, tgt, memory, src: {table}[tgt], "
        "'forward': None"
    )
    words = ", ".join(f"{word} after {before}" for before, word in enumerate(following))
    return Code(f"type('Chain', (torch.nn.Module,), {{{members}}})()", f"a model that says {words}")


@case("greedy_translate", check=close())
def one_word_leads_to_the_next(rng: np.random.Generator) -> Iterator[Call]:
    """After bos, here 5, comes 1, after 1 comes 4, after 4 comes 2, after 2 comes eos, here 3: [1, 4, 2]. All logits are
    negative.
    """
    yield call(_chain([4, 4, 3, 2, 2, 1]), _t([[2, 4, 1]]), 5, 3, 6)
