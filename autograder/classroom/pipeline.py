"""From submissions to everything a class gets: the gradebook, and what is made from it."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.classroom.exports import grades_csv, gradescope_results, platform_row, platform_sheets, sheet_names
from autograder.classroom.gradebook import Gradebook, GradebookError
from autograder.classroom.gradebook_view import absentees, find_exercise, left, outdated, overrides, records, waiting
from autograder.classroom.record import Graded, Json
from autograder.classroom.result_keys import builds_on, exercise_keys
from autograder.classroom.run import grade_class
from autograder.classroom.shards import Shard
from autograder.classroom.submissions import Submission
from autograder.classroom.whole_files import is_draft, write_whole
from autograder.command.progress import Mark, Watch
from autograder.course.spec import Assignment
from autograder.oracle.oracle import Oracle
from autograder.pages.feedback_archives import write_feedback_archives
from autograder.pages.report import feedback_html, report_html
from autograder.sandbox.job import Isolation, Sandbox
from autograder.submission.archives import printable

# The files of the class and, by folder and ending, those of each student.
CLASS_FILES = ("grades.csv", *(f"exports/{name}.csv" for name in sheet_names()), "report.html", "summary.json")
STUDENT_FILES = (("results", ".json"), ("feedback", ".html"), ("exports/gradescope", ".json"))
_AT_ONCE = 100  # students whose files are noted as written together


@dataclass(frozen=True)
class Choices:
    """What a grader may say beside the class itself; nothing said means as the gradebook has it."""

    seed: int | None = None
    regrade: tuple[str, ...] = ()  # exercises
    only: tuple[str, ...] = ()  # students
    shard: Shard | None = None  # the part of the class that is graded here
    facts: Mapping[str, Any] | None = None  # roster and due date, where they are given


@dataclass(frozen=True)
class Plan:
    """What is to be graded: the submissions, and of each the exercises whose results are new."""

    oracle: Oracle
    keys: Mapping[str, str]
    stale: Mapping[str, frozenset[str]]
    tasks: tuple[Submission, ...]
    kept: int
    decided: tuple[str, ...] = ()  # students of whom a person decided something before this code of theirs came


def make_plan(book: Gradebook, assignment: Assignment, submissions: Sequence[Submission], choices: Choices) -> Plan:
    """Compare a class with its gradebook. A new book gets a seed, which later runs use too. Raises GradebookError."""
    known = book.fact("seed")
    facts = _part(book, choices, known)
    if choices.shard:
        submissions = choices.shard.of(submissions)
    seed = next((seed for seed in (choices.seed, known) if seed is not None), secrets.randbits(32))
    if choices.only and known not in (None, seed):
        raise GradebookError(
            f"This class has the seed {known}. Another one for some of it would not be fair; grade all."
        )
    oracle = Oracle(assignment, seed)
    keys = exercise_keys(oracle)
    again = builds_on(oracle, [find_exercise(keys, name) for name in choices.regrade])
    chosen = _chosen(submissions, choices.only)
    book.set_facts(facts)
    book.adopt(submissions)
    owed = book.stale(submissions, keys)
    book.owe(submissions, owed.keys(), whole=not choices.only)
    book.describe(assignment, seed)
    if not choices.only:
        book.see_class(submissions)
    book.keep(submissions)
    stale = {s.student: owed.get(s.student, frozenset()) | again for s in chosen if again or s.student in owed}
    tasks = tuple(submission for submission in chosen if submission.student in stale)
    decided = tuple(sorted(book.handed_in_anew(tasks) & {who for who, made in overrides(book).items() if made}))
    return Plan(oracle, keys, stale, tasks, len(chosen) - len(tasks), decided)


def _part(book: Gradebook, choices: Choices, seed: int | None) -> Json:
    """Return the facts of a grading, its shard among them. Raises GradebookError where the book is of another part."""
    part, held = str(choices.shard) if choices.shard else None, book.fact("shard")
    if book.fact("assignment") and part != held:
        what = f"shard {held} of a class" if held else "a whole class"
        raise GradebookError(f"{book.folder} holds {what}. Name another folder.")
    if part and choices.seed is None and seed is None:
        raise GradebookError(
            "All shards need the same hidden inputs: add the same --seed to each, a number that students cannot guess, "
            f"such as {secrets.randbits(32)}."
        )
    return {**(choices.facts or {}), **({"shard": part} if part else {})}


def _chosen(submissions: Sequence[Submission], only: Iterable[str]) -> Sequence[Submission]:
    """Return the submissions of the students named, by the names in the grades or on the roster."""
    wanted = {name.casefold(): name for name in only}
    found = {}
    for submission in submissions:
        person = submission.person
        names = {submission.student, *((person.id, person.email, person.name) if person else ())}
        for name in {name.casefold() for name in names} & wanted.keys():
            found[name] = submission
    for name in wanted.keys() - found.keys():
        raise GradebookError(f"Nobody in this class is {printable(wanted[name])}. grades.csv lists everyone.")
    return list({s.student: s for s in found.values()}.values()) if wanted else submissions


def carry_out(book: Gradebook, plan: Plan, sandbox: Sandbox, jobs: int, watch: Watch) -> None:
    """Grade what a plan says, here; each result is in the book before the next is waited for."""
    for trial in plan.oracle.trials:
        plan.oracle.expected(trial)  # a broken reference is to be known before anyone's code runs
    write_down(book, plan, grade_class(plan.oracle, plan.tasks, sandbox, jobs, plan.stale, watch.training), watch)


def write_down(book: Gradebook, plan: Plan, coming: Iterable[Graded], watch: Watch) -> None:
    """Write down what a plan's submissions come to; a run for each kind of machine that graded some of them."""
    began = time.monotonic()
    runs: dict[Isolation, int] = {}
    with watch:
        watch.start(len(plan.tasks), plan.kept)
        for graded in coming:
            student = graded.submission.student
            if graded.isolation not in runs:
                runs[graded.isolation] = book.begin(graded.isolation)
            book.save(graded, plan.keys, plan.stale[student], runs[graded.isolation])
            (entry,) = records(book, [student])
            watch.graded(Mark(student, entry["status"], entry["score"], entry["max_score"]))
    for run in runs.values():
        book.end(run, time.monotonic() - began)


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
