"""A student's record for the desk, whether or not anything was handed in."""

from __future__ import annotations

from dataclasses import replace

from autograder.classroom.gradebook import Gradebook
from autograder.classroom.gradebook_view import absentees, left, records, waiting
from autograder.classroom.record import Record, roster_names
from autograder.classroom.record_json import head_of


class NoStudentError(Exception):
    """The class has no such student; the message says so."""


def people_in(book: Gradebook) -> dict[str, str]:
    """Return the students' names on the roster by their names in the grades."""
    heads = [(who, head_of(known).person) for who, known in book.db.execute("SELECT student, head FROM submission")]
    graded = {who: person.name for who, person in heads if person and person.name}
    return graded | roster_names([*absentees(book), *waiting(book)])


def record_of(book: Gradebook, student: str) -> Record:
    """Return the record of a student of the class, also of who handed in nothing. Raises NoStudentError."""
    if student in {*book.students(), *left(book)}:
        return next(records(book, [student]))
    for record in (*absentees(book), *waiting(book)):
        if record.student == student:
            shown = tuple(replace(exercise, score=exercise.points) for exercise in record.exercises)
            return replace(record, score=record.points, exercises=shown)
    raise NoStudentError("This student is not in the class. The first page of the desk lists everyone who was graded.")
