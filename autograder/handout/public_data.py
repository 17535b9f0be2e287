"""Compute what students may know, what the reference and its known mistakes give on the public cases, and write it as a bundle.

The questions of a quiz are public and its letters are not, so a bundle holds neither its key nor its mistakes.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from typing import Any

import numpy as np

from autograder.course.letters import shuffled
from autograder.course.quiz_checks import answered
from autograder.course.spec import Assignment, Check, Misconception
from autograder.handout.kit.bundle import (
    FORMAT,
    NUMBERS,
    SEED,
    SHAPES,
    Bundle,
    BundleError,
    make_bundle,
)
from autograder.handout.kit.known_mistakes import read_outcomes
from autograder.handout.kit.values_of_solutions import describe_values
from autograder.judge import checks
from autograder.judge.outcomes_alike import answers_of, arrays_that_met, part_called, same_outcomes
from autograder.judge.reasons import Slipped
from autograder.judge.right_values import RightValues
from autograder.judge.trials import Small, Trial, as_data
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.wire_format import encode, pack
from autograder.sandbox.job import Outcome, Trouble


def public_oracle(assignment: Assignment) -> Oracle:
    """Return the oracle that the functions below take; share one, since it keeps its answers."""
    return Oracle(assignment, SEED, public_only=True)


def public_bundle(oracle: Oracle, term: str = "") -> Bundle:
    """Return the bundle that `public_files` describes, with known mistakes run only when they are asked about."""
    arrays: dict[str, np.ndarray] = {}
    document = _document(oracle, arrays, term)
    document["misconceptions"] = [_sentence(m) for m in tellable(oracle)]
    trials = {trial.name: trial for trial in oracle.trials}
    return make_bundle(
        document,
        arrays,
        _Tried(oracle),
        lambda trial: oracle.smaller(trials[trial.name]),
        lambda trial, call: _right_values(oracle, trials[trial.name], call),
        partial(_slip_giving, oracle, with_secret_answers(oracle)),
    )


def public_files(oracle: Oracle, term: str = "") -> dict[str, bytes]:
    """Return the two files of an assignment's public bundle; its quizzes take the letters of a term's copies."""
    arrays: dict[str, np.ndarray] = {}
    document = _document(oracle, arrays, term)
    document["misconceptions"] = []
    for m in tellable(oracle):
        found = {trial.name: _changed(oracle, m.name, trial) for trial in oracle.trials}
        gives = {key: describe_outcomes(outcomes, arrays) for key, outcomes in found.items() if outcomes}
        if gives:
            document["misconceptions"].append({**_sentence(m), "gives": gives})
    for trial, entry in zip(oracle.trials, document["cases"], strict=True):
        entry["smaller"] = describe_smaller(oracle.smaller(trial), arrays)
        entry["right_values"] = describe_right_values(oracle, trial, arrays)
    return bundle_files(document, arrays)


def _document(oracle: Oracle, arrays: dict[str, np.ndarray], term: str) -> dict[str, Any]:
    names = {exercise.name for exercise in oracle.assignment.exercises}
    shown = {name: value for name, value in oracle.signatures.items() if name.partition(".")[0] in names}
    cases = [
        describe_case(_for_copy(trial, oracle.assignment, term), _shown(trial, oracle.expected(trial)), arrays)
        for trial in oracle.trials
    ]
    return {**limits_and_rules(oracle.assignment), "signatures": shown, "cases": cases}


def _for_copy(trial: Trial, assignment: Assignment, term: str) -> Trial:
    """Return a trial of a quiz as a copy has it, which takes no letters but its own; others stay as they are."""
    check, asked = trial.case.check, [q for q in assignment.questions if q.exercise == trial.case.exercise]
    if not isinstance(check, answered) or not asked:
        return trial
    letters = tuple((q.name, tuple(shuffled(q.name, q.letters, term))) for q in asked)
    return replace(trial, case=replace(trial.case, check=replace(check, letters=letters, one_copy=False)))


def _shown(trial: Trial, expected: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """Return the expected outcomes as the case's check lets students see them. Raises BundleError where it withholds one."""
    answers = trial.case.check.public(answers_of(expected))
    if len(answers) != len(expected):
        raise BundleError(f"{trial.name}: a case with this check cannot be public, for its answer would be too")
    return tuple(replace(o, value=a.value, args=a.args) for o, a in zip(expected, answers, strict=True))


def tellable(oracle: Oracle) -> tuple[Misconception, ...]:
    """Return the misconceptions of exercises whose expected answers are all public."""
    secret = with_secret_answers(oracle)
    return tuple(m for m in oracle.assignment.misconceptions if m.exercise not in secret)


