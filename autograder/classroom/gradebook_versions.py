"""The tables of a gradebook, and how a gradebook of an earlier version is brought up to date when it is opened.

A migration goes from one version to the next and is never changed again. All that are needed run in one transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

from autograder.classroom.result_keys import digest

FILE = "gradebook.sqlite"  # in the folder of a graded class
VERSION = 8
_TABLES = """
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE run (id INTEGER PRIMARY KEY, started TEXT NOT NULL, engine TEXT NOT NULL, isolation TEXT NOT NULL,
    seconds REAL NOT NULL DEFAULT 0);
CREATE TABLE submission (
    student TEXT PRIMARY KEY, owner TEXT NOT NULL, content TEXT NOT NULL, code BLOB, head TEXT NOT NULL,
    present INTEGER NOT NULL DEFAULT 1);
CREATE TABLE grading (
    student TEXT PRIMARY KEY, run INTEGER NOT NULL, problem TEXT NOT NULL, notes TEXT NOT NULL, seconds REAL NOT NULL);
CREATE TABLE override (
    id INTEGER PRIMARY KEY, student TEXT NOT NULL, exercise TEXT NOT NULL, points REAL, because TEXT NOT NULL,
    made TEXT NOT NULL, who TEXT NOT NULL DEFAULT '', rubric TEXT NOT NULL DEFAULT '[]',
    content TEXT NOT NULL DEFAULT '', worth REAL);
CREATE TABLE todo (student TEXT PRIMARY KEY, owner TEXT NOT NULL, head TEXT NOT NULL, seed INTEGER);
CREATE INDEX decided ON override (student);
"""
_EXERCISE = """
CREATE TABLE exercise (
    student TEXT, name TEXT, key TEXT NOT NULL, score REAL, max_score REAL NOT NULL, status TEXT NOT NULL,
    entry TEXT NOT NULL, times TEXT NOT NULL, run INTEGER NOT NULL, PRIMARY KEY (student, name));
"""
_ENTRY = "CREATE TABLE entry (digest TEXT PRIMARY KEY, text TEXT NOT NULL);"  # that equal exercises of students share
_HISTORY = """
CREATE TABLE round (id INTEGER PRIMARY KEY, began TEXT NOT NULL);
CREATE TABLE basis (
    key TEXT PRIMARY KEY, engine TEXT NOT NULL, libraries TEXT NOT NULL, seed INTEGER NOT NULL, content TEXT NOT NULL);
CREATE TABLE history (
    id INTEGER PRIMARY KEY, student TEXT NOT NULL, exercise TEXT NOT NULL, old REAL, new REAL, causes TEXT NOT NULL,
    who TEXT NOT NULL, made TEXT NOT NULL, round INTEGER NOT NULL, because TEXT NOT NULL);
CREATE TABLE kept (
    student TEXT, name TEXT, points REAL NOT NULL, made TEXT NOT NULL, round INTEGER NOT NULL,
    PRIMARY KEY (student, name));
CREATE TABLE request (
    id INTEGER PRIMARY KEY, student TEXT NOT NULL, exercise TEXT NOT NULL, asks TEXT NOT NULL, made TEXT NOT NULL,
    findings TEXT, problem TEXT NOT NULL DEFAULT '', points REAL, because TEXT NOT NULL DEFAULT '',
    who TEXT NOT NULL DEFAULT '', decided TEXT NOT NULL DEFAULT '');
CREATE INDEX asked ON request (student);
CREATE TABLE given (
    id INTEGER PRIMARY KEY, place TEXT NOT NULL, student TEXT NOT NULL, score REAL, digest TEXT NOT NULL, made TEXT NOT NULL);
"""
_DESK = """
CREATE TABLE written (student TEXT PRIMARY KEY, done INTEGER NOT NULL);
CREATE TABLE answer (
    id INTEGER PRIMARY KEY, request INTEGER NOT NULL, points REAL, because TEXT NOT NULL, who TEXT NOT NULL,
    made TEXT NOT NULL);
