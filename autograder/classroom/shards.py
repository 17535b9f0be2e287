"""Parts of a class that machines grade apart from each other: who is in which, and how their gradebooks become one.

A result's key holds all that it depends on, so results whose exercises have the same key were graded alike, wherever that
was; where they have not, nothing is merged. Taking a row over that is there already changes nothing, so merging again, when
one shard was graded again, rewrites only that one's files.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autograder.classroom import history
from autograder.classroom.gradebook import Facts, Gradebook, GradebookError
from autograder.classroom.result_keys import Basis, digest
from autograder.classroom.submissions import Submission
from autograder.submission.archives import printable

_RUN = "started, engine, isolation, seconds"
_OVERRIDE = "student, exercise, points, because, made, who, rubric, content, worth"
_Rows = tuple[tuple[Any, ...], tuple[Any, ...], list[tuple[Any, ...]]]  # submission, grading, exercises


class ShardError(Exception):
    """What was written is no shard; the message says how one is written."""


@dataclass(frozen=True)
class Shard:
    """One of so many parts, counted from 1. It follows from the student's name alone, so a latecomer moves no other student."""

    index: int
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def of(self, submissions: Iterable[Submission]) -> tuple[Submission, ...]:
        """Return those of a class that are in this part."""
        return tuple(s for s in submissions if int(digest(s.student), 16) % self.count == self.index - 1)


def parse_shard(text: str) -> Shard:
    """Read a shard as it is written, such as 2/8. Raises ShardError."""
    found = re.fullmatch(r"\s*(\d{1,6})\s*/\s*(\d{1,6})\s*", text)
    shard = Shard(int(found[1]), int(found[2])) if found else Shard(0, 0)
    if not 1 <= shard.index <= shard.count:
        raise ShardError(f"{printable(text)!r} is no shard. Write 1/8 to 8/8 for eight machines.")
    return shard


@dataclass(frozen=True)
class Part:
    """What is to be known of a gradebook before it is merged."""

    folder: Path
    facts: Facts  # in which all parts must agree: all but the shard
    shard: Shard | None
    keys: Mapping[str, str]  # by exercise


def read_part(book: Gradebook) -> Part:
    """Look at a gradebook. Raises GradebookError where it is not finished, or changed in between."""
    shard = book.facts.shard
    (todo,) = book.db.execute("SELECT count(*) FROM todo").fetchone()
    if todo:
        what = f"{book.folder} (shard {shard})" if shard else book.folder
        raise GradebookError(f"{what} is not finished: {todo} still to be graded. Run its command again first.")
    rows = book.db.execute(
        "SELECT DISTINCT name, substr(key, 1, instr(key, ':')) FROM exercise JOIN submission USING (student)"
        " WHERE present AND key != '' ORDER BY name"
    ).fetchall()
    rows = [(name, key) for name, key in rows if name in book.facts.exercises]
    keys = dict(rows)
    if len(keys) < len(rows):
        raise GradebookError(f"{book.folder} holds results from before and after a change. Grade it again first.")
    return Part(
        book.folder,
        replace(book.facts, shard="", reasons_told=False, course=""),
        parse_shard(shard) if shard else None,
        keys,
    )


def check_parts(parts: Sequence[Part]) -> None:
    """See that parts make one class, graded alike. Raises GradebookError."""
    first = parts[0]
    for part in parts[1:]:
        for name, value in vars(part.facts).items():
            if value != vars(first.facts)[name]:
                raise GradebookError(f"{first.folder} and {part.folder} differ in {name}. Grade them again alike.")
    known: dict[str, Part] = {}
    for part in parts:
        for name, key in part.keys.items():
            other = known.setdefault(name, part)
            if other.keys[name] != key:
                raise GradebookError(
                    f"{other.folder} and {part.folder} were not graded alike: {name} has other cases, another reference or "
                    "another version of the autograder, of Python, of numpy or of torch. Grade both again with the same files "
                    "and the same versions."
                )
    _check_shards(parts)


def _check_shards(parts: Sequence[Part]) -> None:
    shards = [part.shard for part in parts if part.shard]
    counts = {shard.count for shard in shards}
    if len(shards) < len(parts) or len(counts) > 1:
        told = ", ".join(f"{part.folder} ({part.shard or 'a whole class'})" for part in parts)
        raise GradebookError(f"These are not parts of one whole: {told}. Name the folders that grade --shard wrote.")
    (count,) = counts
    missing = sorted(set(range(1, count + 1)) - {shard.index for shard in shards})
    if missing:
        told = ", ".join(f"{index}/{count}" for index in missing)
        raise GradebookError(f"Not there: shard {told}. Grade it, and name its folder too.")
    if len(shards) > count:
        raise GradebookError(f"There are {len(shards)} folders for {count} shards. Name each shard once.")


