"""Find the text that is assigned to some names, or the code that defines them, by parsing the source without running it.

Like `names_used.py` it runs in a child by itself, with the source as an argument.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from autograder.sandbox.child.parse import parse

_DEFINED = (
    r"^(?:async[ \t]+def|def|class)[ \t]+{name}\b.*?(?=^[^\s#)\]}}]|\Z)"  # up to the next line that is not indented
)
_QUOTED = r"""^{name}[ \t]*(?::[^=\n]*)?=[ \t]*[rR]?(?P<quotes>\"{{3}}|'{{3}}|"|')(?P<text>.*?)(?<!\\)(?P=quotes)"""


def read(chunks: list[Any], names: list[str], most: int) -> dict[str, str]:
    """Return by name what it was made last, at most so many characters of it; a chunk is (label, bytes of the text).

    That is the text that is assigned to the name, or its definition, which is empty while it raises NotImplementedError.

    Where a file is not Python, what stands between quotes after the name, or below its definition, is taken as it is.
    """
    found: dict[str, str] = {}
    for _, data in chunks:
        text = bytes(data).decode()
        try:
            found |= dict(_assigned(text, names))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            found |= dict(_quoted(text, names))
    return {name: text[: most + 1] for name, text in found.items()}


def _assigned(text: str, names: list[str]) -> Iterator[tuple[str, str]]:
    for node in parse(text).body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name) if (
                name in names
            ):
                yield name, "" if _is_unwritten(node) else ast.get_source_segment(text, node) or ""
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in names:
                yield name, _text(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if name in names:
                yield name, _text(value)


def _is_unwritten(definition: ast.AST) -> bool:
    raised = (node.exc for node in ast.walk(definition) if isinstance(node, ast.Raise))
    return any(isinstance(each, ast.Call) and getattr(each.func, "id", "") == "NotImplementedError" for each in raised)


def _text(value: ast.expr) -> str:
    """Return all text in an expression, in order: one string, or several that are put together."""
    parts = [node for node in ast.walk(value) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return "".join(str(node.value) for node in sorted(parts, key=lambda node: (node.lineno, node.col_offset)))


def _quoted(text: str, names: list[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        for found in re.finditer(_QUOTED.format(name=re.escape(name)), text, re.MULTILINE | re.DOTALL):
            yield name, found["text"]
        for found in re.finditer(_DEFINED.format(name=re.escape(name)), text, re.MULTILINE | re.DOTALL):
            yield name, "" if "raise NotImplementedError(" in found[0] else found[0].rstrip()
