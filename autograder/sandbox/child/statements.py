"""What the statements of a file read and set, by its text: a child's own, of the functions that ran in it."""

from __future__ import annotations

import ast
import contextlib
import functools
import linecache
from collections.abc import Iterator
from typing import Any

from autograder.sandbox.child.parse import parse


def statements_of(file: str, run: set[int]) -> list[list[Any]]:
    """Return of each statement of a file that ran [first line, last line, what it reads, sets, may change, lines of its heads]."""
    lines = [range(node.lineno, (node.end_lineno or node.lineno) + 1) for node in _definitions(file)]
    found = [each for place, span in enumerate(lines) if not run.isdisjoint(span) for each in _inside(file, place)]
    return [each for each in found if not run.isdisjoint(range(each[0], each[1] + 1))]


@functools.cache
def _definitions(file: str) -> list[ast.stmt]:
    """Return what stands at the top level of a file; nothing where it is not Python."""
    with contextlib.suppress(SyntaxError, ValueError, RecursionError):
        return parse("".join(linecache.getlines(file)), file).body
    return []


@functools.cache
def _inside(file: str, place: int) -> list[list[Any]]:
    """Return the statements of all functions in one of these."""
    found: list[list[Any]] = []
    with contextlib.suppress(RecursionError):
        for node in ast.walk(_definitions(file)[place]):
            if isinstance(node, ast.FunctionDef):
                for statement in node.body:
                    _add_statement(statement, _bound_in(node), [], found)
    return found


def _bound_in(function: ast.FunctionDef) -> set[str]:
    """Return the names of a function's own variables."""
    every = list(ast.walk(function))
    set_there = {node.id for node in every if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return set_there | {node.arg for node in every if isinstance(node, ast.arg)}


def _add_statement(node: ast.stmt, bound: set[str], around: list[int], found: list[list[Any]]) -> None:
    """Add a statement of a function, and those inside it."""
    own = list(_own_parts(node))
    last = max([node.lineno, *(getattr(part, "end_lineno", None) or 0 for part in own)])
    parts = [part for each in own for part in ast.walk(each)]
    reads = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    sets = {name for part in parts if isinstance(getattr(part, "ctx", None), ast.Store) for name in _base(part)}
    if isinstance(node, ast.AugAssign):
        reads |= _base(node.target)
    if isinstance(node, ast.FunctionDef):
        sets.add(node.name)
    called = [part for part in parts if isinstance(part, ast.Call)]
    touches = {name for call in called for part in (call.func, *call.args) for name in _base(part)} & bound
    found.append([node.lineno, last, sorted(reads), sorted(sets), sorted(touches), around])
    for inner in _blocks(node):
        _add_statement(inner, bound, [*around, node.lineno], found)


def _base(node: ast.AST) -> set[str]:
    """Return the variable that an expression such as `x.y[z]` is a part of."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _own_parts(node: ast.stmt) -> Iterator[ast.AST]:
    """Yield what belongs to a statement itself: all of a simple one, of a compound one its head."""
    if not hasattr(node, "body") or isinstance(node, ast.FunctionDef):
        yield node
        return
    for name in ("test", "target", "iter", "subject"):
        if part := getattr(node, name, None):
            yield part
    yield from getattr(node, "items", ())


def _blocks(node: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the statements inside one, but for those of a function or class."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return
    for name in ("body", "orelse", "finalbody"):
        yield from getattr(node, name, ())
    for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield from inner.body
