"""Which two known mistakes give together what a student's code gave: by a few numbers of each pair, in a file of the handout.

What one mistake gives lies whole in a handout. There are some thousand pairs, of which that would be too much; a fingerprint of each is enough to
name it, and says no more than that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autograder.judge.answer_fingerprints import SUMS, Fingerprint
from autograder.sandbox.child.wire_format import WireError, decode, encode

PAIRS = "public.pairs"
Names = tuple[str, str]


@dataclass(frozen=True)
class Pairs:
    """What pairs of known mistakes give: each has a row for each of some trials."""

    names: Sequence[str]
    trials: Sequence[str]
    pairs: np.ndarray  # (pairs, 2), places in `names`
    places: np.ndarray  # (rows, 2), of the pair and of the trial
    forms: np.ndarray  # (rows,)
    sums: np.ndarray  # (rows, SUMS)

    def giving(
        self, got: Mapping[str, Fingerprint | None], failed: Collection[str]
    ) -> Iterator[tuple[Names, set[str]]]:
        """Yield the pairs that give all fingerprints of which they have a row, and the failed trials among these, by name; at least one."""
        against = np.zeros(len(self.pairs), bool)
        told: dict[int, set[str]] = {}
        for number, name in enumerate(self.trials):
            if name in got:
                rows = np.flatnonzero(self.places[:, 1] == number)
                mine = got[name]
                fits = mine.is_like(self.forms[rows], self.sums[rows]) if mine else np.zeros(len(rows), bool)
                against[self.places[rows[~fits], 0]] = True
                for pair in self.places[rows[fits], 0] if name in failed else ():
                    told.setdefault(int(pair), set()).add(name)
        for pair, trials in told.items():
            if not against[pair]:
                a, b = self.pairs[pair]
                yield (self.names[a], self.names[b]), trials

    def to_bytes(self) -> bytes:
        """Return the file's content."""
        return encode(vars(self))


NO_PAIRS = Pairs((), (), np.zeros((0, 2), int), np.zeros((0, 2), int), np.zeros(0, int), np.zeros((0, SUMS)))


def read_pairs(folder: Path) -> Pairs:
    """Return the pairs that a handout's folder of data holds; none where that has no such file, or another's."""
    try:
        return Pairs(**decode((folder / PAIRS).read_bytes()))
    except (OSError, WireError, TypeError):
        return NO_PAIRS
