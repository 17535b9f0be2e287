"""Public cases of a8_language_model: the worked examples of the README, and one small batch for each exercise."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from autograder.course.spec import Call, Code, Module, call, call_module, case
from autograder.judge.checks import close, left_alike, untouched


def _t(array: Any) -> Any:
    """Return a tensor: single precision for fractions, else whole numbers as they are."""
    import torch

    array = np.asarray(array)
    return torch.from_numpy(array.astype(np.float32) if array.dtype.kind == "f" else array.copy())


# get_batch

HELLO = np.array([1, 0, 2, 2, 3])  # e h l o are 0 1 2 3, as in a1


def _generator(seed: int) -> Code:
    return Code(f"torch.Generator().manual_seed({seed})")


def _used_generator(seed: int) -> Code:
    """Return a generator that something has been drawn from already, as after the first step of a training."""
    made = f"(lambda drawn: (torch.rand(1, dtype=torch.float32, generator=drawn), drawn)[1])(torch.Generator().manual_seed({seed}))"
    return Code(made, f"torch.Generator().manual_seed({seed}), of which one number was drawn already")


@case("get_batch", check=close(names=("inputs", "targets")))
def one_piece_is_all_there_is(rng: np.random.Generator) -> Iterator[Call]:
    """Pieces of four from the five characters of "hello": hell, and ello is what comes next."""
    yield call(_t(HELLO), 2, 4, _generator(1))


@case("get_batch", check=close(names=("inputs", "targets")))
def pieces_of_hello(rng: np.random.Generator) -> Iterator[Call]:
    """Pieces of three: there are two of them, hel and ell. Twenty are drawn."""
    yield call(_t(HELLO), 20, 3, _generator(2))


@case("get_batch", check=untouched(names=("inputs", "targets")))
def pieces_of_a_longer_text(rng: np.random.Generator) -> Iterator[Call]:
    """Four pieces of five from a text of thirty tokens, drawn with a new generator, and with one that has been used."""
    text = _t(np.random.default_rng(5).integers(0, 9, size=30))
    yield call(text, 4, 5, _generator(3))
    yield call(text, 4, 5, _used_generator(4))


# TransformerLM, CachedTransformerLM

ZERO, EYE = np.zeros(2), np.eye(2)
NORM = {"weight": np.ones(2), "bias": ZERO}
BY_HAND = {
    "token_embedding": {"weight": np.array([[1.0, 0.5], [0.0, 1.0], [9.0, 9.0]])},
    "position_embedding": {"weight": np.array([[0.0, 0.0], [0.5, 0.5], [0.0, 1.0], [5.0, 5.0]])},
    "blocks.0.norm_1": NORM,
    "blocks.0.attention.W_q": {"weight": 0 * EYE, "bias": ZERO},
    "blocks.0.attention.W_k": {"weight": 0 * EYE, "bias": np.array([0.5, 0.0])},
    "blocks.0.attention.W_v": {"weight": EYE, "bias": ZERO},
    "blocks.0.attention.W_o": {"weight": EYE, "bias": ZERO},
    "blocks.0.norm_2": NORM,
    "blocks.0.feed_forward.0": {"weight": 0 * EYE, "bias": ZERO},
    "blocks.0.feed_forward.2": {"weight": 0 * EYE, "bias": np.array([0.0, 0.5])},
    "final_norm": NORM,
    "output": {"weight": np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 1.0]]), "bias": np.array([0.0, 0.0, 0.5])},
}


def _state(parts: dict[str, dict[str, np.ndarray]]) -> dict[str, Any]:
    """Return a state dict of parts that are named after the attributes that hold them."""
    return {f"{part}.{name}": _t(value) for part, values in parts.items() for name, value in values.items()}


def _by_hand(method: str = "forward") -> Module:
    return Module(init=(3, 4, 2, 1, 2, 1), state=_state(BY_HAND), method=method)


def _linear(rng: np.random.Generator, out: int, width: int) -> dict[str, np.ndarray]:
    return {"weight": rng.normal(size=(out, width)).round(1), "bias": rng.normal(size=out).round(1)}


def _norm(rng: np.random.Generator, d: int) -> dict[str, np.ndarray]:
    return {"weight": rng.uniform(0.5, 1.5, size=d).round(1), "bias": rng.normal(size=d).round(1)}


def _small(
    method: str = "forward", *, dropout: float = 0.0, training: bool = False, cotangents: tuple[Any, ...] = ()
) -> Module:
    """Return a model of 5 tokens and 6 places: two layers, d_model 6, two heads, d_ff 3."""
    rng = np.random.default_rng(3)
    parts = {
        "token_embedding": {"weight": rng.normal(size=(5, 6)).round(1)},
        "position_embedding": {"weight": rng.normal(size=(6, 6)).round(1)},
    }
    for layer in range(2):
        parts |= {f"blocks.{layer}.norm_1": _norm(rng, 6), f"blocks.{layer}.norm_2": _norm(rng, 6)}
        parts |= {f"blocks.{layer}.attention.{name}": _linear(rng, 6, 6) for name in ("W_q", "W_k", "W_v", "W_o")}
        parts |= {f"blocks.{layer}.feed_forward.0": _linear(rng, 3, 6)}
        parts |= {f"blocks.{layer}.feed_forward.2": _linear(rng, 6, 3)}
    parts |= {"final_norm": _norm(rng, 6), "output": _linear(rng, 5, 6)}
    return Module((5, 6, 6, 2, 3, 2, dropout), _state(parts), method, training, cotangents)


IDS = np.array([[1, 3, 2, 4, 0], [2, 2, 0, 1, 3]])


SIGNS = "its norms of two features leave signs, and traces of their eps; whether traces are right, other cases tell"


@case("TransformerLM", check=close(tolerance=1e-3, because=SIGNS))
def model_by_hand(rng: np.random.Generator) -> Iterator[Call]:
    """Three tokens, a, b, a, in the model that the README works through."""
    yield call_module(_t([[0, 1, 0]]), module=_by_hand())


@case("TransformerLM", check=untouched())
def model_takes_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of five tokens, two layers, two heads; then the first two tokens of them."""
    yield call_module(_t(IDS), module=_small())
    yield call_module(_t(IDS[:, :2]), module=_small())


