"""Hidden cases of a9_modern_lm: random inputs in which no two sizes are equal, and the properties that must hold."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.spec import Call, Code, Module, call, call_module, case
from autograder.judge.checks import boolean, close, left_alike, same_prefix, untouched


def _t(array: Any) -> Any:
    """Return a tensor: single precision for fractions, else whole numbers and truth values as they are."""
    import torch

    array = np.asarray(array)
    return torch.from_numpy(array.astype(np.float32) if array.dtype.kind == "f" else array.copy())


def _normal(rng: np.random.Generator, *shape: int) -> Any:
    return _t(rng.normal(size=shape))


def _away(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Draw numbers of either sign, none near zero."""
    return rng.choice([-1.0, 1.0], size=shape) * rng.uniform(0.4, 1.6, size=shape)


def _map(rng: np.random.Generator, out: int, width: int) -> Any:
    return _t(1.2 * _away(rng, out, width) / width**0.5)


def _gain(rng: np.random.Generator, d: int) -> Any:
    return _t(rng.uniform(0.5, 1.5, size=d))


# rms_norm


def _large(rng: np.random.Generator, *shape: int) -> Any:
    """Draw numbers beside which the usual eps is nothing, with a mean that is not zero."""
    return _t(4.0 * _away(rng, *shape) + 0.7)


@case("rms_norm", check=close(), weight=3)
def norms_of_any_shape(rng: np.random.Generator) -> Iterator[Call]:
    """Vectors, sequences and batches of them, with means that are not zero."""
    for shape in ((5,), (4, 6), (2, 3, 7)):
        yield call(_large(rng, *shape), _gain(rng, shape[-1]))


@case("rms_norm", check=close())
def small_vectors_and_large_eps(rng: np.random.Generator) -> Iterator[Call]:
    """Where eps is as large as the mean square, it shows where it stands."""
    yield call(_t(0.1 * _away(rng, 3, 5)), _gain(rng, 5), 0.02)
    yield call(_t(0.003 * _away(rng, 3, 5)), _gain(rng, 5))


@case("rms_norm", check=untouched())
def norm_leaves_its_input_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The result is right, and x and gain are as before."""
    yield call(_large(rng, 2, 4, 3), _gain(rng, 3))


@case("rms_norm", check=close(at=("input_grads",), called="gradients of x and of the gain"))
def gradients_pass_the_norm(rng: np.random.Generator) -> Iterator[Call]:
    """x and gain get their gradients, those of the gain summed over all positions."""
    module = Module(init=None, cotangents=(_normal(rng, 2, 3, 5),))
    yield call_module(_large(rng, 2, 3, 5), _gain(rng, 5), module=module)


# swiglu


@case("swiglu", check=close(), weight=3)
def gated_networks_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever the sizes, with a middle that is wider or narrower than the ends."""
    for shape, d_ff in (((3, 4), 6), ((2, 3, 5), 2), ((2, 4, 4), 4)):
        d = shape[-1]
        yield call(_t(_away(rng, *shape)), _map(rng, d_ff, d), _map(rng, d_ff, d), _map(rng, d, d_ff))


@case("swiglu", check=close(), keeps="what goes wrong here alone gives NaN, by which nothing is named")
def large_gates_stay_finite(rng: np.random.Generator) -> Iterator[Call]:
    """Gates of a hundred and more, of either sign, are wide open or shut."""
    x = _away(rng, 3, 4)
    yield call(_t(x), _t(200.0 * np.concatenate([x[:1], -x[1:2], x[2:]])), _map(rng, 3, 4), _map(rng, 4, 3))


@case("swiglu", check=untouched())
def network_leaves_its_input_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The result is right, and x and the three maps are as before."""
    yield call(_normal(rng, 2, 3, 4), _map(rng, 5, 4), _map(rng, 5, 4), _map(rng, 4, 5))


@case("swiglu", check=close(at=("input_grads",), called="gradients of x and of the three maps"))
def gradients_pass_the_gate(rng: np.random.Generator) -> Iterator[Call]:
    """x and the three maps get their gradients."""
    module = Module(init=None, cotangents=(_normal(rng, 2, 3, 4),))
    yield call_module(_normal(rng, 2, 3, 4), _map(rng, 5, 4), _map(rng, 5, 4), _map(rng, 4, 5), module=module)


# rotary


def _places(rng: np.random.Generator, time: int) -> Any:
    """Draw positions from 1 to 40, in no order."""
    return _t(1 + rng.permutation(40)[:time])


@case("rotary", check=close(), weight=2)
def rotations_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever the number of heads and pairs, every pair turns by its own angle."""
    for batch, heads, time, d_head in ((2, 3, 5, 8), (1, 4, 3, 6), (3, 1, 4, 2)):
        yield call(_normal(rng, batch, heads, time, d_head), _places(rng, time))


