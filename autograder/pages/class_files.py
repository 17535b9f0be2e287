"""Bring the files of a class up to date with its gradebook: sheets, results, feedback and the report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from autograder.classroom.exports import grades_csv, gradescope_results, platform_row, platform_sheets, sheet_names
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.gradebook_view import absentees, left, outdated, overrides, records, waiting
from autograder.classroom.record import Json
from autograder.classroom.whole_files import is_draft, write_whole
from autograder.pages.feedback import feedback_html
from autograder.pages.feedback_archives import write_feedback_archives
from autograder.pages.report import report_html

# The files of the class and, by folder and ending, those of each student.
CLASS_FILES = ("grades.csv", *(f"exports/{name}.csv" for name in sheet_names()), "report.html", "summary.json")
STUDENT_FILES = (("results", ".json"), ("feedback", ".html"), ("exports/gradescope", ".json"))
_AT_ONCE = 100  # students whose files are noted as written together


def publish(book: Gradebook, *, anew: bool = False) -> Json:
    """Bring every file up to date with the book, or make all of them `anew`; return the summary."""
    out = book.folder
    students = book.students()
    due = {"", *students} if anew else book.unwritten() | _absent_files(out, students)
    _forget(out, students)
    waiting = sorted(due - {""})
    for start in range(0, len(waiting), _AT_ONCE):
        some = waiting[start : start + _AT_ONCE]
        for entry in records(book, some):
            _write_student(out, entry)
        book.mark_written(some)
    if due:
        _write_class(book)
        book.mark_written([""])
    summary: Json = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    return summary


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


def _write_student(out: Path, entry: Json) -> None:
    texts = (
        json.dumps(entry, indent=1, ensure_ascii=False),
        feedback_html(entry),
        json.dumps(gradescope_results(entry), indent=1, ensure_ascii=False),
    )
    for (folder, suffix), text in zip(STUDENT_FILES, texts, strict=True):
        write_whole(out / folder / f"{entry['student']}{suffix}", text)


def _write_class(book: Gradebook) -> None:
    entries, missing, later = list(records(book)), absentees(book), waiting(book)
    summary = _summary(book, entries, missing, later)
    rows = sorted([*entries, *missing, *later], key=lambda entry: str(entry["student"]))
    lines = [platform_row(entry) for entry in rows]
    texts = (
        grades_csv(rows),
        *platform_sheets(lines).values(),
        report_html(entries, summary, missing, later),
        json.dumps(summary, indent=1, ensure_ascii=False),
    )
    for name, text in zip(CLASS_FILES, texts, strict=True):
        write_whole(book.folder / name, text)
    write_feedback_archives(book.folder, lines)


def _summary(book: Gradebook, entries: Sequence[Json], missing: Sequence[Json], later: Sequence[Json]) -> Json:
    """Return what holds for the class as a whole."""
    roster = bool(book.fact("roster"))
    failed = any(entry["status"] == "grader_error" for entry in entries)
    return {
        "assignment": book.fact("assignment"),
        "title": book.fact("title"),
        "seed": book.fact("seed"),
        "due": book.fact("due"),
        **book.last_run(),
        "submissions": len(entries),
        "problems": [f"{e['student']}: {e['problem']}" for e in entries if e["status"] == "grader_error"],
        "without_points": len(entries) > 1 and not (later or failed or any(entry["score"] for entry in entries)),
        "late": sum(entry["late"] for entry in entries),
        "undated": sum(bool(entry["due"] and not entry["submitted"]) for entry in entries),
        "overrides": sum(len(decided) for decided in overrides(book).values()),
        "not_submitted": [{"student": entry["student"], **entry["person"]} for entry in missing],
        "not_graded": [entry["student"] for entry in later],
        "outdated": outdated(book),
        "left": left(book),
        "not_on_roster": [entry["student"] for entry in entries if not entry["person"]] if roster else [],
    }
