"""Python's text as a tree, for threads that read at once, and the nodes of it.

Before 3.11.8 and 3.12.2 Python counts the depth of all trees in one place: two threads that make one at the same time may
get a SystemError ("AST constructor recursion depth mismatch", github.com/python/cpython/issues/106905).
"""

from __future__ import annotations

import ast
import functools
import threading
from collections.abc import Iterator
from typing import Literal, overload

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_ONE_AT_A_TIME = threading.RLock()


@overload
def parse(text: str, label: str = ..., mode: Literal["exec"] = "exec") -> ast.Module: ...
@overload
def parse(text: str, label: str = ..., *, mode: Literal["eval"]) -> ast.Expression: ...
def parse(text: str, label: str = "<unknown>", mode: str = "exec") -> ast.AST:
    """Return the tree of a text. Raises SyntaxError, ValueError or RecursionError where it is not Python, as `ast.parse` does."""
    with _ONE_AT_A_TIME:
        return ast.parse(text, label, mode)


def walk(node: ast.AST, *, into_functions: bool = True, annotations: bool = False) -> Iterator[ast.AST]:
    """Yield a node and all nodes below it except operators. It is a loop because hostile code nests deeply."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        if into_functions or not isinstance(node, FUNCTION):
            for name in _holding_nodes(node._fields, annotations=annotations):
                value = getattr(node, name, None)
                if isinstance(value, ast.AST):
                    waiting.append(value)
                elif isinstance(value, list):
                    waiting += [part for part in value if isinstance(part, ast.AST)]


@functools.cache
def _holding_nodes(fields: tuple[str, ...], *, annotations: bool) -> tuple[str, ...]:
    """Return those of a node's fields that are not texts or operators; a third of all nodes of a tree say `Load` or `Add`."""
    left_out = {"ctx", "op", "ops", "id", "attr", "arg", "kind", "type_comment"}
    left_out |= set() if annotations else {"annotation", "returns"}
    return tuple(name for name in fields if name not in left_out)
