"""Write grade sheets as CSV whose cells no spreadsheet executes.

Students choose their names, and a spreadsheet runs a cell that begins like a formula. So every text that does gets a
quote in front, which makes it text.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_FORMULA = tuple("=+-@|%" + "\uff1d\uff0b\uff0d\uff20")  # also the wide forms, which spreadsheets take for the same
_LEADING = " \t\r\n\v\f\0\u00a0\u200b\ufeff'\""  # what may stand before and is passed over


def inert(cell: object) -> object:
    """Return a cell that no spreadsheet will execute. Numbers stay numbers."""
    if not isinstance(cell, str):
        return cell
    if cell[:1] in ("\t", "\r", "\n") or cell.lstrip(_LEADING).startswith(_FORMULA):
        return f"'{cell}"
    return cell


def write_sheet(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([inert(cell) for cell in row] for row in rows)
    return text.getvalue().encode("utf-8", "replace").decode()