@case("rotary", check=close())
def positions_begin_behind_a_cache(rng: np.random.Generator) -> Iterator[Call]:
    """Positions that follow one on the other, but begin at 9 and at 23."""
    for start in (9, 23):
        yield call(_normal(rng, 2, 3, 4, 6), _t(np.arange(start, start + 4)))


@case("rotary", check=close())
def another_base(rng: np.random.Generator) -> Iterator[Call]:
    """The base is an argument: 50, and 500000, as in newer models."""
    for base in (50.0, 500000.0):
        yield call(_normal(rng, 2, 2, 3, 8), _places(rng, 3), base)


@case("rotary", check=untouched())
def rotation_leaves_its_input_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The result is right, and x and positions are as before."""
    yield call(_normal(rng, 2, 3, 4, 6), _places(rng, 4))


@case("rotary", check=close(at=("input_grads", 0), called="gradient of x"))
def gradients_are_turned_back(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of x has as many pairs, each turned the other way."""
    module = Module(init=None, cotangents=(_normal(rng, 2, 3, 4, 6),))
    yield call_module(_normal(rng, 2, 3, 4, 6), _places(rng, 4), module=module)


# grouped_attention


def _heads(rng: np.random.Generator, batch: int, heads: tuple[int, int], times: tuple[int, int], d: int) -> list[Any]:
    """Draw queries, keys and values."""
    n_heads, n_kv_heads = heads
    T_q, T_k = times
    drawn = [(batch, n_heads, T_q, d), (batch, n_kv_heads, T_k, d), (batch, n_kv_heads, T_k, d)]
    return [_t(_away(rng, *shape)) for shape in drawn]


def _some(rng: np.random.Generator, T_q: int, T_k: int) -> Any:
    """Draw a mask in which every row allows a key and forbids one."""
    mask = rng.random((T_q, T_k)) < 0.5
    mask[:, 0], mask[:, -1] = True, False
    return _t(rng.permuted(mask, axis=-1))


@case("grouped_attention", check=close(), weight=3)
def groups_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Six heads in two groups, four in one, six in three, and as many groups as heads."""
    for heads, times in (((6, 2), (3, 5)), ((4, 1), (5, 3)), ((6, 3), (4, 4)), ((3, 3), (2, 6))):
        yield call(*_heads(rng, 2, heads, times, 4))


@case("grouped_attention", check=close(), weight=2)
def masks_hide_keys(rng: np.random.Generator) -> Iterator[Call]:
    """A mask holds for all sequences and heads; also where there are more keys than queries."""
    for heads, (T_q, T_k) in (((4, 2), (4, 5)), ((6, 2), (5, 5)), ((2, 2), (1, 6))):
        yield call(*_heads(rng, 3, heads, (T_q, T_k), 6), _some(rng, T_q, T_k))


@case("grouped_attention", check=close(), keeps="what goes wrong here alone gives NaN, by which nothing is named")
def hidden_keys_may_be_large(rng: np.random.Generator) -> Iterator[Call]:
    """A hidden key that lies far along all queries takes nothing from those that may be looked at."""
    q, k, v = _heads(rng, 2, (4, 2), (3, 4), 4)
    place, mask = int(rng.integers(4)), np.ones((3, 4), dtype=bool)
    k[:, :, place], mask[:, place] = 300.0, False
    yield call(q.abs(), k, v, _t(mask))


@case("grouped_attention", check=same_prefix(axis=-2, upto=3))
def later_keys_change_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """Under a causal mask, other keys and values from position 3 on leave the outputs at 0 to 2 as they were."""
    q, k, v = _heads(rng, 2, (4, 2), (5, 5), 4)
    mask = _t(np.tri(5, dtype=bool))
    k_new, v_new = k.clone(), v.clone()
    k_new[:, :, 3:] += _normal(rng, 2, 2, 2, 4)
    v_new[:, :, 3:] += _normal(rng, 2, 2, 2, 4)
    yield call(q, k, v, mask)
    yield call(q, k_new, v_new, mask)


@case("grouped_attention", check=untouched())
def attention_leaves_its_input_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The result is right, and q, k, v and the mask are as before."""
    yield call(*_heads(rng, 2, (4, 2), (3, 5), 4), _some(rng, 3, 5))


