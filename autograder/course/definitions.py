"""What a reference defines, and which names lead to which of its definitions."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache

from autograder.course.assignment import Exercise
from autograder.sandbox.child.parse import parse


@dataclass(frozen=True)
class Definition:
    """The code that a name stands for, without comments and layout, and the names in it."""

    code: str
    names: AbstractSet[str]


@cache
def definitions_in(reference: str) -> tuple[Mapping[str, Definition], str]:
    """Return what a reference defines, by name, and the code of all the rest of it. Raises SyntaxError."""
    found: dict[str, Definition] = {}
    rest = []
    for node in parse(reference).body:
        names = frozenset(child.id for child in ast.walk(node) if isinstance(child, ast.Name))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            earlier = found.get(node.name, Definition("", frozenset()))
            found[node.name] = Definition(earlier.code + ast.dump(node), earlier.names | names)
        else:
            rest.append(ast.dump(node))
            # A table of functions leads to all of them.
            found |= dict.fromkeys(names - found.keys(), Definition("", names))
    return found, "".join(rest)


def defined_in(source: str) -> set[str]:
    """Return the names that a source defines or sets at its top level, methods with their classes."""
    try:
        nodes = parse(source).body
    except SyntaxError:
        return set()  # what cannot be imported is told where it is graded
    names = {getattr(node, "name", "") for node in nodes}
    for node in nodes:
        names |= {ast.unparse(t) for t in getattr(node, "targets", [getattr(node, "target", ast.Name(""))])}
    return names - {""}


def reachable(
    roots: Iterable[str], definitions: Mapping[str, Definition], ends: Collection[str] = ()
) -> AbstractSet[str]:
    """Return the names that some names lead to, themselves included; what `ends` lead to is left out."""
    found, waiting = set(roots), [name for name in roots if name not in ends]
    while waiting:
        definition = definitions.get(waiting.pop())
        new = definition.names - found if definition else frozenset()
        found |= new
        waiting += new - set(ends)
    return found


def uses_as_written(reference: str, harness: str, exercises: Collection[Exercise]) -> Mapping[str, tuple[str, ...]]:
    """Return what each exercise uses by the names in the reference; a training by what its harness takes of it.

    Courses for 0.1.0 declare no `uses`. Of code that cannot be parsed nothing is known here; running it says why.
    """
    try:
        definitions, _ = definitions_in(reference)
        taken = {node.attr for node in ast.walk(parse(harness)) if isinstance(node, ast.Attribute)}
    except SyntaxError:
        return {}
    found = {}
    for exercise in exercises:
        others = [other.name for other in exercises if other is not exercise]
        reached = reachable(taken if exercise.training else {exercise.name}, definitions, others)
        found[exercise.name] = tuple(name for name in others if name in reached)
    return found
