"""Requests of students to look at an exercise again: what they ask, what was found, and what a person decided.

A request is answered in two steps. Its exercise is run again, and what is found is written down: status and known mistake
of each case, and never an input. Then a person decides: other points, with a reason, or only a reason. Both stand in the
gradebook as soon as they are known, so a command that is stopped goes on where it was.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from autograder.classroom import decisions
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.record import ExerciseRecord
from autograder.course.language import marked, say
from autograder.course.spec import Status
from autograder.judge.result import ExerciseResult
from autograder.judge.result_json import Json
from autograder.submission.archives import several

_COLUMNS = "id, student, exercise, asks, made, findings, problem, points, because, who, decided"


@dataclass(frozen=True)
class Finding:
    """A case that does not pass: how it ended, its known mistake in words, and how it had ended in the gradebook."""

    case: str
    status: Status
    says: str
    before: str


@dataclass(frozen=True)
class Answer:
    """What a person decided; without points the score stays. None is lost when another one follows."""

    points: float | None
    because: str
    who: str
    made: str  # when, in ISO 8601


@dataclass(frozen=True)
class Request:
    """What a student asks about an exercise. `findings` is None until it was run again; `problem` says why it was not."""

    number: int
    student: str
    exercise: str
    asks: str
    made: str  # when it was read, in ISO 8601
    findings: tuple[Finding, ...] | None = None
    problem: str = ""
    answer: Answer | None = None

    @property
    def waits(self) -> bool:
        """Whether nothing was found yet that a person could decide by."""
        return self.answer is None and self.findings is None and not self.problem

    @property
    def found(self) -> str:
        """What was found, in a few sentences."""
        if self.problem or self.findings is None:
            return self.problem or say("Not run again yet.")
        if not self.findings:
            return say("Every case passes.")
        alike: dict[tuple[str, str, str], list[str]] = {}
        for one in self.findings:
            alike.setdefault((one.status, one.before, one.says), []).append(one.case)
        return " ".join(_line(*key, cases) for key, cases in alike.items())


@dataclass(frozen=True)
class Asked:
    """A line of a sheet of requests: a new one, or a decision on the one with that number."""

    student: str
    exercise: str
    asks: str
    number: int | None = None
    points: float | None = None
    because: str = ""


def requests(book: Gradebook, student: str | None = None) -> tuple[Request, ...]:
    """Return all requests, or those of one student, the earliest first."""
    wanted, values = ("", ()) if student is None else (" WHERE student = ?", (student,))
    rows = book.db.execute(f"SELECT {_COLUMNS} FROM request{wanted} ORDER BY id", values)  # noqa: S608 (ours)
    return tuple(map(_request, rows))


def answers(book: Gradebook, number: int) -> tuple[Answer, ...]:
    """Return all that persons decided on a request, the latest last."""
    rows = book.db.execute("SELECT points, because, who, made FROM answer WHERE request = ? ORDER BY id", (number,))
    return tuple(Answer(*row) for row in rows)


def take_in(book: Gradebook, asked: Iterable[Asked]) -> int:
    """Write down new requests and decisions, all at once, and return how many are new; what is known changes nothing."""
    new = 0
    with book.writing():
        for one in asked:
            number = one.number or _number(book.db, one)
            if number is None:
                new += 1
                number = book.db.execute(
                    "INSERT INTO request (student, exercise, asks, made) VALUES (?, ?, ?, ?)",
                    (one.student, one.exercise, one.asks, _now()),
                ).lastrowid
                book.changed(one.student)
            if one.because:
                _decide(book, number or 0, one)
    return new


def note_findings(book: Gradebook, request: Request, findings: Sequence[Finding]) -> None:
    """Write down what running the exercise again came to."""
    with book.db:
        text = json.dumps([asdict(finding) for finding in findings])
        book.db.execute("UPDATE request SET findings = ? WHERE id = ?", (text, request.number))
        book.changed(request.student)


def note_problem(book: Gradebook, request: Request, problem: str) -> None:
    """Write down why there is nothing to run again."""
    with book.db:
        book.db.execute("UPDATE request SET problem = ? WHERE id = ?", (problem, request.number))
        book.changed(request.student)


def findings_of(result: ExerciseResult, before: ExerciseRecord) -> tuple[Finding, ...]:
    """Return what an exercise came to, beside how its cases ended in the gradebook; nothing of any input."""
    known = {case.name: case.status for case in before.cases}
    return tuple(Finding(case.name, case.status, case.says, known.get(case.name, "")) for case in result.failing)


def told_request(request: Request) -> Json:
    """Return a request as results/STUDENT.json tells it."""
    return {
        "exercise": request.exercise,
        "asks": request.asks,
        "made": request.made,
        "found": request.found,
        "points": request.answer.points if request.answer else None,
        "because": request.answer.because if request.answer else "",
        "decided": request.answer.made if request.answer else None,
    }


def _request(row: tuple[Any, ...]) -> Request:
    number, student, exercise, asks, made, stored, problem, points, because, who, decided = row
    found = None
    if stored is not None:
        found = tuple(Finding(**{**one, "status": Status(one["status"])}) for one in json.loads(str(stored)))
    answer = Answer(points, because, who, decided) if decided else None
    return Request(number, student, exercise, asks, made, found, problem, answer)


def _number(db: sqlite3.Connection, one: Asked) -> int | None:
    row = db.execute(
        "SELECT id FROM request WHERE student = ? AND exercise = ? AND asks = ?", (one.student, one.exercise, one.asks)
    ).fetchone()
    return row and int(row[0])


def _decide(book: Gradebook, number: int, one: Asked) -> None:
    """Write a decision down, unless it stands already; points that the exercise has anyway decide nothing."""
    known = next(request for request in requests(book, one.student) if request.number == number)
    score = decisions.score(book.db, one.student, one.exercise)
    if known.answer and known.answer.because == one.because and one.points in (None, known.answer.points, score):
        return
    points = one.points if one.points != score else None
    if points is not None:
        book.override(one.student, one.exercise, points, one.because)
    decision = (points, one.because, book.who, _now(), number)
    book.db.execute("UPDATE request SET points = ?, because = ?, who = ?, decided = ? WHERE id = ?", decision)
    book.db.execute("INSERT INTO answer (points, because, who, made, request) VALUES (?, ?, ?, ?, ?)", decision)
    book.changed(one.student)


def _line(status: str, before: str, says: str, cases: Sequence[str]) -> str:
    """Tell of cases that end alike, for the same reason."""
    ended = say("{cases}: {status}.", cases=several(cases), status=status)
    if before not in ("", status):
        told = marked("{cases}: {status}, {before} when it was graded.")
        ended = say(told, cases=several(cases), status=status, before=before)
    return f"{ended} {says}".rstrip()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
