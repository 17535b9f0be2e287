"""Automatic mutants of a reference: every small change inside its solution regions, one at a time.

A mutant is named by what it does to a statement, so the name stays while line numbers move, and ends to exist when the
statement changes: reasons written for it cannot outlive it.

A cut of a gradient (`x` becomes `x.detach()`) changes no value, so only cases that send gradients back notice it. Where outputs
are no tensors, or a name holds a mask or whole numbers, it is no mistake.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any

import numpy as np

from autograder.course.spec import Assignment, Module
from autograder.course.stub import solution_spans
from autograder.judge.trials import as_data
from autograder.oracle.calls_here import run_requests
from autograder.oracle.code_changes import cut_of, variants
from autograder.oracle.oracle import Oracle
from autograder.proof.known_mistakes import bank_of
from autograder.proof.soundness import is_quiz
from autograder.sandbox.child.parse import parse
from autograder.sandbox.child.program import Program
from autograder.sandbox.child.tree import Tensor, leaves
from autograder.sandbox.job import Outcome, Request

_SKIPPED = (ast.JoinedStr, ast.Raise)  # the text of an error is no mistake
Path = tuple[tuple[str, int], ...]  # fields and positions that lead from the module to a node
Place = tuple[int, int, int]  # line, first and last column
_SAW = "_autograder_saw"
_SEED = 0


@dataclass(frozen=True)
class Mutant:
    """One change: the exercise whose cases have to notice (every one's, if empty), what it is, and where."""

    exercise: str
    name: str
    path: Path
    variant: int


def mutants_of(assignment: Assignment) -> tuple[Mutant, ...]:
    """Return every mutant of an assignment's reference, in the order of its lines; quizzes have none, nor what a person grades."""
    tree = _parse(assignment.reference)
    owners = {blank: e.name for e in assignment.exercises for blank in e.blanks}
    quizzes = {e.name for e in assignment.exercises if e.manual or is_quiz(assignment, e.name)}
    tensors = tracked(assignment, tree)
    found: list[Mutant] = []
    for function, start, end in solution_spans(assignment.reference):
        exercise = owners.get(function, "")
        if exercise not in quizzes:
            found += _inside(tree, exercise, function, (start, end), tensors)
    seen: Counter[str] = Counter()
    unique = []
    for mutant in found:
        seen[mutant.name] += 1
        again = f" ({seen[mutant.name]})" if seen[mutant.name] > 1 else ""
        unique.append(Mutant(mutant.exercise, mutant.name + again, mutant.path, mutant.variant))
    return tuple(unique)


def nothing_to_try(assignment: Assignment) -> Iterator[str]:
    """Yield what has to be there for a trial to prove anything: mutants of every exercise that has code, and known mistakes."""
    changed = {mutant.exercise for mutant in mutants_of(assignment)}
    for exercise in assignment.exercises:
        if (
            not (exercise.training or exercise.manual)
            and exercise.name not in changed
            and not is_quiz(assignment, exercise.name)
        ):
            yield f"{exercise.name} has no mutant: nothing in its solution region can be changed"
    if not assignment.misconceptions:
        yield f"there is no known mistake in {bank_of(assignment)}"


def compiled(assignment: Assignment, mutant: Mutant) -> CodeType:
    """Return the reference with a mutant's change in it."""
    return compile(_changed(assignment, mutant), assignment.file, "exec", dont_inherit=True)


def source_of(assignment: Assignment, mutant: Mutant) -> str:
    """Return the same as text, without comments."""
    return ast.unparse(_changed(assignment, mutant))


def _changed(assignment: Assignment, mutant: Mutant) -> ast.Module:
    tree = _parse(assignment.reference)
    place = _Place(tree, mutant.path)
    place.put(list(variants(place.node, place.parent))[mutant.variant])
    return ast.fix_missing_locations(tree)


def _parse(source: str) -> ast.Module:
    """Parse a source; mark the assignments that give an old name a new value, and the reads of a function's own names."""
    tree = parse(source)
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            names = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    node.bound = node.targets[0].id in names  # type: ignore[attr-defined] # a note of ours
                    names.add(node.targets[0].id)
            nodes = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
            names |= {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
            for node in nodes:
                node.own = node.id in names - {"self"}  # type: ignore[attr-defined] # another one
    return tree


def _inside(
    tree: ast.Module, exercise: str, function: str, lines: tuple[int, int], tensors: frozenset[Place]
) -> Iterator[Mutant]:
    """Yield the mutants of the statements that begin between two lines; gradients are cut where there are `tensors`."""
    for path, statement in _statements(tree):
        if not lines[0] < statement.lineno < lines[1]:
            continue
        before = _head(statement)
        texts = {before}
        for inner in _nodes(statement, path):
            place = _Place(tree, inner)
            original = place.node
            for number, other in enumerate(variants(original, place.parent)):
                if _idle_cut(original, other, tensors):
                    continue
                place.put(ast.copy_location(other, original) if isinstance(other, ast.stmt) else other)
                text = _head(_Place(tree, path).node)
                place.put(original)
                if text not in texts:
                    texts.add(text)
                    yield Mutant(exercise, f"{function}: {before}  =>  {text}", inner, number)


def _idle_cut(original: ast.AST, other: ast.AST, tensors: frozenset[Place]) -> bool:
    """Whether a change only cuts a gradient where there is none."""
    named = isinstance(original, ast.Name | ast.Attribute)
    return (
        named and getattr(getattr(other, "func", None), "value", None) is original and place_of(original) not in tensors
    )


def _head(statement: ast.AST) -> str:
    """Return a statement in one line; of one that holds others, what stands before them."""
    return ast.unparse(statement).partition("\n")[0]


def _statements(node: ast.AST, path: Path = ()) -> Iterator[tuple[Path, ast.stmt]]:
    for step, child in _children(node):
        if isinstance(child, ast.stmt):
            yield (*path, step), child
        yield from _statements(child, (*path, step))


def _nodes(node: ast.AST, path: Path) -> Iterator[Path]:
    """Yield the ways to a statement and to what belongs to it, without the statements inside of it."""
    yield path
    for step, child in _children(node):
        if not isinstance(child, (ast.stmt, *_SKIPPED)) and not isinstance(node, _SKIPPED) and step[0] != "annotation":
            yield from _nodes(child, (*path, step))


def _children(node: ast.AST) -> Iterator[tuple[tuple[str, int], ast.AST]]:
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield (name, -1), value
        elif isinstance(value, list):
            yield from (((name, i), part) for i, part in enumerate(value) if isinstance(part, ast.AST))


class _Place:
    """A node's place in a tree."""

    def __init__(self, tree: ast.AST, path: Path) -> None:
        self.parent, self.node = tree, tree
        for name, index in path:
            self.parent, value = self.node, getattr(self.node, name)
            self.node = value if index < 0 else value[index]
        self._name, self._index = path[-1]

    def put(self, other: ast.AST) -> None:
        """Put another node there."""
        if self._index < 0:
            setattr(self.parent, self._name, other)
        else:
            getattr(self.parent, self._name)[self._index] = other


def place_of(node: ast.Name | ast.Attribute) -> Place:
    """Return where an expression stands in its source."""
    return node.lineno, node.col_offset, node.end_col_offset or 0


def tracked(assignment: Assignment, tree: ast.Module) -> frozenset[Place]:
    """Return the places where names hold tensors that a gradient comes back to; none in an assignment without torch."""
    if not assignment.torch:
        return frozenset()
    import torch

    found: set[Place] = set()

    def saw(line: int, first: int, last: int, value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.requires_grad:
            found.add((line, first, last))
        return value

    watched = ast.fix_missing_locations(_watched(copy.deepcopy(tree)))
    program = Program("watched", notebook=False)
    vars(program.module)[_SAW] = saw
    exec(compile(watched, assignment.file, "exec", dont_inherit=True), vars(program.module))  # noqa: S102 (the course's own)
    oracle = Oracle(assignment, _SEED)
    for trial in oracle.trials:
        pairs = zip(trial.requests, oracle.expected(trial), strict=True)
        run_requests(program, tuple(filter(None, (_backwards(request, outcome) for request, outcome in pairs))))
    return frozenset(found)


def _backwards(request: Request, outcome: Outcome) -> Request | None:
    """Return a request that sends a gradient back through all outputs, where all are floating tensors."""
    module = request.module or as_data(Module(init=None))
    value = outcome.value["output"] if module["cotangents"] else outcome.value
    outputs = tuple(leaves(value))
    if not all(isinstance(part, Tensor) and part.array.dtype.kind == "f" for part in outputs):
        return None
    return replace(request, module={**module, "cotangents": tuple(Tensor(np.ones_like(o.array)) for o in outputs)})


def _watched(tree: ast.AST) -> Any:
    """Put a call that looks at the value around every name that may be cut."""
    for name, value in ast.iter_fields(tree):
        if isinstance(value, ast.AST):
            setattr(tree, name, _around(value, tree))
        elif isinstance(value, list):
            value[:] = [_around(part, tree) if isinstance(part, ast.AST) else part for part in value]
    return tree


def _around(node: ast.AST, parent: ast.AST) -> Any:
    if isinstance(node, ast.Name | ast.Attribute) and cut_of(node, parent):
        return ast.Call(ast.Name(_SAW, ast.Load()), [*map(ast.Constant, place_of(node)), _watched(node)], [])
    return _watched(node)
