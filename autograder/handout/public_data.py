"""Find out what a student may know: run the reference and its known mistakes on the public cases, at home.

Of a quiz the questions are public and the letters are not, so neither its key nor its mistakes are put in.
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
    """Return what answers the questions below; whoever asks several of them shares one."""
    return Oracle(assignment, SEED, public_only=True)


def public_bundle(oracle: Oracle) -> Bundle:
    """Return what `public_files` holds without writing it, and with mistakes tried only when they are asked about."""
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
    """Return of the expected outcomes what the case's check lets a student have."""
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
    """Return a trial's outcomes with a mistake, or None where it makes no difference there, or cannot be made."""
    if not oracle.matters(name, trial):
        return None
    outcomes = oracle.answers((name,), trial)
    if outcomes is None or same_outcomes(trial, outcomes, oracle.expected(trial)):
        return None
    return outcomes


@dataclass
class _Tried:
    """Fingerprints found when asked for, in the form in which they would be read from files."""

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
