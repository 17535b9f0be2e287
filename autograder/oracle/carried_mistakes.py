"""Find what a training's failure owes to known mistakes that are charged in their own exercises.

A training has no code of the student's own: it uses other exercises. So it is judged on top of the known mistakes that their
cases have named, and of the slips that were told. The reference is trained with these mistakes in it. What its run shows as well follows from them and costs
nothing here; whatever else a student's run shows is charged. Where an exercise is wrong and has no name, nothing is known
of what follows from it, and the training is judged as it is.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from autograder.course.language import say, say_many
from autograder.course.spec import Metric, Status, Training
from autograder.judge.outcomes_alike import UNCOMPARABLE
from autograder.judge.reasons import Diagnosis, Relation
from autograder.judge.result import ExerciseResult, Result
from autograder.judge.slip_sentences import SLIPS
from autograder.oracle.larger_run import measured
from autograder.oracle.reference import Reference
from autograder.oracle.slips_tried import slips_as_mistakes
from autograder.sandbox.job import Ending, Outcome

MOST_CHOICES = 4  # of sets of mistakes that explain the cases equally well; each may have to be trained


@dataclass(frozen=True)
class Carried:
    """What the cases of a submission tell of the exercises that a training uses."""

    wrong: tuple[str, ...] = ()  # those that do not pass
    charged: frozenset[str] = frozenset()  # those, and what passes only given a mistake that is charged elsewhere
    unnamed: frozenset[str] = frozenset()  # those that are wrong and that no known mistake explains
    choices: tuple[tuple[str, ...], ...] = ()  # sets of known mistakes that explain the rest
    repeats: tuple[tuple[str, str], ...] = ()  # exercises with a mistake that is charged in another one, and that one

    def explained_by(self, names: Collection[str], oracle: Reference) -> bool:
        """Whether some mistakes leave no wrong exercise without a name."""
        return self.unnamed <= set(places_of(oracle, names))

    def charged_at(self, places: Iterable[str]) -> tuple[str, ...]:
        """Return the exercises in which mistakes in some places are charged."""
        elsewhere = dict(self.repeats)
        return tuple(dict.fromkeys(elsewhere.get(place, place) for place in places))


NOTHING_CARRIED = Carried()


def carried_by(oracle: Reference, training: Training, result: Result) -> Carried:
    """Return what a submission's cases tell of the exercises that a training uses."""
    used = oracle.assignment.uses(training.exercise)
    mine = [e for e in result.exercises if e.name in used]
    wrong = {e.name: _explanations(oracle, e) for e in mine if e.status is not Status.PASSED}
    # What is charged elsewhere is in the code all the same.
    repeated = [_explanations(oracle, e) for e in mine if e.name not in wrong]
    follows = {e.name for e in mine if any(case.follows for case in e.cases)}
    sets = itertools.islice(itertools.product(*filter(None, (*wrong.values(), *repeated))), MOST_CHOICES)
    choices = dict.fromkeys(
        tuple(dict.fromkeys(n for names in one for n in names if oracle.misconception(n).exercise in used))
        for one in sets
    )
    return Carried(
        tuple(wrong),
        frozenset(follows.union(wrong)),
        frozenset(name for name, known in wrong.items() if not known),
        tuple(filter(None, choices)),
        tuple((e.name, c.follows[0]) for e in mine if e.name not in wrong for c in e.cases if c.reason and c.follows),
    )


def _explanations(oracle: Reference, exercise: ExerciseResult) -> tuple[tuple[str, ...], ...]:
    """Return the sets of mistakes that explain an exercise, by name: known ones, else a slip; what only exceptions support is tried, too."""
    reasons = [case.reason for case in exercise.cases]
    for diagnosis in (reason for reason in reasons if isinstance(reason, Diagnosis)):
        return tuple(tuple(m.name for m in mistakes) for mistakes in diagnosis.alternatives)
    for told in (reason for reason in reasons if isinstance(reason, Relation) and reason.key[0] in SLIPS):
        names = slips_as_mistakes(oracle, exercise.name, told.key, told.beside.name if told.beside else "")
        return tuple((name,) for name in names)
    return ()


def places_of(oracle: Reference, names: Collection[str]) -> tuple[str, ...]:
    """Return the exercises that mistakes are in, in report order."""
    places = {oracle.misconception(name).exercise for name in names}
    return tuple(e.name for e in oracle.assignment.exercises if e.name in places)


def same_losses(places: Collection[str]) -> str:
    """Say that exercises are charged where they are, since the reference has the same losses with their mistakes in it."""
    return say_many(
        "{names} is charged in its own exercise and not again here: with its mistake the reference has the same first losses.",
        "{names} are charged in their own exercises and not again here: with their mistakes the reference has the same first losses.",
        len(places),
        names=_listed(places),
    )


def same_break(places: Collection[str]) -> str:
    """Say that exercises are charged where they are, since the reference breaks off with their mistakes in it."""
    return say_many(
        "{names} is charged in its own exercise and not again here: with its mistake the reference breaks off as yours does.",
        "{names} are charged in their own exercises and not again here: with their mistakes the reference breaks off as yours does.",
        len(places),
        names=_listed(places),
    )


def same_end(places: Collection[str]) -> str:
    """Say that exercises are charged where they are, since the reference does not learn with their mistakes in it."""
    return say_many(
        "{names} is charged in its own exercise and not again here: with its mistake the reference does not get there, either.",
        "{names} are charged in their own exercises and not again here: with their mistakes the reference does not get there, either.",
        len(places),
        names=_listed(places),
    )


def _listed(places: Collection[str]) -> str:
    return say(" and ").join(f"`{place}`" for place in places)


def same_crash(own: Outcome, theirs: Outcome) -> bool:
    """Whether two runs ended in the same kind of exception."""
    raised = own.ending is theirs.ending is Ending.RAISED
    return raised and bool(own.trouble and theirs.trouble and own.trouble.type_name == theirs.trouble.type_name)


def fail_alike(metric: Metric, args: tuple[Any, ...], own: Outcome, theirs: Outcome) -> bool:
    """Whether two whole runs miss a metric in the same way: on the same side, or by the same kind of exception."""
    if own.ending is Ending.RETURNED and theirs.ending is Ending.RETURNED:
        side = _side(metric, args, own)
        return side != 0 and side == _side(metric, args, theirs)
    return same_crash(own, theirs)


def _side(metric: Metric, args: tuple[Any, ...], outcome: Outcome) -> float:
    """Return 0 where a run reaches a metric, -1 below it, 1 above it or where there is no number, infinity if it cannot be measured."""
    try:
        value = measured(metric, args, outcome)
    except UNCOMPARABLE:
        return math.inf
    return -1 if value < metric.low else 0 if value <= metric.high else 1
