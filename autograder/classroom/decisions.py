"""What is decided about points beside what is computed: by persons, and by a rule that no score may fall.

All functions take the gradebook's database; those that write do so within the transaction of their caller.
"""

from __future__ import annotations

import json
import math
import sqlite3
from dataclasses import asdict
from datetime import UTC, datetime

from autograder.classroom import history
from autograder.classroom.record import Kept, Override, Ticked
from autograder.submission.archives import printable


class PointsError(Exception):
    """An exercise cannot be given these points; the message says what it is worth."""


def points_said(said: str, exercise: str, most: float) -> float | None:
    """Return the points that a person wrote, with a point or a comma, or None for none. Raises PointsError."""
    if not said:
        return None
    try:
        points = float(said.replace(",", "."))
    except ValueError:
        points = math.nan
    demand_possible(points, exercise, most, printable(said))
    return points


def demand_possible(points: float, exercise: str, most: float, said: str) -> None:
    """Refuse points, as they were `said`, that an exercise is not worth. Raises PointsError."""
    if not 0 <= points <= most:
        raise PointsError(f"{said} points cannot be given: {exercise} is worth 0 to {most:g}.")


def overrides(db: sqlite3.Connection, only: str | None = None) -> dict[str, dict[str, Override]]:
    """Return what persons decided, by student and exercise; the latest counts. `only` asks for one student's."""
    found: dict[str, dict[str, Override]] = {}
    wanted, values = ("", ()) if only is None else (" WHERE student = ?", (only,))
    earlier = "o.content != '' AND o.content != coalesce(s.content, o.content)"
    columns = f"student, exercise, points, because, made, rubric, worth, {earlier}"
    for student, exercise, points, because, made, rubric, worth, is_earlier in db.execute(
        f"SELECT {columns} FROM override o LEFT JOIN submission s USING (student){wanted} ORDER BY id",  # noqa: S608 (ours)
        values,
    ):
        if points is None:
            found.get(student, {}).pop(exercise, None)
        else:
            found.setdefault(student, {})[exercise] = Override(
                points, because, made, rubric=ticked_in(rubric), worth=worth, earlier=bool(is_earlier)
            )
    return found


def ticked_in(stored: str) -> tuple[Ticked, ...]:
    """Return the rubric that a decision was made by, in its words then."""
    return tuple(Ticked(**item) for item in json.loads(stored))


def decide(
    db: sqlite3.Connection,
    student: str,
    exercise: str,
    points: float | None,
    because: str,
    who: str,
    rubric: tuple[Ticked, ...] = (),
    worth: float | None = None,
) -> None:
    """Write down a person's decision, and the change in the history; without points it withdraws the earlier ones.

    A `rubric` is kept with its words, and what the exercise is `worth`, so that a later change of assignment.toml is seen.
    """
    made, old = datetime.now(UTC).isoformat(timespec="seconds"), score(db, student, exercise)
    db.execute(
        "INSERT INTO override (student, exercise, points, because, made, who, rubric, worth, content) VALUES"
        " (?, ?, ?, ?, ?, ?, ?, ?,"
        " coalesce((SELECT content FROM submission WHERE student = ?), ''))",
        (student, exercise, points, because, made, who, json.dumps([asdict(item) for item in rubric]), worth, student),
    )
    if points is None:
        _ask_again(db, student, exercise, because, who, made)
    history.note_decision(db, student, exercise, old, score(db, student, exercise), who, because)


def _ask_again(db: sqlite3.Connection, student: str, exercise: str, because: str, who: str, made: str) -> None:
    """Have the requests wait again that were answered by points which are withdrawn; that they were stays written down."""
    where = "WHERE student = ? AND exercise = ? AND points IS NOT NULL"
    db.execute(
        "INSERT INTO answer (points, because, who, made, request)"  # noqa: S608 (ours)
        f" SELECT NULL, ?, ?, ?, id FROM request {where}",
        (because, who, made, student, exercise),
    )
    db.execute(
        f"UPDATE request SET points = NULL, because = '', who = '', decided = '' {where}",  # noqa: S608 (ours)
        (student, exercise),
    )


def decided_as_handed_in(db: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    """Return the students and exercises of decisions that are about what is handed in now, as far as that is known."""
    rows = db.execute(
        "SELECT student, exercise FROM override JOIN submission s USING (student) WHERE points IS NOT NULL"
        " AND override.content IN ('', s.content) AND id IN (SELECT max(id) FROM override GROUP BY student, exercise)"
    )
    return frozenset(rows.fetchall())


def score(db: sqlite3.Connection, student: str, exercise: str) -> float | None:
    """Return an exercise's score as it stands, or None where there is none."""
    if graded := history.standings(db, student).get(exercise):
        return graded.score
    decided = overrides(db, student).get(student, {}).get(exercise)
    return decided.points if decided else None


def kept_points(db: sqlite3.Connection, student: str) -> dict[str, Kept]:
    """Return the points that were kept for a student although the same code came to fewer, by exercise."""
    rows = db.execute("SELECT name, points, made FROM kept WHERE student = ?", (student,))
    return {name: Kept(points, made) for name, points, made in rows}
