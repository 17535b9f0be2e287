"""Cut definitions out of a source text: the code of exercises that a course leaves out. All other lines stay as they are."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet

from autograder.sandbox.child.parse import parse

_Defined = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def without_definitions(source: str, gone: Collection[str], kept: Collection[str]) -> str:
    """Return a source without functions, classes and methods, by their dotted names. Raises SyntaxError.

    A class goes as a whole where none of its methods is `kept`.
    """
    lines = io.StringIO(source, newline="").readlines()
    for node in sorted(_found(parse(source), gone, kept), key=lambda node: -node.lineno):
        first, last = _span(node, lines)
        del lines[first:last]
    return "".join(lines)


def without_answers(source: str, questions: Collection[str]) -> str:
    """Return a source whose quizzes ask some questions less: each stands in a dict of answers, and is answered in a line."""
    for name in map(re.escape, questions):
        source = re.sub(
            rf'^[ \t]*(answers\["{name}"\] = "\w*"|"{name}": "",)[ \t]*\r?\n', "", source, flags=re.MULTILINE
        )
        source = re.sub(rf'"{name}": ""(, )?', "", source)
    return source


def names_used(source: str) -> AbstractSet[str]:
    """Return every name that some code takes from elsewhere: variables, attributes and what it imports. Raises SyntaxError."""
    found = set[str]()
    for node in ast.walk(parse(source)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                found.add(name)
            case ast.ImportFrom(module=str(name)):
                found.add(name)
    return found


def _found(tree: ast.AST, gone: Collection[str], kept: Collection[str], prefix: str = "") -> Iterator[_Defined]:
    """Yield the definitions that go, also those inside `if` or `try`."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, _Defined):
            yield from _found(node, gone, kept, prefix)
            continue
        name = prefix + node.name
        inside = f"{name}."
        if isinstance(node, ast.ClassDef) and any(each.startswith(inside) for each in kept):
            yield from _found(node, gone, kept, inside)
        elif name in gone or any(each.startswith(inside) for each in gone):
            yield node


def _span(node: _Defined, lines: list[str]) -> tuple[int, int]:
    """Return the lines of a definition, from 0: with its decorators, comments that touch it, and the gap behind it."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
    while first and re.match(rf"[ \t]{{{node.col_offset}}}#(?! (BEGIN|END) SOLUTION)", lines[first - 1]):
        first -= 1
    last = node.end_lineno or node.lineno
    while last < len(lines) and re.match(rf"[ \t]{{{node.col_offset + 1},}}#|\s*$", lines[last]):
        last += 1  # a comment that is indented deeper, such as the end of a solution, is still its own
    return first, last
