"""Promises that need nothing to run: names, points, the bank of misconceptions, the stub."""

from __future__ import annotations

import ast
import math
import pydoc
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.course.spec import Assignment, Visibility
from autograder.course.stub import StubError, render_stub
from autograder.judge.checks import answered, choice
from autograder.sandbox.child.parse import parse


@dataclass(frozen=True)
class Proof:
    """One promise: what it is, and the precise ways in which it is broken, if any."""

    promise: str
    broken: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing breaks the promise."""
        return not self.broken


def names_and_points(assignment: Assignment) -> Proof:
    """Prove that names are unique, that each exercise has its cases and that points add up."""
    return Proof("names are unique and points add up", tuple(_names(assignment)))


def _names(assignment: Assignment) -> Iterator[str]:
    if not assignment.exercises:
        yield "there is no exercise"
    groups = {
        "exercise": [e.name for e in assignment.exercises],
        "misconception": [m.name for m in assignment.misconceptions],
        "case": [f"{c.exercise}.{c.name}" for c in assignment.cases],
    }
    for kind, names in groups.items():
        yield from (f"two of {kind} {name}" for name, count in Counter(names).items() if count > 1)
    for exercise in assignment.exercises:
        cases = assignment.cases_of(exercise.name)
        for visibility in Visibility if not exercise.training else ():
            if not any(case.visibility is visibility for case in cases):
                yield f"{exercise.name} has no {visibility} case"
        if exercise.points <= 0 or any(case.weight <= 0 for case in cases):
            yield f"{exercise.name} has points or weights that are not positive"
    for case in assignment.cases:
        if not case.claim:
            yield f"{case.exercise}.{case.name} has no docstring for the student to read"
    yield from _training_names(assignment)
    for rule in assignment.shortcuts:
        yield from (f"a shortcut is for no exercise: {e}" for e in rule.exercises if e not in groups["exercise"])
        yield from (f"there is no {n} to forbid" for n in rule.names if "*" not in n and pydoc.locate(n) is None)
    if not math.isclose(assignment.max_score, assignment.points):
        yield f"the exercises' points add up to {assignment.max_score:g}, not the declared {assignment.points:g}"


def is_quiz(assignment: Assignment, exercise: str) -> bool:
    """Whether all that an exercise asks for is a choice of answers."""
    return all(isinstance(case.check, answered | choice) for case in assignment.cases_of(exercise))


def bank_of(assignment: Assignment) -> str:
    """Return where an assignment's known mistakes are written."""
    return f"solutions/{assignment.slug}/misconceptions.py"


def bank_is_sound(assignment: Assignment) -> Proof:
    """Prove that every misconception edits the reference once and names what there is."""
    names = {m.name: m for m in assignment.misconceptions}
    exercises = {exercise.name for exercise in assignment.exercises}
    cases = {(case.exercise, case.name) for case in assignment.cases}
    broken = [] if names else [f"there is none; write one for each case in {bank_of(assignment)}"]
    for m in assignment.misconceptions:
        count = assignment.reference.count(m.old)
        if count != 1:
            broken.append(f"{m.name}: its old text occurs {count} times in the reference, not once")
        if m.exercise not in exercises:
            broken.append(f"{m.name}: there is no exercise {m.exercise}")
        elif (m.exercise, m.caught_by) not in cases:
            broken.append(f"{m.name}: {m.exercise} has no case {m.caught_by}")
        if not m.says.strip():
            broken.append(f"{m.name}: says nothing to the student")
        broken += [
            f"{m.name}: its twin {twin} does not exist or does not name it back"
            for twin in m.twins
            if twin not in names or m.name not in names[twin].twins
        ]
    return Proof("every misconception edits the reference in one place", tuple(broken))


def correct_solutions_replace(assignment: Assignment) -> Proof:
    """Prove that every correct solution writes something again that the reference has; else it proves nothing."""
    own = _defined(assignment.reference)
    idle = [a.name for a in assignment.correct if not own & _defined(a.source)]
    told = [f"correct/{name}.py defines nothing that {assignment.file} has, so nothing is tried" for name in idle]
    if not assignment.correct:
        told = [f"there is none; write it in another correct way in solutions/{assignment.slug}/correct/"]
    return Proof("every correct solution replaces something of the reference", tuple(told))


def _defined(source: str) -> set[str]:
    """Return the names that a source defines or sets at its top level, methods with their classes."""
    try:
        nodes = parse(source).body
    except SyntaxError:
        return set()  # what cannot be imported is told where it is graded
    names = {getattr(node, "name", "") for node in nodes}
    for node in nodes:
        names |= {ast.unparse(t) for t in getattr(node, "targets", [getattr(node, "target", ast.Name(""))])}
    return names - {""}


def stub_is_fresh(assignment: Assignment) -> Proof:
    """Prove that the committed stub is what the reference renders to."""
    promise = "the stub is fresh and blanks exactly the exercises"
    try:
        fresh = render_stub(assignment)
    except StubError as error:
        return Proof(promise, (str(error),))
    if not assignment.stub:
        return Proof(promise, (f"{assignment.file} is missing; run autograder doctor {assignment.slug} --write-stub",))
    if fresh != assignment.stub:
        hint = f"autograder doctor {assignment.slug} --write-stub"
        return Proof(promise, (f"{assignment.file} differs from what the reference renders to; run {hint}",))
    return Proof(promise)


def _training_names(assignment: Assignment) -> Iterator[str]:
    """Yield what is wrong with how an assignment's training runs are declared."""
    declared = [e.name for e in assignment.exercises if e.training]
    written = [training.exercise for training in assignment.trainings]
    if sorted(declared) != sorted(written):
        yield f"training exercises are {sorted(declared)}, but solutions/{assignment.slug}/training.py has {sorted(written)}"
    bank = {m.name for m in assignment.misconceptions}
    for training in assignment.trainings:
        yield from (f"{training.exercise}: there is no misconception {n}" for n in training.catches if n not in bank)
        if f"def {training.function}(" not in assignment.harness:
            yield f"{training.exercise}: assignments/{assignment.slug}/training.py has no function {training.function}"
        if not training.metrics:
            yield f"{training.exercise} has no metric"
