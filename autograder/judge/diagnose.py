"""Name the mistake: which misconception makes the reference answer as the student did.

A misconception explains an exercise when, on every case that ran, the student's answers are those of the reference
with that edit. Where values support it, crashes agree if both are about shapes, since every library words them its own way,
and NaN agrees with infinity. Crashes alone have to agree to the letter, and make an explanation tentative.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.course.spec import Answer
from autograder.judge.trials import Knowledge, Trial
from autograder.sandbox.job import Ending, Outcome, Trouble
from autograder.sandbox.wire import Tensor

# Checks are written for what students plausibly return; what they cannot even compare is neither right nor alike.
UNCOMPARABLE = (ArithmeticError, LookupError, TypeError, ValueError, RecursionError)
MAX_NAMED = 3  # more candidates than this explain nothing
MAX_SIEVED = 3  # failed cases on which every mistake is tried alone, to see which pairs are worth trying
MAX_PAIRS, MAX_MORE = 300, 150  # that are tried, and of those that are unlikely
_ABOUT_SHAPES = re.compile(r"shape|size|dimension|broadcast|aligned|mismatch|subscript|out of bounds|out of range|axis")


@dataclass(frozen=True)
class Diagnosis:
    """The sets of misconceptions that each explain an exercise; usually one set of one."""

    candidates: tuple[tuple[str, ...], ...]
    tentative: bool = False  # no value supports it, only the same exceptions

    @property
    def name(self) -> str:
        """The first explanation in one word, as it stands in results."""
        return "+".join(self.candidates[0])

    @property
    def certain(self) -> bool:
        """Whether there is only one explanation."""
        return len(self.candidates) == 1


def answers_of(outcomes: tuple[Outcome, ...]) -> tuple[Answer, ...]:
    """Return what calls returned, for checks."""
    return tuple(Answer(outcome.value, outcome.args) for outcome in outcomes)


def diagnose(
    oracle: Knowledge,
    exercise: str,
    got: Mapping[Trial, tuple[Outcome, ...]],
    failed: Iterable[Trial],
    carried: tuple[str, ...] = (),
) -> Diagnosis | None:
    """Return what explains an exercise's failures: one misconception, else two at once, else None.

    `carried` are misconceptions already charged to other exercises, which this one may build on.
    """
    failed = tuple(failed)
    crashes_only = not any(outcome.ending is Ending.RETURNED for trial in failed for outcome in got[trial])
    near = same_outcomes if crashes_only else similar_outcomes
    own: list[tuple[str, ...]] = [(m.name,) for m in oracle.misconceptions_of(exercise)]
    foreign: list[tuple[str, ...]] = [(m.name,) for m in oracle.assignment.misconceptions if m.exercise != exercise]
    with_carried = [(*carried, *names) for names in own] if carried else []
    # There are so many pairs that a loose likeness would find one for anything.
    pairs = ((attempt, same_outcomes) for attempt in _pairs(oracle, own, got, failed))
    for attempt, alike in itertools.chain(((names, near) for names in (own, with_carried, foreign)), pairs):
        found = tuple(names for names in attempt if _explains(oracle, names, got, failed, alike))
        if found and (attempt is not foreign or _is_one(oracle, found)):
            return Diagnosis(found, crashes_only) if len(found) <= (1 if crashes_only else MAX_NAMED) else None
    return None


def _is_one(oracle: Knowledge, found: tuple[tuple[str, ...], ...]) -> bool:
    """Whether explanations are one mistake and its twins: of mistakes made elsewhere, a choice is no explanation."""
    (first,), *others = found
    return all(name in oracle.misconception(first).twins for (name,) in others)


def _pairs(
    oracle: Knowledge, own: list[tuple[str, ...]], got: Mapping[Trial, tuple[Outcome, ...]], failed: tuple[Trial, ...]
) -> Iterator[list[tuple[str, ...]]]:
    """Yield the pairs of mistakes that may explain an exercise together.

    Trying all would be thousands of runs. On a failed case that one of a pair alone does not change, the other alone
    mostly gives the student's answer; so what each gives alone, on a few of the failed cases, says which pairs to try first.
    Of the rest, only those are tried of which both are run on each of these cases.
    """
    every = list(itertools.combinations(own, 2))
    pairs = every
    for trial in failed[:MAX_SIEVED]:
        changes = {names for names in own if not agrees(oracle, names, trial, oracle.expected(trial))}
        gives = {names for names in changes if agrees(oracle, names, trial, got[trial])}
        pairs = [
            (a, b)
            for a, b in pairs
            if (a in changes and b in changes) or (a in gives and b not in changes) or (b in gives and a not in changes)
        ]
    yield [a + b for a, b in pairs[:MAX_PAIRS]]
    both = [
        (a, b)
        for a, b in every
        if (a, b) not in pairs and all(oracle.matters(a[0], t) and oracle.matters(b[0], t) for t in failed[:MAX_SIEVED])
    ]
    yield [a + b for a, b in both[:MAX_MORE]]


def _explains(
    oracle: Knowledge,
    names: tuple[str, ...],
    got: Mapping[Trial, tuple[Outcome, ...]],
    failed: tuple[Trial, ...],
    alike: Alike,
) -> bool:
    # Failed cases first: they settle the question soonest.
    if not all(agrees(oracle, names, trial, got[trial], alike) for trial in failed):
        return False
    return all(agrees(oracle, names, trial, outcomes, alike) for trial, outcomes in got.items() if trial not in failed)


def agrees(
    oracle: Knowledge, names: tuple[str, ...], trial: Trial, got: tuple[Outcome, ...], alike: Alike | None = None
) -> bool:
    """Whether a student's outcomes of one trial are those of the reference with these misconceptions."""
    variant = oracle.answers(names, trial)
    return variant is not None and (alike or same_outcomes)(trial, got, variant)


