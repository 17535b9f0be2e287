"""Cases are drawn from streams of their own, and the words of a case come from its function."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from autograder.course.spec import Assignment, Call, Case, Exercise, Visibility, call, case
from autograder.judge.checks import close


@case("row_means", check=close(), weight=2.0)
def any_numbers(rng: np.random.Generator) -> Iterator[Call]:
    """Three numbers,
    whatever they are.
    """
    yield call(rng.normal(size=3))
    yield call(rng.normal(size=3), axis=0)


def test_a_case_takes_its_name_and_claim_from_the_function() -> None:
    """The decorator leaves a frozen Case behind, its docstring joined to one line."""
    assert isinstance(any_numbers, Case)
    assert (any_numbers.name, any_numbers.exercise, any_numbers.weight) == ("any_numbers", "row_means", 2.0)
    assert any_numbers.claim == "Three numbers, whatever they are."
    assert any_numbers.visibility is Visibility.HIDDEN
    with pytest.raises(AttributeError):
        any_numbers.weight = 3.0  # type: ignore[misc]


def test_a_check_has_to_be_made() -> None:
    """`check=close` without its brackets is told where it is written, not where it is used."""
    with pytest.raises(TypeError, match=r"check=close is a class; write check=close\(\.\.\.\)"):
        case("row_means", check=close)  # type: ignore[arg-type]


def test_a_check_of_the_course_has_to_be_whole() -> None:
    """What a check written in a course lacks is named."""

    class Positive:
        def judge(self, *_: object) -> None:
            return None

    with pytest.raises(TypeError, match="Positive has no sees_arguments, public, alike"):
        case("row_means", check=Positive())  # type: ignore[arg-type]


def test_a_call_is_its_arguments() -> None:
    """`call` keeps positional and named arguments and names no function of its own."""
    assert call(1, 2, axis=0) == Call((1, 2), {"axis": 0}, "")


def test_the_same_seed_draws_the_same_inputs() -> None:
    """A run can be repeated from its seed, and another seed gives other inputs."""
    (first, _), (again, _), (other, _) = any_numbers.calls(5), any_numbers.calls(5), any_numbers.calls(6)
    assert np.array_equal(first.args[0], again.args[0])
    assert not np.array_equal(first.args[0], other.args[0])


def test_each_case_has_a_stream_of_its_own() -> None:
    """Two cases with the same generator draw different inputs, so adding a case changes no other."""
    twin = Case("another_name", "row_means", "", close(), any_numbers.generate)
    assert not np.array_equal(twin.calls(5)[0].args[0], any_numbers.calls(5)[0].args[0])


def test_public_cases_come_first(assignment: Assignment) -> None:
    """An exercise's cases are reported public first, then hidden, each in file order."""
    names = [(c.name, c.visibility) for c in assignment.cases_of("center")]
    hidden = Visibility.HIDDEN
    assert names == [
        ("two_rows_centered", Visibility.PUBLIC),
        ("centers_any_shape", hidden),
        ("the_argument_stays", hidden),
    ]
    assert [c.name for c in assignment.cases_of("center", public_only=True)] == ["two_rows_centered"]


def test_the_points_are_those_of_the_exercises(assignment: Assignment) -> None:
    """The score to reach is the sum over exercises."""
    assert assignment.max_score == sum(exercise.points for exercise in assignment.exercises) == assignment.points


def test_an_exercise_blanks_what_it_names() -> None:
    """Difficulty has a default, blanks do not: the catalog fills them in."""
    assert Exercise("f", 1.0, ("f",)).difficulty == 1
