"""Which slip gives what a student's code gave: by a few numbers of what each gives, in a file of the handout."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autograder.judge.answer_fingerprints import Fingerprint, fingerprint_of
from autograder.judge.reasons import Key
from autograder.judge.trials import Trial
from autograder.sandbox.child.wire_format import WireError, decode, encode
from autograder.sandbox.job import Outcome

SLIPS = "public.slips"
Slip = Callable[[str, Mapping[Trial, tuple[Outcome, ...]], Collection[Trial]], Key | None]


@dataclass(frozen=True)
class SlipsOfExercise:
    """What the slips of an exercise give in some trials."""

    keys: list[list[str]]  # what is told of each
    trials: list[str]
    forms: np.ndarray  # (slips, trials)
    sums: np.ndarray  # (slips, trials, SUMS)

    def giving(self, got: Mapping[str, Fingerprint], failed: Collection[str]) -> Key | None:
        """Return what is told of the first that gives all fingerprints that came, at least one of a trial that failed."""
        told = [(number, name) for number, name in enumerate(self.trials) if name in got]
        if not any(name in failed for _, name in told):
            return None
        like = np.all([got[name].is_like(self.forms[:, n], self.sums[:, n]) for n, name in told], axis=0)
        return next((tuple(self.keys[number]) for number in np.flatnonzero(like)), None)


def slips_to_bytes(found: Mapping[str, SlipsOfExercise]) -> bytes:
    """Return the file's content, of slips by exercise."""
    return encode({exercise: vars(slips) for exercise, slips in found.items()})


def no_slip(_: str, __: Mapping[Trial, tuple[Outcome, ...]], ___: Collection[Trial]) -> None:
    """Return nothing, as where a handout has no such file."""


def read_slips(folder: Path) -> Slip:
    """Return what tells slips, from a handout's folder of data; it tells none where that has no such file, or another's."""
    try:
        packed: dict[str, dict[str, Any]] = decode((folder / SLIPS).read_bytes())
        found = {exercise: SlipsOfExercise(**slips) for exercise, slips in packed.items()}
    except (OSError, WireError, TypeError, AttributeError):
        return no_slip

    def slip(exercise: str, got: Mapping[Trial, tuple[Outcome, ...]], failed: Collection[Trial]) -> Key | None:
        if exercise not in found:
            return None
        prints = {trial.name: fingerprint_of(trial, outcomes, whole=True) for trial, outcomes in got.items()}
        mine = {name: each for name, each in prints.items() if each}
        return found[exercise].giving(mine, {trial.name for trial in failed})

    return slip