CREATE TABLE mark (
    id INTEGER PRIMARY KEY, student TEXT NOT NULL, exercise TEXT NOT NULL, kind TEXT NOT NULL, words TEXT NOT NULL,
    content TEXT NOT NULL, who TEXT NOT NULL, made TEXT NOT NULL);
CREATE TABLE opened (who TEXT PRIMARY KEY, student TEXT NOT NULL, made TEXT NOT NULL);
"""
_REPLACED = (
    "CREATE TABLE replaced (student TEXT, content TEXT, PRIMARY KEY (student, content));"  # by a file of its own
)


def version_of(db: sqlite3.Connection) -> int:
    """Return the version of a gradebook; 0 for a new one."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def prepare(db: sqlite3.Connection) -> None:
    """Make the tables of a new gradebook, or migrate one of an earlier version."""
    version = version_of(db)
    if version == 0:
        db.executescript(
            f"BEGIN; {_TABLES} {_EXERCISE} {_ENTRY} {_HISTORY} {_DESK} {_REPLACED} PRAGMA user_version = {VERSION}; COMMIT;"
        )
    elif version < VERSION:
        with db:
            db.execute("BEGIN IMMEDIATE")
            for migrate in _MIGRATIONS[version_of(db) - 1 :]:  # another process may have been first
                migrate(db)
            db.execute("DELETE FROM written")  # so that every file is written again
            db.execute(f"PRAGMA user_version = {VERSION}")


def _to_2(db: sqlite3.Connection) -> None:
    """Store messages in two parts and diagnoses by mistake; add what the first builds of version 1 did not have."""
    waiting = []
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'todo'").fetchone():
        waiting = db.execute("SELECT student, head, seed FROM todo").fetchall()
        db.execute("DROP TABLE todo")
    db.execute("CREATE TABLE todo (student TEXT PRIMARY KEY, owner TEXT NOT NULL, head TEXT NOT NULL, seed INTEGER)")
    for student, text, seed in waiting:
        head = json.loads(text)
        row = (student, head.pop("owner", ""), _head_2(head), seed)
        db.execute("INSERT INTO todo VALUES (?, ?, ?, ?)", row)
    db.execute("CREATE INDEX IF NOT EXISTS decided ON override (student)")
    for student, text in db.execute("SELECT student, head FROM submission").fetchall():
        db.execute("UPDATE submission SET head = ? WHERE student = ?", (_head_2(json.loads(text)), student))
    for student, name, text in db.execute("SELECT student, name, entry FROM exercise").fetchall():
        entry = json.loads(text)
        del entry["override"]
        entry["cases"] = [_case_2(case, name) for case in entry["cases"]]
        changed = (json.dumps(entry), student, name)
        db.execute("UPDATE exercise SET entry = ? WHERE student = ? AND name = ?", changed)


def _to_3(db: sqlite3.Connection) -> None:
    """Add the history; what results depended on is known as far as their runs tell it."""
    for statement in filter(str.strip, _HISTORY.split(";")):
        db.execute(statement)
    db.execute("ALTER TABLE override ADD COLUMN who TEXT NOT NULL DEFAULT ''")
    row = db.execute("SELECT value FROM fact WHERE name = 'seed'").fetchone()
    if row:
        db.execute(
            "INSERT OR IGNORE INTO basis SELECT substr(e.key, 1, instr(e.key, ':') - 1), run.engine, '',"
            " coalesce(todo.seed, ?), '' FROM exercise e JOIN run ON run.id = e.run LEFT JOIN todo USING (student)"
            " WHERE e.key != ''",
            (json.loads(row[0]),),
        )
        db.execute("INSERT INTO round (began) SELECT max(started) FROM run HAVING count(*)")


