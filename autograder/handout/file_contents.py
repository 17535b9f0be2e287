"""Take a file of a handout apart into all that can be read out of it: its text, the strings in that, and arrays.

Used to prove that nothing secret ships, so it is better at finding too much than too little. It knows what handouts are made
of: text, notebooks and other JSON, Python, and numbers as the sandbox's codec writes them.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograder.sandbox.child.tree import array_of, leaves
from autograder.sandbox.child.wire import WireError, decode

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])")
_LONG = 16  # characters from which a string may hold something of its own


@dataclass(frozen=True)
class Content:
    """One reading of a file: how it was come by, and what it says."""

    how: str
    text: str
    numbers: tuple[float, ...]


def contents_of(data: bytes) -> Iterator[Content]:
    """Yield every reading of a file."""
    text = data.decode("utf-8", "ignore")
    readings = {"plain": [text], **_strings(text)}
    for how, found in readings.items():
        for part in dict.fromkeys(found):
            yield Content(how, part, tuple(float(number) for number in _NUMBER.findall(part)))
    try:
        arrays = [array for leaf in leaves(decode(data)) if (array := array_of(leaf)) is not None]
    except WireError:
        return
    yield from (Content("numbers", "", tuple(map(float, a.reshape(-1)))) for a in arrays if a.dtype.kind in "fiub")


def _strings(text: str) -> dict[str, list[str]]:
    """Return the strings that JSON or Python source holds, without their escapes."""
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError):
        return {"a string": list(_python_strings(text))}
    found = list(_json_strings(tree)) if isinstance(tree, dict | list) else []
    return {"JSON": ["\n".join(found), *found]}


def _python_strings(text: str) -> Iterator[str]:
    try:
        source = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(source):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and len(node.value) >= _LONG:
            yield node.value if isinstance(node.value, str) else node.value.decode("utf-8", "ignore")


def _json_strings(tree: Any) -> Iterator[str]:
    """Yield every string of some JSON; lists of nothing but strings, as notebooks keep text, also as one."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict):
        for key, value in tree.items():
            yield key
            yield from _json_strings(value)
    elif isinstance(tree, list):
        if tree and all(isinstance(item, str) for item in tree):
            yield "".join(tree)
        for item in tree:
            yield from _json_strings(item)