@case("TransformerLM", check=close())
def dropout_has_its_place(rng: np.random.Generator) -> Iterator[Call]:
    """With a dropout of 1, everything that goes through it is dropped while training, and nothing in evaluation."""
    yield call_module(_t(IDS), module=_small(dropout=1.0, training=True))
    yield call_module(_t(IDS), module=_small(dropout=1.0))


@case("TransformerLM", check=close(at=("param_grads", "token_embedding.weight")), weight=0.5)
def tokens_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of the token embedding: it flows back from the logits through both layers."""
    cotangents = np.random.default_rng(8).normal(size=(2, 5, 5)).round(1)
    yield call_module(_t(IDS), module=_small(cotangents=(_t(cotangents),)))


@case("TransformerLM", check=close(at=("param_grads", "position_embedding.weight")), weight=0.5)
def places_can_learn(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of the position embedding, for the same loss: the sixth place, where no token stands, has zeros."""
    cotangents = np.random.default_rng(8).normal(size=(2, 5, 5)).round(1)
    yield call_module(_t(IDS), module=_small(cotangents=(_t(cotangents),)))


@case("CachedTransformerLM", check=close(names=("logits", "cache"), tolerance=1e-3, because=SIGNS))
def cache_by_hand(rng: np.random.Generator) -> Iterator[Call]:
    """The model of the README reads a and b at once, then a third token, a, behind the cache of the two."""
    yield call_module(_t([[0, 1]]), None, module=_by_hand("step"))
    cache = [(_t([[[0.5, 0.0], [0.5, 0.0]]]), _t([[[1.0, -1.0], [-1.0, 1.0]]]))]
    yield call_module(_t([[0]]), cache, module=_by_hand("step"))


