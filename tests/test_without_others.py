"""An exercise whose cases hold the numbers of another one's mistake as well, or none since that is not written, is named without it.

Each costs what it costs alone.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment
from autograder.course.spec import Status
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
NOT_WRITTEN = ("    i = _sigmoid(", "    raise NotImplementedError\n    i = _sigmoid(")
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


@pytest.mark.parametrize(
    ("place", "mistake", "name"),
    [("lstm_step", TANH_AROUND, "tanh_around_everything"), ("lstm_forward", EMPTY_CELL, "starts_from_zero_cell")],
)
def test_a_mistake_keeps_its_name_beside_what_is_not_written(
    place: str, mistake: tuple[str, str], name: str, torch_sandbox: Sandbox
) -> None:
    """Its cases stop there, and what it costs is known all the same."""
    alone, beside = graded(torch_sandbox, mistake), graded(torch_sandbox, mistake, NOT_WRITTEN)
    assert names(beside[place]) == names(alone[place]) == {name}
    assert beside[place].score == pytest.approx(alone[place].score)
    assert not beside[place].waits_for
    told = {case.message for case in beside[place].cases if case.status is Status.FAILED}
    assert told == {"It builds on `lstm_gates`, which is not written yet."}
    others = graded(torch_sandbox, NOT_WRITTEN)
    assert {n for n, e in beside.items() if e.score < e.max_score} == {place} | {
        n for n, e in others.items() if e.score < e.max_score
    }


def test_what_comes_near_the_right_number_by_chance_is_not_right(torch_sandbox: Sandbox) -> None:
    """With this seed the answer of a single unit does, among what is drawn for the gates; a mistake that has a name shows there all the same."""
    lucky = Oracle(load_assignment(COURSE, "a3_gates").without_training(), 2736699283)
    text = lucky.assignment.reference.replace(*TANH_AROUND, 1).replace(*NOT_WRITTEN, 1)
    found = {e.name: e for e in grade(Source.of(lucky.assignment.file, text), lucky, torch_sandbox).exercises}
    assert {c.name for c in found["lstm_step"].cases if c.status is Status.PASSED} == {"cell_state"}


def test_what_is_wrong_elsewhere_may_be_right_where_it_is_called(torch_sandbox: Sandbox) -> None:
    """Shares that are wrong along any axis but the last, beside a step that is not written: text is drawn from the last axis alone."""
    oracle = Oracle(load_assignment(COURSE, "a1_rnn").without_training(), 3)
    text = oracle.assignment.reference
    for name, old, new in (
        ("softmax", "keepdims=True)\n    # END", "keepdims=True) * (2 - axis % x.ndim == 3 - x.ndim)\n    # END"),
        ("rnn_step", "    # BEGIN SOLUTION\n", "    raise NotImplementedError\n"),
    ):
        start = text.index(f"def {name}(")
        assert old in text[start:]
        text = text[:start] + text[start:].replace(old, new, 1)
    found = {e.name: e for e in grade(Source.of(oracle.assignment.file, text), oracle, torch_sandbox).exercises}
    assert found["softmax"].score < found["softmax"].max_score
    assert found["generate"].score == found["generate"].max_score
