"""Public cases of a2_bptt: the worked examples of the README, small enough to follow by hand."""

from collections.abc import Iterator

import numpy as np

from autograder.course.spec import Call, Code, call, case
from autograder.judge.checks import close, untouched

GRADIENTS = ("dx", "dh_prev", "dW_x", "dW_h", "db")
SEQUENCE_GRADIENTS = ("dx", "dh0", "dW_x", "dW_h", "db")

# The vocabulary is e h l o, with the ids 0 1 2 3, as in a1: "hell" is read, "ello" is to be predicted.
HELL, ELLO = np.array([[1, 0, 2, 2]]), np.array([[0, 2, 2, 3]])

# One unit, one feature, three steps: W_x = 1, W_h = 2, b = 0, and x chosen so that the states are round numbers.
ONE_UNIT = (
    np.array([[[-0.3069], [-2.2986], [2.2931]]]),
    np.array([[0.5]]),
    np.array([[[0.6], [-0.8], [0.6]]]),
    np.array([[1.0]]),
    np.array([[2.0]]),
)

# Two sequences of three steps, three features, two units; states rounded to two decimals.
W_X = np.array([[0.4, -0.2, 0.1], [0.3, 0.5, -0.6]])
W_H = np.array([[0.5, -1.0], [0.8, 0.3]])
PAIR = (
    np.array([[[1.0, 0.0, 2.0], [0.0, 1.0, -1.0], [2.0, -1.0, 0.0]], [[-1.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 0.0, 1.0]]]),
    np.array([[0.5, -0.5], [0.0, 1.0]]),
    np.array([[[0.9, -0.69], [0.73, 0.89], [0.52, 0.64]], [[-0.91, 0.29], [-0.5, -0.14], [0.09, -0.84]]]),
    W_X,
    W_H,
)  # fmt: skip
PAIR_DH = np.array([[[1.0, -1.0], [0.5, 2.0], [-1.0, 1.0]], [[2.0, 0.0], [-1.0, 1.0], [1.0, 3.0]]])

# A network of three units that reads and predicts e h l o.
HELLO = {
    "W_x": np.array([[-0.5, 1.0, 0.2, 0.0], [0.8, -0.3, 0.5, -1.0], [0.1, 0.4, -0.9, 0.6]]),
    "W_h": np.array([[0.5, -0.6, 0.3], [0.9, 0.2, -0.4], [-0.7, 0.1, 0.8]]),
    "b": np.array([0.1, -0.2, 0.3]),
    "W_y": np.array([[1.0, 0.3, -0.2], [0.2, -1.0, 0.5], [-0.4, 0.7, 0.9], [0.6, -0.8, -0.5]]),
    "b_y": np.array([0.1, 0.0, -0.1, 0.2]),
}
HELLO_H0 = np.array([[0.5, -0.5, 0.2]])


@case("loss_backward", check=close())
def hell_to_ello(rng: np.random.Generator) -> Iterator[Call]:
    """Reading "hell", "ello" is to be predicted: four positions, four tokens, every target counts."""
    logits = [[[0.0, 2.0, 0.0, 1.0], [1.0, 0.0, 3.0, 0.0], [0.0, 1.0, 2.0, 2.0], [0.5, 0.0, 1.0, -1.0]]]
    yield call(np.array(logits), ELLO, np.ones((1, 4), dtype=bool))


@case("loss_backward", check=close())
def padding_gets_no_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """Two sentences, the second one shorter: the README's mean over three targets; then with its padding in front, and then all padding."""
    logits = np.log([[[1.0, 1.0, 2.0], [1.0, 2.0, 1.0]], [[3.0, 1.0, 1.0], [1.0, 1.0, 8.0]]])
    yield call(logits, np.array([[2, 0], [0, 1]]), np.array([[True, True], [True, False]]))
    yield call(logits, np.array([[1, 0], [0, 1]]), np.array([[True, True], [False, True]]))
    yield call(logits, np.array([[2, 0], [0, 1]]), np.array([[True, True], [False, False]]))


