"""One more mistake never raises a score: proved on pairs of known mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from autograder.course.spec import Assignment, Misconception
from autograder.judge.result import Result
from autograder.oracle.oracle import Oracle
from autograder.oracle.stand_ins import Alone
from autograder.proof.changed_cases import ChangedCases
from autograder.proof.gradings import grade_all
from autograder.proof.monotone import GradeAll, draw_pairs, try_pairs
from autograder.sandbox.job import Sandbox


def graded_in(oracle: Oracle, sandbox: Sandbox) -> GradeAll:
    """Return what grades the reference with mistakes in it."""
    changed = ChangedCases(oracle, sandbox)
    return lambda sets: grade_all(changed.files(sets), 2)


def test_pairs_are_of_different_exercises_and_can_be_made_together(assignment: Assignment) -> None:
    """All of them, or some by a seed."""
    every = draw_pairs(assignment, None)
    assert {m.exercise for pair in every for m in pair} == {"row_means", "center", "spread"}
    assert all(one.exercise != other.exercise for one, other in every)
    some = draw_pairs(assignment, 4, seed=1)
    assert set(some) < set(every)
    assert some == draw_pairs(assignment, 4, seed=1) != draw_pairs(assignment, 4, seed=2)


def test_pairs_are_drawn_first_where_one_exercise_uses_the_other(assignment: Assignment) -> None:
    """Whatever the seed is: there one mistake can excuse another; `spread` uses both others, and `center` the first."""
    edges = {frozenset(two) for two in (("center", "row_means"), ("spread", "row_means"), ("spread", "center"))}
    none = replace(assignment, exercises=tuple(replace(e, uses=()) for e in assignment.exercises))
    for seed in range(4):
        assert {frozenset(m.exercise for m in pair) for pair in draw_pairs(assignment, 3, seed)} == edges
    assert any(
        {frozenset(m.exercise for m in pair) for pair in draw_pairs(none, 3, seed)} != edges for seed in range(4)
    )


def test_no_pair_of_the_tiny_course_scores_more_than_either_mistake(
    assignment: Assignment, oracle: Oracle, sandbox: Sandbox
) -> None:
    """Whichever two there are."""
    pairs = draw_pairs(assignment, None)
    found = try_pairs(oracle, pairs, graded_in(oracle, sandbox))
    assert (found.tried, found.rising) == (len(pairs), ())


def test_a_pair_that_scores_more_is_told(assignment: Assignment, oracle: Oracle, sandbox: Sandbox) -> None:
    """With both mistakes, where they are and what each and both of them score."""
    (pair,) = [
        pair for pair in draw_pairs(assignment, None) if {m.name for m in pair} == {"skips_the_first", "adds_the_mean"}
    ]

    def lenient(sets: Sequence[tuple[Misconception, ...]]) -> list[Result]:
        results = graded_in(oracle, sandbox)(sets)
        whole = tuple(replace(e, score=e.max_score) for e in results[-1].exercises)
        return [*results[:-1], replace(results[-1], exercises=whole)]

    (told,) = try_pairs(oracle, [pair], lenient).rising
    assert "skips_the_first in row_means scores 5" in told
    assert "adds_the_mean in center scores " in told
    assert told.endswith("; both score 7")


def test_wrong_answers_that_have_a_property_are_named(assignment: Assignment, sandbox: Sandbox) -> None:
    """Two mistakes together may satisfy a property by answers that neither the reference nor one of them gives."""
    shifts = Misconception(
        "shifts",
        "center",
        old="means = as_columns(row_means(x))",
        new="x -= x[..., :1]\n    means = as_columns(row_means(x))",
        caught_by="",
        says="It moves what it was given.",
    )
    adds = Misconception(
        "adds",
        "spread",
        old="return np.sqrt(mean_square)",
        new="return np.sqrt(mean_square) + np.cos(x[..., 0])",
        caught_by="",
        says="It adds a cosine.",
    )
    cheap = tuple(replace(e, points=3.0 if e.name == "spread" else 0.01) for e in assignment.exercises)
    oracle = Oracle(replace(assignment, exercises=cheap, misconceptions=(shifts, adds)), 11)

    found = try_pairs(oracle, [(shifts, adds)], graded_in(oracle, sandbox))
    assert (found.tried, found.hidden, found.rising) == (1, 0, ())
    (line,) = found.by_property
    assert line.startswith("shifts in center scores 3.0")


def test_a_mistake_that_hides_another_is_counted_and_no_fault(
    assignment: Assignment, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The root of zero is zero: only among stand-ins for what gives zeros does it tell whether it was taken."""
    zeros = Misconception(
        "zeros",
        "row_means",
        old="total = x.sum(axis=-1)",
        new="x *= 0\n    total = x.sum(axis=-1)",
        caught_by="",
        says="Zeros.",
    )
    rootless = next(m for m in assignment.misconceptions if m.name == "no_root")
    cheap = tuple(replace(e, points=1) if e.name == "row_means" else e for e in assignment.exercises)
    oracle = Oracle(replace(assignment, exercises=cheap, misconceptions=(zeros, rootless)), 11)

    found = try_pairs(oracle, [(zeros, rootless)], graded_in(oracle, sandbox))
    assert (found.tried, found.hidden, found.rising) == (1, 0, ())
    monkeypatch.setattr("autograder.oracle.consequences.right_among_stand_ins", lambda *_: Alone({}))
    found = try_pairs(oracle, [(zeros, rootless)], graded_in(oracle, sandbox))
    assert (found.tried, found.hidden, found.rising) == (1, 1, ())


def test_what_another_mistake_excuses_is_no_fault(assignment: Assignment, sandbox: Sandbox) -> None:
    """A factor of what a helper has made zero shows nowhere: such cases are excused as they are beside the helper's mistake alone."""
    zeros = Misconception(
        "zeros",
        "row_means",
        old="total = x.sum(axis=-1)",
        new="total = 0 * x.sum(axis=-1)",
        caught_by="",
        says="Zeros.",
    )
    twice = Misconception(
        "twice",
        "center",
        old="return x - means",
        new="return x - 2 * means + (len(x) == 4)",
        caught_by="",
        says="It subtracts twice, and adds one where there are four rows.",
    )
    cheap = tuple(replace(e, points=0.01) if e.name == "row_means" else e for e in assignment.exercises)
    oracle = Oracle(replace(assignment, exercises=cheap, misconceptions=(zeros, twice)), 11)

    def excusing(pairs: Sequence[tuple[Misconception, ...]]) -> Sequence[Result]:
        """Excuse all of a pair but the case with four rows."""
        alone, other, both = graded_in(oracle, sandbox)(pairs)
        excused, charged = ({e.name: e for e in r.exercises}["center"] for r in (alone, both))
        cases = (*excused.cases[:2], charged.cases[2])
        center = replace(charged, score=charged.max_score * 2 / 3, cases=cases)
        return alone, other, replace(both, exercises=tuple(center if e.name == "center" else e for e in both.exercises))

    found = try_pairs(oracle, [(zeros, twice)], excusing)
    assert (found.tried, found.hidden, found.rising) == (1, 1, ())
