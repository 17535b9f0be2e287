"""The sheet of requests: students' requests as a CSV, and the one that a grader fills decisions into.

A sheet names the columns `student`, `exercise` and `asks` (or `request`, `message`). The one that is written has the number of
each request besides, what was found, and the columns `points` and `because`, which are to be filled: points with a reason
change the score, a reason alone says why it stays.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.classroom.decisions import PointsError, points_said, score
from autograder.classroom.gradebook import Gradebook, GradebookError
from autograder.classroom.gradebook_view import find_exercise, find_student
from autograder.classroom.requests import Answer, Asked, Request, answers, requests
from autograder.classroom.tables import TableError, table_rows, table_text
from autograder.lms.platform import inert, write_sheet
from autograder.submission.archives import printable

FILE = "requests.csv"
_COLUMNS = {
    "number": ("number",),
    "student": ("student", "name", "id", "email", "emailaddress", "username"),
    "exercise": ("exercise", "question"),
    "asks": ("asks", "request", "message", "text", "reason"),
    "points": ("points",),
    "because": ("because", "decision"),
}


class RequestError(Exception):
    """A sheet of requests cannot be used; the message says what is wrong, in which line, and what to do."""


def read_sheet(path: Path, book: Gradebook) -> tuple[Asked, ...]:
    """Read a sheet of requests on a graded class, all of it or nothing. Raises RequestError."""
    try:
        return tuple(_asked(table_text(path), book))
    except TableError as error:
        raise RequestError(str(error)) from None
    except (RequestError, csv.Error) as error:
        raise RequestError(f"{path}: {error}") from None


def request_sheet(book: Gradebook) -> str:
    """Return the sheet of all requests, for a person to decide."""
    rows: list[list[object]] = [
        ["number", "student", "exercise", "asks", "score", "max_score", "found", "points", "because"]
    ]
    for one in requests(book):
        now, most = score(book.db, one.student, one.exercise), book.points.get(one.exercise)
        answer = one.answer
        decided = (answer.points, answer.because) if answer else ("", "")
        rows.append([one.number, one.student, one.exercise, one.asks, now, most, one.found, *decided])
    return write_sheet(rows)


def _asked(text: str, book: Gradebook) -> Iterator[Asked]:
    rows = table_rows(text)
    header = next(rows, (0, []))[1]
    columns = _columns(header)
    known = {request.number: request for request in requests(book)}
    for line, row in rows:
        cells = {key: row[i].strip() if i < len(row) else "" for key, i in columns.items()}
        if not any(cells.values()):
            continue
        try:
            yield _one(cells, book, known)
        except (RequestError, GradebookError) as error:
            raise RequestError(f"line {line}: {error}") from None


def _columns(header: Sequence[str]) -> Mapping[str, int]:
    names = [re.sub(r"[^a-z]", "", cell.casefold()) for cell in header]
    found = {
        key: next(names.index(word) for word in words if word in names)
        for key, words in _COLUMNS.items()
        if set(words) & set(names)
    }
    if missing := [key for key in ("student", "exercise", "asks") if key not in found]:
        raise RequestError(
            f"the first line names no column {' or '.join(missing)}. Begin with the line student,exercise,asks."
        )
    return found


def _one(cells: Mapping[str, str], book: Gradebook, known: Mapping[int, Request]) -> Asked:
    number, because, stands = cells.get("number", ""), cells.get("because", ""), 0.0
    if number:
        request = known.get(int(number)) if number.isdecimal() else None
        if request is None:
            raise RequestError(
                f"there is no request with the number {printable(number)}. Leave the number of a new one empty."
            )
        student, exercise, asks = request.student, request.exercise, request.asks
        if request.answer and because == inert(request.answer.because):
            because, stands = request.answer.because, request.answer.points or 0.0  # whatever it is worth since
    else:
        student, exercise = find_student(book, cells["student"]), find_exercise(book.points, cells["exercise"])
        asks = cells["asks"].encode("utf-8", "replace").decode()
    if not asks:
        raise RequestError("the request is empty. Write what the student asks.")
    try:
        points = points_said(cells.get("points", ""), exercise, max(book.points.get(exercise, 0.0), stands))
    except PointsError as error:
        raise RequestError(str(error)) from None
    if number and _was_replaced(answers(book, int(number)), points, because):
        points, because = None, ""
    if points is not None and not because:
        raise RequestError("there are points, but no reason. Fill the column because: the student reads it.")
    return Asked(student, exercise, asks, int(number) if number else None, points, because)


def _was_replaced(given: Sequence[Answer], points: float | None, because: str) -> bool:
    """Whether a sheet says what a person decided before, and another decision, as at the desk, has followed since."""
    alike = [(one.points, inert(one.because)) == (points, inert(because)) for one in given]
    return any(alike) and not alike[-1]
