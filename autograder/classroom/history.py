"""What changed in the grades, and why: a row for each score that is not what it was. Rows are added and never changed.

A first result is no change. What a result depended on before is known by its key (`Basis`), so the cause follows from
two keys and is not asked for. All functions take the gradebook's database and write within the transaction of their
caller: a score and its row in the history are there together, or neither is.
"""

from __future__ import annotations

import getpass
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from enum import StrEnum

from autograder.classroom.result_keys import Basis, basis_key

BY_PERSONS = 0  # in place of a grading's number: what persons decided


class Cause(StrEnum):
    """Why a score is not what it was."""

    RESUBMISSION = "resubmission"  # the student handed in other code
    CASE = "case"  # the exercise's cases, points or reference changed, or a limit of the assignment
    SEED = "seed"  # other hidden inputs were drawn
    ENGINE = "engine"  # another version of the autograder, Python, numpy or torch
    FAILURE = "failure"  # the grader failed, before or now
    AGAIN = "again"  # nothing changed: the code depends on chance or on time
    PERSON = "person"  # a person decided


@dataclass(frozen=True)
class Change:
    """A score that changed; `old` is None where there was none. `round` is the grading, or BY_PERSONS."""

    student: str
    exercise: str
    old: float | None
    new: float | None
    causes: tuple[Cause, ...]
    who: str
    made: str  # when, in ISO 8601
    round: int = BY_PERSONS
    because: str = ""

    @property
    def by(self) -> float:
        """How many points more it is now."""
        return round((self.new or 0.0) - (self.old or 0.0), 4)


@dataclass(frozen=True)
class Standing:
    """The score of an exercise as it stands: what was computed, what of it counts, and the key of the result."""

    computed: float | None  # or what was kept of an earlier result; None where a person has to grade it
    score: float | None  # a person's, or the computed
    key: str


@dataclass(frozen=True)
class Grading:
    """How a student came to be graded again."""

    who: str
    resubmitted: bool = False
    never_lower: bool = False


def current_user() -> str:
    """Return the name of the user of this machine, or nothing where it has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def standings(db: sqlite3.Connection, student: str) -> dict[str, Standing]:
    """Return the scores of a student's graded exercises as they stand."""
    rows = db.execute(
        "SELECT e.name, e.score, e.max_score, e.key, k.points FROM exercise e LEFT JOIN kept k USING (student, name)"
        " WHERE student = ?",
        (student,),
    ).fetchall()
    decided = dict(db.execute("SELECT exercise, points FROM override WHERE student = ? ORDER BY id", (student,)))
    found = {}
    for name, score, most, key, kept in rows:
        computed = score if kept is None else max(score or 0.0, min(kept, most))
        person = decided.get(name)
        found[name] = Standing(computed, computed if person is None else min(person, most), key)
    return found


def settle(db: sqlite3.Connection, student: str, before: Mapping[str, Standing], how: Grading) -> None:
    """Note what grading a student again changed; with `never_lower` keep what would be less for the same code."""
    if how.resubmitted:
        db.execute("DELETE FROM kept WHERE student = ?", (student,))
    if not before:  # a first result changes nothing
        return
    after = standings(db, student)
    if how.never_lower and not how.resubmitted:
        number, made = current_round(db), _now()
        rows = [
            (student, name, before[name].computed, made, number)
            for name in before.keys() & after.keys()
            if (after[name].computed or 0.0) < (before[name].computed or 0.0)
        ]
        db.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?)", rows)
        after = standings(db, student) if rows else after
    changed = [name for name in after if name in before and after[name].score != before[name].score]
    bases = _bases(db, (one[name].key for name in changed for one in (before, after)))
    for name in changed:
        causes = _causes(before[name].key, after[name].key, bases, resubmitted=how.resubmitted)
        scores = before[name].score, after[name].score
        _write(db, Change(student, name, *scores, causes, how.who, _now(), current_round(db)))


def note_decision(
    db: sqlite3.Connection, student: str, exercise: str, old: float | None, new: float | None, who: str, because: str
) -> None:
    """Note what a person decided, where it changes the score."""
    if old != new:
        _write(db, Change(student, exercise, old, new, (Cause.PERSON,), who, _now(), because=because))


def note_bases(db: sqlite3.Connection, bases: Iterable[Basis]) -> None:
    """Write down what keys are made of."""
    db.executemany("INSERT OR IGNORE INTO basis VALUES (?, ?, ?, ?, ?)", [astuple(basis) for basis in bases])


def begin_round(db: sqlite3.Connection) -> None:
    """Write down that a grading begins; one that goes on after it was stopped is the same."""
    db.execute("INSERT INTO round (began) VALUES (?)", (_now(),))


def current_round(db: sqlite3.Connection) -> int:
    """Return the number of the latest grading."""
    return int(db.execute("SELECT coalesce(max(id), 0) FROM round").fetchone()[0])


def changes(db: sqlite3.Connection, number: int | None = None) -> tuple[Change, ...]:
    """Return all changes, the earliest first, or those of one grading, or BY_PERSONS."""
    wanted, values = ("", ()) if number is None else (" WHERE round = ?", (number,))
    rows = db.execute(
        f"SELECT student, exercise, old, new, causes, who, made, round, because FROM history{wanted} ORDER BY id",  # noqa: S608 (ours)
        values,
    )
    return tuple(
        Change(student, exercise, old, new, tuple(map(Cause, causes.split())), who, made, grading, because)
        for student, exercise, old, new, causes, who, made, grading, because in rows
    )


def kept_in(db: sqlite3.Connection, number: int) -> int:
    """Return how many scores of one grading would be lower, had they not been kept."""
    return int(db.execute("SELECT count(*) FROM kept WHERE round = ?", (number,)).fetchone()[0])


def _write(db: sqlite3.Connection, change: Change) -> None:
    values = (change.student, change.exercise, change.old, change.new, " ".join(change.causes))
    db.execute(
        "INSERT INTO history (student, exercise, old, new, causes, who, made, round, because)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*values, change.who, change.made, change.round, change.because),
    )


def _bases(db: sqlite3.Connection, keys: Iterable[str]) -> dict[str, Basis]:
    """Return what the keys of results are made of, as far as that is known."""
    found = {}
    for key in {basis_key(key) for key in keys}:
        row = db.execute("SELECT * FROM basis WHERE key = ?", (key,)).fetchone()
        if row:
            found[key] = Basis(*row)
    return found


def _causes(old: str, new: str, bases: Mapping[str, Basis], *, resubmitted: bool) -> tuple[Cause, ...]:
    """Return why a result with another key came to another score."""
    if not (old and new):
        return (Cause.RESUBMISSION, Cause.FAILURE) if resubmitted else (Cause.FAILURE,)
    causes = [Cause.RESUBMISSION] if resubmitted else []
    if basis_key(old) != basis_key(new):
        causes += _of_bases(bases.get(basis_key(old)), bases.get(basis_key(new)))
    return tuple(causes) or (Cause.AGAIN,)


def _of_bases(old: Basis | None, new: Basis | None) -> list[Cause]:
    """Return what differs between two bases; what is not known of an early gradebook cannot differ."""
    if old is None or new is None:
        return [Cause.CASE]
    causes = []
    if old.engine != new.engine or (old.libraries and old.libraries != new.libraries):
        causes.append(Cause.ENGINE)
    if old.seed != new.seed:
        causes.append(Cause.SEED)
    elif old.content and old.content != new.content:
        causes.append(Cause.CASE)
    return causes or [Cause.CASE]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
