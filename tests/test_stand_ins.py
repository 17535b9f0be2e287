"""A stand-in's answer tells what it was asked, also where it is a single number and where arguments hide something by -inf."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from autograder.course.catalog import load_assignment
from autograder.oracle.drawn_answers import drawn_like
from autograder.oracle.oracle import Oracle
from autograder.oracle.replay import Replay
from autograder.oracle.rows_of_calls import Shared, by_row
from autograder.oracle.stand_ins import FEW, TIMES, asked_among_stand_ins
from autograder.sandbox.child.stand_ins import OTHER_SHAPES, Known, call_among, shapes_of

COURSE = Path(__file__).parent.parent
FAR_BELOW = -900.0


def among(body: str, *args: np.ndarray, answer: object = 0.4, asked: int = 1, shared: Shared = frozenset()) -> object:
    """Return what `total` gives among a stand-in for `helper`, which the reference calls with the first arrays of these."""
    student = ModuleType("student")
    exec(
        f"import numpy as np\n\ndef helper(*given): raise ValueError\n\ndef total(*arrays):\n    {body}\n",
        student.__dict__,
    )
    shapes, parameters = shapes_of(args[:asked]), ["x", "w"][:asked]
    answers = [(shapes, by_row(shapes, answer, shared), answer, 1.0)]
    known = Known(parameters=parameters, answers=answers, free=[], masks=[], functions=[])
    return call_among(student, None, "total", list(args), {}, None, {"helper": known})[0]


@pytest.mark.parametrize(
    "x", [np.array([1.0, 2.0, 4.0]), np.array([FAR_BELOW, FAR_BELOW - 1, FAR_BELOW - 2]), np.array([1.0, -np.inf, 4.0])]
)
def test_a_single_number_tells_what_was_asked(x: np.ndarray) -> None:
    """Else code that ends in a call of a wrong exercise would be right, whatever it calls it with."""
    right, wrong = among("return helper(arrays[0])", x), among("return helper(arrays[0] * [2.0, 1.0, 0.5])", x)
    assert isinstance(right, float)
    assert right == among("return helper(arrays[0] + 0.0)", x)
    assert abs(right - float(str(wrong))) > 0.01 * right


def test_few_numbers_are_asked_for_several_times() -> None:
    """One number comes near the right one by chance more often than an array does."""
    oracle = Oracle(load_assignment(COURSE, "a2_bptt"), 3)
    asked = {}
    for trial in oracle.trials_of("gradient_norms"):
        requests, _ = asked_among_stand_ins(Replay(oracle, frozenset({"rnn_step_backward"})), trial)
        asked.setdefault(np.size(oracle.expected(trial)[0].value), set()).add(len(requests) // len(trial.requests))
    assert {size: {TIMES} if size <= FEW else {1} for size in asked} == asked
    assert {1, 5} <= asked.keys()


def test_what_is_hidden_by_infinity_hides_nothing_else() -> None:
    """An answer of NaN is alike for all that is asked."""
    x, answer = np.array([0.5, -np.inf, 2.0]), np.array([0.3, 0.9])
    right, wrong = (
        among("return helper(arrays[0])", x, answer=answer),
        among("return helper(arrays[0] * 3)", x, answer=answer),
    )
    assert np.isfinite(right).all()
    assert not np.allclose(right, wrong, rtol=0.01)


def test_infinity_and_a_very_large_number_hide_the_same() -> None:
    """Code that masks with -1e9 is right where the reference masks with -inf."""
    answer = np.array([0.3, 0.9])
    hidden, large = (among("return helper(arrays[0])", np.array([0.5, x, 2.0]), answer=answer) for x in (-np.inf, -1e9))
    assert isinstance(hidden, np.ndarray)
    assert np.array_equal(hidden, large)


def test_rows_may_lie_along_several_axes() -> None:
    """Where the reference asks for each sequence's last state, code may ask for the states of all times at once."""
    x, answer = np.array([[0.5, 2.0, 1.0], [4.0, 1.0, 3.0]]), np.array([[0.3, 0.9], [0.2, 0.4]])
    right = among("return helper(arrays[0])", x, answer=answer)
    at_once = "np.stack([arrays[0] - 1, arrays[0], arrays[0] * 2], axis=1)"
    assert np.allclose(right, among(f"return helper({at_once})[:, 1]", x, answer=answer), rtol=1e-12)
    assert not np.allclose(right, among(f"return helper({at_once})[:, 2]", x, answer=answer), rtol=0.01)


