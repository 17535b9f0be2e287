"""Hidden cases of a2_bptt: random inputs in which no two sizes are equal, and what must hold whatever they are."""

from collections.abc import Iterator

import numpy as np

from autograder.course.spec import Call, Code, Plot, call, case
from autograder.judge.checks import agree, close, untouched

STEP = ("dx", "dh_prev", "dW_x", "dW_h", "db")
SEQUENCE = ("dx", "dh0", "dW_x", "dW_h", "db")

Arrays = tuple[np.ndarray, ...]


def _normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.normal(size=shape)


def _weights(rng: np.random.Generator, features: int, hidden: int) -> Arrays:
    """Draw W_x, W_h and b at the scale of a trained network."""
    return 0.7 * _normal(rng, hidden, features), 0.6 * _normal(rng, hidden, hidden), 0.5 * _normal(rng, hidden)


def _states(x: np.ndarray, state: np.ndarray, W_x: np.ndarray, W_h: np.ndarray, b: np.ndarray) -> np.ndarray:
    states = []
    for t in range(x.shape[1]):
        state = np.tanh(x[:, t] @ W_x.T + state @ W_h.T + b)
        states.append(state)
    return np.stack(states, axis=1)


def _sequence(rng: np.random.Generator, batch: int = 3, time: int = 5, features: int = 4, hidden: int = 6) -> Arrays:
    """Draw a network and inputs, run it, and return the cache (x, h0, h, W_x, W_h)."""
    x, h0 = _normal(rng, batch, time, features), rng.uniform(-0.9, 0.9, size=(batch, hidden))
    W_x, W_h, b = _weights(rng, features, hidden)
    return x, h0, _states(x, h0, W_x, W_h, b), W_x, W_h


def _backward(rng: np.random.Generator, *sizes: int) -> tuple[np.ndarray, Arrays]:
    """Draw (dh, cache) of a sequence, with a gradient at every step."""
    cache = _sequence(rng, *sizes)
    return _normal(rng, *cache[2].shape), cache


def _step(rng: np.random.Generator, batch: int = 3, features: int = 4, hidden: int = 6) -> tuple[np.ndarray, Arrays]:
    """Draw (dh, cache) of one step."""
    x, h0, h, W_x, W_h = _sequence(rng, batch, 1, features, hidden)
    return _normal(rng, batch, hidden), (x[:, 0], h0, h[:, 0], W_x, W_h)


SIZES = ((3, 5, 4, 6), (2, 4, 5, 3), (4, 3, 2, 5))  # batch, time, features, hidden


# loss_backward


def _padding(rng: np.random.Generator, batch: int, time: int) -> np.ndarray:
    """Draw which positions count: another number of them in each row, never none, never all."""
    lengths = 1 + rng.permutation(time - 1)[:batch]
    return np.arange(time) < lengths[:, None]


def _predictions(
    rng: np.random.Generator, batch: int = 3, time: int = 5, vocab: int = 7
) -> tuple[np.ndarray, np.ndarray]:
    """Draw logits and targets; the first and the last id are among these."""
    return 2.0 * _normal(rng, batch, time, vocab), _targets(rng, batch, time, vocab)


def _targets(rng: np.random.Generator, batch: int, time: int, vocab: int) -> np.ndarray:
    targets = rng.integers(0, vocab, size=(batch, time))
    targets[0, 0], targets[-1, -1] = 0, vocab - 1
    return targets


@case("loss_backward", check=close(), weight=2)
def every_target_counts(rng: np.random.Generator) -> Iterator[Call]:
    """Without padding, the gradient is right for batches of several sizes."""
    for sizes in ((3, 5, 7), (2, 6, 4), (5, 1, 3)):
        logits, targets = _predictions(rng, *sizes)
        yield call(logits, targets, np.ones(targets.shape, dtype=bool))


@case("loss_backward", check=close(), weight=3)
def padded_targets_do_not_count(rng: np.random.Generator) -> Iterator[Call]:
    """With padding, and another amount of it in each row, the mean is over the counted targets of the whole batch."""
    for sizes in ((3, 5, 7), (2, 6, 4)):
        yield call(*_predictions(rng, *sizes), _padding(rng, *sizes[:2]))


