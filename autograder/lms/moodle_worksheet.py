"""Fill the offline grading worksheet that Moodle gave out.

Moodle takes a worksheet back in one language alone, its user's: it looks for the headings of that language, and cuts as many
letters off an identifier as the word for a participant has there, `Participant 11` or `Teilnehmer/in11`. So all cells stay as they
are but those for grades and for feedback.

| column | where it is |
|---|---|
| identifier | the first |
| grade | before the maximum grade, the last column in which all students have the same number |
| feedback | the last, unless that is the one before it, which says when each was graded: a moment, or `-` |

Source: `mod/assign/gradingtable.php` and `mod/assign/feedback/offline/importgradeslib.php`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from autograder.lms.platform import Row, inert
from autograder.lms.worksheet import Filled, WorksheetError, cells_of, separator_of, written

_IDENTIFIER = re.compile(r"[^\d\s][^\d]*?(\d+)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_MOMENT = re.compile(r"-|(?=.*\d{4})(?=.*\d[:.h]\d\d).{1,60}")  # a year and a time, in any language's words


def fill(text: str, rows: Sequence[Row], due: Collection[str]) -> Filled:
    """Return a worksheet with the points of students who are due, each in the line of its participant, or else of its email address.

    The rows are of all students. Lines of others stay as they are. Raises WorksheetError where the text is no worksheet, no row
    has a line, or someone has another number in it than in the export.
    """
    head, *lines = cells_of(text, separator_of(text.partition("\n")[0])) or [[]]
    lines = [line for line in lines if any(line)]
    found = [_IDENTIFIER.fullmatch(line[0].strip()) if line else None for line in lines]
    if not lines or not all(found):
        raise WorksheetError(
            "it is not Moodle's grading worksheet, whose first column names participants. Download it in the assignment's "
            "submissions, with Download grading worksheet, and do not sort out columns."
        )
    feedback = _feedback_column(head, lines)
    most = _maximum_column(head, lines, feedback)
    maximum = float(lines[0][most].strip().replace(",", "."))
    numbers = {match[1]: line for match, line in zip(found, lines, strict=True) if match}
    addresses = Counter(cell.strip().casefold() for line in lines for cell in line if "@" in cell)
    found_one, filled = False, set()
    for row in rows:
        number = row.number if row.system == "moodle" else row.participant
        line = numbers.get(number) or _line_with(row.email, lines, addresses)
        if line is None or row.score is None:
            continue
        if number and number not in numbers:
            raise WorksheetError(
                f"it is another assignment's: {row.student} is {line[0].strip()} in it, and {number} in this class. Download the "
                "worksheet of this one."
            )
        found_one = True
        if row.student not in due:
            continue
        line += [""] * (len(head) - len(line))
        line[most - 1] = str(round(row.score, 2))
        if feedback is not None:
            line[feedback] = str(inert(row.feedback()))
        filled.add(row.student)
    if rows and not found_one:
        raise WorksheetError(
            "none of the students has a line in it. A participant has another number in each assignment of Moodle: "
            "download the worksheet of this one."
        )
    return Filled(written([head, *lines]), frozenset(filled), maximum, feedback is not None)


def _maximum_column(head: Sequence[str], lines: Sequence[Sequence[str]], feedback: int | None) -> int:
    """Return where the maximum grade stands; comments may be equal numbers, too."""
    for column in (column for column in range(len(head) - 1, 1, -1) if column != feedback):
        cells = {line[column].strip() if column < len(line) else "" for line in lines}
        if len(cells) == 1 and _NUMBER.fullmatch(cells.pop()):
            return column
    raise WorksheetError(
        "it has no maximum grade. In the assignment's settings in Moodle choose points as the type of its grade, not a scale, "
        "and download the worksheet again."
    )


def _feedback_column(head: Sequence[str], lines: Sequence[Sequence[str]]) -> int | None:
    """Return where comments stand; None where the assignment gives none."""
    last = len(head) - 1
    return None if all(len(line) > last and _MOMENT.fullmatch(line[last].strip()) for line in lines) else last


def _line_with(address: str, lines: Sequence[list[str]], addresses: Counter[str]) -> list[str] | None:
    """Return the only line with an address."""
    wanted = address.strip().casefold()
    if addresses[wanted] != 1:
        return None
    return next(line for line in lines if wanted in (cell.strip().casefold() for cell in line))