def _cache(batch: int, past: int) -> list[tuple[Any, Any]]:
    """Return a cache for the two layers of the small model."""
    rng = np.random.default_rng(9)
    drawn = [_t(rng.normal(size=(batch, past, 6)).round(1)) for _ in range(4)]
    return [(drawn[0], drawn[1]), (drawn[2], drawn[3])]


@case("CachedTransformerLM", check=untouched(names=("logits", "cache")))
def steps_take_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two rows: from nothing, one token behind a cache of three, and three tokens behind a cache of two."""
    yield call_module(_t(IDS[:, :2]), None, module=_small("step"))
    yield call_module(_t(IDS[:, :1]), _cache(2, 3), module=_small("step"))
    yield call_module(_t(IDS[:, :3]), _cache(2, 2), module=_small("step"))


@case("CachedTransformerLM", check=close())
def one_at_a_time_or_all_at_once(rng: np.random.Generator) -> Iterator[Call]:
    """`read` hands the cache from step to step: five tokens one at a time, in pieces of 2, 1 and 2, and all at once."""
    for pieces in ([1, 1, 1, 1, 1], [2, 1, 2], [5]):
        yield call_module(_t(IDS), pieces, module=_small("read"))


@case("CachedTransformerLM", check=close(), weight=0.5)
def two_endings_of_one_prompt(rng: np.random.Generator) -> Iterator[Call]:
    """`fork` reads three tokens, and goes on from their cache with two others, and then with one that knows nothing of the two."""
    yield call_module(_t(IDS[:, :3]), [_t(IDS[:, 3:]), _t(IDS[:, :1])], module=_small("fork"))


# lm_loss

LOG = np.log(np.array([[[0.5, 0.25, 0.25], [0.25, 0.25, 0.5], [0.5, 0.375, 0.125]]]))


@case("lm_loss", check=close())
def three_surprises(rng: np.random.Generator) -> Iterator[Call]:
    """Probabilities of .5, .25 and .125 for what comes next: (.6931 + 1.3863 + 2.0794) / 3 = 1.3863 nats per token."""
    yield call(_t(LOG), _t([[0, 1, 2]]))


@case("lm_loss", check=close())
def nothing_is_asked_at_one_place(rng: np.random.Generator) -> Iterator[Call]:
    """The same with IGNORE at the beginning: (1.3863 + 2.0794) / 2 = 1.7329; and at the end: 1.0397."""
    yield call(_t(LOG), _t([[-100, 1, 2]]))
    yield call(_t(LOG), _t([[0, 1, -100]]))


@case("lm_loss", check=close(at=("input_grads", 0), called="gradient of the logits"))
def surprises_teach(rng: np.random.Generator) -> Iterator[Call]:
    """The same three positions: the gradient of the logits is their probabilities minus one at the target, divided by three."""
    yield call_module(_t(LOG), _t([[0, 1, 2]]), module=Module(init=None, cotangents=(_t(1.0),)))


@case("lm_loss", check=untouched())
def loss_of_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Two rows of three positions, four tokens; in the second row two positions are not asked for."""
    logits = _t(np.random.default_rng(6).normal(size=(2, 3, 4)).round(1))
    yield call(logits, _t([[3, 0, 1], [-100, 2, -100]]))


@case("lm_loss", check=close(), weight=0.5)
def a_very_sure_model(rng: np.random.Generator) -> Iterator[Call]:
    """Logits of 100, 99 and 98 give .4076 for the first token; 100, 0 and -100 give 200 for the last one."""
    yield call(_t([[[100.0, 99.0, 98.0]]]), _t([[0]]))
    yield call(_t([[[100.0, 0.0, -100.0]]]), _t([[2]]))


# generate