@case("loss_backward", check=close())
def gaps_may_stand_anywhere(rng: np.random.Generator) -> Iterator[Call]:
    """The mask may leave out positions at the start and in between; a row may count nowhere, or a single target in all."""
    mask = np.array([[False, True, False, True, True], [False] * 5, [True, False, False, False, True]])
    mask = rng.permutation(mask)
    logits, targets = _predictions(rng)
    targets.flat[mask.argmax()] = 0  # an id like any other
    yield call(logits, targets, mask)
    alone = np.zeros((3, 5), dtype=bool)
    alone[rng.integers(3), rng.integers(5)] = True
    yield call(*_predictions(rng), alone)


@case("loss_backward", check=agree())
def padded_logits_do_not_matter(rng: np.random.Generator) -> Iterator[Call]:
    """Whatever logits and targets stand at padded positions, the gradient is the same."""
    logits, targets = _predictions(rng)
    targets %= 4
    mask = _padding(rng, 3, 5)
    yield call(logits, targets, mask)
    others, elsewhere = 2.0 * _normal(rng, *logits.shape), rng.integers(4, 7, size=targets.shape)
    yield call(np.where(mask[..., None], logits, others), np.where(mask, targets, elsewhere), mask)


@case("loss_backward", check=close())
def each_position_has_its_own_largest_logit(rng: np.random.Generator) -> Iterator[Call]:
    """Logits near 1000 at one position, near -1000 at another: every gradient is finite and right."""
    bases = rng.permuted([[1000.0, -1000.0, 0.0], [500.0, -800.0, 200.0]], axis=1)[..., None]
    targets = _targets(rng, 2, 3, 4)
    yield call(bases + rng.integers(-2, 3, size=(2, 3, 4)), targets, np.ones((2, 3), dtype=bool))


@case("loss_backward", check=close())
def one_position_may_span_thousands(rng: np.random.Generator) -> Iterator[Call]:
    """Logits near 1000 beside logits near -1000 at one position: nothing overflows."""
    logits = -1000.0 + rng.integers(-2, 3, size=(2, 3, 5))
    logits[..., rng.permutation(5)[:2]] += 2000.0
    yield call(logits, _targets(rng, 2, 3, 5), np.ones((2, 3), dtype=bool))


@case("loss_backward", check=close())
def equal_sizes_hide_no_wrong_axis(rng: np.random.Generator) -> Iterator[Call]:
    """With batch, time and vocabulary of one size, the softmax still runs over the vocabulary."""
    yield call(*_predictions(rng, 4, 4, 4), _padding(rng, 3, 4)[[0, 1, 2, 0]])


@case("loss_backward", check=untouched())
def logits_are_left_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient is right, and logits, targets and mask are as before; a second call gives the same."""
    logits, targets = _predictions(rng)
    mask = _padding(rng, 3, 5)
    yield call(logits, targets, mask)
    yield call(logits, targets, mask)


# rnn_step_backward


@case("rnn_step_backward", check=close(names=STEP, only="dx"), weight=2)
def step_gives_dx(rng: np.random.Generator) -> Iterator[Call]:
    """dx is right: the gradient of the step's input."""
    yield call(*_step(rng))
    yield call(*_step(rng, 2, 5, 3))


@case("rnn_step_backward", check=close(names=STEP, only="dh_prev"), weight=2)
def step_gives_dh_prev(rng: np.random.Generator) -> Iterator[Call]:
    """dh_prev is right: what goes on to the step before."""
    yield call(*_step(rng))
    yield call(*_step(rng, 2, 5, 3))


@case("rnn_step_backward", check=close(names=STEP, only="dW_x"), weight=2)
def step_gives_dW_x(rng: np.random.Generator) -> Iterator[Call]:  # noqa: N802
    """dW_x is right: the gradient of the input weights, from all rows of the batch."""
    yield call(*_step(rng))
    yield call(*_step(rng, 2, 5, 3))


