"""Name the mistake: which misconception makes the reference answer as the student did.

A misconception explains an exercise when, on every case that ran, the student's answers are those of the reference
with that edit. Crashes agree when type and text do; crashes alone make an explanation tentative.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from autograder.course.spec import Answer
from autograder.judge.trials import Knowledge, Trial
from autograder.sandbox.job import Ending, Outcome

# Checks are written for what students plausibly return; what they cannot even compare is neither right nor alike.
UNCOMPARABLE = (ArithmeticError, LookupError, TypeError, ValueError, RecursionError)
MAX_NAMED = 3  # more candidates than this explain nothing
MAX_SIEVED = 3  # failed cases on which every mistake is tried alone, to see which pairs are worth trying
MAX_PAIRS = 300  # that are tried


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
    own: list[tuple[str, ...]] = [(m.name,) for m in oracle.misconceptions_of(exercise)]
    foreign: list[tuple[str, ...]] = [(m.name,) for m in oracle.assignment.misconceptions if m.exercise != exercise]
    attempts: list[list[tuple[str, ...]]] = [own]
    if carried:
        attempts.append([(*carried, *names) for names in own])
    for attempt in itertools.chain(attempts, [foreign], _pairs(oracle, own, got, failed)):
        found = tuple(names for names in attempt if _explains(oracle, names, got, failed))
        if found:
            tentative = not any(outcome.ending is Ending.RETURNED for trial in failed for outcome in got[trial])
            return Diagnosis(found, tentative) if len(found) <= (1 if tentative else MAX_NAMED) else None
    return None


def _pairs(
    oracle: Knowledge, own: list[tuple[str, ...]], got: Mapping[Trial, tuple[Outcome, ...]], failed: tuple[Trial, ...]
) -> Iterator[list[tuple[str, ...]]]:
    """Yield the pairs of mistakes that may explain an exercise together.

    Trying all would be thousands of runs. On a failed case that one of a pair alone does not change, the other alone has
    to give the student's answer; so what each gives alone, on a few of the failed cases, rules out most pairs.
    """
    pairs = list(itertools.combinations(own, 2))
    for trial in failed[:MAX_SIEVED]:
        changes = {names for names in own if not agrees(oracle, names, trial, oracle.expected(trial))}
        gives = {names for names in changes if agrees(oracle, names, trial, got[trial])}
        pairs = [
            (a, b)
            for a, b in pairs
            if (a in changes and b in changes) or (a in gives and b not in changes) or (b in gives and a not in changes)
        ]
    yield [a + b for a, b in pairs[:MAX_PAIRS]]


def _explains(
    oracle: Knowledge, names: tuple[str, ...], got: Mapping[Trial, tuple[Outcome, ...]], failed: tuple[Trial, ...]
) -> bool:
    # Failed cases first: they settle the question soonest.
    if not all(agrees(oracle, names, trial, got[trial]) for trial in failed):
        return False
    return all(agrees(oracle, names, trial, outcomes) for trial, outcomes in got.items() if trial not in failed)


def agrees(oracle: Knowledge, names: tuple[str, ...], trial: Trial, got: tuple[Outcome, ...]) -> bool:
    """Whether a student's outcomes of one trial are those of the reference with these misconceptions."""
    variant = oracle.answers(names, trial)
    return variant is not None and same_outcomes(trial, got, variant)


def same_outcomes(trial: Trial, got: tuple[Outcome, ...], other: tuple[Outcome, ...]) -> bool:
    """Whether two sets of outcomes of one trial are alike: the same values, or the same exceptions."""
    for mine, theirs in zip(got, other, strict=True):
        if mine.ending is not theirs.ending:
            return False
        if mine.ending is not Ending.RETURNED:
            return (
                mine.trouble is not None
                and theirs.trouble is not None
                and ((mine.trouble.type_name, mine.trouble.text) == (theirs.trouble.type_name, theirs.trouble.text))
            )
    try:
        return trial.case.check.alike(answers_of(got), answers_of(other))
    except UNCOMPARABLE:
        return False