@case("loss_backward", check=close())
def logits_in_the_thousands(rng: np.random.Generator) -> Iterator[Call]:
    """Logits around 1000, logits around -1000, both in one sequence, and then at one position still have ordinary gradients."""
    logits = np.array([[[1000.0, 1001.0, 999.0]], [[-1000.0, -1002.0, -1001.0]]])
    yield call(logits, np.array([[0], [2]]), np.array([[True], [True]]))
    yield call(logits.reshape(1, 2, 3), np.array([[0, 2]]), np.array([[True, True]]))
    yield call(np.array([[[1000.0, -1000.0, 999.0]]]), np.array([[2]]), np.array([[True]]))


@case("loss_backward", check=untouched(), weight=0.3)
def losses_leave_logits_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two sentences: afterwards logits, targets and mask are what they were."""
    yield from padding_gets_no_gradient.generate(rng)


@case("rnn_step_backward", check=close(names=GRADIENTS))
def one_step_by_hand(rng: np.random.Generator) -> Iterator[Call]:
    """One row, three features, two units: the example that the README works through."""
    W_x = np.array([[1.0, 0.0, 2.0], [-1.0, 3.0, 0.5]])
    W_h = np.array([[2.0, 1.0], [0.0, -1.5]])
    cache = (np.array([[1.0, 2.0, -1.0]]), np.array([[0.5, -1.0]]), np.array([[0.6, -0.8]]), W_x, W_h)
    yield call(np.array([[1.0, 2.0]]), cache)


@case("rnn_step_backward", check=close(names=GRADIENTS))
def one_step_of_a_batch(rng: np.random.Generator) -> Iterator[Call]:
    """Three rows that share the weights and the bias."""
    x_t = np.array([[1.0, 0.0, 2.0], [0.0, -1.0, 1.0], [2.0, 1.0, -1.0]])
    h_prev = np.array([[0.5, -0.5], [0.0, 1.0], [-0.8, 0.2]])
    h_t = np.array([[0.9, -0.7], [-0.5, 0.0], [0.3, 0.6]])
    yield call(np.array([[1.0, -1.0], [2.0, 0.5], [-1.0, 3.0]]), (x_t, h_prev, h_t, W_X, W_H))


@case("rnn_step_backward", check=untouched(names=GRADIENTS), weight=0.17)
def a_step_leaves_dh_and_cache_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same three rows: afterwards dh and the cache are what they were."""
    yield from one_step_of_a_batch.generate(rng)


@case("rnn_backward", check=close(names=SEQUENCE_GRADIENTS))
def three_steps_by_hand(rng: np.random.Generator) -> Iterator[Call]:
    """One unit, one feature, three steps, a gradient at each: the example that the README works through."""
    yield call(np.array([[[1.0], [1.0], [-1.0]]]), ONE_UNIT)


