"""What a course says of its assignments together: weights, lateness, what is dropped and who is exempt. Read from course.toml.

title = "Sequence models, autumn 2026"
drop_lowest = 1

[late]
per_day = 10          # percent of an assignment's points, for each day begun
most = 50             # percent that lateness costs at most
grace_minutes = 15    # that cost nothing
free_days = 3         # of each student, for the whole course

[assignment.a5_attention]
weight = 2
due = "2026-11-02T23:59"

[assignment.a8_language_model]
bonus = true          # adds to the total, and is no part of what can be reached

[[exempt]]
student = "ada"
assignment = "a3_gates"
because = "in hospital"

What the same file changes in the assignments themselves stands in `course/course_file.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from autograder.classroom.lateness import parse_time
from autograder.course.course_file import FILE, CourseFileError, language_in, read_document, refuse_unknown
from autograder.course.language import ENGLISH


class RulesError(Exception):
    """A course.toml cannot be used; the message says where, and what to write."""


@dataclass(frozen=True)
class LateRule:
    """What lateness costs. Without a number for a day it costs nothing."""

    per_day: float = 0.0  # percent of an assignment's points
    most: float = 100.0  # percent
    grace_minutes: float = 0.0
    free_days: int = 0  # of each student, taken from the first late assignment on


@dataclass(frozen=True)
class Counts:
    """How an assignment counts."""

    title: str = ""
    weight: float = 1.0
    due: datetime | None = None  # instead of the gradebook's
    bonus: bool = False
    late: bool = True  # whether lateness costs anything here
    dropped: bool = True  # whether it may be the one that is dropped


@dataclass(frozen=True)
class Exempt:
    """A student for whom an assignment does not count."""

    student: str
    assignment: str
    because: str


@dataclass(frozen=True)
class Rules:
    """All of a course.toml."""

    title: str = "Course"
    drop_lowest: int = 0
    late: LateRule = field(default_factory=LateRule)
    assignments: Mapping[str, Counts] = field(default_factory=dict)
    exempt: tuple[Exempt, ...] = ()
    language: str = ENGLISH  # of the pages that students read
    file: str = FILE  # where they were read, as errors name it

    @property
    def names(self) -> tuple[str, ...]:
        """Every assignment that they name, in the order of the file."""
        return tuple(dict.fromkeys((*self.assignments, *(one.assignment for one in self.exempt))))

    def counts(self, assignment: str) -> Counts:
        """Return how an assignment counts; one that is not named has weight one."""
        return self.assignments.get(assignment, Counts())


def read_rules(path: Path) -> Rules:
    """Read a course.toml. Raises RulesError."""
    try:
        found = read_document(path)
    except CourseFileError as error:
        raise RulesError(str(error)) from None
    try:
        return replace(_rules(found), file=str(path))
    except (AttributeError, TypeError, ValueError) as error:
        raise RulesError(f"{path}: {error}") from None


def _rules(found: Mapping[str, Any]) -> Rules:
    late = found.get("late", {})
    refuse_unknown(late, ("per_day", "most", "grace_minutes", "free_days"), "under [late]")
    assignments = {slug: _counts(slug, entry) for slug, entry in found.get("assignment", {}).items()}
    return Rules(
        title=_title(found, "Course"),
        drop_lowest=_whole(found, "drop_lowest"),
        late=LateRule(
            per_day=_number(late, "per_day", 0.0),
            most=_number(late, "most", 100.0),
            grace_minutes=_number(late, "grace_minutes", 0.0),
            free_days=_whole(late, "free_days"),
        ),
        assignments=assignments,
        exempt=_exempt(found.get("exempt", [])),
        language=language_in(found),
    )


def _counts(slug: str, entry: Mapping[str, Any]) -> Counts:
    due = entry.get("due")
    if isinstance(due, str):
        due = parse_time(due)
    elif isinstance(due, datetime):
        due = due.astimezone()  # without a zone it is this machine's
    elif due is not None:
        raise ValueError(f'due of {slug} is {due!r}. Write it as "2026-11-02T23:59".')
    flags = {name: _flag(entry, name, True) for name in ("late", "dropped")}
    exercises = isinstance(entry.get("bonus"), list)  # these are a bonus within the assignment, which is none itself
    bonus = not exercises and _flag(entry, "bonus", False)
    return Counts(_title(entry, ""), _number(entry, "weight", 1.0), due, bonus, **flags)


def _exempt(entries: Any) -> tuple[Exempt, ...]:
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise TypeError("exempt is no table. Begin each with [[exempt]], and give it student, assignment and because.")
    return tuple(map(_one_exempt, entries))


def _one_exempt(entry: Mapping[str, Any]) -> Exempt:
    refuse_unknown(entry, ("student", "assignment", "because"), "under [[exempt]]")
    lacking = [key for key in ("student", "assignment", "because") if not str(entry.get(key, "")).strip()]
    if lacking:
        raise ValueError(f"an [[exempt]] lacks {' and '.join(lacking)}.")
    return Exempt(str(entry["student"]), str(entry["assignment"]), str(entry["because"]))


def _title(entry: Mapping[str, Any], default: str) -> str:
    title = entry.get("title", default)
    if not isinstance(title, str):
        raise TypeError(f"title is {title!r}. Write it in quotes.")
    return title


def _whole(entry: Mapping[str, Any], key: str) -> int:
    value = _number(entry, key, 0)
    if value % 1:
        raise ValueError(f"{key} is {value:g}. Write a whole number.")
    return int(value)


def _number(entry: Mapping[str, Any], key: str, default: float) -> float:
    value = entry.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise ValueError(f"{key} is {value!r}. Write a number that is not negative.")
    return float(value)


def _flag(entry: Mapping[str, Any], key: str, default: bool) -> bool:
    value = entry.get(key, default)
    if not isinstance(value, bool):
        raise TypeError(f"{key} is {value!r}. Write true or false.")
    return value