def _slip_giving(
    oracle: Oracle,
    secret: Collection[str],
    exercise: str,
    got: Mapping[Trial, tuple[Outcome, ...]],
    failed: Collection[Trial],
) -> Slipped | None:
    """Return what is told of a slip; the trials are a bundle's."""
    if exercise in secret:
        return None
    mine = {trial.name: trial for trial in oracle.trials}
    return oracle.slip_giving(exercise, {mine[t.name]: gave for t, gave in got.items()}, [mine[t.name] for t in failed])


def with_secret_answers(oracle: Oracle) -> frozenset[str]:
    """Return the exercises of which some expected answers are not public."""
    secret = set()
    for trial in oracle.trials:
        answers = answers_of(oracle.expected(trial))
        if trial.case.check.public(answers) is not answers:
            secret.add(trial.case.exercise)
    return frozenset(secret)


def describe_right_values(oracle: Oracle, trial: Trial, arrays: dict[str, np.ndarray]) -> list[Any]:
    """Return what correct solutions have on the way through each call of a trial as JSON data; adds its numbers to `arrays`."""
    values = (_right_values(oracle, trial, call) for call in range(len(trial.calls)))
    return [describe_values(each, arrays) for each in values if each]


def _right_values(oracle: Oracle, trial: Trial, call: int) -> RightValues | None:
    """Return the values of correct solutions on the way to an answer, where all answers are public themselves and the call is not a large one."""
    answers = answers_of(oracle.expected(trial))
    told = trial.case.check.public(answers) is answers and not trial.is_large
    return oracle.right_values(trial, call) if told else None


def _sentence(m: Misconception) -> dict[str, Any]:
    return {"name": m.name, "exercise": m.exercise, "says": m.says}


def _changed(oracle: Oracle, name: str, trial: Trial) -> tuple[Outcome, ...] | None:
    """Return a trial's outcomes with a mistake, or None where it changes nothing or cannot be applied."""
    if not oracle.matters(name, trial):
        return None
    outcomes = oracle.answers((name,), trial)
    if outcomes is None or same_outcomes(trial, outcomes, oracle.expected(trial)):
        return None
    return outcomes


@dataclass
class _Tried:
    """Fingerprints that are computed when asked for, in the form in which they are read from files."""

    oracle: Oracle
    found: dict[tuple[str, str], tuple[Outcome, ...] | None] = field(default_factory=dict)
    lock: Any = field(default_factory=threading.Lock)

    def get(self, key: tuple[str, str], /) -> tuple[Outcome, ...] | None:
        """Return the outcomes of a trial with a mistake, or None where they are the expected ones."""
        with self.lock:
            if key not in self.found:
                self.found[key] = _as_read(_changed(self.oracle, key[0], self._trial(key[1])))
            return self.found[key]

    def together(self, names: tuple[str, ...], key: str, /) -> tuple[Outcome, ...] | None:
        """Return the outcomes of a trial with several mistakes, or None where they cannot be combined."""
        with self.lock:
            return _as_read(self.oracle.answers(names, self._trial(key)))

    def _trial(self, key: str) -> Trial:
        return next(trial for trial in self.oracle.trials if trial.name == key)


def _as_read(outcomes: tuple[Outcome, ...] | None) -> tuple[Outcome, ...] | None:
    """Return outcomes as they are read from files."""
    arrays: dict[str, np.ndarray] = {}
    return outcomes and read_outcomes(describe_outcomes(outcomes, arrays), arrays)


def limits_and_rules(assignment: Assignment) -> dict[str, Any]:
    """Return the public parts of an assignment without its cases, as JSON data."""
    return {
        "slug": assignment.slug,
        "title": assignment.title,
        "file": assignment.file,
        "files": assignment.files,
        "stub": assignment.stub,
        "torch": assignment.torch,
        "language": assignment.language,
        "order": assignment.order,
        "exercises": [asdict(exercise) for exercise in assignment.exercises if not exercise.training],
        "limits": asdict(assignment.limits.at_home()),
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
        "words": case.words,
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
    return [
        [str(o.ending), pack((o.value, o.args), arrays), o.trouble and _describe_trouble(o.trouble)] for o in outcomes
    ]


def _describe_trouble(trouble: Trouble) -> list[Any]:
    """Return an exception without the lines of the reference, but for the parts of the given constructor that they call.

    Where two arrays did not go together, their shapes go along.
    """
    parts = [[frame.function, part] for frame in trouble.frames if (part := part_called(frame))]
    return [trouble.type_name, trouble.text, parts, [list(shape) for shape in arrays_that_met(trouble)]]


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
