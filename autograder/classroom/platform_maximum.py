"""Compare the points of an assignment with the maximum that it has on the platform, as Moodle's grading worksheet says it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from autograder.classroom.submissions import Submission
from autograder.classroom.tables import table_rows, table_text
from autograder.judge.points import points_text

_COLUMNS = ("maximumgrade", "bestwertung")


def maximum_in(path: Path) -> float:
    """Return the maximum in a worksheet that is a roster, too; 0 where none is said, or more than one."""
    rows = table_rows(table_text(path))
    names = [re.sub(r"[^a-z]", "", cell.casefold()) for cell in next(rows, (0, []))[1]]
    at = next((names.index(name) for name in _COLUMNS if name in names), None)
    said = {row[at].strip() for _, row in rows if at is not None and at < len(row)} - {""}
    number = re.fullmatch(r"(\d+)(?:[.,](\d+))?", said.pop()) if len(said) == 1 else None
    return float(f"{number[1]}.{number[2] or 0}") if number else 0.0


def is_of_this(submissions: Iterable[Submission]) -> bool:
    """Whether the roster is the worksheet of the assignment that an export of Moodle is of, by its participants' numbers."""
    return any(one.owner.system == "moodle" and one.person and one.person.participant for one in submissions)


def other_maximum(maximum: float, points: float) -> str:
    """Say that the maximum on the platform is another one than the points, and how they meet; nothing where it is not."""
    if not maximum or maximum == points:
        return ""
    return (
        f"Moodle's worksheet says that the maximum grade is {points_text(maximum)} there, and the assignment has "
        f"{points_text(points)} points. Nothing is scaled: set the maximum grade to {points_text(points)} in the "
        "assignment's settings in Moodle before the points go there. How much it counts in the course is its weight there."
    )
