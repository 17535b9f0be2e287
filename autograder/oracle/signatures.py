"""Read the names of parameters, and of the parts of those that are tuples, from a reference's text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograder.sandbox.child.parse import parse

# `cache: (x, h0, h)` in a docstring. Of an array, such names are those of its axes.
_TUPLE = re.compile(r"^ +(\w+): \(((?:[^\W\d]\w*, )+[^\W\d]\w*)\)", re.MULTILINE)
_ARRAY = re.compile(r"(?!tuple).*(ndarray|Tensor)")


def signatures_of(source: str) -> dict[str, tuple[str, ...]]:
    """Return the names of the parameters of every function and, by dotted name and without self, every method.

    Under the dotted name of a parameter that is a tuple stand the names of its parts. Raises SyntaxError.
    """
    found: dict[str, tuple[str, ...]] = {}
    for node in parse(source).body:
        if isinstance(node, ast.FunctionDef):
            found |= _parameters(node, node.name, node.args.args)
        elif isinstance(node, ast.ClassDef):
            for method in (method for method in node.body if isinstance(method, ast.FunctionDef)):
                found |= _parameters(method, f"{node.name}.{method.name}", method.args.args[1:])
    return found


def _parameters(function: ast.FunctionDef, path: str, arguments: list[ast.arg]) -> dict[str, tuple[str, ...]]:
    return {path: tuple(argument.arg for argument in arguments)} | {
        f"{path}.{name}": parts for name, parts in _tuples(function, arguments)
    }


def _tuples(function: ast.FunctionDef, arguments: list[ast.arg]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the parameters that are tuples with the names of their parts, as the docstring gives them."""
    told = dict(_TUPLE.findall(ast.get_docstring(function) or ""))
    for argument in arguments:
        kind = ast.unparse(argument.annotation) if argument.annotation else ""
        if argument.arg in told and not _ARRAY.match(kind):
            yield argument.arg, tuple(told[argument.arg].split(", "))
