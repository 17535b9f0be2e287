"""Make the trainings that students may run at home, by the reference: its first losses, and its losses over a whole run.

Whole runs take from seconds to half a minute, so what was made is kept in the user's cache folder under a key of all that it
depends on, and the next handout of the same assignment has it at once.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from autograder.classroom.result_keys import digest, engine, libraries
from autograder.classroom.whole_files import draft_of
from autograder.course.spec import Assignment, Training
from autograder.handout.kit.bundle import SEED
from autograder.handout.kit.trainings import SETTINGS, HomeTraining, trainings_file
from autograder.judge.training_outcome import band
from autograder.oracle.oracle import Oracle
from autograder.oracle.training_losses import KnownLosses
from autograder.sandbox.child.wire_format import encode


def home_trainings(oracle: Oracle) -> tuple[HomeTraining, ...]:
    """Return an assignment's trainings for students; whole runs of the reference are made when their losses are asked for."""
    losses = KnownLosses(oracle)
    return tuple(_home(oracle.assignment, training, losses) for training in oracle.assignment.trainings)


def home_file(oracle: Oracle) -> bytes:
    """Return the trainings as a file of a handout; made once, as long as nothing changes that it depends on."""
    slug = oracle.assignment.slug
    path = _cache() / f"{slug}-{digest(*_basis(oracle))[:24]}.arrays"
    try:
        return path.read_bytes()
    except OSError:
        made = trainings_file(home_trainings(oracle))
    try:
        with draft_of(path) as draft:
            draft.write_bytes(made)
        for other in path.parent.glob(f"{slug}-*.arrays"):
            if other != path:
                other.unlink()
    except OSError:
        pass  # a cache that cannot be written is none
    return made


def _cache() -> Path:
    """Return the folder of what may be deleted at any time: XDG Base Directory Specification, version 0.8."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sequence-autograder"


def _basis(oracle: Oracle) -> Iterator[bytes]:
    """Yield all that the file depends on."""
    assignment = oracle.assignment
    banks = [(m.name, m.old, m.new) for m in assignment.misconceptions]
    texts = (engine(), *libraries(torch=True), assignment.reference, assignment.harness, assignment.exercises, banks)
    yield from (repr(text).encode() for text in texts)
    for training in assignment.trainings:
        at_home = _at_home(training)
        facts = [getattr(at_home, name) for name in SETTINGS]
        yield repr((facts, [band(metric) for metric in at_home.metrics])).encode()
        yield encode(list(at_home.args(SEED)))


def _at_home(training: Training) -> Training:
    return replace(training, draw=training.at_home or training.draw)


def _home(assignment: Assignment, training: Training, losses: KnownLosses) -> HomeTraining:
    training = _at_home(training)
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