@case("rnn_step_backward", check=close(names=STEP, only="dW_h"), weight=2)
def step_gives_dW_h(rng: np.random.Generator) -> Iterator[Call]:  # noqa: N802
    """dW_h is right: the gradient of the recurrent weights, from all rows of the batch."""
    yield call(*_step(rng))
    yield call(*_step(rng, 2, 5, 3))


@case("rnn_step_backward", check=close(names=STEP, only="db"), weight=2)
def step_gives_db(rng: np.random.Generator) -> Iterator[Call]:
    """db is right: the gradient of the bias, from all rows of the batch."""
    yield call(*_step(rng))
    yield call(*_step(rng, 2, 5, 3))


@case("rnn_step_backward", check=close(names=STEP))
def equal_sizes_hide_no_wrong_term(rng: np.random.Generator) -> Iterator[Call]:
    """With batch, features and units of one size, when no shape can warn of a slip, every term is right."""
    yield call(*_step(rng, 4, 4, 4))


@case("rnn_step_backward", check=close(names=STEP))
def one_row_one_unit(rng: np.random.Generator) -> Iterator[Call]:
    """A batch of one row, and a layer of one unit, keep their axes."""
    for sizes in ((1, 4, 3), (1, 4, 3), (3, 4, 1)):
        dh, (x, h_prev, h, W_x, W_h) = _step(rng, *sizes)
        # Far from where tanh is flat, and without sums that cancel: with one unit, a small term is all there is.
        yield call(np.abs(dh), (np.abs(x), np.abs(h_prev), 0.8 * h, W_x, W_h))


@case("rnn_step_backward", check=untouched(names=STEP))
def step_leaves_its_cache_alone(rng: np.random.Generator) -> Iterator[Call]:
    """Every term is right, dh and the cache are as before, and a second call gives the same."""
    dh, cache = _step(rng)
    yield call(dh, cache)
    yield call(dh, cache)


# rnn_backward


