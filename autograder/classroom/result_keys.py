"""What a grade depends on, as keys: where a key is the same, so is what it stands for, and nothing is graded again.

An exercise's key covers everything that can change its points: the engine, Python and the libraries, the seed, the limits,
its points, its cases as drawn (calls, checks, weights, what students read) and its misconceptions; of the reference, the exercise's
definition and all it leads to. The exercises that it uses, in the reference or in another correct solution, are covered too,
cases and all: their mistakes are followed through it, and excuse it. So a changed hidden case touches its own exercise and those
that build on it, and no other. Comments and layout of the reference touch nothing.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields, is_dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

import autograder
from autograder.course.definitions import definitions_in, reachable
from autograder.course.other_ways import used_in_any_way, ways_of
from autograder.course.spec import Assignment, Case, Exercise
from autograder.judge.trials import Trial
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.tree import Code
from autograder.sandbox.child.wire_format import decode, encode

# What of an assignment each exercise's own key, or the reference's definitions, cover, or what no grade depends on.
_APART = {"title", "points", "exercises", "reference", "stub", "cases", "misconceptions", "correct", "shortcuts"}
_APART |= {"trainings", "harness", "order", "left_out"}
_JUDGING = ("course", "sandbox", "judge", "oracle")  # the folders whose code decides about points
_ELSEWHERE = frozenset({"autograder", "numpy", "torch"})  # `engine` and `libraries` tell their versions


@dataclass(frozen=True)
class Basis:
    """What an exercise's key is made of, in the parts that change for different reasons."""

    key: str
    engine: str
    libraries: str
    seed: int
    content: str  # of the course: cases as drawn, reference, known mistakes, limits, points


@cache
def engine() -> str:
    """Return the engine's version, and a checksum of the code that decides: a checkout changes between versions."""
    root = Path(autograder.__file__).parent
    files = sorted(path for folder in _JUDGING for end in ("py", "po") for path in (root / folder).rglob(f"*.{end}"))
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
    return {name: basis.key for name, basis in exercise_bases(oracle).items()}


def exercise_bases(oracle: Oracle) -> dict[str, Basis]:
    """Return every exercise's key and what it is made of, in report order."""
    assignment, versions = oracle.assignment, libraries(torch=oracle.assignment.torch)
    shared = [f"{f.name}={describe(getattr(assignment, f.name))}" for f in fields(assignment) if f.name not in _APART]
    around = digest(engine(), *versions, str(oracle.seed), *shared)
    own, used = {e.name: _own_key(oracle, e) for e in assignment.exercises}, used_in_any_way(assignment)
    found = {}
    for e in assignment.exercises:
        others = [own[name] for name in own if name in used[e.name]]
        ways = [digest(way.source) for way in ways_of(assignment, e)] if others else ()
        parts = (*_reference_code(oracle, e), own[e.name], *others, *ways)
        content = digest(*shared, *parts)
        found[e.name] = Basis(digest(around, *parts), engine(), ", ".join(versions), oracle.seed, content)
    return found


def builds_on(assignment: Assignment, names: Iterable[str]) -> frozenset[str]:
    """Return some exercises and all that build on one of them."""
    wanted, used = set(names), used_in_any_way(assignment)
    return frozenset(e.name for e in assignment.exercises if wanted & {e.name, *used[e.name]})


def result_key(exercise: str, source: str) -> str:
    """Return the key of one exercise's result for one submission."""
    return f"{exercise}:{source}"


def basis_key(result: str) -> str:
    """Return the exercise's key in that of a result."""
    return result.partition(":")[0]


def _own_key(oracle: Oracle, own: Exercise) -> str:
    """Return the key of what an exercise itself is made of, apart from the reference."""
    name = own.name
    counts = repr((own.points, own.bonus, own.answer)) if own.manual else repr((own.points, own.bonus))
    trials = (part for trial in oracle.trials_of(name) for part in _trial(trial))
    bank = (json.dumps(astuple(m)) for m in oracle.misconceptions_of(name))
    trainings = [
        describe(t) + digest(oracle.assignment.harness) for t in oracle.assignment.trainings if t.exercise == name
    ]
    shortcuts = (json.dumps(astuple(s)) for s in oracle.assignment.shortcuts if name in s.exercises)
    return digest(name, counts, *trials, *bank, *trainings, *shortcuts)


