"""A sheet that a platform gave out and takes back with grades in it: its cells, and what was filled in."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class WorksheetError(Exception):
    """The file is no such worksheet, or another assignment's; the message says what to do."""


@dataclass(frozen=True)
class Filled:
    """A worksheet with grades in it."""

    text: str  # CSV
    students: frozenset[str]  # whose lines are filled
    maximum: float = 0.0  # the grade that is the most there; 0 where it does not say so
    has_feedback: bool = False  # whether there is a column for it


def separator_of(line: str) -> str:
    """Return what separates the cells of a line; spreadsheets and languages have other signs than the platform."""
    return max(",;\t", key=line.count)


def cells_of(text: str, separator: str) -> list[list[str]]:
    """Return the cells of each line."""
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))


def written(lines: Iterable[Sequence[str]], separator: str = ",") -> str:
    """Return lines as CSV."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator).writerows(lines)
    return text.getvalue()