@case("grouped_attention", check=close(at=("input_grads",), called="gradients of q, k and v"))
def gradients_pass_the_groups(rng: np.random.Generator) -> Iterator[Call]:
    """Each key-value head gets the sum of what the heads of its group send back."""
    module = Module(init=None, cotangents=(_normal(rng, 2, 6, 3, 4),))
    yield call_module(*_heads(rng, 2, (6, 2), (3, 5), 4), _some(rng, 3, 5), module=module)


# sliding_mask


@case("sliding_mask", check=boolean(strict=True), weight=3)
def windows_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever the number of positions and the window."""
    for _ in range(4):
        T = int(rng.integers(5, 12))
        yield call(T, int(rng.integers(2, T - 1)))


@case("sliding_mask", check=boolean(strict=True))
def windows_at_their_limits(rng: np.random.Generator) -> Iterator[Call]:
    """A window of one position, of all, of more than there are, and a single position."""
    T = int(rng.integers(4, 9))
    for window in (1, T, T + 3, 300):
        yield call(T, window)
    yield call(1, 2)


# ModernLM

BOTH = ("logits", "cache")
Sizes = tuple[int, int, int, int, int, int, int, float]
SIZES: Sizes = (7, 16, 4, 2, 5, 2, 3, 300.0)  # vocab, d_model, n_heads, n_kv_heads, d_ff, n_layers, window, base


def _lm(
    rng: np.random.Generator, sizes: Sizes = SIZES, *, method: str = "forward", cotangents: tuple[Any, ...] = ()
) -> Module:
    """Draw a model of some sizes."""
    vocab, d, n_heads, n_kv_heads, d_ff, n_layers, *_ = sizes
    narrow = n_kv_heads * (d // n_heads)
    state = {"embedding.weight": _normal(rng, vocab, d), "final_gain": _gain(rng, d)}
    for layer in range(n_layers):
        block = {"W_q": (d, d), "W_k": (narrow, d), "W_v": (narrow, d), "W_o": (d, d)}
        block |= {"W_gate": (d_ff, d), "W_up": (d_ff, d), "W_down": (d, d_ff)}
        state |= {f"blocks.{layer}.{name}.weight": _map(rng, *shape) for name, shape in block.items()}
        state |= {f"blocks.{layer}.{name}": _gain(rng, d) for name in ("gain_1", "gain_2")}
    return Module(sizes, state, method, False, cotangents)


def _ids(rng: np.random.Generator, *shape: int, vocab: int = 7) -> Any:
    return _t(rng.integers(0, vocab, size=shape))


def _cache(rng: np.random.Generator, batch: int, past: int, sizes: Sizes = SIZES) -> list[tuple[Any, Any]]:
    _, d, n_heads, n_kv_heads, _, n_layers, *_ = sizes
    shape = (batch, n_kv_heads, past, d // n_heads)
    return [(_t(_away(rng, *shape)), _t(_away(rng, *shape))) for _ in range(n_layers)]


@case("ModernLM", check=close(names=BOTH), weight=3)
def models_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever the number of tokens, heads, groups and layers, logits and cache are the reference's."""
    yield call_module(_ids(rng, 2, 5), module=_lm(rng))
    yield call_module(_ids(rng, 3, 4, vocab=5), module=_lm(rng, (5, 12, 3, 1, 9, 3, 2, 10000.0)))
    yield call_module(_ids(rng, 2, 6, vocab=4), module=_lm(rng, (4, 8, 2, 2, 4, 1, 4, 50.0)))


@case("ModernLM", check=close(names=BOTH, only="logits"))
def windows_wider_than_the_text(rng: np.random.Generator) -> Iterator[Call]:
    """A window that holds all tokens leaves a causal model; one of a single position leaves no looking around."""
    yield call_module(_ids(rng, 2, 5), module=_lm(rng, (7, 16, 4, 2, 5, 2, 9, 300.0)))
    yield call_module(_ids(rng, 2, 5), module=_lm(rng, (7, 16, 4, 2, 5, 2, 1, 300.0)))


@case("ModernLM", check=close(names=BOTH), weight=2)
def tokens_behind_a_cache(rng: np.random.Generator) -> Iterator[Call]:
    """One token and three tokens behind caches of two and of five: places, window and keys go on from there."""
    for new, past in ((1, 2), (3, 5), (2, 1)):
        yield call_module(_ids(rng, 2, new), _cache(rng, 2, past), module=_lm(rng))


