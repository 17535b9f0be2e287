"""Public cases of a9_modern_lm: the worked examples of the README, small enough to follow by hand."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.spec import Call, Code, Module, call, call_module, case
from autograder.judge.checks import boolean, close, left_alike, untouched


def _t(array: Any) -> Any:
    """Return a tensor: single precision for fractions, else whole numbers and truth values as they are."""
    import torch

    array = np.asarray(array)
    return torch.from_numpy(array.astype(np.float32) if array.dtype.kind == "f" else array.copy())


def _drawn(seed: int, *shape: int) -> Any:
    return _t(np.random.default_rng(seed).normal(size=shape).round(1))


# rms_norm

ROOT = np.array([1.0, 7.0, 5.0, 5.0])


@case("rms_norm", check=close())
def a_root_of_five(rng: np.random.Generator) -> Iterator[Call]:
    """The mean square of 1, 7, 5, 5 is 25, so they are divided by 5: .2, 1.4, 1, 1; then with gains of 1, 2, 3 and .5; then of
    -1, 7, -5, 5."""
    yield call(_t(ROOT), _t(np.ones(4)), 0.0)
    yield call(_t(ROOT), _t(np.array([1.0, 2.0, 3.0, 0.5])), 0.0)
    yield call(_t(ROOT * np.array([-1.0, 1.0, -1.0, 1.0])), _t(np.ones(4)), 0.0)


@case("rms_norm", check=close())
def eps_inside_the_root(rng: np.random.Generator) -> Iterator[Call]:
    """With an eps of 11 the root is 6, and a vector of zeros stays a vector of zeros."""
    yield call(_t(ROOT), _t(np.ones(4)), 11.0)
    yield call(_t(np.zeros(4)), _t(np.ones(4)))


@case("rms_norm", check=untouched())
def every_position_by_itself(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of three positions: each position has a root of its own, and x is as before."""
    yield call(4.0 * _drawn(1, 2, 3, 4), _t(np.array([1.0, 0.5, 2.0, -1.0])))


@case("rms_norm", check=close(at=("input_grads",), called="gradients of x and of the gain"))
def the_norm_lets_gradients_through(rng: np.random.Generator) -> Iterator[Call]:
    """Both x and the gain get a gradient, through the root as well."""
    module = Module(init=None, cotangents=(_t(np.array([[1.0, 0.0, -1.0, 2.0]])),))
    yield call_module(_t(ROOT[None]), _t(np.array([1.0, 2.0, 3.0, 0.5])), module=module)


# swiglu


@case("swiglu", check=close())
def a_gate_opens_and_closes(rng: np.random.Generator) -> Iterator[Call]:
    """silu of 1, -1 and 2 is .7311, -.2689 and 1.7616; up is 10, so the results are 7.311, -2.689 and 17.616. With an up of -1
    the first one is -.7311."""
    for x, up in ((1.0, 10.0), (-1.0, 10.0), (2.0, 10.0), (1.0, -1.0)):
        yield call(_t(np.array([[x, up]])), _t([[1.0, 0.0]]), _t([[0.0, 1.0]]), _t([[1.0], [0.0]]))


@case("swiglu", check=close(), weight=0.5, keeps="what goes wrong here alone gives NaN, by which nothing is named")
def gates_wide_open_and_shut(rng: np.random.Generator) -> Iterator[Call]:
    """silu of 200 is 200, and of -200 it is 0: the result is 2000, then 0."""
    for x in (200.0, -200.0):
        yield call(_t(np.array([[x, 10.0]])), _t([[1.0, 0.0]]), _t([[0.0, 1.0]]), _t([[1.0], [0.0]]))


