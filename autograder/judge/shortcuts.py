"""Look into a submission's source, before it runs, for library code that an exercise may not use.

Names are followed through imports, simple assignments and the submission's own helpers; a name in a comment, in a text, in
an annotation or in a function or method that no exercise reaches is no use of it.
"""

from __future__ import annotations

import ast
import fnmatch
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from autograder.course.spec import Assignment, Exercise, Shortcut
from autograder.sandbox.job import Source

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass
class _Names:
    """What the names of a submission stand for."""

    imported: dict[str, str] = field(default_factory=dict)  # a local name and the full name it stands for
    stars: list[str] = field(default_factory=list)  # modules all of whose names were imported
    methods: dict[str, list[str]] = field(default_factory=dict)  # of own classes
    defined: dict[str, list[_Part]] = field(default_factory=dict)  # own definitions


@dataclass(frozen=True)
class _Part:
    """A definition, or what of a class is no method: where it is, its code, and what it imports for itself."""

    label: str
    code: tuple[ast.AST, ...]
    local: Mapping[str, str] = field(default_factory=dict)


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
    # A star stands for a part of one name: `torch.*_norm` is not `torch.linalg.vector_norm`.
    return any(name.count(".") == pattern.count(".") and fnmatch.fnmatchcase(name, pattern) for pattern in rule.names)


def reached_exercises(source: Source, name: str, assignment: Assignment) -> frozenset[str]:
    """Return the exercises that the code of one mentions, itself or in what it calls."""
    names = _read(source)
    exercise = next(e for e in assignment.exercises if e.name == name)
    reached = [name for blank in exercise.blanks for name in _reached_by(blank, names)]
    for _ in _nodes(reached, names, frozenset()):
        pass
    return frozenset(e.name for e in assignment.exercises if any(blank in reached for blank in e.blanks))


def builds_on(source: Source, assignment: Assignment) -> dict[str, frozenset[str]]:
    """Return, for each exercise, the others that its code mentions or shares definitions of the student's own with."""
    names = _read(source)
    code = {}
    for exercise in assignment.exercises:
        reached = [name for blank in exercise.blanks for name in _reached_by(blank, names)]
        for _ in _nodes(reached, names, frozenset()):
            pass
        code[exercise.name] = {name for name in reached if name in names.defined} - set(assignment.given)
    blanks = {e.name: {blank.partition(".")[0] for blank in e.blanks} for e in assignment.exercises}
    helpers = {name: code[name] - set().union(*blanks.values()) for name in code}
    return {
        name: frozenset(o for o in code if o != name and (code[name] & blanks[o] or helpers[name] & helpers[o]))
        for name in code
    }


def _uses(exercise: Exercise, assignment: Assignment, names: _Names, rules: list[Shortcut]) -> Iterator[str]:
    """Yield what a student should read about each use, in whatever the exercise's own code reaches."""
    own = {blank.partition(".")[0] for blank in exercise.blanks}
    strangers = {e.name for e in assignment.exercises} - {exercise.name} - own
    others = strangers | {method for stranger in strangers for method in names.methods.get(stranger, ())}
    reached = [name for blank in exercise.blanks for name in _reached_by(blank, names)]
    for part, node in _nodes(reached, names, others):
        for full_name in _full_names(node, replace(names, imported={**names.imported, **part.local})):
            rule = next((rule for rule in rules if _forbids(rule, full_name)), None)
            if rule:
                place = f" ({part.label}, line {getattr(node, 'lineno', 0)})"
                yield explain_shortcut(full_name, rule.instead, place)


def _nodes(reached: list[str], names: _Names, others: AbstractSet[str]) -> Iterator[tuple[_Part, ast.AST]]:
    """Yield all code that names reach, with the definition it is in; what they reach, but for others, is added to them."""
    for name in reached:  # grows meanwhile
        reached += [more for more in _methods(name, reached, names) if more not in others and more not in reached]
        for part in names.defined.get(name, ()):
            for node in (node for code in part.code for node in _walk(code)):
                reached += [more for more in _named(node) if more not in others and more not in reached]
                yield part, node


def _reached_by(blank: str, names: _Names) -> list[str]:
    """Return what is called when an exercise is: its function, or its class and the method, or all methods of a class."""
    owner, _, method = blank.partition(".")
    return [owner, *([blank, f"{owner}.forward"] if method else names.methods.get(owner, []))]


def _methods(name: str, reached: list[str], names: _Names) -> list[str]:
    """Return the own methods that are reached with a class or, named with its dot, an attribute: it takes both."""
    if name.startswith("."):
        return [owner + name for owner in names.methods if owner in reached]
    return [name + attribute for attribute in reached if attribute.startswith(".")] if name in names.methods else []


def _named(node: ast.AST) -> list[str]:
    """Return what a name may stand for, or an attribute with its dot; calling an object calls its `forward`."""
    if isinstance(node, ast.Name):
        return [node.id, f"{node.id}.forward"]
    if isinstance(node, ast.Attribute):
        return [f".{node.attr}"]
    return []


def _walk(node: ast.AST, *, into_functions: bool = True) -> Iterator[ast.AST]:
    """Yield a node and all that is inside of it, without annotations; without recursion, for students nest deeply."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        if into_functions or not isinstance(node, _FUNCTION):
            for name, value in ast.iter_fields(node):
                parts = value if isinstance(value, list) else [value]
                if name not in ("annotation", "returns"):
                    waiting += [part for part in parts if isinstance(part, ast.AST)]


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
            if isinstance(statement, _FUNCTION):
                names.defined.setdefault(statement.name, []).append(_part(chunk.label, statement))
            elif isinstance(statement, ast.ClassDef):
                _note_class(statement, names, chunk.label)
        for node in _walk(tree, into_functions=False):
            _note_import(node, names)
        for statement in tree.body:
            _note_alias(statement, names, chunk.label)
    return names


def _part(label: str, *code: ast.AST) -> _Part:
    """Return a definition with what it imports for itself."""
    local = _Names()
    for node in (node for root in code for node in _walk(root)):
        _note_import(node, local)
    return _Part(label, code, local.imported)


def _note_class(node: ast.ClassDef, names: _Names, label: str) -> None:
    """Note a class without its methods, and each of them by its dotted name; what Python itself calls is of the class."""
    methods = [
        n for n in node.body if isinstance(n, _FUNCTION) and not (n.name.startswith("__") and n.name.endswith("__"))
    ]
    rest = [part for part in node.body if part not in methods]
    names.defined.setdefault(node.name, []).append(
        _part(label, *node.decorator_list, *node.bases, *node.keywords, *rest)
    )
    for method in methods:
        names.defined.setdefault(f"{node.name}.{method.name}", []).append(_part(label, method))
        names.methods.setdefault(node.name, []).append(f"{node.name}.{method.name}")


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
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return
    full_name = next(_full_names(node.value, names), None)
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        if isinstance(target, ast.Name):
            if full_name:
                names.imported[target.id] = full_name
            else:
                names.defined.setdefault(target.id, []).append(_part(label, node))