def _to_4(db: sqlite3.Connection) -> None:
    """Add what several graders at once need: every answer to a request, what they marked, what they have open."""
    db.execute("DROP TABLE written")
    for statement in filter(str.strip, _DESK.split(";")):
        db.execute(statement)
    db.execute(
        "INSERT INTO answer (request, points, because, who, made)"
        " SELECT id, points, because, who, decided FROM request WHERE decided != ''"
    )


def _to_5(db: sqlite3.Connection) -> None:
    """Let an exercise have no score while a person has to grade it, and a decision the rubric and the code it was made by."""
    db.execute("ALTER TABLE exercise RENAME TO exercise_4")
    db.execute(
        "CREATE TABLE exercise (student TEXT, name TEXT, key TEXT NOT NULL, score REAL, max_score REAL NOT NULL,"
        " status TEXT NOT NULL, entry TEXT NOT NULL, run INTEGER NOT NULL, PRIMARY KEY (student, name))"
    )
    db.execute("INSERT INTO exercise SELECT * FROM exercise_4")
    db.execute("DROP TABLE exercise_4")
    db.execute("ALTER TABLE override ADD COLUMN rubric TEXT NOT NULL DEFAULT '[]'")
    db.execute("ALTER TABLE override ADD COLUMN content TEXT NOT NULL DEFAULT ''")


def _to_6(db: sqlite3.Connection) -> None:
    """Let a decision know what its exercise was worth; of earlier ones that is what it was worth in the latest grading."""
    db.execute("ALTER TABLE override ADD COLUMN worth REAL")
    row = db.execute("SELECT value FROM fact WHERE name = 'exercises'").fetchone()
    for exercise, points in json.loads(row[0]).items() if row else ():
        db.execute("UPDATE override SET worth = max(points, ?) WHERE exercise = ?", (points, exercise))


def _to_7(db: sqlite3.Connection) -> None:
    """Store equal entries of exercises once, and the times of cases, in which they differ, apart."""
    db.execute("ALTER TABLE exercise RENAME TO exercise_6")
    db.execute(_EXERCISE)
    db.execute(_ENTRY)
    for student, name, *about, stored, run in db.execute("SELECT * FROM exercise_6"):
        entry = json.loads(stored)
        times = [case.pop("seconds") for case in entry["cases"]]
        text = json.dumps(entry)
        row = (student, name, *about, digest(text), json.dumps(times), run)
        db.execute("INSERT INTO exercise VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        db.execute("INSERT OR IGNORE INTO entry VALUES (?, ?)", (digest(text), text))
    db.execute("DROP TABLE exercise_6")


def _to_8(db: sqlite3.Connection) -> None:
    """Add what code a file replaces that came in another way than the class."""
    db.execute(_REPLACED)


def _head_2(head: dict[str, Any]) -> str:
    return json.dumps({"doubts": [], **head, "lms": {"place": "", **head["lms"]}})


def _case_2(case: dict[str, Any], exercise: str) -> dict[str, Any]:
    headline, _, details = case.pop("message").partition("\n")
    mistakes = list(_mistakes_1(case.pop("diagnosis"), case.pop("says"), exercise))
    alternatives = {"kind": "diagnosis", "exercise": exercise, "tentative": False, "alternatives": [mistakes]}
    return {
        "picture": None,
        **case,
        "headline": headline,
        "details": details,
        "reason": alternatives if mistakes else None,
    }


def _mistakes_1(diagnosis: str, says: str, exercise: str) -> Iterator[dict[str, str]]:
    """Yield the mistakes of a diagnosis of version 1, which stored names joined by + and sentences by Also.

    Where the sentences cannot be told apart, and where there is no name, the whole text stays as one sentence.
    """
    names, sentences = diagnosis.split("+"), says.split(" Also: ")
    if says.startswith("One of these: ") or len(names) != len(sentences):
        names, sentences = [diagnosis], [says]
    for name, sentence in zip(names, sentences, strict=True):
        if name or sentence:
            yield {"name": name, "exercise": exercise, "sentence": sentence}


_MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_to_2, _to_3, _to_4, _to_5, _to_6, _to_7, _to_8)
