"""Which slip gives, beside which known mistake, what a student's code gave, in a file of the handout.

There are thousands for an exercise, so each takes a few bytes: hashes of what it gives, and sealed with that, which two they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.handout.kit.sealed import Cell, cells_around, lock_of, turned
from autograder.judge.answer_fingerprints import Fingerprint
from autograder.judge.reasons import Key, Slipped

LOCK, SHORT = 4, 2  # bytes of a lock in the first trial and in others
OPENER, NUMBER = 8, 2  # bytes of what opens a text, and of the number of a mistake or text
Row = tuple[str, Key, tuple[Cell, ...]]  # a known mistake, what is told of a slip, and what both give in each trial


@dataclass(frozen=True)
class SlipsBeside:
    """The slips of an exercise beside its known mistakes, and what opens them in some trials."""

    mistakes: list[str]
    trials: list[str]
    told: list[str]  # of slips, each sealed with an opener that the rows hold
    first: np.ndarray  # (rows,), locks of what each gives in the first trial
    others: np.ndarray  # (rows, trials - 1), and in the others
    sealed: np.ndarray  # (rows, bytes), with what each gives in the first: the opener, the numbers of text and mistake

    @staticmethod
    def of(trials: list[str], rows: Sequence[Row]) -> SlipsBeside:
        """Return slips and mistakes that give something in all of some trials."""
        mistakes = list(dict.fromkeys(name for name, _, _ in rows))
        # Made of what code gives, since what is told could be guessed; and the same each time.
        openers: dict[Key, bytes] = {}
        for _, key, cells in rows:
            openers.setdefault(key, hashlib.blake2b(b"opens " + b"|".join(cells), digest_size=OPENER).digest())
        numbers = {key: number for number, key in enumerate(openers)}
        sealed = [
            turned(openers[key] + _bytes(numbers[key]) + _bytes(mistakes.index(name)), cells[0])
            for name, key, cells in rows
        ]
        return SlipsBeside(
            mistakes,
            trials,
            [turned(json.dumps(key).encode(), opener).hex() for key, opener in openers.items()],
            np.array([lock_of(cells[0], LOCK) for _, _, cells in rows], np.uint32),
            np.array([[lock_of(cell, SHORT) for cell in cells[1:]] for _, _, cells in rows], np.uint16).reshape(
                len(rows), max(len(trials), 1) - 1
            ),
            np.frombuffer(b"".join(sealed), np.uint8).reshape(len(rows), OPENER + 2 * NUMBER),
        )

    def giving(self, got: Mapping[str, Fingerprint], failed: Collection[str]) -> Slipped | None:
        """Return the first of them that gives the fingerprints that came, which are of all its trials and of all that failed."""
        if not self.mistakes or not got.keys() >= set(self.trials) >= set(failed):
            return None
        first, *others = [list(cells_around(got[name])) for name in self.trials]
        locks = {lock_of(cell, LOCK): cell for cell in first}
        likely = np.isin(self.first, np.array(list(locks), np.uint32))
        for number, cells in enumerate(others):
            likely &= np.isin(self.others[:, number], np.array([lock_of(cell, SHORT) for cell in cells], np.uint16))
        for row in np.flatnonzero(likely)[:1]:
            opened = turned(self.sealed[row].tobytes(), locks[int(self.first[row])])
            text, mistake = (int.from_bytes(part, "little") for part in (opened[OPENER:-NUMBER], opened[-NUMBER:]))
            told = turned(bytes.fromhex(self.told[text]), opened[:OPENER])
            return Slipped(tuple(json.loads(told)), self.mistakes[mistake])
        return None


def _bytes(number: int) -> bytes:
    return number.to_bytes(NUMBER, "little")
