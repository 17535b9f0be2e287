"""The gradebook: one SQLite file that everything else a class gets is made from.

| table      | a row for each                | holds |
|------------|-------------------------------|---|
| fact       | thing all results share       | assignment, title, seed, exercises with their points, due date, roster |
| run        | run that graded something     | when, engine, isolation, seconds |
| submission | student who handed in         | where it came from, the code as graded (packed), its key, whether it is in the class now |
| grading    | student who was graded        | what concerns the file as a whole, and the run |
| exercise   | student and exercise          | the result, the key of all it depends on, and the run |
| override   | decision of a person          | points, the reason, the rubric as it was ticked, what it was worth, the key of the code; the latest counts, no points withdraw it |
| written    | student, and the class ("")   | whether the files made from the book are up to date, or being written |
| todo       | student still to be graded    | whose it is, what is known of the submission; the seed of a result that no longer stands |
| round      | grading of the class          | when it began; one that was stopped goes on as the same |
| basis      | key of an exercise            | engine, libraries, seed and content that it is made of |
| history    | score that changed            | old and new, cause, who, when (`history.py`); rows are only added |
| kept       | student and exercise          | points that `--never-lower` kept |
| request    | request for a regrade         | what the student asks, what was found, what a person decided (`requests.py`) |
| answer     | decision on a request         | points, the reason, who, when; the latest also stands in its request; rows are only added |
| mark       | thing a grader noted          | seen, or flagged for another person (`marks.py`); rows are only added |
| opened     | grader at a desk              | which student's page is open there, and since when |
| given      | page that a student was given | where, the score, what page, when (`pages/returns.py`) |

A submission is graded and written down in one transaction, so a run may be killed at any moment: what is in the book is
whole, and what is not is graded by the next run. A result is kept as long as its key (`result_keys.py`) is what it would be
today. Two books of one class can be merged by taking rows over, since a key says whether they mean the same.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path

from autograder.classroom import decisions, history
from autograder.classroom.gradebook_versions import VERSION, prepare, version_of
from autograder.classroom.lateness import parse_time
from autograder.classroom.record import (
    ExerciseRecord,
    Override,
    Record,
    Run,
    Ticked,
    Whole,
    compose,
    head,
    with_kept,
)
from autograder.classroom.record_json import isolation_of, stored_head
from autograder.classroom.result_keys import engine, result_key
from autograder.classroom.roster import Person
from autograder.classroom.stored_result import Finished
from autograder.course.questions import Question, question_of
from autograder.course.spec import Assignment, RubricItem, Status
from autograder.sandbox.job import Isolation


class GradebookError(Exception):
    """The gradebook, or the folder for it, cannot be used; the message says why and what to do."""


@dataclass(frozen=True)
class Facts:
    """What all results of a class share. What a fact is if nothing is given says that it is not known, or stays as it is."""

    assignment: str = ""
    title: str = ""
    seed: int | None = None
    exercises: Mapping[str, float] = field(default_factory=dict)  # and their points, in report order
    bonus: Mapping[str, bool] = field(default_factory=dict)  # whether each exercise is one
    course: str = ""  # its folder, by whose rules the latest run graded
    language: str = ""  # in which students read
    due: str = ""  # in ISO 8601
    roster: tuple[Person, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)  # ids of the roster by names of exports
    maximum: float = 0.0  # that the assignment has on the platform, as far as the roster says it
    device: str = ""  # what models are trained on
    gpu: str = ""  # of which kind that is, as its maker names it; "cpu" after a run without one
    shard: str = ""  # the part of the class that is graded into this book
    questions: tuple[Question, ...] = ()  # of its quizzes, with answers and reasons
    reasons: str = ""  # when students read those
    reasons_told: bool = False  # whether they do by now
    rubrics: Mapping[str, tuple[RubricItem, ...]] = field(default_factory=dict)  # of exercises that a person grades


@dataclass(frozen=True)
class LastRun:
    """The latest run of a gradebook, and the weakest isolation that any result rests on."""

    engine: str
    libraries: str  # Python's and those of the numbers, with versions; nothing where it is not known
    isolation: Isolation
    seconds: float


class Gradebook:
    """One class's results for one assignment. For one thread; `gradebook_lock.open_gradebook` opens it, `gradebook_view` reads it."""

    def __init__(self, path: Path) -> None:
        self.folder = path.parent
        self.who = history.current_user()
        self._facts: Facts | None = None
        self.db = sqlite3.connect(path, timeout=30)
        try:
            self._prepare(path)
        except BaseException:
            self.db.close()
            raise

    def _prepare(self, path: Path) -> None:
        if version_of(self.db) > VERSION:
            raise GradebookError(f"{path} is of a newer autograder. Use that one: a new folder has no decisions.")
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = NORMAL")  # whole after a kill; after a power cut perhaps some rows short
        prepare(self.db)

    def close(self) -> None:
        """Close the file; everything in it is whole at any time."""
        self.db.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Read and write in one transaction, all of it or nothing; other processes' changes wait, or were there before it."""
        if self.db.in_transaction:  # a part of a larger one
            yield
            return
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            yield

    @property
    def facts(self) -> Facts:
        """What all results share."""
        if self._facts is None:
            stored = {name: json.loads(value) for name, value in self.db.execute("SELECT name, value FROM fact")}
            known = {f.name: stored[f.name] for f in fields(Facts) if f.name in stored}
            known["roster"] = tuple(Person(**person) for person in known.get("roster", ()))
            known["questions"] = tuple(question_of(question) for question in known.get("questions", ()))
            rubrics = known.get("rubrics", {}).items()
            known["rubrics"] = {name: tuple(RubricItem(**item) for item in items) for name, items in rubrics}
            self._facts = Facts(**known)
        return self._facts

    def set_facts(self, facts: Facts) -> None:
        """Change what all results share, as far as something is said; where it is new, every page has to be written again."""
        known, nothing = vars(self.facts), vars(Facts())
        new = {name: value for name, value in vars(facts).items() if value not in (nothing[name], known[name])}
        rows = [(name, json.dumps(value, default=asdict)) for name, value in new.items()]
        with self.db:
            self.db.executemany("INSERT OR REPLACE INTO fact VALUES (?, ?)", rows)
            if new:
                self.db.execute("DELETE FROM written")
        self._facts = replace(self.facts, **new)

    def describe(self, assignment: Assignment, seed: int) -> None:
        """Write down what is graded; results of exercises left out, as training may be, stay and are not shown."""
        points = {exercise.name: exercise.points for exercise in assignment.exercises}
        bonus = {exercise.name: exercise.bonus for exercise in assignment.exercises}
        facts = Facts(assignment.slug, assignment.title, seed, points, bonus, language=assignment.language)
        rubrics = {exercise.name: exercise.rubric for exercise in assignment.exercises if exercise.manual}
        self.set_facts(replace(facts, questions=assignment.questions, reasons=assignment.reasons, rubrics=rubrics))

    @property
    def run(self) -> Run:
        """What all records share."""
        if self.facts.seed is None:
            raise GradebookError(f"{self.folder} holds a gradebook in which nothing was graded yet.")
        return Run(self.facts.assignment, self.facts.title, self.facts.seed, self.facts.bonus, self.facts.language)

    @property
    def points(self) -> dict[str, float]:
        """What each exercise is worth, in report order."""
        return dict(self.facts.exercises)

    @property
    def due(self) -> datetime | None:
        """Until when the class was to hand in, where that was said."""
        return parse_time(self.facts.due) if self.facts.due else None

    # What was graded

    def begin(self, isolation: Isolation) -> int:
        """Write down that a run begins, and return its number."""
        values = (datetime.now(UTC).isoformat(timespec="seconds"), engine(), json.dumps(asdict(isolation)))
        insert = "INSERT INTO run (started, engine, isolation) VALUES (?, ?, ?)"
        with self.db:
            return self.db.execute(insert, values).lastrowid or 0

    def end(self, run: int, seconds: float) -> None:
        """Write down how long a run took, and leave out what no result says any more."""
        with self.db:
            self.db.execute("DELETE FROM entry WHERE digest NOT IN (SELECT entry FROM exercise)")
            self.db.execute("UPDATE run SET seconds = ? WHERE id = ?", (round(seconds, 2), run))

    @property
    def has_run(self) -> bool:
        """Whether anything was ever graded into it."""
        return self.db.execute("SELECT 1 FROM run").fetchone() is not None

    def last_run(self) -> LastRun:
        """Return what is known of the latest run."""
        engine, isolation, seconds = self.db.execute(
            "SELECT engine, isolation, seconds FROM run ORDER BY id DESC LIMIT 1"
        ).fetchone()
        used = self.db.execute(
            "SELECT DISTINCT isolation FROM run JOIN grading ON grading.run = run.id"
            " JOIN submission USING (student) WHERE present"
        ).fetchall()
        levels = [isolation_of(text) for (text,) in used or [(isolation,)]]
        found = self.db.execute("SELECT libraries FROM basis ORDER BY rowid DESC LIMIT 1").fetchone()
        return LastRun(engine, found[0] if found else "", max(levels, key=lambda one: one.level), seconds)

    def save(
        self, done: Finished, keys: Mapping[str, str], names: frozenset[str], run: int, *, never_lower: bool = False
    ) -> Record:
        """Write down what a submission came to, all at once, and return its record, without cases.

        Of the exercises those named are new, and the others stay as they were. Where the submission could, or could not,
        be imported other than before, every exercise is new. What changes is noted in the history; with `never_lower`
        the points of the same code stay where they would be fewer.
        """
        submission, result = done.submission, done.result
        student, known, problem = submission.student, head(submission, self.due), _text(result.problem)
        with self.writing():
            last, before = self._last(student), history.standings(self.db, student)
            stands = bool(before) and last == (submission.key, problem)
            code = (_text(submission.owner.key), submission.key, result.code, stored_head(known), 1)
            self._write(student, "submission", code)
            self._write(student, "grading", (run, problem, json.dumps(result.notes), result.seconds))
            if not stands:  # also of exercises that are left out this time
                self.db.execute("DELETE FROM exercise WHERE student = ?", (student,))
            new = [e for e in result.exercises if e.name in names or not stands]
            results = ["" if e.ours else result_key(keys[e.name], submission.key) for e in new]  # ours: tried again
            rows = [
                (e.name, k, e.score, e.max_score, e.status, e.digest, e.times, run)
                for e, k in zip(new, results, strict=True)
            ]
            self.db.executemany("INSERT OR IGNORE INTO entry VALUES (?, ?)", [(e.digest, e.entry) for e in new])
            self._write(student, "exercise", *rows)
            self.db.execute("DELETE FROM todo WHERE student = ?", (student,))
            resubmitted = last is not None and last[0] != submission.key
            history.settle(self.db, student, before, history.Grading(self.who, resubmitted, never_lower))
            self.changed(student)
            found = self.outline(student)
            decided = self.overrides(student).get(student, {})
        whole = Whole(result.problem, result.notes, result.seconds, done.isolation)
        exercises = [found[name] for name in self.points if name in found]
        return compose(self.run, student, known, whole, exercises, decided)

    def _write(self, student: str, table: str, *rows: tuple[object, ...]) -> None:
        if rows:
            marks = ", ".join("?" * (len(rows[0]) + 1))
            insert = f"INSERT OR REPLACE INTO {table} VALUES ({marks})"  # noqa: S608 (ours)
            self.db.executemany(insert, [(student, *row) for row in rows])

    def _last(self, student: str) -> tuple[str, str] | None:
        """Return the key of the code that was graded last, and what was wrong with it as a whole."""
        row = self.db.execute(
            "SELECT content, problem FROM submission JOIN grading USING (student) WHERE student = ?", (student,)
        ).fetchone()
        return row and tuple(row)

    def outline(self, student: str) -> dict[str, ExerciseRecord]:
        """Return a student's computed exercises by name without their cases; where one failed on our side, that is its status."""
        columns, kept = "name, score, max_score, status, key", decisions.kept_points(self.db, student)
        rows = self.db.execute(f"SELECT {columns} FROM exercise WHERE student = ?", (student,))  # noqa: S608 (ours)
        return {
            name: with_kept(
                ExerciseRecord(name, score, most, Status(status) if key else Status.GRADER_ERROR), kept.get(name)
            )
            for name, score, most, status, key in rows
        }

    def overrides(self, only: str | None = None) -> dict[str, dict[str, Override]]:
        """Return what persons decided, by student and exercise; the latest counts. `only` asks for one student's."""
        return decisions.overrides(self.db, only)

    def override(
        self, student: str, exercise: str, points: float | None, because: str, rubric: tuple[Ticked, ...] = ()
    ) -> None:
        """Write down a person's decision, with the `rubric` as it was ticked; without points it withdraws the earlier ones."""
        with self.writing():
            worth = self.points.get(exercise)
            decisions.decide(self.db, student, exercise, points, _text(because), _text(self.who), rubric, worth)
            self.changed(student)

    def changed(self, student: str) -> None:
        """Note that a student's files, and those of the class, have to be written again."""
        self.db.execute("DELETE FROM written WHERE student IN (?, '')", (student,))

    # What was made from it

    def unwritten(self) -> frozenset[str]:
        """Return the students whose files are older than their results; "" stands for those of the whole class."""
        done = {student for (student,) in self.db.execute("SELECT student FROM written WHERE done")}
        return frozenset({"", *self.students()} - done)

    def begin_writing(self, students: Iterable[str]) -> None:
        """Note whose files are being written, before anything is read for them."""
        with self.db:
            self.db.executemany("INSERT OR REPLACE INTO written VALUES (?, 0)", [(student,) for student in students])

    def mark_written(self, students: Iterable[str]) -> None:
        """Note that files are up to date, unless something changed since they were begun."""
        with self.db:
            self.db.executemany("UPDATE written SET done = 1 WHERE student = ?", [(student,) for student in students])

    def students(self) -> list[str]:
        """Return who was graded and is in the class now."""
        rows = self.db.execute("SELECT student FROM submission WHERE present ORDER BY student")
        return [student for (student,) in rows]


def _text(text: str) -> str:
    """Return a text that a database takes: half a character pair cannot be stored."""
    return text.encode("utf-8", "replace").decode()
