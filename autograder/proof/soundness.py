"""Promises that need nothing to run: names, points, the stub."""

from __future__ import annotations

import ast
import math
import pydoc
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from autograder.course.definitions import defined_in
from autograder.course.spec import Assignment, Case, Exercise, Shortcut, Visibility
from autograder.course.stub import StubError, functions_in, render_stub
from autograder.judge.checks import answered, choice
from autograder.sandbox.child.parse import parse


class StillToWrite(str):
    """A line about what is not written yet: in a draft it is left to do, elsewhere it breaks a promise."""

    __slots__ = ()


@dataclass(frozen=True)
class Proof:
    """One promise: what it is, and the precise ways in which it is broken, if any."""

    promise: str
    broken: tuple[str, ...] = ()
    to_write: tuple[str, ...] = ()  # in a draft, what the promise waits for

    @property
    def holds(self) -> bool:
        """Whether nothing breaks the promise."""
        return not self.broken

    def of_draft(self) -> Proof:
        """Return the same proof where what is not written yet breaks nothing."""
        missing = tuple(line for line in self.broken if isinstance(line, StillToWrite))
        return Proof(self.promise, tuple(line for line in self.broken if line not in missing), missing)


def concerns(only: Collection[str], exercise: str) -> bool:
    """Whether an exercise is one of those that are looked at; where none is named, all are."""
    return not only or exercise in only


def names_and_points(assignment: Assignment, only: Collection[str] = ()) -> Proof:
    """Prove that names are unique, that each exercise has its cases and that points add up."""
    if only:
        return Proof("names are unique, and each exercise has its cases", tuple(_names(assignment, only)))
    return Proof("names are unique and points add up", tuple(_names(assignment, ())))


def _names(assignment: Assignment, only: Collection[str]) -> Iterator[str]:
    if not assignment.exercises:
        yield "there is no exercise"
    yield from _twice(assignment, only)
    for exercise in (e for e in assignment.exercises if concerns(only, e.name)):
        yield from _without_cases(exercise, assignment.cases_of(exercise.name))
    for case in assignment.cases:
        if not case.claim and concerns(only, case.exercise):
            yield StillToWrite(f"{case.exercise}.{case.name} has no docstring for the student to read")
    yield from _training_names(assignment, only)
    for rule in (r for r in assignment.shortcuts if any(concerns(only, e) for e in r.exercises)):
        yield from _unknown_in(rule, {e.name for e in assignment.exercises})
    if not only:
        yield from _unknown_given(assignment)
    if not only and not math.isclose(assignment.max_score, assignment.points):
        told = f"the exercises' points add up to {assignment.max_score:g}, not the declared {assignment.points:g}"
        yield StillToWrite(told)  # an author who adds an exercise writes the new total later


def _twice(assignment: Assignment, only: Collection[str]) -> Iterator[str]:
    """Yield the names that two of a kind have."""
    own = {*only, *(m.name for m in assignment.misconceptions if m.exercise in only)}
    own |= {f"{c.exercise}.{c.name}" for c in assignment.cases if c.exercise in only}
    groups = {
        "exercise": [e.name for e in assignment.exercises],
        "misconception": [m.name for m in assignment.misconceptions],
        "case": [f"{c.exercise}.{c.name}" for c in assignment.cases],
    }
    for kind, names in groups.items():
        yield from (f"two of {kind} {n}" for n, count in Counter(names).items() if count > 1 and concerns(own, n))


def _without_cases(exercise: Exercise, cases: Sequence[Case]) -> Iterator[str]:
    """Yield what an exercise lacks that its points need."""
    for visibility in Visibility if not (exercise.training or exercise.manual) else ():
        if not any(case.visibility is visibility for case in cases):
            yield StillToWrite(f"{exercise.name} has no {visibility} case")
    yield from _manual_names(exercise, cases)
    weighed = [case for case in cases if not isinstance(case.check, answered)]  # that of a quiz gives no points
    if exercise.points <= 0 or any(case.weight <= 0 for case in weighed):
        yield f"{exercise.name} has points or weights that are not positive"


