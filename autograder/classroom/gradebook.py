"""The gradebook: one SQLite file that everything else a class gets is made from.

| table      | a row for each                | holds |
|------------|-------------------------------|---|
| fact       | thing all results share       | assignment, title, seed, exercises with their points, due date, roster |
| run        | run that graded something     | when, engine, isolation, seconds |
| submission | student who handed in         | where it came from, the code as graded (packed), its key, whether it is in the class now |
| grading    | student who was graded        | what concerns the file as a whole, and the run |
| exercise   | student and exercise          | the result, the key of all it depends on, and the run |
| override   | decision of a person          | points and the reason; the latest for an exercise counts, no points withdraw it |
| written    | student, and the class ("")   | whether the files made from the book are up to date |
| todo       | student still to be graded    | what is known of the submission; the seed of a result that no longer stands |

A submission is graded and written down in one transaction, so a run may be killed at any moment: what is in the book is
whole, and what is not is graded by the next run. A result is kept as long as its key (`result_keys.py`) is what it would be
today. Two books of one class can be merged by taking rows over, since a key says whether they mean the same.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.classroom.match_students import Known, renames
from autograder.classroom.record import Graded, Run, exercise_entry, head
from autograder.classroom.result_keys import engine, result_key, source_key
from autograder.classroom.roster import parse_time
from autograder.classroom.submissions import Submission
from autograder.course.spec import Assignment, Status
from autograder.sandbox.job import Isolation, Source

FILE = "gradebook.sqlite"
_VERSION = 1
_SCHEMA = """
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE run (id INTEGER PRIMARY KEY, started TEXT NOT NULL, engine TEXT NOT NULL, isolation TEXT NOT NULL,
    seconds REAL NOT NULL DEFAULT 0);
CREATE TABLE submission (
    student TEXT PRIMARY KEY, owner TEXT NOT NULL, content TEXT NOT NULL, code BLOB, head TEXT NOT NULL,
    present INTEGER NOT NULL DEFAULT 1);
CREATE TABLE grading (
    student TEXT PRIMARY KEY, run INTEGER NOT NULL, problem TEXT NOT NULL, notes TEXT NOT NULL, seconds REAL NOT NULL);
CREATE TABLE exercise (
    student TEXT, name TEXT, key TEXT NOT NULL, score REAL NOT NULL, max_score REAL NOT NULL, status TEXT NOT NULL,
    entry TEXT NOT NULL, run INTEGER NOT NULL, PRIMARY KEY (student, name));
CREATE TABLE override (
    id INTEGER PRIMARY KEY, student TEXT NOT NULL, exercise TEXT NOT NULL, points REAL, because TEXT NOT NULL,
    made TEXT NOT NULL);
