"""One file that came in another way than the class did, such as by mail: it is of the student who is named beside it.

It counts until that student hands in other code: what it replaced may come again with the class's export.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from autograder.classroom.gradebook import Gradebook, GradebookError
from autograder.classroom.gradebook_view import absentees, find_student, waiting
from autograder.classroom.record_json import head_of
from autograder.classroom.still_to_grade import Choices, choose, earlier_names, known_students
from autograder.classroom.stored_source import unpacked
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


def note_replaced(book: Gradebook, submissions: Sequence[Submission], choices: Choices) -> None:
    """Note that a single file replaces what was graded of its student, for `with_files_kept`."""
    (one,) = choose(submissions, choices.only)
    student = earlier_names(known_students(book), [one]).get(one.student, one.student)
    with book.db:
        book.db.execute("DELETE FROM replaced WHERE student = ? AND content = ?", (student, one.key))
        book.db.execute(
            "INSERT OR IGNORE INTO replaced SELECT student, content FROM submission WHERE student = ? AND content != ?",
            (student, one.key),
        )


def with_files_kept(book: Gradebook, submissions: Sequence[Submission]) -> tuple[Sequence[Submission], tuple[str, ...]]:
    """Return a class with the file that replaced what its export still holds of a student, and whose files these are."""
    replaced = set(book.db.execute("SELECT student, content FROM replaced"))
    names = earlier_names(known_students(book), submissions) if replaced else {}
    kept = {
        one.student: held
        for one in submissions
        if (names.get(one.student), one.key) in replaced and (held := _held(book, names[one.student], one))
    }
    return [kept.get(one.student, one) for one in submissions] if kept else submissions, tuple(kept)


def _held(book: Gradebook, student: str, submission: Submission) -> Submission | None:
    """Return what was graded of a student in place of a submission; None where that is the same, or nothing."""
    row = book.db.execute("SELECT code, head FROM submission WHERE student = ?", (student,)).fetchone()
    if not row:
        return None
    known = head_of(row[1])
    when = datetime.fromisoformat(known.submitted) if known.submitted else None
    held = replace(
        submission,
        code=unpacked(row[0]),
        origin=known.origin,
        problem=known.problem,
        notes=known.notes,
        doubts=known.doubts,
        submitted=when,
        late=False,
    )
    return held if held.key != submission.key else None


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
