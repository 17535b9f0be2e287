"""Make the trainings that students may run at home, by the reference: its first losses, and its losses over a whole run."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from dataclasses import replace

from autograder.course.spec import Assignment, Training
from autograder.handout.kit.bundle import SEED
from autograder.handout.kit.trainings import HomeTraining, trainings_file
from autograder.judge.training_outcome import band
from autograder.oracle.oracle import Oracle
from autograder.oracle.training_losses import KnownLosses

_made: dict[Hashable, bytes] = {}


def home_trainings(oracle: Oracle) -> tuple[HomeTraining, ...]:
    """Return an assignment's trainings for students; whole runs of the reference are made when their losses are asked for."""
    losses = KnownLosses(oracle)
    return tuple(_home(oracle.assignment, training, losses) for training in oracle.assignment.trainings)


def home_file(oracle: Oracle) -> bytes:
    """Return the trainings as a file of a handout. It takes whole runs, so of the same assignment it is made once."""
    assignment = oracle.assignment
    banks = tuple((m.name, m.old, m.new) for m in assignment.misconceptions)
    key = (assignment.slug, assignment.reference, assignment.harness, assignment.exercises, assignment.trainings, banks)
    if key not in _made:
        _made[key] = trainings_file(home_trainings(oracle))
    return _made[key]


def _home(assignment: Assignment, training: Training, losses: KnownLosses) -> HomeTraining:
    training = replace(training, draw=training.at_home or training.draw)
    points = next(e.points for e in assignment.exercises if e.name == training.exercise)
    uses = assignment.uses(training.exercise)

    def shows() -> tuple[tuple[str, ...], tuple[str, ...]]:
        found = {name: losses.depends_at_once(training, name) for name in uses}
        return tuple(n for n, first in found.items() if first), tuple(n for n, first in found.items() if first is False)

    return HomeTraining(
        training,
        assignment.harness,
        SEED,
        round(points / (1 + sum(metric.weight for metric in training.metrics)), 2),
        points,
        uses,
        tuple(f"{metric.claim.rstrip('.')}: {band(metric)}." for metric in training.metrics),
        losses.first(training),
        shows,
        functools.cache(lambda: losses.curve(training)),
    )
