"""Recognise numbers of hidden cases wherever they stand: by a few of them in a row, and by long ones.

Assignments have millions of numbers, so rows are looked at many at a time, as arrays, and a run of numbers is known by a hash.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

GRAM = 4  # fractions in a row, to four digits, that are no coincidence
INTEGER_GRAM = 10  # the same of whole numbers
_LONG_DIGITS = 9  # more are no coincidence in double precision
_EXACT = 15  # digits that every double has
_SMALLEST = 1e-300  # below, powers of ten are no doubles any more
_BATCH = 1 << 18  # numbers that are looked at at once
_FACTORS = np.random.default_rng(0).integers(1 << 62, 1 << 63, INTEGER_GRAM, np.uint64) * np.uint64(2) + np.uint64(1)
Row = np.ndarray  # of float64


def _no_runs() -> np.ndarray:
    return np.zeros(0, np.uint64)


def _no_numbers() -> np.ndarray:
    return np.zeros(0)


@dataclass(frozen=True)
class SecretNumbers:
    """Runs of numbers and long numbers, both sorted, each with the place of its description in `told`."""

    told: tuple[str, ...] = ()
    runs: np.ndarray = field(default_factory=_no_runs)
    runs_told: np.ndarray = field(default_factory=_no_runs)
    long: np.ndarray = field(default_factory=_no_numbers)
    long_told: np.ndarray = field(default_factory=_no_runs)

    @classmethod
    def of(cls, hidden: Sequence[tuple[str, Row]], shown: Iterable[Row]) -> SecretNumbers:
        """Return what is in `hidden` rows, each with its description, and in no row that is `shown`."""
        told = tuple(dict.fromkeys(what for what, _ in hidden))
        by_description: dict[str, list[Row]] = {what: [] for what in told}
        for what, row in hidden:
            by_description[what].append(row)
        public_runs, public_long = _sorted(shown)
        found = [_sorted(by_description[what]) for what in told]
        runs, runs_told = _secret([runs for runs, _ in found], public_runs)
        long, long_told = _secret([long for _, long in found], public_long)
        return cls(told, runs, runs_told, long, long_told)

    def in_row(self, row: Row) -> Iterator[str]:
        """Yield the descriptions of what is in a row: of each run, and where two long numbers have the same description."""
        runs = [self.told[n] for n in np.unique(self.runs_told[_found(self.runs, _runs([row]))])]
        numbers, counts = np.unique(self.long_told[_found(self.long, row)], return_counts=True)
        yield from dict.fromkeys([*runs, *(self.told[n] for n in numbers[counts > 1])])


def _secret(found: Sequence[np.ndarray], public: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what of the arrays is not public, sorted, each once, and the number of the first array that has it."""
    every = np.concatenate([public[:0], *found])
    numbers = np.repeat(np.arange(len(found)), [len(each) for each in found])
    kept, first = np.unique(every, return_index=True)
    secret = ~np.isin(kept, public)
    return kept[secret], numbers[first[secret]]


def _found(known: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Return the places in a sorted array of what is asked for, each once."""
    asked = np.unique(asked)
    places = np.searchsorted(known, asked)
    inside = places < len(known)
    found: np.ndarray = places[inside][known[places[inside]] == asked[inside]]
    return found


def _sorted(rows: Iterable[Row]) -> tuple[np.ndarray, np.ndarray]:
    """Return all runs and all long numbers of some rows, sorted, each once."""
    different = {row.tobytes(): row for row in rows}.values()  # most known mistakes give much of the same
    runs, long = [_no_runs()], [_no_numbers()]
    for batch in _batches(different):
        runs.append(np.unique(_runs(batch)))
        long.append(np.unique(_long(np.concatenate(batch))))
    return np.unique(np.concatenate(runs)), np.unique(np.concatenate(long))


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows, some at a time."""
    batch, size = list[Row](), 0
    for row in rows:
        batch.append(row)
        size += len(row)
        if size > _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _runs(rows: Sequence[Row]) -> np.ndarray:
    """Return the runs by which rows are recognised, as hashes: of fractions, to four digits, and of whole numbers."""
    numbers, row = np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    finite = np.isfinite(numbers)
    numbers, row = numbers[finite], row[finite]
    whole = numbers == np.round(numbers)
    fractions = ~whole & (np.abs(numbers) > _SMALLEST)
    codes, telling = _four_digits(numbers[fractions])
    return np.concatenate(
        [
            _hashes(codes, row[fractions], GRAM, GRAM, telling),
            _hashes(_bits(numbers[whole]), row[whole], INTEGER_GRAM, INTEGER_GRAM // 2 + 1),
        ]
    )


def _four_digits(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers to four significant digits, as integers, and which of them have four, unlike .5 or 1.25."""
    exponents = np.floor(np.log10(np.abs(numbers)))
    digits = np.rint(np.abs(numbers) / 10.0 ** (exponents - GRAM + 1)).astype(np.int64)
    carried = digits == 10**GRAM
    digits[carried] //= 10
    codes = (exponents.astype(np.int64) + carried) * 10**GRAM + digits
    return np.where(numbers < 0, ~codes, codes), digits % 10 != 0


def _bits(whole: np.ndarray) -> np.ndarray:
    """Return an integer for each whole number. The bits by which small ones differ are the highest, which a hash would lose."""
    bits = (whole + 0.0).view(np.int64)  # 0.0 for -0.0
    return bits ^ (bits >> 32)


def _hashes(
    codes: np.ndarray, row: np.ndarray, length: int, different: int, telling: np.ndarray | None = None
) -> np.ndarray:
    """Return a hash of each run of so many codes of one row, at least so many of them different, all of them telling."""
    if len(codes) < length:
        return _no_runs()
    runs = np.lib.stride_tricks.sliding_window_view(codes, length)
    kept = row[: len(runs)] == row[length - 1 :]
    if telling is not None:
        kept &= np.lib.stride_tricks.sliding_window_view(telling, length).all(axis=1)
    runs = runs[kept]
    runs = runs[(np.diff(np.sort(runs, axis=1), axis=1) != 0).sum(axis=1) >= different - 1]
    hashes: np.ndarray = (runs.astype(np.uint64) * _FACTORS[:length]).sum(axis=1, dtype=np.uint64)
    return hashes


def _long(numbers: np.ndarray) -> np.ndarray:
    """Return those numbers that come up twice by no chance: with long digits, and in double precision, of which there are enough.

    Of normal draws in single precision, 30,000 and another 30,000 have dozens in common; those are known by their runs.
    """
    with np.errstate(over="ignore", under="ignore"):
        double = numbers[np.isfinite(numbers) & (numbers.astype(np.float32) != numbers)]
    double = double[np.abs(double) > _SMALLEST]
    unit = 10.0 ** (np.floor(np.log10(np.abs(double))) - _LONG_DIGITS + 1)
    rest = np.abs(double - np.rint(double / unit) * unit)
    told: np.ndarray = double[rest > np.abs(double) * 10.0**-_EXACT * 5]
    return told
