"""Compute what students may know: what the reference and its known mistakes give on the public cases.

The questions of a quiz are public and its letters are not, so a bundle holds neither its key nor its mistakes.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autograder.course.spec import Assignment, Misconception
from autograder.handout.kit.bundle import SEED, Bundle, BundleError, make_bundle, read_outcomes, trial_key
from autograder.handout.write_bundle import (
    bundle_files,
    describe_case,
    describe_outcomes,
    describe_smaller,
    limits_and_rules,
)
from autograder.judge.outcomes_alike import answers_of, same_outcomes
from autograder.judge.trials import Trial
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Outcome


def public_oracle(assignment: Assignment) -> Oracle:
    """Return the oracle that the functions below take; share one, since it keeps its answers."""
    return Oracle(assignment, SEED, public_only=True)


def public_bundle(oracle: Oracle) -> Bundle:
    """Return the bundle that `public_files` describes, with known mistakes run only when they are asked about."""
    arrays: dict[str, np.ndarray] = {}
    document = _document(oracle, arrays)
    document["misconceptions"] = [_sentence(m) for m in _tellable(oracle)]
    trials = {trial_key(trial): trial for trial in oracle.trials}
    return make_bundle(document, arrays, _Tried(oracle), lambda trial: oracle.smaller(trials[trial_key(trial)]))


def public_files(oracle: Oracle) -> dict[str, bytes]:
    """Return the two files of an assignment's public bundle."""
    arrays: dict[str, np.ndarray] = {}
    document = _document(oracle, arrays)
    document["misconceptions"] = []
    for m in _tellable(oracle):
        found = {trial_key(trial): _changed(oracle, m.name, trial) for trial in oracle.trials}
        gives = {key: describe_outcomes(outcomes, arrays) for key, outcomes in found.items() if outcomes}
        if gives:
            document["misconceptions"].append({**_sentence(m), "gives": gives})
    for trial, entry in zip(oracle.trials, document["cases"], strict=True):
        entry["smaller"] = describe_smaller(oracle.smaller(trial), arrays)
    return bundle_files(document, arrays)


def _document(oracle: Oracle, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    names = {exercise.name for exercise in oracle.assignment.exercises}
    shown = {name: value for name, value in oracle.signatures.items() if name.partition(".")[0] in names}
    cases = [describe_case(trial, _shown(trial, oracle.expected(trial)), arrays) for trial in oracle.trials]
    return {**limits_and_rules(oracle.assignment), "signatures": shown, "cases": cases}


def _shown(trial: Trial, expected: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """Return the expected outcomes as the case's check lets students see them. Raises BundleError where it withholds one."""
    answers = trial.case.check.public(answers_of(expected))
    if len(answers) != len(expected):
        raise BundleError(f"{trial_key(trial)}: a case with this check cannot be public, for its answer would be too")
    return tuple(replace(o, value=a.value, args=a.args) for o, a in zip(expected, answers, strict=True))


def _tellable(oracle: Oracle) -> tuple[Misconception, ...]:
    """Return the misconceptions of exercises whose expected answers are all public."""
    secret = set()
    for trial in oracle.trials:
        answers = answers_of(oracle.expected(trial))
        if trial.case.check.public(answers) is not answers:
            secret.add(trial.case.exercise)
    return tuple(m for m in oracle.assignment.misconceptions if m.exercise not in secret)


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
                trial = next(t for t in self.oracle.trials if trial_key(t) == key[1])
                outcomes = _changed(self.oracle, key[0], trial)
                arrays: dict[str, np.ndarray] = {}
                self.found[key] = outcomes and read_outcomes(describe_outcomes(outcomes, arrays), arrays)
            return self.found[key]
