"""What a grade depends on, as keys: where a key is the same, so is what it stands for, and nothing is graded again.

An exercise's key covers everything that can change its points: the engine, Python and the libraries, the seed, the limits,
its points, its cases as drawn (calls, checks, weights, what students read) and its misconceptions; of the reference, the exercise's
definition and all it leads to. Other exercises it leads to are covered too, cases and all: their mistakes are followed
through it, and excuse it. So a changed hidden case touches its own exercise and those that build on it, and no other.
Comments and layout of the reference touch nothing.
"""

from __future__ import annotations

import ast
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import astuple, fields
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import autograder
from autograder.classroom.fingerprint import describe, digest
from autograder.course.spec import Case, Exercise
from autograder.judge.trials import Trial
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.tree import Code
from autograder.sandbox.child.wire import decode, encode

# What of an assignment each exercise's own key, or the reference's definitions, cover, or what no grade depends on.
_APART = {"title", "points", "exercises", "reference", "stub", "cases", "misconceptions", "correct", "shortcuts"}
_APART |= {"trainings", "harness"}
_JUDGING = ("course", "sandbox", "judge", "oracle")  # the folders whose code decides about points


@cache
def engine() -> str:
    """Return the engine's version, and a checksum of the code that decides: a checkout changes between versions."""
    root = Path(autograder.__file__).parent
    files = sorted(path for folder in _JUDGING for path in (root / folder).rglob("*.py"))
    return f"{autograder.__version__}+{digest(*(path.read_bytes() for path in files))[:12]}"


def libraries(*, torch: bool) -> tuple[str, ...]:
    """Return what else decides about numbers, with versions; torch, which takes seconds to import, is only looked up."""
    names = ("numpy", "torch") if torch else ("numpy",)
    return (f"python {platform.python_version()}", *(f"{name} {_version(name)}" for name in names))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def exercise_keys(oracle: Oracle) -> dict[str, str]:
    """Return the key of every exercise, in report order."""
    assignment = oracle.assignment
    shared = (f"{f.name}={describe(getattr(assignment, f.name))}" for f in fields(assignment) if f.name not in _APART)
    around = digest(engine(), *libraries(torch=assignment.torch), str(oracle.seed), *shared)
    definitions, rest = _definitions(assignment.reference)
    reach = {e.name: _reach(oracle, e) for e in assignment.exercises}
    own = {name: _own_key(oracle, name) for name in reach}
    return {
        name: digest(
            around,
            rest,
            *(definitions[other][0] for other in sorted(found & definitions.keys())),
            *(own[other] for other in [name, *sorted(found & own.keys() - {name})]),
        )
        for name, found in reach.items()
    }


def builds_on(oracle: Oracle, names: Iterable[str]) -> frozenset[str]:
    """Return some exercises and all that lead to one of them."""
    wanted = set(names)
    return frozenset(e.name for e in oracle.assignment.exercises if wanted & _reach(oracle, e))


def result_key(exercise: str, source: str) -> str:
    """Return the key of one exercise's result for one submission."""
    return f"{exercise}:{source}"


def _own_key(oracle: Oracle, name: str) -> str:
    """Return the key of what an exercise itself is made of, apart from the reference."""
    points = next(e.points for e in oracle.assignment.exercises if e.name == name)
    trials = (part for trial in oracle.trials_of(name) for part in _trial(trial))
    bank = (json.dumps(astuple(m)) for m in oracle.misconceptions_of(name))
    trainings = [
        describe(t) + digest(oracle.assignment.harness) for t in oracle.assignment.trainings if t.exercise == name
    ]
    shortcuts = (json.dumps(astuple(s)) for s in oracle.assignment.shortcuts if name in s.exercises)
    return digest(name, repr(points), *trials, *bank, *trainings, *shortcuts)


def _trial(trial: Trial) -> Iterable[str]:
    case: Case = trial.case
    yield json.dumps([case.name, case.claim, case.weight, case.visibility])
    yield describe(case.check)
    for request in trial.requests:
        yield json.dumps([request.function, request.phase, request.seed, request.keep_args])
        # Through the codec, so that a tensor is data, and described, since the codec's own bytes come in any order.
        yield describe(decode(encode((list(request.args), dict(request.kwargs), request.module)), evaluate=Code))


def _reach(oracle: Oracle, exercise: Exercise) -> set[str]:
    """Return the names that an exercise leads to, itself included; a training leads to all that may be trained."""
    definitions, _ = _definitions(oracle.assignment.reference)
    all_names = {e.name for e in oracle.assignment.exercises} if exercise.training else set()
    return _reachable({exercise.name, *_called(oracle.trials_of(exercise.name)), *all_names}, definitions)


def _called(trials: Iterable[Trial]) -> set[str]:
    return {request.function.partition(".")[0] for trial in trials for request in trial.requests}


@cache
def _definitions(reference: str) -> tuple[Mapping[str, tuple[str, frozenset[str]]], str]:
    """Return what a reference defines: by name the definition and the names in it; and all the rest of it."""
    found: dict[str, tuple[str, frozenset[str]]] = {}
    rest = []
    for node in ast.parse(reference).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = frozenset(child.id for child in ast.walk(node) if isinstance(child, ast.Name))
            earlier = found.get(node.name, ("", frozenset()))
            found[node.name] = (earlier[0] + ast.dump(node), earlier[1] | names)
        else:
            rest.append(ast.dump(node))
            names = frozenset(child.id for child in ast.walk(node) if isinstance(child, ast.Name))
            found |= dict.fromkeys(names - found.keys(), ("", names))  # a table of functions leads to all of them
    return found, "".join(rest)


def _reachable(roots: set[str], definitions: Mapping[str, tuple[str, frozenset[str]]]) -> set[str]:
    """Return the names that some names lead to, themselves included."""
    found, waiting = set(roots), list(roots)
    while waiting:
        new = definitions.get(waiting.pop(), ("", frozenset()))[1] - found
        found |= new
        waiting += new
    return found