def _model(table: Any, block_size: int = 8) -> Code:
    """Return a model that looks at nothing but the last token: table[token] are the logits of the next one."""
    forward = f"lambda self, ids: torch.tensor({np.asarray(table, float).tolist()})[ids]"
    logits = f"{table[0]} after every token" if table[1:] == table[:-1] else f"{table} after 0, 1, 2 and so on"
    label = f"a model that looks at the last token alone; its logits are {logits}"
    return Code(f"type('Bigram', (torch.nn.Module,), {{'block_size': {block_size}, 'forward': {forward}}})()", label)


def _counting(block_size: int, vocab: int) -> Code:
    """Return a model whose next token is the sum of all tokens it is shown, modulo the vocabulary."""
    forward = f"lambda self, ids: torch.nn.functional.one_hot(ids.cumsum(1) % {vocab}, {vocab}).float()"
    label = f"a model that says the sum of all tokens it sees, modulo {vocab}; it can see {block_size}"
    return Code(f"type('Sum', (torch.nn.Module,), {{'block_size': {block_size}, 'forward': {forward}}})()", label)


SAME = [[2.0, 1.0, 0.0, -1.0]] * 4  # the logits of the README, after every token


@case("generate", check=close())
def hello_greedily(rng: np.random.Generator) -> Iterator[Call]:
    """After h (1) comes e (0), then l (2), then o (3), then h again: temperature 0 needs no random numbers."""
    table = [[0.0, 0.0, 2.0, 1.0], [3.0, 0.0, 1.0, 0.0], [0.0, 0.5, 0.9, 1.0], [0.0, 1.0, 0.0, 0.5]]
    yield call(_model(table), _t([[1]]), 5, 0, None, None)


@case("generate", check=close())
def draws_by_temperature(rng: np.random.Generator) -> Iterator[Call]:
    """Logits 2, 1, 0, -1 and the numbers .6, .7, .9 and .98: cold (.5), plain (1) and warm (2), as in the README."""
    uniforms = _t([[0.6, 0.7, 0.9, 0.98]])
    for temperature in (0.5, 1.0, 2.0):
        yield call(_model(SAME), _t([[3]]), 4, temperature, None, uniforms)


@case("generate", check=close())
def only_the_two_best(rng: np.random.Generator) -> Iterator[Call]:
    """The same with top_k = 2: .7311 and .2689 are left. All logits equal to the border stay; then top_k = 1 with two of them."""
    yield call(_model(SAME), _t([[3]]), 4, 1.0, 2, _t([[0.6, 0.7, 0.9, 0.98]]))
    yield call(_model([[1.0, 2.0, 1.0, 0.0]] * 4), _t([[3]]), 4, 1.0, 2, _t([[0.1, 0.5, 0.9, 0.98]]))
    for top_k in (1, 2):
        yield call(_model([[2.0, 1.0, 0.0, 2.0]] * 4), _t([[3]]), 3, 1.0, top_k, _t([[0.3, 0.45, 0.9]]))


@case("generate", check=close(), weight=0.5)
def each_row_has_its_own_best(rng: np.random.Generator) -> Iterator[Call]:
    """Three rows with other logits and other numbers: the two best of each row; then a top_k beyond the four tokens."""
    table = [[2.0, 1.0, 0.0, -1.0], [-3.0, 0.5, 1.5, 0.0], [0.2, 4.0, 3.5, 1.0], [1.0, 0.0, -1.0, 1.5]]
    uniforms = _t([[0.8, 0.3, 0.9], [0.1, 0.75, 0.4], [0.6, 0.95, 0.2]])
    for top_k in (2, 9):
        yield call(_model(table), _t([[0], [1], [3]]), 3, 1.0, top_k, uniforms)