def same_outcomes(trial: Trial, got: tuple[Outcome, ...], other: tuple[Outcome, ...]) -> bool:
    """Whether two sets of outcomes of one trial are alike: the same values, or the same exceptions."""
    return _alike(trial, got, other, _same_trouble)


def similar_outcomes(trial: Trial, got: tuple[Outcome, ...], other: tuple[Outcome, ...]) -> bool:
    """Whether two sets of outcomes are alike but for how libraries word errors about shapes, and for NaN and infinity."""
    if _alike(trial, got, other, _similar_trouble):
        return True
    if not any(_is_infinite(outcome.value) for outcome in (*got, *other)):
        return False
    mine, theirs = (tuple(replace(o, value=_without_infinity(o.value)) for o in side) for side in (got, other))
    return _alike(trial, mine, theirs, _similar_trouble)


Alike = Callable[[Trial, tuple[Outcome, ...], tuple[Outcome, ...]], bool]


def _alike(
    trial: Trial,
    got: tuple[Outcome, ...],
    other: tuple[Outcome, ...],
    same_trouble: Callable[[Trouble, Trouble], bool],
) -> bool:
    for mine, theirs in zip(got, other, strict=True):
        if mine.ending is not theirs.ending:
            return False
        if mine.ending is not Ending.RETURNED:
            return bool(mine.trouble and theirs.trouble and same_trouble(mine.trouble, theirs.trouble))
    try:
        return trial.case.check.alike(answers_of(got), answers_of(other))
    except UNCOMPARABLE:
        return False


def _same_trouble(mine: Trouble, theirs: Trouble) -> bool:
    return (mine.type_name, mine.text) == (theirs.type_name, theirs.text)


def _similar_trouble(mine: Trouble, theirs: Trouble) -> bool:
    both = all(_ABOUT_SHAPES.search(trouble.text) for trouble in (mine, theirs))
    return both or _same_trouble(mine, theirs)


def _is_infinite(tree: Any) -> bool:
    if isinstance(tree, tuple | list):
        return any(map(_is_infinite, tree))
    if isinstance(tree, dict):
        return any(map(_is_infinite, tree.values()))
    array = tree.array if isinstance(tree, Tensor) else tree
    return isinstance(array, np.ndarray | float) and np.asarray(array).dtype.kind == "f" and bool(np.isinf(array).any())


def _without_infinity(tree: Any) -> Any:
    """Return a value with NaN in place of infinities."""
    if isinstance(tree, tuple | list):
        return type(tree)(map(_without_infinity, tree))
    if isinstance(tree, dict):
        return {key: _without_infinity(value) for key, value in tree.items()}
    if isinstance(tree, Tensor):
        return Tensor(_without_infinity(tree.array))
    if isinstance(tree, np.ndarray | float) and np.asarray(tree).dtype.kind == "f":
        return np.where(np.isinf(tree), np.nan, tree)[()]
    return tree