@case("ModernLM", check=close())
def pieces_of_any_length(rng: np.random.Generator) -> Iterator[Call]:
    """Seven tokens in pieces of any length have the logits of one pass."""
    module, ids = _lm(rng, method="read"), _ids(rng, 2, 7)
    for pieces in ([1] * 7, [4, 3], [2, 1, 4]):
        yield call_module(ids, pieces, module=module)


@case("ModernLM", check=close())
def two_endings_for_one_beginning(rng: np.random.Generator) -> Iterator[Call]:
    """`fork` goes on from the same cache twice, and the second ending does not hear of the first."""
    yield call_module(_ids(rng, 2, 3), [_ids(rng, 2, 2), _ids(rng, 2, 4)], module=_lm(rng, method="fork"))


@case("ModernLM", check=same_prefix(axis=-2, upto=3))
def future_tokens_change_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """Other tokens from place 3 on leave the logits at places 0 to 2 as they were."""
    module, ids = _lm(rng, method="read"), rng.integers(0, 7, size=(2, 6))
    other = ids.copy()
    other[:, 3:] = (ids[:, 3:] + rng.integers(1, 7, size=(2, 3))) % 7
    yield call_module(_t(ids), [6], module=module)
    yield call_module(_t(other), [6], module=module)


@case("ModernLM", check=close(at=("param_grads",), called="gradients of the parameters"))
def all_parameters_learn(rng: np.random.Generator) -> Iterator[Call]:
    """Every parameter gets its gradient, the embedding the sum of both of its uses, also from pieces that follow a cache."""
    for pieces in ([5], [3, 2]):
        yield call_module(_ids(rng, 2, 5), pieces, module=_lm(rng, method="read", cotangents=(_normal(rng, 2, 5, 7),)))


@case("ModernLM", check=untouched(names=BOTH))
def ids_and_cache_stay(rng: np.random.Generator) -> Iterator[Call]:
    """The logits are right, and the ids and the cache are as before."""
    yield call_module(_ids(rng, 2, 3), _cache(rng, 2, 4), module=_lm(rng))


@case("ModernLM", check=close(), weight=0.5)
def other_sizes_are_kept(rng: np.random.Generator) -> Iterator[Call]:
    """Every argument of the constructor is an attribute of its name."""
    yield call_module(module=_lm(rng, (5, 8, 4, 1, 9, 3, 2, 77.0), method="sizes"))


# init_


MADE_OF = "(lambda m, **parts: [m, [m.add_module(n, p) for n, p in parts.items()]][0])"
# A model that is also a list of its parameters, which are looked at afterwards.
LISTED = (
    "type('Model', (torch.nn.Module, list), {'__hash__': object.__hash__, '__bool__': lambda self: True,"
    " '__iter__': lambda self: self.parameters()})()"
)


def _model(
    vocab: int, d: int, narrow: int, d_ff: int, n_layers: int, *, turned: bool = False, kind: str = "torch.nn.Module()"
) -> str:
    """Return the expression of a model with the names and shapes of ModernLM's parameters, in its order or another one."""
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
    return f"{filled}({gains}({whole}, 'final_gain'))"


def _generator(rng: np.random.Generator) -> Code:
    return Code(f"torch.Generator().manual_seed({int(rng.integers(1, 10**6))})")


