"""Read the trainings that students may run at home: their arguments, and the reference's losses on them. Data only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course.spec import Training
from autograder.handout.kit.bundle import BundleError, of_another_version, unreadable
from autograder.sandbox.child.wire_format import WireError, decode, encode

FORMAT = 1
TRAININGS = "trainings.arrays"


@dataclass(frozen=True)
class HomeTraining:
    """A training on the public seed, and what the reference's losses are there.

    `points` are those of its first steps, of `all_points`. `measured` says what grading measures of a whole run. Of the
    exercises that it uses, `shows` gives those on which the first loss depends, and those on which only later ones do. In a
    course, `shows` and `curve` make runs of the reference.
    """

    training: Training
    harness: str
    seed: int
    points: float
    all_points: float
    uses: tuple[str, ...]
    measured: tuple[str, ...]
    first: np.ndarray
    shows: Callable[[], tuple[tuple[str, ...], tuple[str, ...]]]
    curve: Callable[[], np.ndarray]  # the losses of a whole run

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments of the run."""
        return self.training.args(self.seed)


def trainings_file(trainings: tuple[HomeTraining, ...]) -> bytes:
    """Return the trainings as a file of a handout."""
    return encode({"format": FORMAT, "trainings": [_described(home) for home in trainings]})


def read_trainings(folder: Path) -> tuple[HomeTraining, ...]:
    """Read the trainings of a handout, of which there may be none. Raises BundleError."""
    path = folder / TRAININGS
    if not path.is_file():
        return ()
    try:
        document = decode(path.read_bytes())
    except (OSError, WireError) as error:
        raise BundleError(unreadable(path, error)) from None
    if document["format"] != FORMAT:
        raise BundleError(of_another_version(path))
    return tuple(map(_read, document["trainings"]))


# What of a training's settings a handout holds.
SETTINGS = ("exercise", "function", "steps", "seconds", "first_steps", "tolerance", "memory_mb", "device_mb", "prefers")
_FACTS = ("harness", "seed", "points", "all_points", "uses", "measured", "first")


def _described(home: HomeTraining) -> dict[str, Any]:
    settings = {name: getattr(home.training, name) for name in SETTINGS}
    facts = {name: getattr(home, name) for name in _FACTS}
    return {**facts, "settings": settings, "args": home.args, "shows": home.shows(), "curve": home.curve()}


def _read(entry: dict[str, Any]) -> HomeTraining:
    args, shown, curve = entry["args"], entry["shows"], entry["curve"]
    training = Training(draw=lambda _: args, metrics=(), **entry["settings"])
    facts = {name: entry[name] for name in _FACTS}
    return HomeTraining(training, shows=lambda: shown, curve=lambda: curve, **facts)
