"""Records as JSON: results/STUDENT.json, which `result.schema.json` describes, and what a gradebook stores of them."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from sys import intern
from typing import Any
from weakref import WeakValueDictionary

from autograder.classroom.record import ExerciseRecord, Head, Lms, Record
from autograder.classroom.roster import Person
from autograder.course.spec import Status
from autograder.judge.result import CaseResult
from autograder.judge.result_json import Json, case_of, stored_case, told_case
from autograder.sandbox.job import Isolation

SCHEMA = 1  # of results/STUDENT.json
# Of all records that there are now; in a class most exercises end alike, and a record would be ten times as large.
_EXERCISES: WeakValueDictionary[tuple[bytes, bool], ExerciseRecord] = WeakValueDictionary()
_CASES: WeakValueDictionary[bytes, CaseResult] = WeakValueDictionary()
_LATELY: deque[ExerciseRecord] = deque(maxlen=1000)  # what many end with is still there when the next of them is read
_NOT_IN_BRIEF = {"details": "", "picture": None}
_in_one_line = json.JSONEncoder(ensure_ascii=False).encode


def told_record(record: Record) -> Json:
    """Return a record as results/STUDENT.json tells it."""
    return {
        "schema": SCHEMA,
        "assignment": record.assignment,
        "title": record.title,
        "student": record.student,
        "origin": record.origin,
        "score": record.score,
        "max_score": record.max_score,
        **({"waiting": record.waiting} if record.waiting else {}),
        "status": record.status,
        "problem": record.problem,
        "notes": list(record.notes),
        "doubts": list(record.doubts),
        "person": asdict(record.person) if record.person else None,
        "lms": asdict(record.lms),
        "submitted": record.submitted,
        "due": record.due,
        "late": record.late,
        "late_hours": record.late_hours,
        "seed": record.seed,
        "seconds": record.seconds,
        "isolation": asdict(record.isolation) if record.isolation else None,
        "exercises": [told_exercise(exercise, record.times.get(exercise.name, ())) for exercise in record.exercises],
    }


def lined(tree: Any, levels: int, indent: str = "") -> str:
    """Return JSON with a line for each part of its first levels. What is deeper stands in one line: with indents the library takes ten times as long."""
    if not levels or not tree or not isinstance(tree, dict | list | tuple):
        return _in_one_line(tree)
    deeper = f"{indent} "
    if isinstance(tree, dict):
        parts = [f"{_in_one_line(key)}: {lined(part, levels - 1, deeper)}" for key, part in tree.items()]
    else:
        parts = [lined(part, levels - 1, deeper) for part in tree]
    first, last = "{}" if isinstance(tree, dict) else "[]"
    return f"{first}\n{deeper}{f',{chr(10)}{deeper}'.join(parts)}\n{indent}{last}"


def told_exercise(exercise: ExerciseRecord, times: Sequence[float]) -> Json:
    """Return an exercise as results/STUDENT.json tells it, with the `times` of its cases in seconds; without any they are 0."""
    override = asdict(exercise.override) if exercise.override else {}
    override.pop("worth", None)
    if not override.get("earlier"):
        override.pop("earlier", None)
    if not override.get("rubric"):
        override.pop("rubric", None)
    kept = {"kept": asdict(exercise.kept)} if exercise.kept else {}
    cases = [told_case(*one) for one in zip(exercise.cases, times or [0.0] * len(exercise.cases), strict=True)]
    bonus = {"bonus": True} if exercise.bonus else {}
    return {**_computed(exercise), **bonus, "override": override or None, **kept, "cases": cases}


def stored_exercise(exercise: ExerciseRecord) -> str:
    """Return a computed exercise as a gradebook stores it; the times of its cases and what a person decides are stored apart.

    Equal exercises are one object, so that a worker of a cluster sends it once.
    """
    return intern(json.dumps({**_computed(exercise), "cases": [stored_case(case) for case in exercise.cases]}))


def _computed(exercise: ExerciseRecord) -> Json:
    """Return what was computed of an exercise, but for its cases."""
    whole = {name: getattr(exercise, name) for name in ("name", "score", "max_score", "status")}
    answer = {} if exercise.answer is None else {"answer": exercise.answer}
    return whole | ({"device": exercise.device} if exercise.device else {}) | answer


def exercise_of(stored: str) -> ExerciseRecord:
    """Return the exercise that was stored. Equal exercises are one object, and so are equal cases of others."""
    found = _once(stored, brief=False)
    _LATELY.append(found)
    return found


def brief_exercise_of(stored: str) -> ExerciseRecord:
    """Return the exercise that was stored, without what fills most of it: the details, pictures and times of its cases."""
    return _once(stored, brief=True)


def _once(stored: str, *, brief: bool) -> ExerciseRecord:
    key = _digest(stored), brief
    return _EXERCISES.get(key) or _EXERCISES.setdefault(key, _exercise_of(stored, brief=brief))


def _exercise_of(stored: str, *, brief: bool) -> ExerciseRecord:
    found = json.loads(stored, object_hook=_shared)
    cases = tuple(_shared_case(_in_brief(case) if brief else case) for case in found["cases"])
    about = (found["name"], found["score"], found["max_score"], Status(found["status"]), cases)
    return ExerciseRecord(*about, device=found.get("device", ""), answer=found.get("answer"))


def stored_head(head: Head) -> str:
    """Return what is known of a submission as a gradebook stores it."""
    return json.dumps(vars(head), default=vars)


def head_of(stored: str) -> Head:
    """Return what was stored of a submission."""
    found = json.loads(stored)
    found |= {"notes": tuple(found["notes"]), "doubts": tuple(found["doubts"]), "lms": Lms(**found["lms"])}
    return Head(**found | {"person": person_of(found["person"])})


def person_of(stored: Mapping[str, str] | None) -> Person | None:
    """Return the line of the roster that was stored."""
    return Person(**stored) if stored else None


@lru_cache(100)  # a class has one or two
def isolation_of(stored: str) -> Isolation:
    """Return the isolation that was stored as JSON."""
    known = json.loads(stored)
    return Isolation(known["level"], *(tuple(known[part]) for part in ("mechanisms", "residual_risks", "missing")))


def _shared_case(found: dict[str, Any]) -> CaseResult:
    key = _digest(repr(found))
    return _CASES.get(key) or _CASES.setdefault(key, case_of(found))


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _in_brief(found: dict[str, Any]) -> dict[str, Any]:
    return {key: _NOT_IN_BRIEF.get(key, value) for key, value in found.items() if key not in ("turn", "raised_at")}


def _shared(found: dict[str, Any]) -> dict[str, Any]:
    return {key: intern(value) if isinstance(value, str) else value for key, value in found.items()}
