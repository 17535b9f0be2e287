"""Python's text as a tree, for threads that read at once.

Before 3.11.8 and 3.12.2 Python counts the depth of all trees in one place: two threads that make one at the same time may
get a SystemError ("AST constructor recursion depth mismatch", github.com/python/cpython/issues/106905).
"""

from __future__ import annotations

import ast
import threading
from typing import Literal, overload

_ONE_AT_A_TIME = threading.RLock()


@overload
def parse(text: str, label: str = ..., mode: Literal["exec"] = "exec") -> ast.Module: ...
@overload
def parse(text: str, label: str = ..., *, mode: Literal["eval"]) -> ast.Expression: ...
def parse(text: str, label: str = "<unknown>", mode: str = "exec") -> ast.AST:
    """Return the tree of a text. Raises SyntaxError, ValueError or RecursionError where it is not Python, as `ast.parse` does."""
    with _ONE_AT_A_TIME:
        return ast.parse(text, label, mode)
