"""Find the text that is assigned to some names, by parsing the source without running it.

Like `names_used` this file runs in the sandbox, by itself, with the source as an argument; it imports nothing of ours.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

_QUOTED = r"""^{name}[ \t]*(?::[^=\n]*)?=[ \t]*[rR]?(?P<quotes>\"{{3}}|'{{3}}|"|')(?P<text>.*?)(?<!\\)(?P=quotes)"""


def read(chunks: list[Any], names: list[str], most: int) -> dict[str, str]:
    """Return by name the text that is assigned to it last, at most so many characters; a chunk is (label, bytes of the text).

    Where a file is not Python, what stands between quotes after the name is taken as it is.
    """
    found: dict[str, str] = {}
    for _, data in chunks:
        text = bytes(data).decode()
        try:
            found |= dict(_assigned(ast.parse(text), names))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            found |= dict(_quoted(text, names))
    return {name: text[: most + 1] for name, text in found.items()}


def _assigned(tree: ast.Module, names: list[str]) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in names:
                yield name, _text(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if name in names:
                yield name, _text(value)


def _text(value: ast.expr) -> str:
    """Return all text in an expression, in order: one string, or several that are put together."""
    parts = [node for node in ast.walk(value) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return "".join(str(node.value) for node in sorted(parts, key=lambda node: (node.lineno, node.col_offset)))


def _quoted(text: str, names: list[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        for found in re.finditer(_QUOTED.format(name=re.escape(name)), text, re.MULTILINE | re.DOTALL):
            yield name, found["text"]