@case("swiglu", check=untouched())
def three_maps_that_differ(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of two positions, four features, three in the middle; x and the maps are as before."""
    yield call(_drawn(2, 2, 2, 4), _drawn(3, 3, 4), _drawn(4, 3, 4), _drawn(5, 4, 3))


@case("swiglu", check=close(at=("input_grads",), called="gradients of x and of the three maps"))
def three_maps_learn(rng: np.random.Generator) -> Iterator[Call]:
    """x and all three maps get a gradient."""
    module = Module(init=None, cotangents=(_drawn(6, 2, 4),))
    yield call_module(_drawn(2, 2, 4), _drawn(3, 3, 4), _drawn(4, 3, 4), _drawn(5, 4, 3), module=module)


# rotary

POINTING = np.array([1.0, 0.0, 0.0, 1.0])


@case("rotary", check=close())
def three_places_further(rng: np.random.Generator) -> Iterator[Call]:
    """(1, 0, 0, 1) at position 0, 1 and 3: cos 3 = -.9900 and sin 3 = .1411; the slow pair turns by .03."""
    yield call(_t(np.broadcast_to(POINTING, (1, 1, 3, 4))), _t([0, 1, 3]))


@case("rotary", check=close())
def behind_a_cache_of_seven(rng: np.random.Generator) -> Iterator[Call]:
    """One new token at position 7, with two heads and a base of 100."""
    yield call(_t(np.array([[[[3.0, 4.0, 1.0, 0.0]], [[0.0, 2.0, -1.0, 1.0]]]])), _t([7]), 100.0)


@case("rotary", check=untouched())
def a_batch_is_turned(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences, two heads, three positions in no order; x and the positions are as before."""
    yield call(_drawn(7, 2, 2, 3, 6), _t([4, 1, 9]))


@case("rotary", check=close(at=("input_grads", 0), called="gradient of x"))
def rotations_turn_gradients_back(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of x is that of the result, turned back."""
    module = Module(init=None, cotangents=(_t(np.broadcast_to([1.0, 2.0, -1.0, 1.0], (1, 1, 2, 4))),))
    yield call_module(_drawn(8, 1, 1, 2, 4), _t([1, 3]), module=module)


# grouped_attention

KEYS = np.array([[[[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, -1.0]]]])
VALUES = np.array([[[[10.0, 0.0], [0.0, 10.0]], [[2.0, 0.0], [0.0, 4.0]]]])
ASKING = np.array([[[[0.0, 0.0]], [[2.0, 0.0]], [[0.0, 0.0]], [[0.0, 2.0]]]])


@case("grouped_attention", check=close())
def two_groups_of_two(rng: np.random.Generator) -> Iterator[Call]:
    """Four query heads, two key-value heads, two keys. Head 0 reads the mean (5, 5), head 2 the mean (1, 2)."""
    yield call(_t(ASKING), _t(KEYS), _t(VALUES))


@case("grouped_attention", check=close())
def one_key_is_hidden(rng: np.random.Generator) -> Iterator[Call]:
    """The same, with a mask that hides the first key: every head reads the second value of its group. So it does where the hidden
    key has scores of several hundreds."""
    for size in (1.0, 500.0):
        keys = KEYS * np.array([[size], [1.0]])
        yield call(_t(ASKING), _t(keys), _t(VALUES), _t(np.array([[False, True]])))


@case("grouped_attention", check=untouched())
def as_many_groups_as_heads(rng: np.random.Generator) -> Iterator[Call]:
    """Two heads for all: attention with several heads as ever; then one key-value head for both, with the mask and
    without one. All is as before."""
    mask = _t(np.tri(3, dtype=bool))
    yield call(_drawn(9, 2, 2, 3, 4), _drawn(10, 2, 2, 3, 4), _drawn(11, 2, 2, 3, 4), mask)
    yield call(_drawn(9, 2, 2, 3, 4), _drawn(10, 2, 1, 3, 4), _drawn(11, 2, 1, 3, 4), mask)
    yield call(_drawn(9, 2, 2, 3, 4), _drawn(10, 2, 1, 3, 4), _drawn(11, 2, 1, 3, 4))


@case("grouped_attention", check=close(at=("input_grads",), called="gradients of q, k and v"))
def groups_share_gradients(rng: np.random.Generator) -> Iterator[Call]:
    """A key-value head gets the gradients of all query heads of its group."""
    module = Module(init=None, cotangents=(_drawn(12, 1, 4, 2, 2),))
    mask = _t(np.tri(2, 3, 1, dtype=bool))
    yield call_module(_drawn(13, 1, 4, 2, 2), _drawn(14, 1, 2, 3, 2), _drawn(15, 1, 2, 3, 2), mask, module=module)


# sliding_mask


@case("sliding_mask", check=boolean(strict=True))
def five_places_two_seen(rng: np.random.Generator) -> Iterator[Call]:
    """A window of 2: every position looks at itself and at the one before it."""
    yield call(5, 2)


@case("sliding_mask", check=boolean(strict=True))
def narrow_and_wide_windows(rng: np.random.Generator) -> Iterator[Call]:
    """A window of 1 is the position alone; windows of 4 and of 9 see everything that came before four positions."""
    for window in (1, 3, 4, 9):
        yield call(4, window)


# ModernLM

EYE = np.eye(2)
BY_HAND = {
    "embedding.weight": [[1.0, 1.0], [7.0, 1.0], [-1.0, 1.0]],
    "blocks.0.gain_1": [1.0, 1.0],
    "blocks.0.W_q.weight": 0 * EYE,
    "blocks.0.W_k.weight": EYE,
    "blocks.0.W_v.weight": EYE,
    "blocks.0.W_o.weight": EYE,
    "blocks.0.gain_2": [1.0, 1.0],
    "blocks.0.W_gate.weight": [[1.0, 0.0]],
    "blocks.0.W_up.weight": [[0.0, 1.0]],
    "blocks.0.W_down.weight": [[0.0], [1.0]],
    "final_gain": [1.0, 1.0],
}
BOTH = ("logits", "cache")
SIZES = (5, 8, 2, 1, 3, 2, 3, 100.0)  # vocab, d_model, n_heads, n_kv_heads, d_ff, n_layers, window, base


def _by_hand(method: str = "forward") -> Module:
    return Module(
        init=(3, 2, 1, 1, 1, 1, 2), state={n: _t(np.array(v, float)) for n, v in BY_HAND.items()}, method=method
    )


def _small(method: str = "forward", cotangents: tuple[Any, ...] = ()) -> Module:
    """Return a model of 5 tokens with two layers, d_model 8, two query heads, one key-value head and a window of 3."""
    vocab, d, n_heads, n_kv_heads, d_ff, n_layers, *_ = SIZES
    narrow = n_kv_heads * d // n_heads
    shapes: dict[str, tuple[int, ...]] = {"embedding.weight": (vocab, d), "final_gain": (d,)}
    for layer in range(n_layers):
        block = {"W_q": (d, d), "W_k": (narrow, d), "W_v": (narrow, d), "W_o": (d, d)}
        block |= {"W_gate": (d_ff, d), "W_up": (d_ff, d), "W_down": (d, d_ff)}
        shapes |= {f"blocks.{layer}.{name}.weight": shape for name, shape in block.items()}
        shapes |= {f"blocks.{layer}.gain_1": (d,), f"blocks.{layer}.gain_2": (d,)}
    drawn = np.random.default_rng(3)
    state = {
        name: _t(drawn.normal(size=s).round(1) if len(s) == 2 else drawn.uniform(0.5, 1.5, size=s).round(1))
        for name, s in shapes.items()
    }
    return Module(init=SIZES, state=state, method=method, cotangents=cotangents)


IDS = np.array([[1, 3, 2, 4, 0], [2, 2, 0, 1, 3]])


@case("ModernLM", check=close(names=BOTH))
def model_by_hand(rng: np.random.Generator) -> Iterator[Call]:
    """Three tokens, a, b, c, in the model that the README works through, with a window of 2."""
    yield call_module(_t([[0, 1, 2]]), module=_by_hand())


@case("ModernLM", check=close(names=BOTH))
def cache_by_hand(rng: np.random.Generator) -> Iterator[Call]:
    """The same model reads c behind a cache of a and b, whose keys are turned already."""
    keys = np.array([[[[1.0, 1.0], [0.5881, 1.2861]]]])
    values = np.array([[[[1.0, 1.0], [1.4, 0.2]]]])
    yield call_module(_t([[2]]), [(_t(keys), _t(values))], module=_by_hand())


def _cache(batch: int, past: int) -> list[tuple[Any, Any]]:
    """Return a cache for the two layers of the small model."""
    parts = [_drawn(20 + part, batch, 1, past, 4) for part in range(4)]
    return [(parts[0], parts[1]), (parts[2], parts[3])]


@case("ModernLM", check=untouched(names=BOTH))
def two_layers_and_groups(rng: np.random.Generator) -> Iterator[Call]:
    """Two rows of five tokens; then two tokens behind a cache of three, which stays as it was."""
    yield call_module(_t(IDS), module=_small())
    yield call_module(_t(IDS[:, :2]), _cache(2, 3), module=_small())


@case("ModernLM", check=close())
def in_pieces_or_at_once(rng: np.random.Generator) -> Iterator[Call]:
    """`read` hands the cache from call to call: five tokens one at a time, in pieces of 2, 1 and 2, and all at once."""
    for pieces in ([1, 1, 1, 1, 1], [2, 1, 2], [5]):
        yield call_module(_t(IDS), pieces, module=_small("read"))


@case("ModernLM", check=close())
def sizes_are_kept(rng: np.random.Generator) -> Iterator[Call]:
    """The constructor keeps its arguments: `sizes` finds 5, 8, 2, 1, 3, 2, 3 and 100."""
    yield call_module(module=_small("sizes"))


@case("ModernLM", check=close(at=("param_grads",), called="gradients of the parameters"))
def every_parameter_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """Every parameter gets a gradient, the embedding from both of its uses; then through the cache, from a text in two pieces."""
    for pieces in ([5], [3, 2]):
        yield call_module(_t(IDS[:1]), pieces, module=_small("read", (_drawn(30, 1, 5, 5),)))


# init_

ALIKE = "a model with the parameters of ModernLM: {} layers, {} tokens, d_model {}, d_ff {}"


MADE_OF = "(lambda m, **parts: [m, [m.add_module(n, p) for n, p in parts.items()]][0])"
# A model that is also a list of its parameters, which are looked at afterwards.
LISTED = (
    "type('Model', (torch.nn.Module, list), {'__hash__': object.__hash__, '__bool__': lambda self: True,"
    " '__iter__': lambda self: self.parameters()})()"
)


def _model(
    vocab: int, d: int, narrow: int, d_ff: int, n_layers: int, *, turned: bool = False, kind: str = "torch.nn.Module()"
) -> Code:
    """Return a model with the names and shapes of ModernLM's parameters, or with the matrices of a block `turned` around."""
    shapes = {"W_q": (d, d), "W_k": (d, narrow), "W_v": (d, narrow), "W_o": (d, d)}
    shapes |= {"W_gate": (d, d_ff), "W_up": (d, d_ff), "W_down": (d_ff, d)}
    if turned:
        shapes = dict(reversed(shapes.items()))
    with_gains = (
        "(lambda m, *names: [m, [m.register_parameter(n, torch.nn.Parameter(torch.zeros({}))) for n in names]][0])"
    )
    gains = with_gains.format(d)
    maps = f"{{n: torch.nn.Linear(*s, bias=False) for n, s in {shapes}.items()}}"
    block = f"{gains}(torch.nn.ModuleDict({maps}), 'gain_1', 'gain_2')"
    blocks = f"torch.nn.ModuleList([{block} for _ in range({n_layers})])"
    whole = f"{MADE_OF}({kind}, embedding=torch.nn.Embedding({vocab}, {d}), blocks={blocks})"
    filled = "(lambda m: [m, [torch.nn.init.constant_(p, 0.5) for p in m.parameters()]][0])"
    return Code(f"{filled}({gains}({whole}, 'final_gain'))", ALIKE.format(n_layers, vocab, d, d_ff))


def _generator(seed: int) -> Code:
    return Code(f"torch.Generator().manual_seed({seed})")


@case("init_", check=close())
def one_layer_begins(rng: np.random.Generator) -> Iterator[Call]:
    """One layer: gains of 1, matrices of .02, and W_o and W_down of .02 / sqrt(2) = .01414."""
    yield call(_model(3, 2, 2, 3, 1), _generator(1))


@case("init_", check=close())
def eight_layers_begin(rng: np.random.Generator) -> Iterator[Call]:
    """Eight layers have sixteen matrices that write into the residual stream: .02 / 4 = .005."""
    yield call(_model(2, 2, 1, 1, 8), _generator(2))


@case("init_", check=close())
def another_order(rng: np.random.Generator) -> Iterator[Call]:
    """A block whose matrices are named from W_down to W_q: they are drawn in that order."""
    yield call(_model(3, 2, 2, 3, 1, turned=True), _generator(1))


@case("init_", check=close(), weight=0.5)
def a_generator_goes_on(rng: np.random.Generator) -> Iterator[Call]:
    """A generator that has drawn two numbers before: the model gets those that come next."""
    used = f"(lambda g: [g, torch.rand(2, generator=g)][0])({_generator(1).expression})"
    yield call(_model(3, 2, 2, 3, 1), Code(used, "torch.Generator().manual_seed(1), of which two numbers were drawn"))


@case("init_", check=left_alike(complaint="Your numbers are right, but the model keeps the parameters that it had."))
def the_model_has_them(rng: np.random.Generator) -> Iterator[Call]:
    """The numbers are afterwards the model's own parameters."""
    yield call(_model(3, 2, 2, 3, 1, kind=LISTED), _generator(3))


# count


def _sizes(vocab: int, d_model: int, n_heads: int, n_kv_heads: int, d_ff: int, n_layers: int) -> Code:
    """Return a model that has the sizes and the parameters of a ModernLM."""
    kept = {"vocab": vocab, "d_model": d_model, "n_heads": n_heads, "n_kv_heads": n_kv_heads}
    kept |= {"d_ff": d_ff, "n_layers": n_layers}
    shared = n_kv_heads * d_model // n_heads
    model = _model(vocab, d_model, shared, d_ff, n_layers).expression
    text = ", ".join(f"{name} {value}" for name, value in kept.items())
    return Code(
        f"(lambda m: [m, [setattr(m, n, v) for n, v in {kept}.items()]][0])({model})", f"a ModernLM with {text}"
    )


@case("count", check=close(names=("parameters", "flops")))
def one_small_layer(rng: np.random.Generator) -> Iterator[Call]:
    """The model of the README: 152 parameters, and 328 operations for a token that looks at three."""
    yield call(_sizes(5, 4, 2, 1, 6, 1), 3)


@case("count", check=close(names=("parameters", "flops")))
def more_layers_and_context(rng: np.random.Generator) -> Iterator[Call]:
    """Three layers with as many key-value heads as heads, and with one for all four."""
    yield call(_sizes(7, 8, 4, 4, 5, 3), 1)
    yield call(_sizes(7, 8, 4, 1, 5, 3), 10)


# label_smoothed_nll

LOG = np.log(np.array([[[0.7, 0.1, 0.1, 0.1], [0.25, 0.25, 0.25, 0.25]]]))


@case("label_smoothed_nll", check=close())
def a_tenth_for_all(rng: np.random.Generator) -> Iterator[Call]:
    """.7 for the right one of four tokens: .3567 without smoothing, .5026 with an eps of .1."""
    yield call(_t(LOG[:, :1]), _t([[0]]), 0.0)
    yield call(_t(LOG[:, :1]), _t([[0]]), 0.1)


@case("label_smoothed_nll", check=close())
def a_token_far_behind(rng: np.random.Generator) -> Iterator[Call]:
    """The right token has a logit 200 below another one: its probability rounds to 0, and its logarithm is still -200."""
    yield call(_t(np.array([[[200.0, 0.0, 100.0]]])), _t([[1]]), 0.0)
    yield call(_t(np.array([[[200.0, 0.0, 100.0]]])), _t([[1]]), 0.3)


@case("label_smoothed_nll", check=untouched())
def smoothed_over_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two rows of three positions and five tokens; logits and targets are as before."""
    yield call(_drawn(31, 2, 3, 5), _t([[1, 3, 0], [2, 4, 4]]), 0.2)


@case("label_smoothed_nll", check=close(at=("input_grads", 0), called="gradient of the logits"))
def smoothed_targets_teach(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient is the probabilities less the smoothed targets, divided by the number of positions."""
    yield call_module(_t(LOG), _t([[0, 2]]), 0.1, module=Module(init=None, cotangents=(_t(1.0),)))


# adamw_step


def _number(value: float) -> Any:
    return _t(np.array([value]))


AFTER = ("w", "state")


@case("adamw_step", check=close(names=AFTER))
def the_first_step(rng: np.random.Generator) -> Iterator[Call]:
    """w = 2 with a gradient of .5 and a decay of .1: 1.998 after the decay, 1.988 after the step of .01. A gradient of 50 gives the same."""
    for gradient in (0.5, 50.0):
        yield call(_number(2.0), _number(gradient), (_number(0.0), _number(0.0), 0), 0.01, (0.9, 0.999), 1e-8, 0.1)


@case("adamw_step", check=close(names=AFTER))
def the_second_step(rng: np.random.Generator) -> Iterator[Call]:
    """Then a gradient of -.25: the averages are .02 and .0003123, corrected .1053 and .1562. From a weight of 0 there is only the step."""
    for w in (1.988, 0.0):
        yield call(_number(w), _number(-0.25), (_number(0.05), _number(0.00025), 1), 0.01, (0.9, 0.999), 1e-8, 0.1)


@case("adamw_step", check=untouched(names=AFTER))
def a_matrix_takes_a_step(rng: np.random.Generator) -> Iterator[Call]:
    """A matrix after four steps, with an eps of .1; parameter, gradient and state are as before."""
    v = _t(np.random.default_rng(33).uniform(0.1, 1.0, size=(2, 3)).round(1))
    yield call(_drawn(34, 2, 3), _drawn(35, 2, 3), (_drawn(36, 2, 3), v, 4), 0.5, (0.8, 0.7), 0.1, 0.5)


# top_p


@case("top_p", check=close())
def the_token_that_crosses(rng: np.random.Generator) -> Iterator[Call]:
    """Logits 2, 1, 0, -1 and p = .8: .6439 is not enough, .8808 is; .7311 and .2689 are left. Then p = .5, .9 and 1."""
    for p in (0.8, 0.5, 0.9, 1.0):
        yield call(_t(np.array([2.0, 1.0, 0.0, -1.0])), p)


@case("top_p", check=untouched())
def every_row_has_its_own_nucleus(rng: np.random.Generator) -> Iterator[Call]:
    """Three rows in other orders, the last one nearly certain; the logits are as before."""
    logits = np.array([[-1.0, 2.0, 0.0, 1.0], [0.4, 0.1, 0.3, 0.2], [0.0, 1.0, 9.0, 2.0]])
    yield call(_t(logits), 0.7)
    yield call(_t(logits[None]), 0.9)


@case("top_p", check=close())
def a_sum_that_rounding_keeps_below_one(rng: np.random.Generator) -> Iterator[Call]:
    """With p = 1 all tokens stay, in 40 rows; in some of them single precision adds up to a little less than 1."""
    yield call(_drawn(37, 40, 8) + _t(0.01 * np.arange(8.0)), 1.0)
