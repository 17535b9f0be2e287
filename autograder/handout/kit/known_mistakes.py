"""What known mistakes give on public cases, as a handout's data have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from autograder.sandbox.child.wire_format import unpack
from autograder.sandbox.job import Ending, Frame, Outcome, Part, Trouble


class Known(Protocol):
    """The source of fingerprints: a mapping read from files, or one that runs the reference when it is asked."""

    def get(self, key: tuple[str, str], /) -> tuple[Outcome, ...] | None:
        """Return the outcomes of a trial with a mistake, or None where they are the expected ones."""

    def together(self, names: tuple[str, ...], key: str, /) -> tuple[Outcome, ...] | None:
        """Return the outcomes of a trial with several mistakes that change it, or None where they are not known."""


class ReadWhenAsked(Mapping[tuple[str, str], tuple[Outcome, ...]]):
    """What known mistakes give, read as it is asked for: most of what a handout holds, of which a right program needs nothing."""

    def __init__(self, packed: Mapping[tuple[str, str], list[Any]], arrays: Mapping[str, np.ndarray]) -> None:
        self._packed, self._arrays = packed, arrays
        self._read: dict[tuple[str, str], tuple[Outcome, ...]] = {}

    def __getitem__(self, key: tuple[str, str]) -> tuple[Outcome, ...]:
        """Return the outcomes of a trial with a mistake. Raises KeyError where it changes nothing there."""
        if key not in self._read:
            self._read[key] = read_outcomes(self._packed[key], self._arrays)
        return self._read[key]

    def together(self, *_: object) -> None:
        """Return nothing: that takes the reference, which stays at home."""

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Return all mistakes with the trials that they change."""
        return iter(self._packed)

    def __len__(self) -> int:
        """Return how many these are."""
        return len(self._packed)


def read_outcomes(rows: list[Any], arrays: Mapping[str, np.ndarray]) -> tuple[Outcome, ...]:
    """Return the outcomes that JSON data describes."""
    outcomes = []
    for ending, packed, trouble in rows:
        value, args = unpack(packed, arrays)
        outcomes.append(Outcome(Ending(ending), value, tuple(args), _read_trouble(*trouble) if trouble else None))
    return tuple(outcomes)


def _read_trouble(type_name: str, text: str, called: list[list[str]], met: list[list[int]]) -> Trouble:
    frames = tuple(Frame("", 0, function, part) for function, part in called)
    return Trouble(type_name, text, frames, tuple(Part("", "array", tuple(shape)) for shape in met))
