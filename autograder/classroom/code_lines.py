"""Find a definition in a student's code by the text alone: hostile code can crash the parser, and this is the grader's process."""

from __future__ import annotations

import re
from dataclasses import dataclass

from autograder.sandbox.job import Source

_DEFINES = re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
_STATEMENT = re.compile(r"[^\W\d]|@")  # what a line of the top level begins with
_DECORATES = "@"


@dataclass(frozen=True)
class Span:
    """Some lines of a file or cell: its place in the source, the first line and the last, counted from 1."""

    chunk: int
    first: int
    last: int


def spans_of(source: Source, name: str) -> tuple[Span, ...]:
    """Return where a function or class is defined at the top level, as often as it is; nothing where it is not."""
    found = []
    for number, chunk in enumerate(source.chunks):
        lines = lines_of(chunk.text)
        starts = [i for i, line in enumerate(lines) if _STATEMENT.match(line)]
        for start, after in zip(starts, [*starts[1:], len(lines)], strict=True):
            defined = _DEFINES.match(lines[start])
            if defined and defined[1] == name:
                found.append(Span(number, _decorated(lines, start) + 1, _last_code(lines, start, after)))
    return tuple(found)


def code_of(source: Source, name: str) -> str:
    """Return the last definition of a name, which is the one that counts, or nothing."""
    spans = spans_of(source, name)
    if not spans:
        return ""
    return "\n".join(lines_of(source.chunks[spans[-1].chunk].text)[spans[-1].first - 1 : spans[-1].last])


def lines_of(text: str) -> list[str]:
    """Return the lines of code as Python counts them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _decorated(lines: list[str], start: int) -> int:
    while start and lines[start - 1].startswith(_DECORATES):
        start -= 1
    return start


def _last_code(lines: list[str], start: int, after: int) -> int:
    """Return the last line of a definition, without what stands between it and the next."""
    while after > start + 1 and (not lines[after - 1].strip() or lines[after - 1].startswith(("#", _DECORATES))):
        after -= 1
    return after
