"""Until when each student may hand in, and how late a submission is: dates, extensions, hours.

An extension is hours (`48`, `48h`), days (`2d`) or a date of its own (`2026-03-05`, `2026-03-05T12:00`). What lateness costs is the
course's affair (`course_grades.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from autograder.submission.archives import printable

_SPAN = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?) ?(?P<unit>|h|hours?|d|days?)", re.IGNORECASE)


class DateError(ValueError):
    """What was written is no date, or no extension; the message says how one is written."""


@dataclass(frozen=True)
class Lateness:
    """When a submission came and how late that is; hours are None where only a mark says so, or nothing does."""

    submitted: datetime | None = None
    due: datetime | None = None
    late: bool = False
    hours: float | None = None


def parse_time(text: str) -> datetime:
    """Read a date or a moment, in this machine's time zone unless it names one; a day ends when it ends."""
    try:
        moment = datetime.fromisoformat(text.strip())
        if re.fullmatch(r"\d{4}-\d\d-\d\d|\d{8}", text.strip()):
            moment = datetime.combine(moment, time.max.replace(microsecond=0))
        return moment.astimezone()
    except (ValueError, OverflowError, OSError):
        raise DateError(f"{printable(text)!r} is no date. Write it as 2026-03-01 or 2026-03-01T23:59.") from None


def due_with(due: datetime | None, extension: str) -> datetime | None:
    """Return the deadline of a student with an extension. Raises DateError where it cannot be read."""
    if not extension:
        return due
    span = _SPAN.fullmatch(extension)
    if span is None:
        try:
            return parse_time(extension)
        except DateError:
            example = "Write hours (48h), days (2d) or a date (2026-03-05)."
            raise DateError(f"{printable(extension)!r} is no extension. {example}") from None
    days = span["unit"].lower().startswith("d")
    try:
        length = timedelta(hours=float(span["number"]) * (24 if days else 1))
        return due + length if due else None
    except OverflowError:
        raise DateError(f"{printable(extension)!r} is longer than a calendar goes.") from None


def all_due(due: datetime, extensions: Iterable[str]) -> datetime:
    """Return until when the last of a class may hand in."""
    return max(due_with(due, extension) or due for extension in ("", *extensions))


def lateness(submitted: datetime | None, due: datetime | None, extension: str, *, marked: bool) -> Lateness:
    """Compare a submission with its own due date; where its time is not known, the export's mark counts."""
    own = due_with(due, extension)
    if submitted is None or own is None:
        return Lateness(submitted, own, marked)
    hours = round(max((submitted - own).total_seconds(), 0.0) / 3600, 2)
    return Lateness(submitted, own, hours > 0, hours)
