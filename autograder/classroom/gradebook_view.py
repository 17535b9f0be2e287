"""Read a gradebook: records as they stand now, who handed in nothing, what a student handed in."""

from __future__ import annotations

import difflib
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from sys import intern

from autograder.classroom.gradebook import Gradebook, GradebookError
from autograder.classroom.record import Json, Override, absent, compose, ungraded
from autograder.classroom.roster import Person
from autograder.classroom.submissions import student_names
from autograder.sandbox.job import Chunk, Source
from autograder.submission.archives import printable

_ALIKE = ("name", "claim", "visibility", "status", "diagnosis", "says", "message")  # in many cases of many students


def records(book: Gradebook, students: Iterable[str] | None = None) -> Iterator[Json]:
    """Yield the records of the class, or of some of it, by student; one at a time is in memory."""
    run, points = book.run, book.fact("exercises")
    for student in book.students() if students is None else students:
        known, problem, notes, seconds, isolation, seed = book.db.execute(
            "SELECT s.head, g.problem, g.notes, g.seconds, run.isolation, todo.seed FROM submission s"
            " JOIN grading g USING (student) JOIN run ON run.id = g.run LEFT JOIN todo USING (student)"
            " WHERE s.student = ?",
            (student,),
        ).fetchone()
        rows = dict(book.db.execute("SELECT name, entry FROM exercise WHERE student = ?", (student,)))
        exercises = [_shared(json.loads(rows[name])) for name in points if name in rows]
        graded = {
            "problem": problem,
            "notes": json.loads(notes),
            "seconds": seconds,
            "isolation": json.loads(isolation),
        }
        its_run = run if seed is None else replace(run, seed=seed)
        decided = overrides(book, student).get(student, {})
        yield compose(its_run, student, json.loads(known), graded, exercises, decided)


def _shared(entry: Json) -> Json:
    """Keep equal texts once: a class of thousands says the same few sentences again and again."""
    for case in entry["cases"]:
        case |= {key: intern(case[key]) for key in _ALIKE}
    return entry


def overrides(book: Gradebook, only: str | None = None) -> dict[str, dict[str, Override]]:
    """Return what persons decided, by student and exercise; the latest counts. `only` asks for one student's."""
    found: dict[str, dict[str, Override]] = {}
    wanted, values = ("", ()) if only is None else (" WHERE student = ?", (only,))
    columns = "student, exercise, points, because, made"
    for student, exercise, points, because, made in book.db.execute(
        f"SELECT {columns} FROM override{wanted} ORDER BY id",  # noqa: S608 (ours)
        values,
    ):
        if points is None:
            found.get(student, {}).pop(exercise, None)
        else:
            found.setdefault(student, {})[exercise] = Override(points, because, made)
    return found


def absentees(book: Gradebook) -> list[Json]:
    """Return the lines of those on the roster who handed in nothing, as far as the latest run could see."""
    people = [Person(**entry) for entry in book.fact("roster") or ()]
    known = dict(
        book.db.execute("SELECT student, head FROM submission WHERE present UNION SELECT student, head FROM todo")
    )
    here = {(json.loads(text)["person"] or {}).get("id") for text in known.values()}
    names = student_names([*known, *(person.id for person in people if person.id not in here)])
    decided = overrides(book)
    missing = [(names[person.id], person) for person in people if person.id not in here]
    return [
        absent(book.run, {"student": name, "person": asdict(person)}, book.fact("exercises"), decided.get(name, {}))
        for name, person in sorted(missing)
    ]


def waiting(book: Gradebook) -> list[Json]:
    """Return the lines of those who handed in and have no result yet."""
    here, decided = set(book.students()), overrides(book)
    return [
        ungraded(book.run, student, json.loads(known), book.fact("exercises"), decided.get(student, {}))
        for student, known in book.db.execute("SELECT student, head FROM todo ORDER BY student").fetchall()
        if student not in here
    ]


def outdated(book: Gradebook) -> list[str]:
    """Return whose results are from before something changed, and still to be made anew."""
    rows = book.db.execute("SELECT student FROM todo JOIN submission USING (student) WHERE present ORDER BY student")
    return [student for (student,) in rows]


def left(book: Gradebook) -> list[str]:
    """Return who was graded and is not among the latest submissions, so that nothing made from the book names them."""
    rows = book.db.execute(
        "SELECT student FROM submission WHERE NOT present AND student NOT IN (SELECT student FROM todo) ORDER BY student"
    )
    return [student for (student,) in rows]


def source_of(book: Gradebook, student: str) -> Source | None:
    """Return the code that a student's result is of, or None where what was handed in could not be read."""
    (code,) = book.db.execute("SELECT code FROM submission WHERE student = ?", (student,)).fetchone()
    if code is None:
        return None
    module, notebook, chunks = json.loads(zlib.decompress(code))
    return Source(module, tuple(Chunk(label, text) for label, text in chunks), notebook)


def find_student(book: Gradebook, wanted: str) -> str:
    """Return whom somebody means: by the name in the grades, or by id, email or name on the roster.

    Raises GradebookError where it is nobody, or more than one.
    """
    lines = [(student, _person(known)) for student, known in book.db.execute("SELECT student, head FROM submission")]
    lines += [(entry["student"], entry["person"] or {}) for entry in [*absentees(book), *waiting(book)]]
    names = {student for student, _ in lines}
    if wanted in names:
        return wanted
    found = {
        student
        for student, person in lines
        if wanted.casefold() in {student.casefold(), *(str(value).casefold() for value in person.values())}
    }
    if len(found) == 1:
        return str(found.pop())
    if found:
        raise GradebookError(f"{printable(wanted)} may be any of {', '.join(sorted(found)[:5])}. Name one of them.")
    near = difflib.get_close_matches(wanted, names, 3, 0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else " grades.csv lists everyone."
    raise GradebookError(f"There is no student {printable(wanted)} in this gradebook.{hint}")


def find_exercise(names: Iterable[str], wanted: str) -> str:
    """Return the name of the exercise that somebody means. Raises GradebookError where there is none of that name."""
    names = list(names)
    if wanted in names:
        return wanted
    near = difflib.get_close_matches(wanted, names, 1, 0.4)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise GradebookError(f"There is no exercise {printable(wanted)}.{hint} It has: {', '.join(names)}.")


def _person(known: str) -> Json:
    person = json.loads(known)["person"] or {}
    return {key: person[key] for key in ("id", "name", "email") if person.get(key)}
