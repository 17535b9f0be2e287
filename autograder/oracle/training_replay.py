"""Make a training's first steps here, and have the student's code answer each call of an exercise by itself.

In a training the harness stands around the student's functions, with all that it holds in its frames. So a function could find
there what others got wrong, and put it right. Where an exercise that a training uses is wrong, its first losses count only
if they come out the same here, where every function gets its own arguments and nothing else.

And where known mistakes explain the losses, but not all that is wrong, one of them may hide what has no name. Such a part is
asked beside the reference's others: if that shows what those mistakes alone do not, it is charged.

Both are for trainings in numpy. torch goes back through what the code computes, for which calls are no data.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from autograder.course.language import marked
from autograder.course.spec import Limits, Training
from autograder.judge.training_outcome import agree, losses_of, told_before_the_end
from autograder.judge.training_run import first_seconds
from autograder.oracle.carried_mistakes import Carried, places_of
from autograder.oracle.conversation import Ask, converse
from autograder.oracle.evidence import steady_answers
from autograder.oracle.oracle import Oracle
from autograder.oracle.replay import Replay
from autograder.oracle.training_losses import KnownLosses
from autograder.sandbox.job import Ending, Outcome, Sandbox, Source

NOT_ITS_OWN = marked(
    "The first losses are right, and your functions give others when each is called by itself, with the arguments that it has here."
)


def gives_others(
    oracle: Oracle, losses: KnownLosses, training: Training, found: np.ndarray, source: Source, sandbox: Sandbox
) -> bool:
    """Whether a student's functions, each called by itself, give other first losses than those that were found."""
    names = _called(oracle, losses, training)
    if oracle.assignment.torch or not names:
        return False
    replay, outcome = _first_steps(oracle, losses, training, names, source, sandbox)
    if outcome.ending is Ending.FAULT:
        return False
    alone = losses_of(told_before_the_end(training, outcome) or outcome)
    if alone is None or not agree(alone, found, training):
        return True
    return not steady_answers(oracle, replay, tuple(replay.used), source, sandbox)


def hides(
    oracle: Oracle,
    losses: KnownLosses,
    training: Training,
    names: Sequence[str],
    carried: Carried,
    source: Source,
    sandbox: Sandbox,
) -> bool:
    """Whether known mistakes that explain the first losses hide what is wrong beside them and has no name."""
    explained = places_of(oracle, names)
    mine = (carried.charged - set(explained)) & _called(oracle, losses, training)
    if oracle.assignment.torch or carried.explained_by(names, oracle) or not mine:
        return False
    _, outcome = _first_steps(oracle, losses, training, mine, source, sandbox)
    found = losses_of(outcome)
    if outcome.ending is Ending.FAULT or (found is not None and agree(found, losses.first(training), training)):
        return False
    some = (tuple(chosen) for n in range(1, len(names) + 1) for chosen in itertools.combinations(names, n))
    return not losses.carried(training, outcome, tuple(some))


def _called(oracle: Oracle, losses: KnownLosses, training: Training) -> frozenset[str]:
    """Return the exercises that the harness itself calls in its first steps."""
    called = {code.co_qualname for by, code in losses.calls_in(training) if by is None}
    return frozenset(called & {exercise.name for exercise in oracle.assignment.exercises})


def _first_steps(
    oracle: Oracle,
    losses: KnownLosses,
    training: Training,
    names: Collection[str],
    source: Source,
    sandbox: Sandbox,
) -> tuple[Replay, Outcome]:
    """Return what the first steps come to here, where the student's code answers calls of `names`."""
    replay = Replay(oracle, frozenset(names))
    request = losses.request(training, training.first_steps)

    def work(ask: Ask) -> Outcome:
        (outcome,) = replay.outcomes_of((request,), training.exercise, ask)
        return outcome

    limits = _limits(oracle.assignment.limits, training)
    return replay, converse(replace(oracle.assignment, limits=limits), source, sandbox, (), work)


def _limits(usual: Limits, training: Training) -> Limits:
    """Return limits with which first steps that were made in time are not cut."""
    seconds = 2 * first_seconds(training)
    return replace(usual, total_seconds=max(usual.total_seconds, usual.import_seconds + seconds))
