"""Read a gradebook: records as they stand now, who handed in nothing, what a student handed in."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from autograder.classroom.decisions import kept_points
from autograder.classroom.gradebook import Gradebook, GradebookError
from autograder.classroom.record import UNCLEAR, Head, Override, Record, absent, head, ungraded
from autograder.classroom.record_json import head_of
from autograder.classroom.roster import Person, letters_of, rotations
from autograder.classroom.stored_record import StoredRecord
from autograder.classroom.stored_source import unpacked
from autograder.classroom.student_names import student_names
from autograder.classroom.submissions import Submission
from autograder.sandbox.job import Source
from autograder.submission.archives import printable, several


def records(book: Gradebook, students: Iterable[str] | None = None) -> Iterator[Record]:
    """Yield the records of the class, or of some of it, by student; one at a time is in memory."""
    return (stored.record() for stored in stored_records(book, book.students() if students is None else students))


def briefs(book: Gradebook) -> Iterator[Record]:
    """Yield the records of the class as its own pages need them, of which all fit into memory."""
    return (stored.brief() for stored in stored_records(book, book.students()))


def outlines(book: Gradebook) -> Iterator[Record]:
    """Yield the records of the class without their cases, which are most of what a record is made of."""
    for student in book.students():
        found = book.outline(student)
        yield _stored(book, student).with_exercises([found[name] for name in book.points if name in found])


def stored_records(book: Gradebook, students: Iterable[str]) -> Iterator[StoredRecord]:
    """Yield what is stored of some students' submissions; equal exercises of these are one text."""
    texts: dict[str, str] = {}
    for student in students:
        rows = book.db.execute(
            "SELECT name, text, times FROM exercise JOIN entry ON digest = entry WHERE student = ?", (student,)
        ).fetchall()
        entries = {name: texts.setdefault(text, text) for name, text, _ in rows}
        yield replace(
            _stored(book, student),
            exercises=tuple(entries[name] for name in book.points if name in entries),
            times={name: times for name, _, times in rows},
            kept=kept_points(book.db, student),
        )


def _stored(book: Gradebook, student: str) -> StoredRecord:
    """Return what is stored of a submission, but for its exercises."""
    known, code, problem, notes, seconds, isolation, seed = book.db.execute(
        "SELECT s.head, s.code, g.problem, g.notes, g.seconds, run.isolation, todo.seed FROM submission s"
        " JOIN grading g USING (student) JOIN run ON run.id = g.run LEFT JOIN todo USING (student)"
        " WHERE s.student = ?",
        (student,),
    ).fetchone()
    run = book.run if seed is None else replace(book.run, seed=seed)
    decided = book.overrides(student).get(student, {})
    return StoredRecord(run, student, known, code, (problem, notes, seconds, isolation), decided)


def absentees(book: Gradebook) -> list[Record]:
    """Return the lines of those on the roster who handed in nothing, as far as the latest run could see."""
    decided = book.overrides()
    return [
        absent(book.run, name, person, book.points, decided.get(name, {}))
        for name, person, perhaps in _missing(book)
        if not perhaps
    ]


def _missing(book: Gradebook) -> Iterator[tuple[str, Person, list[str]]]:
    """Yield students on the roster without a submission, each with the submissions that may be theirs by name."""
    if not book.facts.roster:
        return
    texts = dict(
        book.db.execute("SELECT student, head FROM submission WHERE present UNION SELECT student, head FROM todo")
    )
    heads = {student: head_of(text) for student, text in texts.items()}
    here = {known.person.id for known in heads.values() if known.person}
    missing = [person for person in book.facts.roster if person.id not in here]
    names = student_names([*heads, *(person.id for person in missing)])
    nobodys = defaultdict[str, list[str]](list)
    for student in sorted(heads):
        if not heads[student].person:
            nobodys[letters_of(heads[student].lms.name or student)].append(student)
    for person in sorted(missing, key=lambda person: names[person.id]):
        perhaps = {student for letters in rotations(person.name) for student in nobodys.get(letters, ())}
        yield names[person.id], person, sorted(perhaps)


def waiting(book: Gradebook) -> list[Record]:
    """Return the lines of students who have no result yet, or whose submission cannot be told from a namesake's."""
    here, decided = set(book.students()), book.overrides()
    later = [
        ungraded(book.run, student, head_of(known), book.points, decided.get(student, {}))
        for student, known in book.db.execute("SELECT student, head FROM todo ORDER BY student").fetchall()
        if student not in here
    ]
    return later + [_unclear(book, *found, decided.get(found[0], {})) for found in _missing(book) if found[-1]]


def _unclear(
    book: Gradebook, name: str, person: Person, perhaps: Sequence[str], decided: Mapping[str, Override]
) -> Record:
    """Return the line of a student whose name, which others have too, stands on some submissions: no points."""
    known = replace(head(Submission(name, f"perhaps {several(perhaps)}", None)), person=person)
    return replace(ungraded(book.run, name, known, book.points, decided), status=UNCLEAR)


def outdated(book: Gradebook) -> list[str]:
    """Return the students whose results are stale."""
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
    return unpacked(code)


def find_student(book: Gradebook, wanted: str) -> str:
    """Return the student of that name in the grades or in the export, or of that id, email or name on the roster.

    Raises GradebookError where there is none, or more than one.
    """
    graded = book.db.execute("SELECT student, head, owner FROM submission")
    called = [(student, names_of(head_of(known)) | {owner.casefold()}) for student, known, owner in graded]
    called += [(record.student, names_of(record)) for record in [*absentees(book), *waiting(book)]]
    names = {student for student, _ in called}
    if wanted in names:
        return wanted
    found = {student for student, theirs in called if wanted.casefold() in {student.casefold(), *theirs}}
    if len(found) == 1:
        return str(found.pop())
    if found:
        raise GradebookError(f"{printable(wanted)} may be any of {', '.join(sorted(found)[:5])}. Name one of them.")
    partly = [student for student, theirs in called if any(wanted.casefold() in name for name in theirs)]
    near = partly[:3] or difflib.get_close_matches(wanted, names, 3, 0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else " grades.csv lists everyone."
    raise GradebookError(f"There is no student {printable(wanted)} in this gradebook.{hint}")


def find_exercise(names: Iterable[str], wanted: str) -> str:
    """Return the exercise of that name. Raises GradebookError where there is none."""
    names = list(names)
    if wanted in names:
        return wanted
    near = difflib.get_close_matches(wanted, names, 1, 0.4)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise GradebookError(f"There is no exercise {printable(wanted)}.{hint} It has: {', '.join(names)}.")


def names_of(head: Head) -> set[str]:
    """Return what a student may be called, without capitals: as the export does, or as the roster does."""
    person = head.person or Person("")
    return {name.casefold() for name in (head.lms.name, person.id, person.name, person.email) if name}
