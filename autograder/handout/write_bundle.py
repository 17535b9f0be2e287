"""Write a bundle as JSON and numbers: an assignment's public cases, their expected answers, and known mistakes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from autograder.course.spec import Assignment, Check
from autograder.handout.kit.bundle import FORMAT, NUMBERS, SHAPES, BundleError
from autograder.judge import checks
from autograder.judge.trials import Small, Trial, as_data
from autograder.sandbox.child.wire import encode, pack
from autograder.sandbox.job import Outcome


def limits_and_rules(assignment: Assignment) -> dict[str, Any]:
    """Return the public parts of an assignment without its cases, as JSON data."""
    return {
        "slug": assignment.slug,
        "title": assignment.title,
        "file": assignment.file,
        "stub": assignment.stub,
        "torch": assignment.torch,
        "exercises": [asdict(exercise) for exercise in assignment.exercises if not exercise.training],
        "limits": asdict(assignment.limits),
        "shortcuts": [asdict(shortcut) for shortcut in assignment.shortcuts],
    }


def describe_case(trial: Trial, expected: tuple[Outcome, ...], arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return a trial and its expected outcomes as JSON data; adds its numbers to `arrays`."""
    case = trial.case
    return {
        "name": case.name,
        "exercise": case.exercise,
        "claim": case.claim,
        "weight": case.weight,
        "check": describe_check(case.check, arrays),
        "calls": _describe_calls(trial, arrays),
        "expected": describe_outcomes(expected, arrays),
    }


def _describe_calls(trial: Trial, arrays: dict[str, np.ndarray]) -> list[Any]:
    return [
        pack((c.args, dict(c.kwargs), c.function, None if c.module is None else as_data(c.module)), arrays)
        for c in trial.calls
    ]


def describe_check(check: Check, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return a check as JSON data. Raises BundleError for a course's own check, because handouts hold none of its code."""
    name = type(check).__name__
    if getattr(checks, name, None) is not type(check):
        raise BundleError(f"the check {name} is defined in the course; public cases use those of judge/checks.py")
    return {"name": name, **{f.name: pack(getattr(check, f.name), arrays) for f in fields(check)}}  # type: ignore[arg-type]


def describe_outcomes(outcomes: tuple[Outcome, ...], arrays: dict[str, np.ndarray]) -> list[Any]:
    """Return outcomes as JSON data; adds their numbers to `arrays`."""
    rows = []
    for o in outcomes:
        trouble = (o.trouble.type_name, o.trouble.text) if o.trouble else None
        rows.append([str(o.ending), pack((o.value, o.args), arrays), trouble])
    return rows


def describe_smaller(smalls: Sequence[Small], arrays: dict[str, np.ndarray]) -> list[Any]:
    """Return smaller calls of a trial as JSON data; adds their numbers to `arrays`."""
    return [
        [s.trial.case.name, _describe_calls(s.trial, arrays), describe_outcomes(s.expected, arrays)] for s in smalls
    ]


def bundle_files(document: dict[str, Any], arrays: Mapping[str, np.ndarray]) -> dict[str, bytes]:
    """Return the two files of a bundle; equal arrays are stored once."""
    rows: dict[str, list[np.ndarray]] = {}
    sizes: dict[str, int] = {}
    kept: dict[tuple[str, bytes], int] = {}
    places = {}
    for name, array in arrays.items():
        row = array.dtype.str.strip("<>|=")
        content = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        if (row, content.tobytes()) not in kept:
            kept[row, content.tobytes()] = sizes.get(row, 0)
            rows.setdefault(row, []).append(content.reshape(-1))
            sizes[row] = sizes.get(row, 0) + content.size
        places[name] = [row, kept[row, content.tobytes()], list(array.shape)]
    whole = {**document, "format": FORMAT, "arrays": places}
    text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    numbers = encode({row: np.concatenate(parts) for row, parts in rows.items()})
    return {SHAPES: text.encode() + b"\n", NUMBERS: numbers}
