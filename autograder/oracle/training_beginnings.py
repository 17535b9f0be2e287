"""Judge a training's first steps on top of the known mistakes that its cases have named.

First losses that the reference has with these mistakes in it cost nothing. Where an exercise that the training uses is wrong,
losses that would pass are looked at once more, one function at a time (`training_replay.py`). Nor do mistakes count as the reason for
first losses where none other shows beside them in an exercise that is wrong, has no name and is used.
"""

from __future__ import annotations

from dataclasses import replace

from autograder.course.language import say
from autograder.course.spec import Status, Training
from autograder.judge.diagnose import named as named_mistake
from autograder.judge.forbidden import Reading
from autograder.judge.reasons import Diagnosis, Message
from autograder.judge.result import CaseResult
from autograder.judge.training_outcome import first_case, losses_of, mend_first
from autograder.oracle.carried_mistakes import Carried, places_of, same_break, same_losses
from autograder.oracle.oracle import Oracle
from autograder.oracle.training_losses import KnownLosses
from autograder.oracle.training_replay import NOT_ITS_OWN, gives_others, hides
from autograder.sandbox.job import Outcome, Sandbox, Source

MOST_HINTS = 3  # exercises that are named as what to mend first


def first_steps_on_top(
    oracle: Oracle,
    losses: KnownLosses,
    training: Training,
    case: CaseResult,
    outcome: Outcome,
    carried: Carried,
    source: Source,
    sandbox: Sandbox,
) -> tuple[CaseResult, tuple[str, ...]]:
    """Return the case of first steps on top of known mistakes, and those with which the reference's are the same, if they are."""
    on_top, names = (
        (case, ()) if case.status is Status.PASSED else _explained(oracle, losses, training, case, outcome, carried)
    )
    found = losses_of(outcome)
    if found is None or not carried.wrong or on_top.status is not Status.PASSED:
        return on_top, names
    if names and (
        hides(oracle, losses, training, names, carried, source, sandbox)
        or _covers(oracle, losses, training, names, carried, source, sandbox)
    ):
        return case, ()
    if gives_others(oracle, losses, training, found, source, sandbox):
        told = Message(say(NOT_ITS_OWN)).then(mend_first(carried.wrong[:MOST_HINTS]))
        return first_case(Status.FAILED, told, outcome.seconds), ()
    return on_top, names


def _covers(
    oracle: Oracle,
    losses: KnownLosses,
    training: Training,
    names: tuple[str, ...],
    carried: Carried,
    source: Source,
    sandbox: Sandbox,
) -> bool:
    """Whether known mistakes that explain the first losses leave no trace there of an exercise that is wrong and has no name.

    An exercise that the student's own code does not use leaves none without them, either.
    """
    wrong = carried.unnamed - set(places_of(oracle, names))
    if not wrong:
        return False
    reading, used = Reading(source, oracle.assignment, sandbox), oracle.assignment.uses(training.exercise)
    direct = next(e.uses for e in oracle.assignment.exercises if e.name == training.exercise)
    reached = frozenset(direct).union(*(reading.reached(name) - {name} for name in used))
    return any(losses.cover(training, names, name) for name in wrong & reached)


def _explained(
    oracle: Oracle, losses: KnownLosses, training: Training, case: CaseResult, outcome: Outcome, carried: Carried
) -> tuple[CaseResult, tuple[str, ...]]:
    """Return the case of first steps that fail, passed where known mistakes explain them, and these mistakes."""
    expected, found = losses.first(training), losses_of(outcome)
    names = losses.carried(training, outcome, carried.choices)
    known = () if names or found is None else losses.mistakes(training, found, carried)
    if known and carried.charged.issuperset(m.exercise for m in known):
        names = (known[0].name,)
    if names:
        places = carried.charged_at(places_of(oracle, names))
        told = same_break(places) if found is None else same_losses(places)
        return replace(first_case(told=Message(told), seconds=outcome.seconds), follows=places), names
    if known and found is not None and found.shape == expected.shape:
        return replace(case, reason=Diagnosis(training.exercise, tuple((named_mistake(m),) for m in known))), ()
    return case, ()