def _unknown_in(rule: Shortcut, exercises: Collection[str]) -> Iterator[str]:
    """Yield the exercises and the names of a rule that there are not."""
    yield from (f"a shortcut is for no exercise: {e}" for e in rule.exercises if e not in exercises)
    yield from (f"there is no {n} to forbid" for n in rule.names if "*" not in n and pydoc.locate(n) is None)


def _unknown_given(assignment: Assignment) -> Iterator[str]:
    """Yield the names of `given` code that the reference does not have: one that is misspelt lets nothing ship."""
    try:
        tree = parse(assignment.reference)
    except SyntaxError:
        return  # told where the reference is run
    functions = functions_in(assignment.reference)
    there = functions | {name.rpartition(".")[0] for name in functions}
    there |= {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    there |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for name in (name for name in assignment.given if name not in there):
        yield StillToWrite(f"`given` lists {name}, which {assignment.file} does not define")


def _manual_names(exercise: Exercise, cases: Sequence[Case]) -> Iterator[str]:
    """Yield what is wrong with how an exercise is declared that a person grades."""
    if exercise.manual and cases:
        yield f"{exercise.name} is graded by a person, so no case can be of it: {', '.join(case.name for case in cases)}"
    total = sum(item.points for item in exercise.rubric)
    if exercise.rubric and not math.isclose(total, exercise.points):
        yield f"the rubric of {exercise.name} adds up to {total:g} points, not the declared {exercise.points:g}"
    if len({item.item for item in exercise.rubric}) < len(exercise.rubric):
        yield f"the rubric of {exercise.name} has two items with the same words"


def is_quiz(assignment: Assignment, exercise: str) -> bool:
    """Whether all that an exercise asks for is a choice of answers."""
    return all(isinstance(case.check, answered | choice) for case in assignment.cases_of(exercise))


def correct_solutions_replace(assignment: Assignment) -> Proof:
    """Prove that every correct solution writes something again that the reference has; else it proves nothing."""
    own = defined_in(assignment.reference)
    idle = [a.name for a in assignment.correct if not own & defined_in(a.source)]
    told: list[str] = [
        f"correct/{name}.py defines nothing that {assignment.named_files} has, so nothing is tried" for name in idle
    ]
    if not assignment.correct:
        where = f"solutions/{assignment.slug}/correct/"
        told = [StillToWrite(f"there is no other correct solution; write the reference in another way in {where}")]
    return Proof("every correct solution replaces something of the reference", tuple(told))


def stub_is_fresh(assignment: Assignment) -> Proof:
    """Prove that the committed stub is what the reference renders to."""
    promise = "the stub is fresh and blanks exactly the exercises"
    try:
        fresh_files = assignment.as_files(render_stub(assignment))
    except StubError as error:
        return Proof(promise, (str(error),))
    committed = assignment.as_files(assignment.stub)
    if not assignment.stub:
        hint = f"autograder doctor {assignment.slug} --write-stub"
        return Proof(promise, (StillToWrite(f"{' and '.join(fresh_files)} is missing; run {hint}"),))
    if stale := [name for name, text in fresh_files.items() if text != committed.get(name)]:
        hint = f"autograder doctor {assignment.slug} --write-stub"
        return Proof(promise, (f"{' and '.join(stale)} differs from what the reference renders to; run {hint}",))
    return Proof(promise)


def _training_names(assignment: Assignment, only: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with how an assignment's training runs are declared."""
    declared = [e.name for e in assignment.exercises if e.training and concerns(only, e.name)]
    trainings = [training for training in assignment.trainings if concerns(only, training.exercise)]
    written = [training.exercise for training in trainings]
    if sorted(declared) != sorted(written):
        yield f"training exercises are {sorted(declared)}, but solutions/{assignment.slug}/training.py has {sorted(written)}"
    bank = {m.name for m in assignment.misconceptions}
    for training in trainings:
        yield from (f"{training.exercise}: there is no misconception {n}" for n in training.catches if n not in bank)
        if f"def {training.function}(" not in assignment.harness:
            yield f"{training.exercise}: assignments/{assignment.slug}/training.py has no function {training.function}"
        if not training.metrics:
            yield f"{training.exercise} has no metric"
