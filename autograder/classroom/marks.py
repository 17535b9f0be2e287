"""What graders note beside points: that one has seen something, or wants another person to look; and what each has open.

Marks are only added; the latest on a student's exercise counts, as long as it is about the code that is graded now. A page
that is open at a desk keeps no other grader out: it is only told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from autograder.classroom.gradebook import Gradebook

_OPEN_FOR = timedelta(minutes=2)  # after a page was heard of last


class Kind(StrEnum):
    """What a mark says."""

    SEEN = "seen"
    FLAGGED = "flagged"


@dataclass(frozen=True)
class Mark:
    """What a grader noted about an exercise, or about the submission as a whole where that is ""."""

    number: int
    kind: Kind
    words: str  # for graders alone
    who: str
    made: str  # when, in ISO 8601


@dataclass(frozen=True)
class Opened:
    """Who has a student's page open, since when."""

    who: str
    made: str  # in ISO 8601


def marks(book: Gradebook) -> Mapping[tuple[str, str], Mark]:
    """Return the marks that count, by student and exercise."""
    rows = book.db.execute(
        "SELECT m.student, m.exercise, m.id, m.kind, m.words, m.who, m.made FROM mark m LEFT JOIN submission s USING (student)"
        " WHERE m.content = coalesce(s.content, '') ORDER BY m.id"
    )
    return {
        (student, exercise): Mark(number, Kind(kind), words, who, made)
        for student, exercise, number, kind, words, who, made in rows
    }


def add_mark(book: Gradebook, student: str, exercise: str, kind: Kind, words: str = "") -> None:
    """Write a mark down, about the code as it is graded now."""
    with book.writing():
        row = book.db.execute("SELECT content FROM submission WHERE student = ?", (student,)).fetchone()
        book.db.execute(
            "INSERT INTO mark (student, exercise, kind, words, content, who, made) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (student, exercise, kind, words, row[0] if row else "", book.who, _now().isoformat(timespec="seconds")),
        )


def note_opened(book: Gradebook, student: str) -> None:
    """Note that the grader has this student's page open, and so no other one any more."""
    made = _now().isoformat(timespec="seconds")
    with book.writing():
        book.db.execute("INSERT OR REPLACE INTO opened VALUES (?, ?, ?)", (book.who, student, made))


def others_at(book: Gradebook, student: str) -> tuple[Opened, ...]:
    """Return the other graders who have this student's page open."""
    return tuple(one for who, one in open_pages(book) if who == student and one.who != book.who)


def open_pages(book: Gradebook) -> tuple[tuple[str, Opened], ...]:
    """Return the students whose pages are open, and at whose desk."""
    since = (_now() - _OPEN_FOR).isoformat(timespec="seconds")
    rows = book.db.execute("SELECT student, who, made FROM opened WHERE made >= ? ORDER BY who", (since,))
    return tuple((student, Opened(who, made)) for student, who, made in rows)


def _now() -> datetime:
    return datetime.now(UTC)
