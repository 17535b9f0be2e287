"""Which slip gives what a student's code gave, in a file of the handout.

Only code that makes a slip opens what is told of it. That is sealed with what the slip gives, and the file holds hashes of this as locks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autograder.handout.kit.sealed import cell_of, cells_around, lock_of, turned
from autograder.handout.kit.slips_beside import SlipsBeside
from autograder.judge.answer_fingerprints import Fingerprint, fingerprint_of
from autograder.judge.reasons import Key, Slipped
from autograder.judge.trials import Trial
from autograder.sandbox.child.wire_format import WireError, decode, encode
from autograder.sandbox.job import Outcome

SLIPS = "public.slips"
NO_LOCK = 0  # of a slip that gives nothing to compare in a trial
Slip = Callable[[str, Mapping[Trial, tuple[Outcome, ...]], Collection[Trial]], Slipped | None]


@dataclass(frozen=True)
class SlipsOfExercise:
    """The slips of an exercise, and what opens them in some trials."""

    sealed: list[str]  # what is told of each, sealed with what it gives in the first trial
    trials: list[str]
    locks: np.ndarray  # (slips, trials), of what each gives

    @staticmethod
    def of(keys: list[Key], trials: list[str], prints: list[list[Fingerprint | None]]) -> SlipsOfExercise:
        """Return slips, given what is told of each and its fingerprints in the trials, of which the first is there."""
        cells = [[cell_of(each) if each else b"" for each in row] for row in prints]
        locks = [[lock_of(cell) if cell else NO_LOCK for cell in row] for row in cells]
        sealed = [turned(json.dumps(key).encode(), row[0]).hex() for key, row in zip(keys, cells, strict=True)]
        return SlipsOfExercise(sealed, trials, np.array(locks, np.uint64).reshape(len(keys), len(trials)))

    def giving(self, got: Mapping[str, Fingerprint], failed: Collection[str]) -> Key | None:
        """Return what is told of the first slip that gives all fingerprints that came, each of a trial that failed among them."""
        mine = {name: list(cells_around(got[name])) for name in self.trials if name in got}
        if not self.trials or self.trials[0] not in mine or not mine.keys() >= set(failed):
            return None
        fits = [
            np.isin(self.locks[:, number], np.array([lock_of(cell) for cell in mine[name]], np.uint64))
            for number, name in enumerate(self.trials)
            if name in mine
        ]
        for number in np.flatnonzero(np.all(fits, axis=0)):
            cell = next(cell for cell in mine[self.trials[0]] if lock_of(cell) == self.locks[number, 0])
            return tuple(json.loads(turned(bytes.fromhex(self.sealed[number]), cell)))
        return None


def slips_to_bytes(found: Mapping[str, tuple[SlipsOfExercise, SlipsBeside]]) -> bytes:
    """Return the file's content, of slips by exercise: alone, and beside known mistakes."""
    packed = {name: {"alone": vars(alone), "beside": vars(beside)} for name, (alone, beside) in found.items()}
    return encode(packed)


def no_slip(_: str, __: Mapping[Trial, tuple[Outcome, ...]], ___: Collection[Trial]) -> None:
    """Return nothing, as where a handout has no such file."""


def read_slips(folder: Path) -> Slip:
    """Return what tells slips, from a handout's folder of data; it tells none where that has no such file, or another's."""
    try:
        packed: dict[str, dict[str, Any]] = decode((folder / SLIPS).read_bytes())
        found = {
            name: (SlipsOfExercise(**slips["alone"]), SlipsBeside(**slips["beside"])) for name, slips in packed.items()
        }
    except (OSError, WireError, TypeError, AttributeError, KeyError):
        return no_slip

    def slip(exercise: str, got: Mapping[Trial, tuple[Outcome, ...]], failed: Collection[Trial]) -> Slipped | None:
        if exercise not in found:
            return None
        prints = {trial.name: fingerprint_of(trial, outcomes, whole=True) for trial, outcomes in got.items()}
        mine = {name: each for name, each in prints.items() if each}
        alone, beside = found[exercise]
        names = {trial.name for trial in failed}
        key = alone.giving(mine, names)
        return Slipped(key) if key else beside.giving(mine, names)

    return slip
