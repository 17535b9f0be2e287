"""One file that came in another way than the class did, such as by mail: it is of the student who is named beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from autograder.classroom.gradebook import Gradebook, GradebookError
from autograder.classroom.gradebook_view import absentees, find_student, waiting
from autograder.classroom.record_json import head_of
from autograder.classroom.still_to_grade import Choices, choose
from autograder.classroom.submissions import Submission
from autograder.lms.platform import Owner
from autograder.submission.archives import suffix_of
from autograder.submission.source import SUFFIXES


def is_one_file(submissions: Sequence[Submission], path: Path, choices: Choices) -> bool:
    """Whether what is graded is a single file, for a single student."""
    return len(choices.only) == len(submissions) == 1 and not path.is_dir() and suffix_of(path.name) in SUFFIXES


def as_theirs(
    book: Gradebook, submissions: Sequence[Submission], path: Path, choices: Choices
) -> tuple[Sequence[Submission], Choices]:
    """Return a single file as the work of the only student who is chosen, and the choice of that student by the name in the grades.

    Where the file is called after the student, or more is graded than one file, nothing changes. Raises GradebookError where the gradebook has
    no such student.
    """
    if not is_one_file(submissions, path, choices) or _says_whose(book, submissions, choices):
        return submissions, choices
    student = find_student(book, choices.only[0])
    return [_of(book, student, submissions[0])], replace(choices, only=(student,))


def _says_whose(book: Gradebook, submissions: Sequence[Submission], choices: Choices) -> bool:
    """Whether a file's own name is that of the student who is chosen, whom the roster knows, if there is one."""
    try:
        (one,) = choose(submissions, choices.only)
    except GradebookError:
        return False
    return one.person is not None or not (choices.facts.roster or book.facts.roster)


def _of(book: Gradebook, student: str, submission: Submission) -> Submission:
    """Return a submission as that of a student of the gradebook."""
    held = (
        "SELECT owner, head FROM submission WHERE student = ? UNION ALL SELECT owner, head FROM todo WHERE student = ?"
    )
    row = book.db.execute(held, (student, student)).fetchone()
    if row:
        owner, known = row[0], head_of(row[1])
        theirs = Owner(owner, known.lms.name, known.lms.number, system=known.lms.system)
        return replace(submission, student=student, owner=theirs, person=known.person, place=known.lms.place)
    record = next(one for one in [*absentees(book), *waiting(book)] if one.student == student)
    key = record.person.id if record.person else student
    return replace(submission, student=student, owner=Owner(key), person=record.person)