@case("generate", check=close(), weight=0.5)
def each_row_has_its_own_border(rng: np.random.Generator) -> Iterator[Call]:
    """With top_k = 2 the border is 3 in the first row and .5 in the second: .7311 and .2689 are left, .6225 and .3775."""
    table = [[4.0, 3.0, 1.0, 0.0], [1.0, 0.5, -1.0, -2.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
    yield call(_model(table), _t([[0], [1]]), 1, 1.0, 2, _t([[0.98], [0.7]]))


@case("generate", check=close(), weight=0.5)
def smallest_and_largest_number(rng: np.random.Generator) -> Iterator[Call]:
    """The number .99999994 means the last token, even where rounding leaves the sum of all at or below it. With top_k = 2, of
    tokens 1 and 2, the number 0 means 1, and .99999994 means 2; also where other logits are left.
    """
    largest = 1 - 2**-24
    table = [[3.0, 1.0, 0.0, -2.0], [2.0, -1.0, -2.0, -2.0], [1.0, -1.0, -1.0, -1.0], [3.0, 1.0, -1.0, -2.0]]
    yield call(_model(table), _t([[0], [1], [2], [3]]), 1, 1.0, None, _t([[largest]] * 4))
    yield call(_model([[0.0, 2.0, 1.0, -1.0]] * 4), _t([[3]]), 2, 1.0, 2, _t([[0.0, largest]]))
    table = [[-4.0, 2.0, 0.5, -4.0], [-4.0, 1.0, -1.0, -4.0], [-4.0, 2.0, 0.0, -4.0], [-4.0, 1.0, -0.5, -4.0]]
    yield call(_model(table), _t([[0], [1], [2], [3]]), 1, 1.0, 2, _t([[largest]] * 4))


@case("generate", check=untouched())
def the_model_sees_three_tokens(rng: np.random.Generator) -> Iterator[Call]:
    """A model with a block size of 3 that adds up what it sees, modulo 7; two rows; the ids are as before."""
    yield call(_counting(3, 7), _t([[1, 2, 3, 4, 5], [6, 5, 0, 2, 1]]), 4, 0, None, None)
    yield call(_counting(3, 7), _t([[1], [6]]), 4, 0, None, None)


def _of_two_minds() -> Code:
    """Return a model in training mode, which says another token in evaluation mode, and shows in which mode it is afterwards."""
    members = [
        "'block_size': 8",
        "'__hash__': object.__hash__",
        "'__bool__': lambda self: True",
        "'__iter__': lambda self: iter([self.training])",
        "'forward': lambda self, ids: torch.nn.functional.one_hot((ids + (1 if self.training else 2)) % 5, 5).float()",
    ]
    label = "a model that counts on by one, modulo 5, in training mode, in which it is, and by two in evaluation mode"
    return Code(f"type('Moody', (torch.nn.Module, list), {{{', '.join(members)}}})()", label)


@case(
    "generate", check=left_alike(complaint="Your function leaves the model in another mode than before."), weight=0.25
)
def model_stays_in_its_mode(rng: np.random.Generator) -> Iterator[Call]:
    """A model that counts on, 3, 4, 0, 1, and in evaluation mode it would count by twos: it writes in the mode it is in."""
    yield call(_of_two_minds(), _t([[2], [0]]), 4, 0, None, None)


# learning_rate, evaluate, train


@case("learning_rate", check=close())
def up_and_down_in_ten_steps(rng: np.random.Generator) -> Iterator[Call]:
    """Two steps up to .01, then half a cosine down to .001: at step 6, half way, the rate is .0055."""
    for step in (0, 1, 2, 6, 9, 10, 15):
        yield call(step, 10, 0.01, 2, 0.001)


@case("learning_rate", check=close())
def no_way_up(rng: np.random.Generator) -> Iterator[Call]:
    """With warmup = 0 the first step has the largest rate."""
    for step in (0, 1, 4):
        yield call(step, 8, 0.5, 0, 0.0)


@case("learning_rate", check=close())
def a_way_up_of_all_the_steps(rng: np.random.Generator) -> Iterator[Call]:
    """With as many steps of warm-up as there are, the last one has the largest rate, and from then on it is `final`."""
    for step in (2, 3, 4):
        yield call(step, 4, 1.0, 4, 0.25)


TABLE = [[0.5, 1.0, -1.0, 0.2], [0.0, -0.5, 1.5, 0.3], [1.0, 0.1, 0.4, 0.8], [-0.7, 0.6, 0.2, 0.0]]
BIAS = [0.3, -0.4, 0.1, 0.6]
HALF = "(0.8 if self.training else 1.0) * (0.625 if self.table.training else 1.0)"  # the model's mode, and its part's
TEXT = np.array([0, 1, 2, 2, 3, 0, 1, 2, 0, 3, 1, 2, 2, 3, 0])


# What a learner does with ids, and how a student reads it.
PLAIN = f"(self.table(ids) + self.bias) * {HALF}", "what follows each token, and a bias, half as sure while it trains"
PAIRS = (
    "self.table(ids) + self.table(torch.nn.functional.pad(ids, (1, 0))[:, :-1]) + self.bias",
    "what follows each token, added to those of the token before it, and a bias",
)
WATCHED = (
    "(self.table(ids) + self.bias) * (0.5 if torch.is_grad_enabled() else 1.0)",
    "what follows each token, and a bias, half as sure where gradients are tracked",
)


def _learner(mode: str = "train", shown: str = "[]", kind: tuple[str, str] = PLAIN) -> Code:
    """Return a model with a table of logits for what follows each token, and a bias; of the plain kind, it is half as sure of
    itself in training.

    It is also a list of what is to be seen of it afterwards.
    """
    forward, says = kind
    table = f"torch.nn.Embedding(4, 4, _weight=torch.tensor({TABLE}))"
    members = [
        f"'forward': lambda self, ids: {forward}",
        "'__hash__': object.__hash__",
        "'__bool__': lambda self: True",
        f"'__iter__': lambda self: iter({shown})",
    ]
    made = [
        f"model.add_module('table', {table})",
        f"model.register_parameter('bias', torch.nn.Parameter(torch.tensor({BIAS})))",
        f"model.train(mode={mode == 'train'})",
    ]
    return Code(
        f"(lambda model: [{', '.join(made)}][-1])(type('Table', (torch.nn.Module, list), {{{', '.join(members)}}})())",
        f"a model with a table of logits for {says}; mode: {mode}",
    )


@case("evaluate", check=close())
def fifteen_tokens_in_pieces_of_four(rng: np.random.Generator) -> Iterator[Call]:
    """Fifteen tokens give fourteen input-target pairs: three pieces of four, and two are left over. In training or not: the same
    loss. As fourteen pieces of one, they count alike however many you show the model at a time.
    """
    yield call(_learner("eval"), _t(TEXT), 4)
    yield call(_learner("train"), _t(TEXT), 4)
    yield call(_learner("eval"), _t(TEXT), 1)


@case("evaluate", check=close())
def pieces_that_just_fit(rng: np.random.Generator) -> Iterator[Call]:
    """Nine tokens are two pieces of four, eight tokens are one."""
    yield call(_learner("eval"), _t(TEXT[:9]), 4)
    yield call(_learner("eval"), _t(TEXT[:8]), 4)


@case("evaluate", check=close(), weight=0.25)
def neighbours_stay_neighbours(rng: np.random.Generator) -> Iterator[Call]:
    """A model that also looks at the token before: the pieces are stretches of the text."""
    yield call(_learner("eval", kind=PAIRS), _t(TEXT), 4)


@case("evaluate", check=close(), weight=0.25)
def gradients_are_off_meanwhile(rng: np.random.Generator) -> Iterator[Call]:
    """A model that is half as sure where gradients are tracked: here they are not."""
    yield call(_learner("eval", kind=WATCHED), _t(TEXT), 4)


@case(
    "evaluate",
    check=left_alike(complaint="Your function leaves the model, or torch's gradients, in another mode than before."),
    weight=0.25,
)
def the_mode_is_put_back(rng: np.random.Generator) -> Iterator[Call]:
    """A model that is found in training mode is left in it, and one in evaluation mode in that; gradients are on as before."""
    for mode in ("train", "eval"):
        yield call(_learner(mode, "[self.training, torch.is_grad_enabled()]"), _t(TEXT), 4)


@case(
    "evaluate",
    check=left_alike(complaint="Your function changes the model; evaluating it is looking only."),
    weight=0.25,
)
def looking_changes_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """The loss is right, and table and bias are afterwards what they were."""
    yield call(_learner("eval", "[*self.parameters()]"), _t(TEXT), 4)


def _training(
    rng: np.random.Generator, shown: str = "[]", mode: str = "train", report: Any = None, **more: Any
) -> Call:
    heard = (None, 100, report) if report else ()  # by position: such arguments are looked at afterwards
    return call(_learner(mode, shown), _t(TEXT), 6, 2, 3, _generator(7), 2.0, 3, 0.6, 0.1, 0.2, *heard, **more)


@case("train", check=close(at=("losses",), called="losses"))
def losses_of_six_steps(rng: np.random.Generator) -> Iterator[Call]:
    """Six steps on a text of fifteen tokens, two pieces of three each time: the losses. They are the same where the model was
    in evaluation mode before.
    """
    yield _training(rng)
    yield _training(rng, mode="eval")


@case("train", check=close(at=("losses",), called="losses"), weight=0.25)
def gradients_of_one_token(rng: np.random.Generator) -> Iterator[Call]:
    """Six steps with a single pair of tokens each: of the norms, .5 to 2.8, those above 1.5 are scaled down to it."""
    yield call(_learner(kind=PAIRS), _t(TEXT), 6, 1, 1, _generator(3), 0.3, 2, 0.1, 0.1, 1.5)


@case("train", check=close(at=("gradient_norms",), called="gradient norms"))
def norms_of_six_steps(rng: np.random.Generator) -> Iterator[Call]:
    """The same six steps: the norm of all gradients before they are scaled down."""
    yield _training(rng)


@case("train", check=close(at=("learning_rates",), called="learning rates"))
def rates_of_six_steps(rng: np.random.Generator) -> Iterator[Call]:
    """The same six steps: the rate goes up for three steps, and then down."""
    yield _training(rng)


@case("train", check=close(at=("held_out",), called="held_out"))
def evaluated_every_second_step(rng: np.random.Generator) -> Iterator[Call]:
    """The same with a held-out text, evaluated after the second, fourth and sixth step; then after the fourth step alone. Without
    one, there is nothing to evaluate.
    """
    for every in (2, 4):
        yield _training(rng, held_out=_t(TEXT[:2:-1]), every=every)
    yield _training(rng, every=2)


@case("train", check=close(at=("losses",), called="losses"))
def evaluating_changes_no_loss(rng: np.random.Generator) -> Iterator[Call]:
    """The same with the held-out text: the losses are those without it."""
    yield _training(rng, held_out=_t(TEXT[:2:-1]), every=2)


@case(
    "train",
    check=left_alike(
        complaint="Your losses are right, but the model is left with other parameters or in another mode."
    ),
    weight=0.56,
)
def the_table_has_learned(rng: np.random.Generator) -> Iterator[Call]:
    """The same six steps: afterwards table and bias hold what was learned, the last step included, in training mode."""
    yield _training(rng, "[*self.parameters(), self.training]")


@case(
    "train",
    check=left_alike(complaint="Your training is right, but `report` did not hear of every step as agreed."),
    weight=0.5,
)
def report_hears_of_six_steps(rng: np.random.Generator) -> Iterator[Call]:
    """The same six steps: `report` is called after each of them with its number, 0 to 5, and its loss."""
    members = "{'__call__': lambda self, step, loss: self.append((step, loss)), '__bool__': lambda self: True}"
    yield _training(
        rng, report=Code(f"type('Report', (list,), {members})()", "a function that writes down what it hears")
    )
