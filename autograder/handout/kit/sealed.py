"""Seal what may be told to students with what their code has to give for it: only code that gives this opens it."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator

import numpy as np

from autograder.judge.answer_fingerprints import Fingerprint
from autograder.judge.tolerance import TOLERANCE

Cell = bytes  # a fingerprint with its sums as whole multiples of the tolerance


def cell_of(each: Fingerprint) -> Cell:
    """Return the cell that a fingerprint lies in."""
    return _cell(each.form, np.rint(each.sums / TOLERANCE))


def cells_around(mine: Fingerprint) -> Iterator[Cell]:
    """Yield the cells that a fingerprint may lie in but for noise, which is less than half of one."""
    below = np.floor(mine.sums / TOLERANCE)
    return (_cell(mine.form, below + more) for more in itertools.product((0, 1), repeat=len(below)))


def _cell(form: int, numbers: np.ndarray) -> Cell:
    return " ".join(str(int(number)) for number in (form, *numbers)).encode()


def lock_of(cell: Cell, size: int = 8) -> int:
    """Return a number of some bytes that says whether a cell is the right one, and not which one that is; never 0."""
    return int.from_bytes(hashlib.blake2b(cell, digest_size=size).digest(), "little") or 1


def turned(text: bytes, opener: bytes) -> bytes:
    """Seal a text with what opens it, or open it."""
    stream = hashlib.shake_128(b"told " + opener).digest(len(text))
    return bytes(a ^ b for a, b in zip(text, stream, strict=True))