def take_over(book: Gradebook, part: Gradebook, taken: Collection[str] = ()) -> frozenset[str]:
    """Take a part's rows over where they are not the same already; return its students.

    Raises GradebookError where one of those that other parts held, who were `taken` over before, has other code here.
    """
    runs: dict[int, int] = {}
    students = set()
    with book.db:
        history.note_bases(book.db, (Basis(*row) for row in part.db.execute("SELECT * FROM basis").fetchall()))
        for submission in part.db.execute("SELECT * FROM submission WHERE present").fetchall():
            student = submission[0]
            students.add(student)
            theirs, ours = _rows(part, student), _rows(book, student)
            if ours and ours[0][1] != submission[1]:
                raise GradebookError(
                    f"{student} is another student in {part.folder}. Grade both in one folder instead."
                )
            if _alike(theirs, ours):
                continue
            if student in taken and ours and ours[0][2] != submission[2]:
                raise GradebookError(
                    f"{student} has other code in {part.folder} than in a folder that was named before it. They may be two "
                    "students: then grade both in one folder. Else leave out the folder with the older code."
                )
            before = history.standings(book.db, student)
            _write(book, theirs, {run: _run(book, part, run, runs) for run in _runs_of(theirs)})
            _take_entries(book, part, student)
            _take_kept(book, part, student)
            resubmitted = ours is not None and ours[0][2] != submission[2]
            history.settle(book.db, student, before, history.Grading(book.who, resubmitted))
            book.changed(student)
        _take_decisions(book, part)
    return frozenset(students)


def leave_out(book: Gradebook, students: Iterable[str]) -> None:
    """Note that the class has no other students; results of earlier ones stay in the gradebook."""
    gone = set(book.students()).difference(students)
    with book.db:
        for student in gone:
            book.db.execute("UPDATE submission SET present = 0 WHERE student = ?", (student,))
            book.changed(student)
        book.db.execute("DELETE FROM todo")  # the parts are finished


def _rows(book: Gradebook, student: str) -> _Rows | None:
    submission = book.db.execute("SELECT * FROM submission WHERE student = ?", (student,)).fetchone()
    if submission is None:
        return None
    grading = book.db.execute("SELECT * FROM grading WHERE student = ?", (student,)).fetchone()
    exercises = book.db.execute("SELECT * FROM exercise WHERE student = ? ORDER BY name", (student,)).fetchall()
    return submission, grading, exercises


def _alike(theirs: _Rows | None, ours: _Rows | None) -> bool:
    """Whether two books say the same of a student: the same submission, and results with the same keys."""
    if theirs is None or ours is None:
        return False
    keys, known = ([row[1:3] for row in rows[2]] for rows in (theirs, ours))
    return theirs[0] == ours[0] and keys == known and all(key for _, key in keys)


def _runs_of(rows: _Rows | None) -> Iterator[int]:
    if rows:
        yield rows[1][1]
        yield from (row[-1] for row in rows[2])


def _run(book: Gradebook, part: Gradebook, number: int, known: dict[int, int]) -> int:
    """Return the number that a part's run has in the book."""
    if number not in known:
        row = part.db.execute(f"SELECT {_RUN} FROM run WHERE id = ?", (number,)).fetchone()  # noqa: S608 (ours)
        known[number] = _same(book.db, "run", _RUN, row) or _insert(book.db, "run", _RUN, row)
    return known[number]


def _write(book: Gradebook, rows: _Rows | None, runs: Mapping[int, int]) -> None:
    if rows is None:
        return
    submission, (student, run, *grading), exercises = rows
    book.db.execute("INSERT OR REPLACE INTO submission VALUES (?, ?, ?, ?, ?, ?)", submission)
    book.db.execute("INSERT OR REPLACE INTO grading VALUES (?, ?, ?, ?, ?)", (student, runs[run], *grading))
    book.db.execute("DELETE FROM exercise WHERE student = ?", (student,))
    for row in exercises:
        book.db.execute("INSERT INTO exercise VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row[:-1], runs[row[-1]]))


def _take_entries(book: Gradebook, part: Gradebook, student: str) -> None:
    rows = part.db.execute(
        "SELECT digest, text FROM entry WHERE digest IN (SELECT entry FROM exercise WHERE student = ?)", (student,)
    )
    book.db.executemany("INSERT OR IGNORE INTO entry VALUES (?, ?)", rows)


def _take_kept(book: Gradebook, part: Gradebook, student: str) -> None:
    rows = part.db.execute("SELECT student, name, points, made FROM kept WHERE student = ?", (student,)).fetchall()
    number = history.current_round(book.db)
    book.db.execute("DELETE FROM kept WHERE student = ?", (student,))
    book.db.executemany("INSERT INTO kept VALUES (?, ?, ?, ?, ?)", [(*row, number) for row in rows])


def _take_decisions(book: Gradebook, part: Gradebook) -> None:
    for row in part.db.execute(f"SELECT {_OVERRIDE} FROM override ORDER BY id").fetchall():  # noqa: S608 (ours)
        if not _same(book.db, "override", _OVERRIDE, row):
            _insert(book.db, "override", _OVERRIDE, row)
            book.changed(row[0])


def _same(db: sqlite3.Connection, table: str, columns: str, row: tuple[Any, ...]) -> int | None:
    where = " AND ".join(f"{column} IS ?" for column in columns.split(", "))
    found = db.execute(f"SELECT id FROM {table} WHERE {where}", row).fetchone()  # noqa: S608 (names of ours)
    return found[0] if found else None


def _insert(db: sqlite3.Connection, table: str, columns: str, row: tuple[Any, ...]) -> int:
    marks = ", ".join("?" * len(row))
    return db.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", row).lastrowid or 0  # noqa: S608 (ours)