@case("init_", check=close(), weight=3)
def models_of_any_depth(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever the depth and the sizes, each parameter has the right scale and the numbers of its turn."""
    # Matrices of less than 16 entries: torch draws larger ones in another way in float64, and `calibrate` compares the two.
    for sizes in ((5, 3, 2, 4, 2), (3, 2, 1, 7, 3), (4, 3, 1, 5, 6)):
        yield call(Code(_model(*sizes, turned=sizes[-1] == 3)), _generator(rng))


@case("init_", check=close())
def one_layer_alone(rng: np.random.Generator) -> Iterator[Call]:
    """With one layer two matrices write into the residual stream."""
    yield call(Code(_model(5, 3, 1, 4, 1)), _generator(rng))


@case("init_", check=close())
def numbers_come_next(rng: np.random.Generator) -> Iterator[Call]:
    """A generator that has drawn before goes on."""
    drawn = "(lambda g: [g, torch.rand(3, generator=g)][0])"
    yield call(Code(_model(3, 2, 2, 4, 2)), Code(f"{drawn}({_generator(rng).expression})"))


@case(
    "init_",
    check=left_alike(complaint="Your numbers are right, but the model keeps the parameters that it had."),
    weight=2,
)
def models_are_changed(rng: np.random.Generator) -> Iterator[Call]:
    """What is returned are the parameters that the model has afterwards."""
    yield call(Code(_model(4, 3, 1, 5, 2, kind=LISTED)), _generator(rng))


# count


def _sized(vocab: int, d_model: int, n_heads: int, n_kv_heads: int, d_ff: int, n_layers: int) -> Code:
    """Return a model that has the sizes and the parameters of a ModernLM."""
    kept = {"vocab": vocab, "d_model": d_model, "n_heads": n_heads, "n_kv_heads": n_kv_heads}
    kept |= {"d_ff": d_ff, "n_layers": n_layers}
    model = _model(vocab, d_model, n_kv_heads * (d_model // n_heads), d_ff, n_layers)
    return Code(f"(lambda m: [m, [setattr(m, n, v) for n, v in {kept}.items()]][0])({model})")


@case("count", check=close(names=("parameters", "flops")), weight=2)
def counts_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever the sizes, parameters and operations are right to the last one."""
    for sizes in ((11, 12, 6, 2, 7, 4), (9, 8, 2, 2, 5, 2), (6, 10, 5, 1, 13, 3)):
        yield call(_sized(*sizes), int(rng.integers(2, 50)))


@case("count", check=close(names=("parameters", "flops"), only="parameters"))
def parameters_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The number of parameters by itself."""
    yield call(_sized(int(rng.integers(5, 20)), 12, 4, 2, int(rng.integers(3, 20)), 3), 5)


@case("count", check=close(names=("parameters", "flops"), only="flops"))
def operations_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The operations by themselves, for one token of context and for many."""
    for context in (1, 100):
        yield call(_sized(int(rng.integers(5, 20)), 12, 4, 2, int(rng.integers(3, 20)), 2), context)


# label_smoothed_nll


def _targets(rng: np.random.Generator, batch: int, time: int, vocab: int) -> Any:
    """Draw targets, the first and the last token of the vocabulary among them."""
    others = rng.integers(0, vocab, size=batch * time - 2)
    return _t(rng.permutation([0, vocab - 1, *others]).reshape(batch, time))


@case("label_smoothed_nll", check=close(), weight=3)
def losses_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever the number of rows, positions and tokens, and however much is smoothed."""
    for batch, time, vocab, eps in ((2, 4, 6, 0.1), (3, 5, 2, 0.3), (1, 7, 3, 0.05), (4, 2, 9, 0.5)):
        yield call(2.0 * _normal(rng, batch, time, vocab), _targets(rng, batch, time, vocab), eps)


@case("label_smoothed_nll", check=close())
def nothing_smoothed_or_all(rng: np.random.Generator) -> Iterator[Call]:
    """With eps 0 it is the plain cross-entropy; with eps 1 the targets do not matter any more."""
    for eps in (0.0, 1.0):
        for _ in range(2):
            yield call(2.0 * _normal(rng, 2, 3, 5), _targets(rng, 2, 3, 5), eps)


@case("label_smoothed_nll", check=close())
def very_large_logits(rng: np.random.Generator) -> Iterator[Call]:
    """Logits of several hundred, of either sign, give a finite loss."""
    for _ in range(3):
        yield call(300.0 * _normal(rng, 2, 3, 5), _targets(rng, 2, 3, 5), 0.1)


@case("label_smoothed_nll", check=untouched())
def loss_leaves_its_input_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The loss is right, and logits and targets are as before."""
    for _ in range(2):
        yield call(_normal(rng, 3, 2, 4), _targets(rng, 3, 2, 4), 0.2)


@case("label_smoothed_nll", check=close(at=("input_grads", 0), called="gradient of the logits"))
def gradients_flow_back_from_the_loss(rng: np.random.Generator) -> Iterator[Call]:
    """The logits get their gradient."""
    module = Module(init=None, cotangents=(_t(1.0),))
    yield call_module(_normal(rng, 2, 4, 5), _targets(rng, 2, 4, 5), 0.2, module=module)


# adamw_step

AFTER = ("w", "state")


def _moments(rng: np.random.Generator, steps: int, *shape: int) -> tuple[Any, Any, int]:
    """Draw averages as they may be after some steps."""
    return _t(0.3 * _away(rng, *shape)), _t(rng.uniform(0.05, 0.5, size=shape)), steps


@case("adamw_step", check=close(names=AFTER), weight=3)
def steps_of_any_kind(rng: np.random.Generator) -> Iterator[Call]:
    """Vectors, matrices and more axes, after any number of steps, with any rate, betas, eps and decay."""
    for shape, steps in (((5,), 1), ((3, 4), 6), ((2, 3, 2), 2)):
        betas, rate = (float(rng.uniform(0.5, 0.9)), float(rng.uniform(0.6, 0.95))), float(rng.uniform(0.05, 0.3))
        state = _moments(rng, steps, *shape)
        yield call(
            _t(_away(rng, *shape)), _t(_away(rng, *shape)), state, rate, betas, 0.05, float(rng.uniform(0.2, 0.8))
        )


@case("adamw_step", check=close(names=AFTER))
def steps_from_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """From averages of zero, the correction gives back the gradient itself; large and small gradients alike."""
    for scale in (0.000001, 1.0, 100.0):
        zeros = _t(np.zeros((2, 3)))
        yield call(
            _t(_away(rng, 2, 3)), _t(scale * _away(rng, 2, 3)), (zeros, zeros.clone(), 0), 0.2, (0.9, 0.95), 1e-8, 0.3
        )


@case("adamw_step", check=close(names=AFTER))
def torch_s_own_numbers(rng: np.random.Generator) -> Iterator[Call]:
    """Rate, betas, eps and decay are torch's where none are given, for small weights; then with a rate of 10, which shows the decay."""
    w, g = _away(rng, 4), _t(np.array([0.8, -20.0, -3.0, 1.0]))
    yield call(_t(0.01 * w), g, _moments(rng, 3, 4))
    yield call(_t(w), g, _moments(rng, 3, 4), 10.0)


@case("adamw_step", check=close(names=AFTER))
def decay_alone_and_none(rng: np.random.Generator) -> Iterator[Call]:
    """Without a gradient and averages only the decay is left; without decay only the step."""
    zeros = _t(np.zeros(4))
    yield call(_t(_away(rng, 4)), zeros, (zeros.clone(), zeros.clone(), 2), 0.1, (0.9, 0.95), 1e-8, 0.5)
    yield call(_t(_away(rng, 4)), _t(2.0 * _away(rng, 4)), _moments(rng, 2, 4), 0.1, (0.9, 0.95), 1e-8, 0.0)


@case("adamw_step", check=untouched(names=AFTER))
def step_leaves_its_input_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The step is right, and parameter, gradient and state are as before."""
    yield call(_t(_away(rng, 2, 3)), _t(2.0 * _away(rng, 2, 3)), _moments(rng, 4, 2, 3), 0.3, (0.8, 0.7), 0.5, 0.4)


# top_p


def _ranked(rng: np.random.Generator, *shape: int) -> Any:
    """Draw logits, no two of a row alike."""
    steps = rng.uniform(0.2, 1.2, size=shape).cumsum(axis=-1)
    return _t(rng.permuted(steps, axis=-1))


@case("top_p", check=close(), weight=3)
def nuclei_of_any_size(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever the number of tokens and the share, of each row."""
    for shape, p in (((4, 6), 0.8), ((2, 3, 9), 0.6), ((5, 4), 0.95), ((7,), 0.45)):
        yield call(_ranked(rng, *shape), p)


@case("top_p", check=close())
def one_token_or_all(rng: np.random.Generator) -> Iterator[Call]:
    """A share that the first token exceeds leaves it alone, with probability 1; a share of 1 leaves every token."""
    for p in (0.05, 1.0):
        yield call(_ranked(rng, 12, 5), p)
    yield call(_ranked(rng, 60, 9), 1.0)  # in a part of the rows rounding leaves the running sum below 1


@case("top_p", check=untouched())
def nucleus_leaves_its_input_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The probabilities are right, of rows with much in few tokens and in many, and the logits are as before."""
    yield call(_ranked(rng, 3, 6) * _t([[0.1], [10.0], [1.0]]), 0.7)


def _told_apart(logits: Any, p: float) -> tuple[Any, ...]:
    """Return logits of which no two are alike, and a share that can be asked for."""
    import torch

    ranks = logits.argsort(dim=-1).argsort(dim=-1)
    return logits + 0.3 * ranks.to(torch.float32), min(max(p, 0.05), 1.0)


def _may_divide(w: Any, g: Any, state: Any, *rest: Any) -> tuple[Any, ...]:
    """Return a state whose second average is no smaller than its first one allows."""
    m, v, steps = state
    return w, g, (m, v.clamp(min=0.05) if steps else v, steps), *rest


ANEW = {"top_p": _told_apart, "adamw_step": _may_divide}