@case("rnn_backward", check=close(names=SEQUENCE_GRADIENTS))
def two_sequences(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of three steps, three features, two units, a gradient at every step."""
    yield call(PAIR_DH, PAIR)


@case("rnn_backward", check=close(names=SEQUENCE_GRADIENTS))
def large_gradients_stay_large(rng: np.random.Generator) -> Iterator[Call]:
    """The same two sequences with gradients a hundred times as large, which give results a hundred times as large."""
    yield call(100 * PAIR_DH, PAIR)


@case("rnn_backward", check=untouched(names=SEQUENCE_GRADIENTS))
def two_calls_in_a_row(rng: np.random.Generator) -> Iterator[Call]:
    """Going back twice with the same cache gives the same twice, and leaves dh and the cache as they were."""
    yield call(PAIR_DH, PAIR)
    yield call(PAIR_DH, PAIR)


@case("embedding_backward", check=close())
def hell_has_two_l(rng: np.random.Generator) -> Iterator[Call]:
    """The vectors of h, e, l, l were looked up; the row of l collects twice, the row of o nothing."""
    yield call(np.array([[[1.0, 2.0], [3.0, 4.0], [0.5, -1.0], [2.0, 1.5]]]), HELL, 4)


@case("embedding_backward", check=close())
def two_texts_share_a_table(rng: np.random.Generator) -> Iterator[Call]:
    """Two texts of three tokens: a token may come up in both, also at the same step; of six rows, and of four, some are not
    read."""
    d_out = np.array([[[1.0, -1.0], [2.0, 0.5], [0.0, 3.0]], [[4.0, 1.0], [-2.0, 2.0], [1.0, 1.0]]])
    yield call(d_out, np.array([[2, 0, 2], [2, 3, 0]]), 6)
    yield call(d_out, np.array([[2, 0, 2], [2, 3, 0]]), 4)


@case("embedding_backward", check=untouched(), weight=0.29)
def looking_up_leaves_d_out_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two texts: afterwards d_out and ids are what they were."""
    yield from two_texts_share_a_table.generate(rng)


@case(
    "grad_check",
    check=close(tolerance=1e-6, because="the text asks for float64, and single precision is off by 3e-5 here"),
)
def a_cube_with_a_coarse_step(rng: np.random.Generator) -> Iterator[Call]:
    """f(x) = sum of x^3, steps of 0.1: the gradient is right, and what remains is the error of the step, .0066."""
    yield call(Code("lambda x: (x**3).sum()"), np.array([1.0, -2.0, 0.5]), np.array([3.0, 12.0, 0.75]), 0.1)


@case("grad_check", check=close())
def one_entry_is_wrong(rng: np.random.Generator) -> Iterator[Call]:
    """f(x) = x11 x12 x21 + x22^2, and a gradient whose entry for x21 should be 6, not 4."""
    x, grad = np.array([[2.0, 3.0], [-1.0, 0.5]]), np.array([[-3.0, -2.0], [4.0, 1.0]])
    yield call(Code("lambda x: x[0, 0] * x[0, 1] * x[1, 0] + x[1, 1] ** 2"), x, grad, 0.25)


@case("grad_check", check=close())
def whole_numbers_get_small_steps_too(rng: np.random.Generator) -> Iterator[Call]:
    """f(x) = sum of x^2 at the whole numbers 1 and 2: the gradient 2 is right, the 5 should be 4. Then in single precision."""
    for x in (np.array([1, 2]), np.array([1.0, 2.0], np.float32)):
        yield call(Code("lambda x: (x**2).sum()"), x, np.array([2.0, 5.0]), 1e-6)


@case("grad_check", check=close())
def zero_is_a_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """f does not read the second entry: zero is right, and the first one should be 6. Where f reads both, zero is wrong."""
    yield call(Code("lambda x: x[0] ** 2"), np.array([3.0, 7.0]), np.array([-5.0, 0.0]), 0.01)
    yield call(Code("lambda x: (x**2).sum()"), np.array([3.0, 7.0]), np.array([6.0, 0.0]), 0.01)


@case("grad_check", check=close())
def far_entries_get_the_same_steps(rng: np.random.Generator) -> Iterator[Call]:
    """f(x) = sum of x^3 at 2 and -3, steps of 0.5: the gradient is right, and the error of the step is .0103."""
    yield call(Code("lambda x: (x**3).sum()"), np.array([2.0, -3.0]), np.array([12.0, 27.0]), 0.5)


@case("grad_check", check=close())
def flat_against_a_tiny_gradient(rng: np.random.Generator) -> Iterator[Call]:
    """f(x) = 3 is flat, and the gradient says 4e-9: the difference is divided by 1e-8, so the error is .4."""
    yield call(Code("lambda x: 3.0"), np.array([1.0]), np.array([4e-9]), 0.01)


@case("grad_check", check=close())
def nan_does_not_pass(rng: np.random.Generator) -> Iterator[Call]:
    """A gradient that holds NaN has an error of NaN, wherever in it the NaN stands."""
    for grad in ([2.5, np.nan, 4.0], [np.nan, 5.0, 4.0]):
        yield call(Code("lambda x: (x**2).sum()"), np.array([1.0, 2.0, 2.0]), np.array(grad), 0.01)


@case("grad_check", check=untouched(), weight=0.36)
def x_is_afterwards_what_it_was(rng: np.random.Generator) -> Iterator[Call]:
    """f(x) = sum of x^3 with steps of 0.25: the error is right, and every entry of x is back in its place."""
    cubes = "type('cubes', (dict,), {'__call__': lambda self, x: (x**3).sum()})()"
    x = np.array([[0.5, -1.0], [1.5, 0.25]])
    yield call(Code(cubes, "a function that gives the sum of x^3"), x, 3 * x**2 + 0.5, 0.25)


@case("truncated_bptt", check=close(names=("loss", "grads")))
def hello_in_windows_of_two(rng: np.random.Generator) -> Iterator[Call]:
    """Four tokens, three units, "hell" to "ello": two windows of two steps."""
    yield call(np.eye(4)[HELL], ELLO, HELLO_H0, HELLO, 2)


@case("truncated_bptt", check=close(names=("loss", "grads")))
def hello_with_a_short_last_window(rng: np.random.Generator) -> Iterator[Call]:
    """The same, in a window of three steps and one of the single step that is left; then in one longer than the text."""
    for k in (3, 9):
        yield call(np.eye(4)[HELL], ELLO, HELLO_H0, HELLO, k)


@case("truncated_bptt", check=close(names=("loss", "grads")))
def two_texts_in_windows(rng: np.random.Generator) -> Iterator[Call]:
    """Two texts of five tokens, each from a state of its own: windows of two, two and one."""
    ids = np.array([[0, 1, 2, 2, 3], [2, 3, 0, 1, 2]])
    targets = np.array([[1, 2, 2, 3, 0], [3, 0, 1, 2, 2]])
    yield call(np.eye(4)[ids], targets, np.array([[0.5, -0.5, 0.2], [-0.3, 0.8, -0.6]]), HELLO, 2)


@case("truncated_bptt", check=untouched(names=("loss", "grads")), weight=0.27)
def parameters_stay_as_they_are(rng: np.random.Generator) -> Iterator[Call]:
    """The same two texts: afterwards the parameters are what they were; nothing is updated here."""
    yield from two_texts_in_windows.generate(rng)


@case("clip_grad_norm", check=close(names=("clipped", "norm")))
def three_and_four_are_five(rng: np.random.Generator) -> Iterator[Call]:
    """A matrix of norm 3 and a bias of norm 4 have the global norm 5, as has one matrix of both; 1 is allowed."""
    yield call({"W": np.array([[3.0, 0.0]]), "b": np.array([-4.0])}, 1.0)
    yield call({"W": np.array([[3.0, 0.0], [0.0, -4.0]])}, 1.0)


@case("clip_grad_norm", check=close(names=("clipped", "norm")))
def entries_of_every_size(rng: np.random.Generator) -> Iterator[Call]:
    """Three arrays of different shapes with the global norm 13; 6.5 is allowed, so every entry is halved."""
    yield call(
        {"W": np.array([[2.0, -4.0], [4.0, 8.0]]), "b": np.array([-6.0, 2.0]), "E": np.array([[[5.0, 2.0]]])}, 6.5
    )


@case("clip_grad_norm", check=close(names=("clipped", "norm")))
def short_enough_stays(rng: np.random.Generator) -> Iterator[Call]:
    """A gradient of norm 5 where 10 is allowed stays as it is; so does a gradient of zeros."""
    yield call({"W": np.array([[3.0, 0.0]]), "b": np.array([-4.0])}, 10.0)
    yield call({"W": np.zeros((1, 2)), "b": np.zeros(1)}, 1.0)


@case("clip_grad_norm", check=untouched(names=("clipped", "norm")), weight=0.38)
def the_given_gradients_stay_as_they_are(rng: np.random.Generator) -> Iterator[Call]:
    """The same three arrays: what is returned is new, and the gradients that were passed in are what they were."""
    yield from entries_of_every_size.generate(rng)


@case("gradient_norms", check=close())
def lengths_of_one_unit(rng: np.random.Generator) -> Iterator[Call]:
    """The three steps of the README: 2 at the last state, 2.56 before it, 1.8432 at the first."""
    yield call(np.array([[2.0]]), ONE_UNIT)


@case("gradient_norms", check=close())
def lengths_of_two_sequences(rng: np.random.Generator) -> Iterator[Call]:
    """Two sequences of three steps and two units: three norms, each over both sequences together."""
    yield call(PAIR_DH[:, 2], PAIR)


@case("gradient_norms", check=untouched(), weight=0.22)
def measuring_leaves_the_cache_alone(rng: np.random.Generator) -> Iterator[Call]:
    """The same two sequences: afterwards dh_last and the cache are what they were."""
    yield from lengths_of_two_sequences.generate(rng)