def _trial(trial: Trial) -> Iterable[str]:
    case: Case = trial.case
    yield json.dumps([case.name, case.claim, case.weight, case.visibility])
    yield describe(case.check)
    for request in trial.requests:
        yield json.dumps([request.function, request.phase, request.seed, request.keep_args])
        # Through the codec, so that a tensor is data, and described, since the codec's own bytes come in any order.
        yield describe(decode(encode((list(request.args), dict(request.kwargs), request.module)), evaluate=Code))


def _reference_code(oracle: Oracle, exercise: Exercise) -> Iterable[str]:
    """Return the code of the reference that an exercise leads to, helpers and all; a training may take anything of it."""
    definitions, rest = definitions_in(oracle.assignment.reference)
    called = {request.function.partition(".")[0] for t in oracle.trials_of(exercise.name) for request in t.requests}
    roots = definitions.keys() if exercise.training else {exercise.name, *called}
    found = reachable(roots, definitions) & definitions.keys()
    return [rest, *(definitions[name].code for name in sorted(found))]


def digest(*parts: str | bytes) -> str:
    """Return a checksum of some parts, which cannot be cut otherwise to give the same."""
    found = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)
    return found.hexdigest()[:32]


def describe(value: Any, inside: frozenset[int] = frozenset()) -> str:
    """Describe a value, `inside` others: a function, say, with the helpers and constants it uses."""
    if id(value) in inside:
        return "..."
    kind = type(value)
    deeper = inside | {id(value)}
    if is_dataclass(value) and not isinstance(value, type):
        parts = [f"{f.name}={describe(getattr(value, f.name), deeper)}" for f in fields(value)]
        return f"{kind.__qualname__}({', '.join(parts)}){_methods(kind, deeper)}"
    if isinstance(value, np.ndarray):
        return f"array({value.dtype}, {value.shape}, {digest(np.ascontiguousarray(value).tobytes())})"
    if isinstance(value, FunctionType):
        return _function(value, deeper)
    if isinstance(value, list | tuple):
        return f"[{', '.join(describe(part, deeper) for part in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {describe(part, deeper)}' for key, part in value.items())}}}"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(describe(part, deeper) for part in value))}}}"
    if isinstance(value, type):
        return f"{value.__qualname__}{_methods(value, deeper)}"
    plain = isinstance(value, str | bytes | int | float | complex | None | np.generic)
    return repr(value) if plain else f"{kind.__qualname__}{_methods(kind, deeper)}"


def _methods(kind: type, inside: frozenset[int]) -> str:
    if _is_elsewhere(kind.__module__):
        return ""
    parts = (value for _, value in sorted(vars(kind).items()) if isinstance(value, FunctionType))
    return "".join(_function(part, inside) for part in parts)


def _function(function: FunctionType, inside: frozenset[int]) -> str:
    if _is_elsewhere(function.__module__ or ""):
        return function.__qualname__
    code = function.__code__
    used = {name: function.__globals__[name] for name in sorted(_names(code)) if name in function.__globals__}
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    around = describe([used, cells, function.__defaults__, function.__kwdefaults__], inside)
    return f"{_code(code, inside)} {around}"


def _code(code: CodeType, inside: frozenset[int]) -> str:
    constants = (_code(c, inside) if isinstance(c, CodeType) else describe(c, inside) for c in code.co_consts)
    return f"{code.co_code.hex()} {code.co_names} {' '.join(constants)}"


def _names(code: CodeType) -> set[str]:
    return set(code.co_names).union(*(_names(part) for part in code.co_consts if isinstance(part, CodeType)))


def _is_elsewhere(module: str) -> bool:
    name = module.partition(".")[0]
    return name in _ELSEWHERE or name in sys.stdlib_module_names
