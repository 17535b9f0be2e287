"""Write down what a grader says at the desk: each action is one transaction, by the functions that the commands use.

A form carries what it was made from. Where that has changed, nothing is written and the grader is asked again, so no
decision replaces one that its author has not seen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.classroom.decisions import PointsError, points_said, ticked_in
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.marks import Kind, add_mark, marks
from autograder.classroom.record import Ticked
from autograder.classroom.requests import Asked, requests, take_in
from autograder.course.spec import RubricItem

_DECIDED = ("number", "points", "because", "who", "made", "rubric")
_MOST_AGAIN = 8  # earlier reasons that a form offers


class RefusedError(Exception):
    """What a form says cannot be written down; the message says why and what to do."""


class ChangedError(Exception):
    """Another person decided since the form was made, or the exercise was graded again."""


@dataclass(frozen=True)
class Decided:
    """A decision on an exercise as it stands in the gradebook, also one that was replaced."""

    number: int
    points: float | None  # None withdraws the earlier ones
    because: str
    who: str
    made: str  # when, in ISO 8601
    rubric: tuple[Ticked, ...] = ()  # in its words then


@dataclass(frozen=True)
class Form:
    """What a grader sends about an exercise of a student."""

    student: str
    exercise: str
    known: str  # the state that the form was made from
    points: str = ""
    because: str = ""
    items: tuple[str, ...] = ()  # of the rubric, by their numbers from 0: those that are ticked


def state_of(book: Gradebook, student: str, exercise: str) -> str:
    """Return what stands about an exercise, in short: another text after every decision, answer, grading and change of its rubric."""
    about = (student, exercise)
    decided = book.db.execute("SELECT max(id) FROM override WHERE student = ? AND exercise = ?", about).fetchone()
    answered = book.db.execute(
        "SELECT max(a.id) FROM answer a JOIN request r ON r.id = a.request WHERE r.student = ? AND r.exercise = ?",
        about,
    ).fetchone()
    result = book.db.execute("SELECT key, score FROM exercise WHERE student = ? AND name = ?", about).fetchone()
    rubric = book.facts.rubrics.get(exercise, ())
    return hashlib.sha256(repr((decided, answered, result, rubric)).encode()).hexdigest()[:16]


def decisions_on(book: Gradebook, student: str, exercise: str) -> tuple[Decided, ...]:
    """Return all decisions on an exercise, the latest first."""
    rows = book.db.execute(
        "SELECT id, points, because, who, made, rubric FROM override WHERE student = ? AND exercise = ? ORDER BY id DESC",
        (student, exercise),
    )
    found = (dict(zip(_DECIDED, row, strict=True)) for row in rows)
    return tuple(Decided(**{**one, "rubric": ticked_in(one["rubric"])}) for one in found)


def ticked_now(rubric: Sequence[RubricItem], decisions: Sequence[Decided]) -> frozenset[str]:
    """Return the items of a rubric that the latest decision ticked, by number; what was worded otherwise then is not among them."""
    before = {(item.item, item.points) for item in (decisions[0].rubric if decisions else ()) if item.ticked}
    return frozenset(str(number) for number, item in enumerate(rubric) if (item.item, item.points) in before)


def said_before(book: Gradebook, exercise: str) -> tuple[tuple[float, str], ...]:
    """Return points and reasons that persons gave for an exercise, the most frequent first, to be given again."""
    return tuple(
        book.db.execute(
            "SELECT points, because FROM override WHERE exercise = ? AND points IS NOT NULL AND because != ''"
            " GROUP BY points, because ORDER BY count(*) DESC, max(id) DESC LIMIT ?",
            (exercise, _MOST_AGAIN),
        )
    )


def decide(book: Gradebook, form: Form) -> None:
    """Give an exercise points, with a reason or by the items of its rubric. Raises RefusedError and ChangedError."""
    points, asked = _points(book, form), book.facts.rubrics.get(form.exercise, ())
    rubric = tuple(Ticked(one.item, one.points, str(number) in form.items) for number, one in enumerate(asked))
    if points is None and not form.items:
        raise RefusedError(f"{'Tick what the answer does, or give' if rubric else 'Give'} the points.")
    if points is None:
        points = min(sum(item.points for item in rubric if item.ticked), book.points[form.exercise])
    if not rubric and not form.because.strip():
        raise RefusedError("Say why: the reason stands in the results, and the student reads it.")
    with book.writing():
        _demand_unchanged(book, form)
        book.override(form.student, form.exercise, points, form.because.strip(), rubric)
        _take_flag_away(book, form)


def withdraw(book: Gradebook, form: Form) -> None:
    """Go back to the computed points. Raises ChangedError."""
    with book.writing():
        _demand_unchanged(book, form)
        book.override(form.student, form.exercise, None, form.because.strip())


def answer(book: Gradebook, form: Form, number: int) -> None:
    """Answer a request for a regrade; without points the score stays. Raises RefusedError and ChangedError."""
    request = next((one for one in requests(book, form.student) if one.number == number), None)
    if request is None or request.exercise != form.exercise:
        raise RefusedError("This request is not in the gradebook.")
    points = _points(book, form)
    if not form.because.strip():
        raise RefusedError("Answer in words: the student reads them.")
    with book.writing():
        _demand_unchanged(book, form)
        take_in(book, [Asked(form.student, form.exercise, request.asks, number, points, form.because.strip())])
        _take_flag_away(book, form)


def mark(book: Gradebook, form: Form, kind: Kind) -> None:
    """Note that an exercise, or a submission as a whole, was seen, or that another person should look."""
    add_mark(book, form.student, form.exercise, kind, form.because.strip())


def _demand_unchanged(book: Gradebook, form: Form) -> None:
    if state_of(book, form.student, form.exercise) != form.known:
        raise ChangedError


def _take_flag_away(book: Gradebook, form: Form) -> None:
    """Where an exercise is flagged, a decision settles that."""
    noted = marks(book).get((form.student, form.exercise))
    if noted and noted.kind is Kind.FLAGGED:
        add_mark(book, form.student, form.exercise, Kind.SEEN)


def _points(book: Gradebook, form: Form) -> float | None:
    """Return the points that a form names, or None where it names none."""
    if form.exercise not in book.points:
        raise RefusedError("This assignment has no such exercise.")
    try:
        return points_said(form.points.strip(), form.exercise, book.points[form.exercise])
    except PointsError as error:
        raise RefusedError(str(error)) from None
