"""Of cases that fail alike the one that is the easiest to follow is told first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder.course.catalog import load_assignment
from autograder.course.spec import Visibility
from autograder.judge.blame import judge_trial
from autograder.judge.ease import ease_of
from autograder.judge.trials import Judged, Trial
from autograder.oracle.oracle import Oracle

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    """Return the oracle of an assignment in numpy."""
    return Oracle(load_assignment(ROOT, "a5_attention"), 0)


@pytest.fixture(scope="module")
def trials(oracle: Oracle) -> tuple[Trial, ...]:
    """The public cases of attention_weights, from the one with the fewest axes on."""
    public = [t for t in oracle.trials_of("attention_weights") if t.case.visibility is Visibility.PUBLIC]
    return tuple(sorted(public, key=lambda trial: np.ndim(oracle.expected(trial)[0].value)))


def judged(oracle: Oracle, trial: Trial, *, turned: bool) -> Judged:
    """Judge the right outputs plus one, or `turned`: with an axis more in front."""
    expected = oracle.expected(trial)
    wrong = [outcome.value[None] if turned else outcome.value + 1 for outcome in expected]
    outcomes = tuple(replace(outcome, value=value) for outcome, value in zip(expected, wrong, strict=True))
    return judge_trial(oracle, trial, outcomes, expected)


def test_fewer_axes_are_easier(oracle: Oracle, trials: tuple[Trial, ...]) -> None:
    """Of two cases whose numbers are wrong."""
    few, many = (ease_of(judged(oracle, trial, turned=False)) for trial in (trials[0], trials[-1]))
    assert few < many


def test_a_wrong_shape_comes_before_wrong_numbers(oracle: Oracle, trials: tuple[Trial, ...]) -> None:
    """However small the call is whose numbers are wrong: they may be so for the shape, which ones hide there."""
    numbers, shape = judged(oracle, trials[0], turned=False), judged(oracle, trials[-1], turned=True)
    assert [numbers.finding and numbers.finding.kind, shape.finding and shape.finding.kind] == ["values", "shape"]
    assert ease_of(shape) < ease_of(numbers)


def test_where_nothing_is_known_what_is_said_in_words_comes_first(oracle: Oracle, trials: tuple[Trial, ...]) -> None:
    """That the weights do not sum to 1 helps more than two numbers that differ."""
    numbers = judged(oracle, trials[0], turned=False)
    finding = replace(numbers.finding, kind="property") if numbers.finding else None
    words = replace(judged(oracle, trials[-1], turned=False), finding=finding)
    assert ease_of(words, in_words=True) < ease_of(numbers, in_words=True)
    assert ease_of(numbers) < ease_of(words)
