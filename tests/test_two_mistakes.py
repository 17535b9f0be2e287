"""At home two known mistakes are named where each shows in parts of its own; more takes the reference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.handout.kit.self_check import check
from autograder.handout.kit.two_mistakes import together
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.outcomes_alike import values_alike
from autograder.sandbox.job import Ending, Outcome, Source

ROOT = Path(__file__).parents[1]
X, Y, Z = np.arange(3.0), np.arange(3.0) + 1, np.arange(3.0) * 2
NONE = np.zeros(3)


def gives(value: object) -> tuple[Outcome, ...]:
    """Return the outcome of one call."""
    return (Outcome(Ending.RETURNED, value),)


@pytest.mark.parametrize(
    ("right", "one", "other", "both"),
    [
        ((X, X), (Y, X), (X, Z), (Y, Z)),
        ((X, X), (Y, X), (Y, Z), (Y, Z)),
        ((X, X), (Y, Y), (X, NONE), (Y, NONE)),
        ((X, X), (NONE, Z), (Y, X), (NONE, Z)),
        ({"a": X, "b": [X]}, {"a": Y, "b": [X]}, {"a": X, "b": [Z]}, {"a": Y, "b": [Z]}),
        (X, Y, X, Y),
    ],
)
def test_each_part_is_as_the_mistake_gives_it_that_changes_it(
    right: object, one: object, other: object, both: object
) -> None:
    """What both change is known where one makes it zero."""
    for pair in ((one, other), (other, one)):
        (found,) = together(gives(right), *map(gives, pair)) or ()
        assert values_alike(found.value, both)


@pytest.mark.parametrize(
    ("one", "other"), [((Y, X), (Z, X)), ((Y,), (X, Z)), ((Y, X), [X, Z]), (Y, (X, Z)), (None, (X, Z))]
)
def test_what_acts_on_the_same_part_is_not_known(one: object, other: object) -> None:
    """Nor is what has another form."""
    assert together(gives((X, X)), gives(one), gives(other)) is None


def test_what_raises_is_not_known() -> None:
    """The other one shows in too few calls."""
    raised = (replace(*gives(None), ending=Ending.RAISED),)
    assert together(gives(X), gives(Y), raised) is None


def test_two_mistakes_are_named_at_home() -> None:
    """Nothing is handed back, and dh0 is left at zero: the first half of a loop."""
    assignment = load_assignment(ROOT, "a2_bptt")
    made = tuple(m for m in assignment.misconceptions if m.name in ("dh_next_not_added", "dh0_dropped"))
    source = Source.of(assignment.file, apply_edits(assignment.reference, made) or "")
    result = check(source, public_bundle(public_oracle(assignment)))
    said = next(c.says for e in result.exercises if e.name == "rnn_backward" for c in e.cases if c.says)
    assert said.startswith("Your steps do not hand their gradient on")
    assert "Also: Your dh0 is zero." in said