@case("rnn_backward", check=close(names=SEQUENCE, only="dx"), weight=2)
def inputs_get_their_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dx is right at every step, with a gradient arriving at each."""
    for sizes in SIZES:
        yield call(*_backward(rng, *sizes))


@case("rnn_backward", check=close(names=SEQUENCE, only="dh0"), weight=2)
def first_state_gets_its_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """dh0 is right: what is left after going back through every step."""
    for sizes in SIZES:
        yield call(*_backward(rng, *sizes))


@case("rnn_backward", check=close(names=SEQUENCE, only="dW_x"), weight=2)
def input_weights_add_up(rng: np.random.Generator) -> Iterator[Call]:
    """dW_x is right: what all steps and all rows contribute, together."""
    for sizes in SIZES:
        yield call(*_backward(rng, *sizes))


@case("rnn_backward", check=close(names=SEQUENCE, only="dW_h"), weight=2)
def recurrent_weights_add_up(rng: np.random.Generator) -> Iterator[Call]:
    """dW_h is right: what all steps and all rows contribute, together."""
    for sizes in SIZES:
        yield call(*_backward(rng, *sizes))


@case("rnn_backward", check=close(names=SEQUENCE, only="db"), weight=2)
def biases_add_up(rng: np.random.Generator) -> Iterator[Call]:
    """db is right: what all steps and all rows contribute, together."""
    for sizes in SIZES:
        yield call(*_backward(rng, *sizes))


@case("rnn_backward", check=close(names=SEQUENCE), weight=2)
def every_step_can_be_the_one_with_a_loss(rng: np.random.Generator) -> Iterator[Call]:
    """A gradient that arrives at one step alone, be it the first, the last or between, reaches what came before it."""
    dh, cache = _backward(rng)
    for t in range(dh.shape[1]):
        alone = np.zeros(dh.shape)
        alone[:, t] = dh[:, t]
        yield call(alone, cache)


@case("rnn_backward", check=close(names=SEQUENCE))
def equal_sizes_hide_no_wrong_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """With batch, time, features and units of one size, when no shape can warn of a slip, every term is right."""
    yield call(*_backward(rng, 4, 4, 4, 4))


@case("rnn_backward", check=close(names=SEQUENCE))
def one_step_is_a_sequence(rng: np.random.Generator) -> Iterator[Call]:
    """A sequence of one step, and a batch of one row, work like any other."""
    yield call(*_backward(rng, 3, 1, 4, 6))
    yield call(*_backward(rng, 1, 5, 4, 6))


@case("rnn_backward", check=untouched(names=SEQUENCE), weight=2)
def going_back_twice_gives_the_same(rng: np.random.Generator) -> Iterator[Call]:
    """Two calls in a row give the same: nothing piles up between them, and dh and the cache are as before."""
    dh, cache = _backward(rng)
    yield call(dh, cache)
    yield call(dh, cache)


# embedding_backward


@case("embedding_backward", check=close(), weight=3)
def repeated_ids_add_up(rng: np.random.Generator) -> Iterator[Call]:
    """Many tokens from a small vocabulary: each row collects from every place where it was read."""
    yield call(_normal(rng, 3, 8, 4), _targets(rng, 3, 8, 5), 5)
    yield call(_normal(rng, 2, 3, 6), np.full((2, 3), rng.integers(1, 6)), 7)


@case("embedding_backward", check=close())
def unread_rows_are_zero(rng: np.random.Generator) -> Iterator[Call]:
    """A large vocabulary and few tokens: the table has all its rows, most of them zero."""
    ids = 2 + rng.integers(0, 9, size=(2, 3))
    ids[1, 2], ids[0, 0] = ids[0, 2], ids[0, 1]  # again at the same step, and again in the same text
    yield call(_normal(rng, 2, 3, 4), ids, 20)


@case("embedding_backward", check=close())
def no_id_is_special(rng: np.random.Generator) -> Iterator[Call]:
    """The first and the last row of the table get their gradient like any other."""
    yield call(_normal(rng, 2, 4, 3), rng.permutation([[0, 5, 0, 2], [0, 5, 5, 3]], axis=1), 6)


@case("embedding_backward", check=agree())
def order_of_tokens_does_not_matter(rng: np.random.Generator) -> Iterator[Call]:
    """Moving the tokens around, each with its gradient, changes nothing about what the rows collect."""
    d_out = _normal(rng, 2, 6, 3)
    ids = rng.permutation([0, 0, 0, 0, 1, 2, 3, *rng.integers(0, 4, size=5)]).reshape(2, 6)
    yield call(d_out, ids, 4)
    for _ in range(3):
        moved = rng.permutation(12)
        yield call(d_out.reshape(12, 3)[moved].reshape(2, 6, 3), ids.reshape(12)[moved].reshape(2, 6), 4)


@case("embedding_backward", check=close())
def equal_sizes_hide_no_transposed_table(rng: np.random.Generator) -> Iterator[Call]:
    """With as many features as rows, rows still belong to tokens."""
    yield call(_normal(rng, 4, 4, 4), rng.permutation([*range(4), *rng.integers(0, 4, size=12)]).reshape(4, 4), 4)


@case("embedding_backward", check=untouched(), keeps="catches gradients that pile up from call to call")
def looking_up_twice_gives_the_same(rng: np.random.Generator) -> Iterator[Call]:
    """Two calls in a row give the same, and leave d_out and ids as they were."""
    d_out, ids = _normal(rng, 2, 6, 3), rng.integers(2, 4, size=(2, 6))
    ids[:, 0] = 0  # a token like any other, and one that comes twice; 1 does not come
    yield call(d_out, ids, 5)
    yield call(d_out, ids, 5)


# grad_check

CUBES = Code("lambda x: (x**3).sum()")
FALLING = Code("lambda x: -(x**3).sum()")
TANGLED = Code("lambda x: x.sum() ** 2 + (x**3).sum()")


def _tangled_gradient(x: np.ndarray) -> np.ndarray:
    return 2 * x.sum() + 3 * x**2


def _away_from_zero(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Draw eighths, which both precisions hold: so do steps that are powers of two, and cubes of all of these."""
    return rng.integers(4, 13, size=shape) / 8.0 * rng.choice([-1.0, 1.0], size=shape)