def test_weights_with_as_many_rows_as_a_batch_have_none_of_its_rows() -> None:
    """Code may ask for one sequence at a time, each with all of the weights."""
    x, w = np.array([[0.5, 2.0, 1.0], [4.0, 1.0, 3.0]]), np.array([[1.0, 2.0], [3.0, 5.0]])
    answer, body = (
        np.array([[0.3, 0.9], [0.2, 0.4]]),
        "return np.concatenate([helper({}, arrays[1]) for n in range(2)])",
    )

    def given(body: str) -> object:
        return among(body, x, w, answer=answer, asked=2, shared=frozenset({(1, 2, 2)}))

    right = given("return helper(*arrays)")
    assert np.allclose(right, given(body.format("arrays[0][n : n + 1]")), rtol=1e-12)
    assert not np.allclose(right, given(body.format("arrays[0][:1]")), rtol=0.01)
    assert not np.allclose(right, given("return helper(arrays[0], arrays[1] * [[1.0], [2.0]])")[:1], rtol=0.01)


@pytest.mark.parametrize("answer", [[3, 1, 2, 2, 0, 5], 9, "a text of some letters", {"a": 7, "b": 12}])
def test_numbers_and_texts_in_no_array_tell_what_was_asked(answer: object) -> None:
    """A right caller of a helper that returns a list of labels keeps its points as one of a helper with an array does."""
    x = np.array([0.5, 2.0, 1.0])
    assert among("return helper(arrays[0])", x, answer=answer) == among(
        "return helper(arrays[0] * 1.0)", x, answer=answer
    )
    others = [among(f"return helper(arrays[0] * {factor})", x, answer=answer) for factor in (2, 3, 5)]
    assert len({str(each) for each in others}) > 1


@pytest.mark.parametrize("right", [[3, 1, 2, 2], 9, "abcab", True, {"a": 1, "b": 4}, [0.5, None]])
def test_answers_that_are_no_arrays_are_drawn_alike(right: object) -> None:
    """Of the same kinds, from the same range."""
    rng = np.random.default_rng(0)
    drawn = [drawn_like(right, rng) for _ in range(20)]
    assert {type(each) for each in drawn} == {type(right)}
    assert len({str(each) for each in drawn}) > 1
    if isinstance(right, int):
        assert max(drawn) <= right


def test_what_is_no_data_has_nothing_drawn_like_it() -> None:
    """Nothing can stand in for it."""
    with pytest.raises(ValueError, match="nothing random"):
        drawn_like([-1], np.random.default_rng(0))


def test_a_mask_alone_may_not_lack_an_axis() -> None:
    """A single query may go without its axis, with its scores and its mask; a mask without it lies over other entries."""
    scores, mask = np.ones((2, 1, 3)), np.ones((2, 1, 3), bool)
    answer = np.arange(6.0).reshape(2, 1, 3)
    whole = among("return helper(arrays[0], arrays[1])", scores, mask, answer=answer, asked=2)
    short = among("return helper(arrays[0][:, 0], arrays[1][:, 0])", scores, mask, answer=answer, asked=2)
    assert np.allclose(short, np.asarray(whole)[:, 0])
    with pytest.raises(ValueError, match=OTHER_SHAPES):
        among("return helper(arrays[0], arrays[1][:, 0])", scores, mask, answer=answer, asked=2)
