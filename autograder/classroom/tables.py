"""Read the tables that staff hand over, as CSV: rosters, aliases, requests, worksheets."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from autograder.lms.worksheet import separator_of
from autograder.submission.archives import UnreadableError
from autograder.submission.source import read_text

_MAX_BYTES = 16 << 20
_SEPARATOR = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)  # a first line for Excel


class TableError(Exception):
    """A table cannot be read; the message says which, why, and what to do."""


def table_text(path: Path) -> str:
    """Return a table's text. Raises TableError."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror or error}.") from None
    if len(data) > _MAX_BYTES:
        raise TableError(f"{path} is larger than {_MAX_BYTES >> 20} MB. Is it the right file?")
    try:
        text, _ = read_text(data, str(path))
    except UnreadableError:
        raise TableError(f"{path} is not a text file. Save it as CSV (Excel: 'CSV UTF-8').") from None
    return text


def table_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV, each with the number of its line; the first one tells what separates."""
    told = _SEPARATOR.match(text)
    header = text[told.end() if told else 0 :].partition("\n")[0]
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=told[1] if told else separator_of(header))
    if told:
        next(rows)
    yield from ((rows.line_num, row) for row in rows)
