"""An exercise whose cases hold the numbers of another one's mistake as well is named without that one, and each costs what it costs alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment
from autograder.judge.grade import grade
from autograder.judge.reasons import Diagnosis
from autograder.judge.result import ExerciseResult
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Sandbox, Source

COURSE = Path(__file__).parent.parent
OUTSIDE_SIGMOID = (
    'i = _sigmoid(joined @ params["W_i"].T + params["b_i"])',
    'i = _sigmoid(joined @ params["W_i"].T) + params["b_i"]',
)
NO_NAME = ("i = _sigmoid(", "i = 1.07 * _sigmoid(")
TANH_AROUND = ("h_t = o * np.tanh(c_t)", "h_t = np.tanh(o * c_t)")
EMPTY_CELL = ("h, c = h0, c0", "h, c = h0, np.zeros_like(c0)")


@cache
def oracle() -> Oracle:
    """Return the oracle of the gates, without their trainings."""
    return Oracle(load_assignment(COURSE, "a3_gates").without_training(), 3)


def graded(sandbox: Sandbox, *edits: tuple[str, str]) -> dict[str, ExerciseResult]:
    """Return the exercises of the reference after some edits, by name."""
    assignment = oracle().assignment
    text = assignment.reference
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return {e.name: e for e in grade(Source.of(assignment.file, text), oracle(), sandbox).exercises}


def names(exercise: ExerciseResult) -> set[str]:
    """Return the known mistakes that an exercise's cases tell."""
    return {name for case in exercise.cases if isinstance(case.reason, Diagnosis) for name in case.reason.names}


@pytest.mark.parametrize("elsewhere", [OUTSIDE_SIGMOID, NO_NAME], ids=["a slip", "nothing known"])
@pytest.mark.parametrize(
    ("place", "mistake", "name"),
    [("lstm_step", TANH_AROUND, "tanh_around_everything"), ("lstm_forward", EMPTY_CELL, "starts_from_zero_cell")],
)
def test_a_mistake_keeps_its_name_on_top_of_one_without(
    place: str, mistake: tuple[str, str], name: str, elsewhere: tuple[str, str], torch_sandbox: Sandbox
) -> None:
    """It costs what it costs alone, too."""
    alone, both = graded(torch_sandbox, mistake), graded(torch_sandbox, mistake, elsewhere)
    assert names(both[place]) == names(alone[place]) == {name}
    assert both[place].score == pytest.approx(alone[place].score)
    assert names(both["lstm_gates"]) == set()
    assert both["lstm_gates"].score < both["lstm_gates"].max_score


def test_what_is_right_by_itself_gets_no_name_there(torch_sandbox: Sandbox) -> None:
    """Nor does it lose anything."""
    result = graded(torch_sandbox, NO_NAME)
    assert result["lstm_step"].score == result["lstm_step"].max_score
    assert names(result["lstm_step"]) == set()