def _steepest_last(x: np.ndarray) -> np.ndarray:
    """Move the last entry, and the first one less, so far out that their relative errors are never the largest."""
    x.flat[0], x.flat[-1] = 1.75, 2.0
    return x


@case("grad_check", check=close(), weight=3)
def errors_of_wrong_gradients(rng: np.random.Generator) -> Iterator[Call]:
    """A gradient that is wrong in many entries: the largest relative error is found, in arrays of any shape."""
    for shape in ((5,), (2, 3), (2, 3, 2)):
        x = _away_from_zero(rng, *shape)
        yield call(CUBES, x, 3 * x**2 * rng.integers(4, 13, size=shape) / 8.0, 0.0625)
        yield call(FALLING, x, -3 * x**2 * rng.integers(4, 13, size=shape) / 8.0, 0.0625)
        x = np.abs(x)  # so that no gradient is zero
        yield call(TANGLED, x, _tangled_gradient(x) * rng.integers(4, 13, size=shape) / 8.0, 0.0625)
    x, wrong = _away_from_zero(rng, 4), rng.integers(4, 13, size=4) / 8.0
    x[1], wrong[1] = 1.5, 0.25  # the largest error, at an entry beyond 1
    yield call(CUBES, x, 3 * x**2 * wrong, 0.25)


@case("grad_check", check=close(), weight=2)
def errors_of_coarse_steps(rng: np.random.Generator) -> Iterator[Call]:
    """A right gradient and a large step: the error is that of central differences, and shrinks with eps squared."""
    x = _steepest_last(_away_from_zero(rng, 2, 3))
    x.flat[rng.integers(1, 5)] = 0.5  # the largest error, at an entry within 1
    for eps in (0.25, 0.125, 0.0625):
        yield call(CUBES, x, 3 * x**2, eps)


@case("grad_check", check=close(), weight=2)
def one_wrong_entry_is_found(rng: np.random.Generator) -> Iterator[Call]:
    """One wrong entry among many right ones, too large or too small, at any place, decides."""
    for place in (0, 5, int(rng.integers(1, 5))):
        for shift in (0.5, -0.5):
            x = _away_from_zero(rng, 6)
            x[0] = 1.5  # an entry beyond 1
            grad = 3 * x**2
            grad[place] += shift
            yield call(CUBES, x, grad, 0.0625)


@case("grad_check", check=close())
def entries_are_moved_one_at_a_time(rng: np.random.Generator) -> Iterator[Call]:
    """Where entries depend on each other and steps are large, each is back in its place before the next one moves."""
    for _ in range(3):
        # Positive, so that no gradient is near zero, and no error at its limit of one.
        x = _steepest_last(np.abs(_away_from_zero(rng, 2, 3)))
        yield call(TANGLED, x, _tangled_gradient(x), 0.25)


@case("grad_check", check=close(), weight=2)
def small_steps_need_double_precision(rng: np.random.Generator) -> Iterator[Call]:
    """Steps of a millionth, from points given in double precision, in single precision and in whole numbers."""
    for dtype in (np.float64, np.float32, np.int64):
        x = rng.integers(2, 6, size=4).astype(dtype)
        wrong = rng.uniform(0.8, 1.2, size=4)
        worst = rng.integers(3)
        x[worst], wrong[worst] = 2, rng.uniform(0.6, 0.7)  # the largest error: too small, and not the last
        x[3], wrong[3] = 5, rng.uniform(1.15, 1.2)  # the largest difference
        yield call(CUBES, x, 3.0 * x**2 * wrong, 1e-6)


@case("grad_check", check=close())
def opposite_signs_are_all_wrong(rng: np.random.Generator) -> Iterator[Call]:
    """A gradient that points the other way in one entry has an error of one, whatever its size."""
    x = _steepest_last(_away_from_zero(rng, 4))
    grad = 3 * x**2
    grad[rng.integers(3)] *= -0.5
    yield call(CUBES, x, grad, 0.25)