CREATE TABLE written (student TEXT PRIMARY KEY);
"""
_TODO = "CREATE TABLE IF NOT EXISTS todo (student TEXT PRIMARY KEY, head TEXT NOT NULL, seed INTEGER)"
_DECIDED = "CREATE INDEX IF NOT EXISTS decided ON override (student)"
_BY_STUDENT = ("submission", "grading", "exercise", "override", "written", "todo")


class GradebookError(Exception):
    """The gradebook, or the folder for it, cannot be used; the message says why and what to do."""


class Gradebook:
    """One class's results for one assignment. For one thread; `gradebook_lock.open_gradebook` opens it, `gradebook_view` reads it."""

    def __init__(self, path: Path) -> None:
        self.folder = path.parent
        self.db = sqlite3.connect(path, timeout=30)
        try:
            self._prepare(path)
        except BaseException:
            self.db.close()
            raise

    def _prepare(self, path: Path) -> None:
        version = self.db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _VERSION):
            raise GradebookError(f"{path} was written by another version of the autograder. Grade into a new folder.")
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = NORMAL")  # whole after a kill; after a power cut perhaps some rows short
        if version == 0:
            self.db.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {_VERSION}; COMMIT;")
        self.db.execute(_TODO)  # books of earlier versions come without these
        self.db.execute(_DECIDED)

    def close(self) -> None:
        """Close the file; everything in it is whole at any time."""
        self.db.close()

    # Facts

    def fact(self, name: str) -> Any:
        """Return something that all results share, or None."""
        row = self.db.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return None if row is None else json.loads(row[0])

    def set_facts(self, facts: Mapping[str, Any]) -> None:
        """Change what all results share; where it is something new, every page is to be made anew."""
        new = {name: value for name, value in facts.items() if self.fact(name) != value}
        with self.db:
            rows = [(name, json.dumps(value)) for name, value in new.items()]
            self.db.executemany("INSERT OR REPLACE INTO fact VALUES (?, ?)", rows)
            if new:
                self.db.execute("DELETE FROM written")

    def describe(self, assignment: Assignment, seed: int) -> None:
        """Write down what is graded; results of exercises left out, as training may be, stay and are not shown."""
        points = {exercise.name: exercise.points for exercise in assignment.exercises}
        self.set_facts({"assignment": assignment.slug, "title": assignment.title, "seed": seed, "exercises": points})

    @property
    def run(self) -> Run:
        """What all records share."""
        return Run(self.fact("assignment"), self.fact("title"), self.fact("seed"))

    @property
    def due(self) -> datetime | None:
        """Until when the class was to hand in, where that was said."""
        due = self.fact("due")
        return parse_time(due) if due else None

    # What is to be graded

    def adopt(self, submissions: Sequence[Submission]) -> None:
        """Let results follow students whose name changed since, as when a roster was added."""
        waiting = [(who, json.loads(known)) for who, known in self.db.execute("SELECT student, head FROM todo")]
        held = {who: Known(known.get("owner", ""), _id(known)) for who, known in waiting} | {
            student: Known(owner, _id(json.loads(known)))
            for student, owner, known in self.db.execute("SELECT student, owner, head FROM submission")
        }
        moves = renames(held, submissions)
        aside = {old: f"/{new}" for old, new in moves.items()}  # two may trade names, and no name has a slash
        with self.db:
            for old, new in [*aside.items(), *((aside[old], new) for old, new in moves.items())]:
                for table in _BY_STUDENT:
                    change = f"UPDATE OR REPLACE {table} SET student = ? WHERE student = ?"  # noqa: S608 (ours)
                    self.db.execute(change, (new, old))
                self.changed(new)

    def stale(self, submissions: Iterable[Submission], keys: Mapping[str, str]) -> dict[str, frozenset[str]]:
        """Return by student the exercises whose results are missing or no longer stand."""
        held = dict[str, dict[str, str]]()
        for student, name, key in self.db.execute("SELECT student, name, key FROM exercise"):
            held.setdefault(student, {})[name] = key
        found = {}
        for submission in submissions:
            content, mine = source_key(submission), held.get(submission.student, {})
            found[submission.student] = frozenset(
                name for name, key in keys.items() if mine.get(name) != result_key(key, content)
            )
        return {student: names for student, names in found.items() if names}

    def handed_in_anew(self, submissions: Iterable[Submission]) -> set[str]:
        """Return those whose code is another than what was graded before."""
        held = dict(self.db.execute("SELECT student, content FROM submission"))
        return {s.student for s in submissions if held.get(s.student, source_key(s)) != source_key(s)}

    def is_current(self, student: str, name: str, key: str) -> bool:
        """Whether a student's result for an exercise is the one that its key would give today."""
        row = self.db.execute(
            "SELECT e.key, s.content FROM exercise e JOIN submission s USING (student) WHERE student = ? AND name = ?",
            (student, name),
        ).fetchone()
        return row is not None and row[0] == result_key(key, row[1])

    def see_class(self, submissions: Sequence[Submission]) -> None:
        """Note who is in the class now and what is new about those who are graded already.

        Whoever is in it no more leaves the grades, and stays in the book.
        """
        here = {submission.student for submission in submissions}
        with self.db:
            for student, present in self.db.execute("SELECT student, present FROM submission").fetchall():
                if present != (student in here):
                    self.db.execute("UPDATE submission SET present = ? WHERE student = ?", (student in here, student))
                    self.changed(student)

    def keep(self, submissions: Iterable[Submission]) -> None:
        """Bring up to date what is known of submissions that are graded already, code unchanged."""
        held = {row[0]: row[1:] for row in self.db.execute("SELECT student, content, head FROM submission")}
        due = self.due
        with self.db:
            for submission in submissions:
                content, known = held.get(submission.student, ("", ""))
                text = json.dumps(head(submission, due))
                if content == source_key(submission) and known != text:
                    self.db.execute("UPDATE submission SET head = ? WHERE student = ?", (text, submission.student))
                    self.changed(submission.student)

    def owe(self, submissions: Sequence[Submission], stale: Collection[str], *, whole: bool) -> None:
        """Note who is still to be graded, until `save`: a run may be killed, or be about some of the class only.

        It is noted before the book gets another seed, since results that wait keep theirs. Where `submissions` are not
        the `whole` class, nothing changes for the others.
        """
        due, seed = self.due, self.fact("seed")
        before = {student: (known, held) for student, known, held in self.db.execute("SELECT * FROM todo")}
        here = {submission.student for submission in submissions}
        after = {} if whole else {student: row for student, row in before.items() if student not in here}
        for submission in submissions:
            student = submission.student
            if student in stale:
                owner = _text(submission.owner.key)  # by which `adopt` knows it again
                known = head(submission, due) | {"owner": owner}
                after[student] = json.dumps(known), before[student][1] if student in before else seed
        with self.db:
            for student in {student for student, _ in before.items() ^ after.items()}:
                self.changed(student)
            self.db.execute("DELETE FROM todo")
            self.db.executemany("INSERT INTO todo VALUES (?, ?, ?)", [(who, *row) for who, row in after.items()])

    # What was graded

    def begin(self, isolation: Isolation) -> int:
        """Write down that a run begins, and return its number."""
        values = (datetime.now(UTC).isoformat(timespec="seconds"), engine(), json.dumps(asdict(isolation)))
        with self.db:
            return (
                self.db.execute("INSERT INTO run (started, engine, isolation) VALUES (?, ?, ?)", values).lastrowid or 0
            )

    def end(self, run: int, seconds: float) -> None:
        """Write down how long a run took."""
        with self.db:
            self.db.execute("UPDATE run SET seconds = ? WHERE id = ?", (round(seconds, 2), run))

    @property
    def has_run(self) -> bool:
        """Whether anything was ever graded into it."""
        return self.db.execute("SELECT 1 FROM run").fetchone() is not None

    def last_run(self) -> dict[str, Any]:
        """Return what is known of the latest run, and the weakest isolation that any result rests on."""
        engine, isolation, seconds = self.db.execute(
            "SELECT engine, isolation, seconds FROM run ORDER BY id DESC LIMIT 1"
        ).fetchone()
        used = self.db.execute(
            "SELECT DISTINCT isolation FROM run JOIN grading ON grading.run = run.id"
            " JOIN submission USING (student) WHERE present"
        ).fetchall()
        levels = [json.loads(text) for (text,) in used or [(isolation,)]]
        return {"engine": engine, "isolation": max(levels, key=lambda one: str(one["level"])), "seconds": seconds}

    def save(self, graded: Graded, keys: Mapping[str, str], names: frozenset[str], run: int) -> None:
        """Write down what a submission came to, all at once: of the exercises those named, the others stay.

        Where it could, or could not, be imported other than before, every exercise is new.
        """
        submission, result, content = graded.submission, graded.result, source_key(graded.submission)
        student, due = submission.student, self.due
        with self.db:
            before = self.db.execute(
                "SELECT content, problem FROM submission JOIN grading USING (student) WHERE student = ?", (student,)
            ).fetchone()
            whole = before != (content, _text(result.problem))
            known = (
                _text(submission.owner.key),
                content,
                _packed(submission.source),
                json.dumps(head(submission, due)),
            )
            self.db.execute("INSERT OR REPLACE INTO submission VALUES (?, ?, ?, ?, ?, 1)", (student, *known))
            came_to = (student, run, _text(result.problem), json.dumps(result.notes), graded.seconds)
            self.db.execute("INSERT OR REPLACE INTO grading VALUES (?, ?, ?, ?, ?)", came_to)
            if whole:  # also of exercises that are left out this time
                self.db.execute("DELETE FROM exercise WHERE student = ?", (student,))
            for exercise in result.exercises:
                if whole or exercise.name in names:
                    ours = any(case.status is Status.GRADER_ERROR for case in exercise.cases)
                    key = "" if ours else result_key(keys[exercise.name], content)  # our failures are tried again
                    entry = (exercise.score, exercise.max_score, exercise.status, json.dumps(exercise_entry(exercise)))
                    row = (student, exercise.name, key, *entry, run)
                    self.db.execute("INSERT OR REPLACE INTO exercise VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            self.db.execute("DELETE FROM todo WHERE student = ?", (student,))
            self.changed(student)

    def override(self, student: str, exercise: str, points: float | None, because: str) -> None:
        """Write down a person's decision; without points it withdraws the earlier ones."""
        made = datetime.now(UTC).isoformat(timespec="seconds")
        values = (student, exercise, points, _text(because), made)
        with self.db:
            self.db.execute(
                "INSERT INTO override (student, exercise, points, because, made) VALUES (?, ?, ?, ?, ?)", values
            )
            self.changed(student)

    def changed(self, student: str) -> None:
        """Note that a student's files, and those of the class, are to be made anew."""
        self.db.execute("DELETE FROM written WHERE student IN (?, '')", (student,))

    # What was made from it

    def unwritten(self) -> frozenset[str]:
        """Return the students whose files are older than their results; "" stands for those of the whole class."""
        done = {student for (student,) in self.db.execute("SELECT student FROM written")}
        return frozenset({"", *self.students()} - done)

    def mark_written(self, students: Iterable[str]) -> None:
        """Note that files are up to date."""
        with self.db:
            self.db.executemany("INSERT OR REPLACE INTO written VALUES (?)", [(student,) for student in students])

    def students(self) -> list[str]:
        """Return who was graded and is in the class now."""
        rows = self.db.execute("SELECT student FROM submission WHERE present ORDER BY student")
        return [student for (student,) in rows]


def _id(known: Mapping[str, Any]) -> str:
    """Return the id on the roster of whoever a submission's head is about, or nothing."""
    return str((known["person"] or {}).get("id", ""))


def _packed(source: Source | None) -> bytes | None:
    if source is None:
        return None
    chunks = [[chunk.label, chunk.text] for chunk in source.chunks]
    return zlib.compress(json.dumps([source.module, source.notebook, chunks]).encode())


def _text(value: Any) -> Any:
    """Return a text that a database takes: half a character pair cannot be stored."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
