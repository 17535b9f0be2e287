"""Bring the files of a class up to date with its gradebook: sheets, results, feedback and its archives, and the report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from autograder.classroom import history
from autograder.classroom.code_lines import code_of
from autograder.classroom.exports import (
    changes_csv,
    grades_csv,
    platform_row,
    platform_sheets,
    sheet_names,
)
from autograder.classroom.gradebook import Facts, Gradebook
from autograder.classroom.gradebook_view import absentees, briefs, outlines, records, source_of, stored_records, waiting
from autograder.classroom.lateness import all_due
from autograder.classroom.record import Record, roster_names
from autograder.classroom.requests import Request, requests
from autograder.classroom.summary import Summary, summarize, told_summary
from autograder.classroom.unnamed_failures import groups
from autograder.classroom.whole_files import SPREADSHEET, is_draft, write_parts
from autograder.course.assignment import AT_ONCE
from autograder.lms.platform import Row
from autograder.lms.recognition import platforms
from autograder.pages.feedback_archive import pack, placed
from autograder.pages.page_writers import write_all
from autograder.pages.report import report_parts
from autograder.pages.review_queue import moved, queue_in, queue_of, stored_queue
from autograder.pages.review_queue import places as queue_places
from autograder.pages.student_files import STUDENT_FILES, OneStudent, write_page_for_graders, write_student

# The files of the class.
QUEUE = "staff/queue.json"  # the order in which the pages for graders lead to each other
CLASS_FILES = (
    "grades.csv",
    "changes.csv",
    *(f"exports/{name}.csv" for name in sheet_names()),
    "report.html",
    "summary.json",
    QUEUE,
)
_TABLES = ("grades.csv", "changes.csv")
_AT_ONCE = 100  # students who are read, and whose files are noted as written, together


@dataclass(frozen=True)
class Published:
    """The summary of a class, and its records in brief; no records where nothing had changed."""

    summary: Summary
    records: tuple[Record, ...] = ()


def publish(book: Gradebook, *, rewrite: bool = False, jobs: int = 1) -> Published:
    """Bring every file up to date with the book, or `rewrite` all of them; `jobs` processes write those of students."""
    out = book.folder
    _tell_reasons(book)
    students = book.students()
    due = {"", *students} if rewrite else book.unwritten() | _absent_files(out, students)
    _forget(out, students)
    if not due:
        return Published(summarize(book, tuple(outlines(book)), absentees(book), waiting(book)))
    book.begin_writing(due)
    graded = tuple(briefs(book))
    queue = queue_of(graded, groups(graded))
    places, others = queue_places(queue, roster_names(graded)), moved(_queue_before(out), queue) - due
    changed = [record.student for record in graded if record.student in due]
    asked: dict[str, list[Request]] = {}
    for request in requests(book):
        asked.setdefault(request.student, []).append(request)

    def known(some: Sequence[str]) -> list[OneStudent]:
        stored = stored_records(book, some)
        return [OneStudent(one, tuple(asked.get(one.student, ())), places.get(one.student)) for one in stored]

    write = partial(write_student, out, book.facts)
    for start in range(0, len(changed), _AT_ONCE):
        some = changed[start : start + _AT_ONCE]
        write_all(write, known(some), jobs)
        book.mark_written(some)
    for student in sorted(others.intersection(students)):
        write_page_for_graders(out, *known([student]))
    summary = _write_class(book, graded, queue)
    book.mark_written([""])
    return Published(summary, graded)


def _tell_reasons(book: Gradebook) -> None:
    """Note that students may read the reasons of a quiz's options: at once, or when the last of them had to hand in."""
    facts, due = book.facts, book.due
    over = facts.reasons == AT_ONCE or (
        due is not None and all_due(due, (person.extension for person in facts.roster)) < datetime.now(UTC)
    )
    if facts.questions and over:
        book.set_facts(Facts(reasons_told=True))


def _absent_files(out: Path, students: Sequence[str]) -> set[str]:
    """Return the students, and "" for the class, of whom a file is missing."""
    found = set()
    for folder, suffix in STUDENT_FILES:
        names = {path.name for path in (out / folder).glob(f"*{suffix}")}
        found |= {student for student in students if f"{student}{suffix}" not in names}
    return found | {"" for name in CLASS_FILES if not (out / name).is_file()}


def _forget(out: Path, students: Sequence[str]) -> None:
    """Remove files of students who are not in the class any more, and what a killed run did not finish writing."""
    names = set(students)
    for folder, suffix in STUDENT_FILES:
        for path in (out / folder).glob("*"):
            if is_draft(path) or (path.name.endswith(suffix) and path.name.removesuffix(suffix) not in names):
                path.unlink()


def _queue_before(out: Path) -> tuple[str, ...]:
    """Return the order that pages for graders were written with, if they were."""
    path = out / QUEUE
    return queue_in(path.read_text(encoding="utf-8")) if path.is_file() else ()


def _write_class(book: Gradebook, graded: Sequence[Record], queue: Sequence[str]) -> Summary:
    missing, later = absentees(book), waiting(book)
    summary = summarize(book, graded, missing, later)
    rows = sorted([*graded, *missing, *later], key=lambda record: record.student)
    lines = [platform_row(record) for record in rows]
    changes = history.changes(book.db)

    def texts() -> Iterator[Iterable[str]]:
        yield [grades_csv(rows)]
        yield [changes_csv(changes)]
        yield from (sheet for _, sheet in platform_sheets(lines))
        yield report_parts(
            graded,
            summary,
            missing,
            later,
            changes,
            requests(book),
            code_of=_reader(book),
            whole_of=lambda record: next(records(book, [record.student])),
            out=book.folder,
            queue=queue,
        )
        yield [json.dumps(told_summary(summary), indent=1, ensure_ascii=False)]
        yield [stored_queue(queue)]

    for name, parts in zip(CLASS_FILES, texts(), strict=True):
        write_parts(book.folder / name, parts, SPREADSHEET if name in _TABLES else "utf-8")
    _write_feedback_archives(book.folder, lines)
    return summary


def _reader(book: Gradebook) -> Callable[[str, str], str]:
    """Return what reads a student's code of an exercise."""

    def read(student: str, exercise: str) -> str:
        source = source_of(book, student)
        return code_of(source, exercise.partition(".")[0]) if source else ""

    return read


def _write_feedback_archives(out: Path, rows: Sequence[Row]) -> None:
    """Write `exports/PLATFORM-feedback.zip` for each platform that submissions came from; nothing of an earlier class stays."""
    for platform in platforms():
        if platform.feedback:
            path = out / "exports" / f"{platform.name}-feedback.zip"
            for draft in path.parent.glob(f".{path.name}.*"):
                draft.unlink()
            pack(path, placed(platform, ((row, out / "feedback" / f"{row.student}.html") for row in rows)))