@case("grad_check", check=close())
def zero_against_zero_is_no_error(rng: np.random.Generator) -> Iterator[Call]:
    """An entry that f does not read has the gradient zero, and zero compared with zero is right."""
    x = rng.integers(8, 16, size=4) / 8.0
    x[0] = rng.integers(12, 16) / 8.0  # the largest error, and the largest difference
    yield call(Code("lambda x: (x[:2] ** 2).sum()"), x, np.array([1.0, 3.875, 0.0, 0.0]), 0.125)
    yield call(Code("lambda x: 3.0"), _normal(rng, 3), np.zeros(3), 0.01)


@case("grad_check", check=close())
def small_gradients_meet_the_floor(rng: np.random.Generator) -> Iterator[Call]:
    """Where f is flat and the gradient says a billionth, the difference is divided by 1e-8, not by itself."""
    grad = 1e-9 * rng.choice([-1.0, 1.0], size=3) * rng.uniform(1, 6, size=3)
    grad[rng.integers(2)] = -1e-9 * rng.uniform(7, 8)  # the largest error: below zero, and not the last
    yield call(Code("lambda x: 3.0"), _normal(rng, 3), grad, 0.125)


@case("grad_check", check=close())
def nan_is_reported(rng: np.random.Generator) -> Iterator[Call]:
    """A gradient with NaN in it gives NaN, be it in the first, the last or another entry."""
    for place in (0, 4, int(rng.integers(1, 4))):
        x = _away_from_zero(rng, 5)
        grad = 3.1 * x**2
        grad[place] = np.nan
        yield call(CUBES, x, grad, 0.01)


@case("grad_check", check=untouched())
def x_is_put_back(rng: np.random.Generator) -> Iterator[Call]:
    """The error is right, and x and grad are afterwards what they were."""
    # What comes back of the arguments has to be data, so the function is an empty dict that can be called.
    cubes = Code("type('cubes', (dict,), {'__call__': lambda self, x: (x**3).sum()})()")
    # Sums of a few powers of two, so that adding and taking off eps gives back the same bits.
    x = _steepest_last(rng.integers(4, 12, size=(2, 3)) / 8.0)
    yield call(cubes, x, 3 * x**2 + 0.5, 0.25)


# truncated_bptt


