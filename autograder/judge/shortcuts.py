"""Look into a submission's source, before it runs, for library code that an exercise may not use.

Names are followed through imports, simple assignments and the submission's own helpers; a name in a comment, in a text
or in a function that no exercise reaches is no use of it.
"""

from __future__ import annotations

import ast
import fnmatch
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from autograder.course.spec import Assignment, Exercise, Shortcut
from autograder.sandbox.job import Source


@dataclass
class _Names:
    """What the names of a submission stand for."""

    imported: dict[str, str] = field(default_factory=dict)  # a local name and the full name it stands for
    stars: list[str] = field(default_factory=list)  # modules all of whose names were imported
    defined: dict[str, list[tuple[str, ast.AST]]] = field(default_factory=dict)  # own definitions, and where


def used_shortcuts(source: Source, assignment: Assignment) -> Mapping[str, str]:
    """Return, for each exercise that uses what it may not, what a student should read about it."""
    # Parsing would be a third of the work of grading, and most submissions hold none of the words.
    words = {name.rpartition(".")[2].partition("*")[0] for rule in assignment.shortcuts for name in rule.names}
    if not any(map(source.holds, words)):
        return {}
    names = _read(source)
    found = {}
    for exercise in assignment.exercises:
        rules = [rule for rule in assignment.shortcuts if exercise.name in rule.exercises]
        use = next(_uses(exercise, assignment, names, rules), None) if rules else None
        if use:
            found[exercise.name] = use
    return found


def explain_shortcut(name: str, instead: str, place: str = "") -> str:
    """Say what was used and what is allowed instead."""
    return f"You use `{name}`{place}, which does what this exercise asks you to write yourself. {instead}"


def rule_for(assignment: Assignment, exercise: str, name: str) -> Shortcut | None:
    """Return the rule by which an exercise may not use a full name."""
    rules = (rule for rule in assignment.shortcuts if exercise in rule.exercises)
    return next((rule for rule in rules if _forbids(rule, name)), None)


def _forbids(rule: Shortcut, name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in rule.names)


def _uses(exercise: Exercise, assignment: Assignment, names: _Names, rules: list[Shortcut]) -> Iterator[str]:
    """Yield what a student should read about each use, in whatever the exercise's own code reaches."""
    others = {e.name for e in assignment.exercises} - {exercise.name}
    reached = [blank.partition(".")[0] for blank in exercise.blanks]
    for name in reached:  # grows meanwhile
        for label, definition in names.defined.get(name, ()):
            for node in ast.walk(definition):
                if isinstance(node, ast.Name) and node.id not in others and node.id not in reached:
                    reached.append(node.id)
                for full_name in _full_names(node, names):
                    rule = next((rule for rule in rules if _forbids(rule, full_name)), None)
                    if rule:
                        place = f" ({label}, line {getattr(node, 'lineno', 0)})"
                        yield explain_shortcut(full_name, rule.instead, place)


def _full_names(node: ast.AST, names: _Names) -> Iterator[str]:
    """Yield the full library names that a name or attribute may stand for."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return
    if node.id in names.imported:
        yield ".".join((names.imported[node.id], *reversed(parts)))
    elif node.id not in names.defined:
        yield from (".".join((module, node.id, *reversed(parts))) for module in names.stars)


def _read(source: Source) -> _Names:
    names = _Names()
    for chunk in source.chunks:
        tree = _parse(chunk.text)
        if tree is None:
            continue
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.defined.setdefault(statement.name, []).append((chunk.label, statement))
        for node in ast.walk(tree):
            _note_import(node, names)
        for statement in tree.body:
            _note_alias(statement, names, chunk.label)
    return names


def _parse(text: str) -> ast.Module | None:
    """Return the tree of a source, or None where it is no Python; running it will say so."""
    for _ in range(2):
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        except SystemError:  # CPython 3.11, where another thread traces at that moment: once more
            continue
    return None


def _note_import(node: ast.AST, names: _Names) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            # `import torch.nn` binds torch; `import torch.nn as nn` binds nn to torch.nn.
            root = alias.name.partition(".")[0]
            names.imported[alias.asname or root] = alias.name if alias.asname else root
    elif isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            if alias.name == "*":
                names.stars.append(node.module)
            else:
                names.imported[alias.asname or alias.name] = f"{node.module}.{alias.name}"


def _note_alias(node: ast.stmt, names: _Names, label: str) -> None:
    """Note what a top-level assignment gives another name to, or else defines."""
    if not isinstance(node, ast.Assign):
        return
    full_name = next(_full_names(node.value, names), None)
    for target in node.targets:
        if isinstance(target, ast.Name):
            if full_name:
                names.imported[target.id] = full_name
            else:
                names.defined.setdefault(target.id, []).append((label, node))