def _text(
    rng: np.random.Generator, batch: int = 2, time: int = 7, features: int = 4, hidden: int = 5, vocab: int = 6
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Draw (x, targets, h0, params)."""
    W_x, W_h, b = _weights(rng, features, hidden)
    params = {"W_x": W_x, "W_h": W_h, "b": b, "W_y": _normal(rng, vocab, hidden), "b_y": _normal(rng, vocab)}
    targets = rng.integers(0, vocab, size=(batch, time))
    return _normal(rng, batch, time, features), targets, rng.uniform(-0.9, 0.9, size=(batch, hidden)), params


def _windows(rng: np.random.Generator) -> Iterator[Call]:
    """Cut a text of seven steps into windows that leave one over, and one of eight into windows that fit."""
    yield call(*_text(rng), 3)
    yield call(*_text(rng, 3, 8, 6, 4, 5), 2)


@case("truncated_bptt", check=close(names=("loss", "grads"), only="loss"), weight=2)
def loss_is_the_mean_over_all_targets(rng: np.random.Generator) -> Iterator[Call]:
    """The loss is the mean over the whole text, however it is cut; the state goes on from window to window."""
    yield from _windows(rng)
    text = _text(rng)
    for k in (1, 4, 7, 20):
        yield call(*text, k)


@case("truncated_bptt", check=close(at=(1, "W_x"), called="dW_x"))
def windows_give_dW_x(rng: np.random.Generator) -> Iterator[Call]:  # noqa: N802
    """The gradient of W_x is right, with a short last window and without."""
    yield from _windows(rng)


@case("truncated_bptt", check=close(at=(1, "W_h"), called="dW_h"))
def windows_give_dW_h(rng: np.random.Generator) -> Iterator[Call]:  # noqa: N802
    """The gradient of W_h is right, with a short last window and without."""
    yield from _windows(rng)


@case("truncated_bptt", check=close(at=(1, "b"), called="db"))
def windows_give_db(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of b is right, with a short last window and without."""
    yield from _windows(rng)


@case("truncated_bptt", check=close(at=(1, "W_y"), called="dW_y"))
def windows_give_dW_y(rng: np.random.Generator) -> Iterator[Call]:  # noqa: N802
    """The gradient of W_y is right, with a short last window and without."""
    yield from _windows(rng)


@case("truncated_bptt", check=close(at=(1, "b_y"), called="db_y"))
def windows_give_db_y(rng: np.random.Generator) -> Iterator[Call]:
    """The gradient of b_y is right, with a short last window and without."""
    yield from _windows(rng)


@case("truncated_bptt", check=close(names=("loss", "grads")))
def windows_of_one_step(rng: np.random.Generator) -> Iterator[Call]:
    """With k = 1 no gradient goes back at all, and the state still goes on."""
    yield call(*_text(rng, 3, 5), 1)


@case("truncated_bptt", check=close(names=("loss", "grads")))
def one_window_is_the_full_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """With k as long as the text, or longer, nothing is cut: this is full backpropagation through time."""
    text = _text(rng)
    yield call(*text, 7)
    yield call(*text, 12)


@case("truncated_bptt", check=close(names=("loss", "grads")))
def last_window_may_be_shorter(rng: np.random.Generator) -> Iterator[Call]:
    """A last window of one, two or three steps counts for as much as it has targets."""
    yield call(*_text(rng, 3, 5), 4)
    yield call(*_text(rng, 2, 6), 4)
    yield call(*_text(rng, 3, 7), 4)


@case("truncated_bptt", check=close(names=("loss", "grads")))
def equal_sizes_hide_no_wrong_matrix(rng: np.random.Generator) -> Iterator[Call]:
    """With all sizes equal, when no shape can warn of a slip, loss and gradients are right."""
    yield call(*_text(rng, 4, 4, 4, 4, 4), 2)


@case("truncated_bptt", check=untouched(names=("loss", "grads")))
def parameters_are_left_alone(rng: np.random.Generator) -> Iterator[Call]:
    """Loss and gradients are right, the parameters are as they were, and a second call gives the same."""
    text = _text(rng)
    yield call(*text, 3)
    yield call(*text, 3)


# clip_grad_norm


def _grads(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Draw gradients of different shapes and sizes."""
    return {
        "W_x": _normal(rng, 4, 3),
        "W_h": 3.0 * _normal(rng, 4, 4),
        "b": rng.uniform(1.0, 2.0, size=4) * rng.choice([-1.0, 1.0], size=4),
        "E": _normal(rng, 2, 3, 5),
    }


def _length(grads: dict[str, np.ndarray]) -> float:
    return float(np.linalg.norm(np.concatenate([g.ravel() for g in grads.values()])))


@case("clip_grad_norm", check=close(names=("clipped", "norm"), only="norm"), weight=2)
def norm_is_that_of_all_arrays_together(rng: np.random.Generator) -> Iterator[Call]:
    """The norm that is returned is that before clipping, with one array or several, clipped or not."""
    for share in (0.3, 2.0):
        grads = _grads(rng)
        yield call(grads, share * _length(grads))
    yield call({"only": _normal(rng, 3, 2)}, 0.5)


@case("clip_grad_norm", check=close(names=("clipped", "norm"), only="clipped"), weight=2)
def too_long_is_shortened(rng: np.random.Generator) -> Iterator[Call]:
    """What is too long, by much or by little, is as long as allowed afterwards, and points the same way."""
    for share in (0.01, 0.3, 0.9):
        grads = _grads(rng)
        yield call(grads, share * _length(grads))


@case("clip_grad_norm", check=close(names=("clipped", "norm"), only="clipped"), weight=2)
def short_gradients_are_not_stretched(rng: np.random.Generator) -> Iterator[Call]:
    """What is short enough, by much or by little, comes back as it was."""
    for share in (1.1, 3.0, 100.0):
        grads = _grads(rng)
        yield call(grads, share * _length(grads))


@case("clip_grad_norm", check=close(names=("clipped", "norm")))
def zeros_stay_zeros(rng: np.random.Generator) -> Iterator[Call]:
    """A gradient of zeros has the norm zero and stays as it is."""
    yield call({name: np.zeros(g.shape) for name, g in _grads(rng).items()}, 1.0)


@case("clip_grad_norm", check=close(names=("clipped", "norm")))
def one_long_array_shortens_all(rng: np.random.Generator) -> Iterator[Call]:
    """When one array alone is too long, the short ones are shortened by the same factor."""
    signs = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 1.0]])  # or its largest singular value would be nearly its length
    yield call({"long": (8.0 + rng.random((2, 3))) * signs, "short": 1.0 + rng.random(3)}, 5.0)


@case("clip_grad_norm", check=untouched(names=("clipped", "norm")))
def gradients_are_left_alone(rng: np.random.Generator) -> Iterator[Call]:
    """What is returned is right, and the arrays that were passed in are as before."""
    grads = _grads(rng)
    yield call(grads, 0.4 * _length(grads))


# gradient_norms


def _from_the_end(rng: np.random.Generator, *sizes: int) -> tuple[np.ndarray, Arrays]:
    """Draw (dh_last, cache)."""
    cache = _sequence(rng, *sizes)
    return _normal(rng, len(cache[1]), cache[1].shape[1]), cache


@case("gradient_norms", check=close(), weight=3)
def lengths_at_every_state(rng: np.random.Generator) -> Iterator[Call]:
    """One norm for each state, over the whole batch, in the order of time."""
    for sizes in SIZES:
        yield call(*_from_the_end(rng, *sizes))


@case("gradient_norms", check=close())
def one_row_has_lengths_too(rng: np.random.Generator) -> Iterator[Call]:
    """A batch of one row."""
    yield call(*_from_the_end(rng, 1, 5, 3, 4))


@case("gradient_norms", check=close())
def one_state_has_one_length(rng: np.random.Generator) -> Iterator[Call]:
    """A sequence of one step gives one number, the norm of what came in."""
    yield call(*_from_the_end(rng, 3, 1, 4, 6))


@case("gradient_norms", check=close())
def equal_sizes_hide_no_wrong_sum(rng: np.random.Generator) -> Iterator[Call]:
    """With batch, time, features and units of one size, the sum is still over rows and units."""
    yield call(*_from_the_end(rng, 4, 4, 4, 4))


@case("gradient_norms", check=close(), weight=2)
def gains_below_and_above_one(rng: np.random.Generator) -> Iterator[Call]:
    """The README's network, smaller: ten steps, an orthogonal W_h times 0.9 (it vanishes) and times 1.5 (it explodes)."""
    for gain in (0.9, 1.5):
        W_h = gain * np.linalg.qr(_normal(rng, 8, 8))[0]
        x, h0, W_x = _normal(rng, 2, 10, 3), np.zeros((2, 8)), 0.02 * _normal(rng, 8, 3)
        yield call(_normal(rng, 2, 8), (x, h0, _states(x, h0, W_x, W_h, np.zeros(8)), W_x, W_h))


@case("gradient_norms", check=close(), plot=Plot("|dL/dh_t|", ("W_h = 0.9 Q", "W_h = 1.5 Q")))
def lengths_along_fifty_steps(rng: np.random.Generator) -> Iterator[Call]:
    """Fifty steps of the README's network: an orthogonal Q times 0.9, and times 1.5. Your feedback shows the plot."""
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(_normal(rng, 16, 16))[0]
    x, h0, W_x, dh_last = _normal(rng, 2, 50, 3), np.zeros((2, 16)), 0.02 * _normal(rng, 16, 3), _normal(rng, 2, 16)
    for W_h in (0.9 * Q, 1.5 * Q):
        yield call(dh_last, (x, h0, _states(x, h0, W_x, W_h, np.zeros(16)), W_x, W_h))


@case("gradient_norms", check=untouched())
def measuring_changes_nothing(rng: np.random.Generator) -> Iterator[Call]:
    """The norms are right, and dh_last and the cache are as before; a second call gives the same."""
    dh_last, cache = _from_the_end(rng)
    yield call(dh_last, cache)
    yield call(dh_last, cache)
