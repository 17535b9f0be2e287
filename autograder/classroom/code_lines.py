"""Find definitions in a student's code by the text alone: hostile code can crash the parser, and this is the grader's process."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.course.spec import Exercise
from autograder.sandbox.job import Source

MOST_LINES = 200  # of one excerpt; more is cut
_DEFINES = re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)")
_STATEMENT = re.compile(r"[^\W\d]|@")  # what a statement begins with
_DECORATES = "@"


@dataclass(frozen=True)
class Span:
    """Some lines of a file or cell: its place in the source, the first line and the last, counted from 1."""

    chunk: int
    first: int
    last: int


@dataclass(frozen=True)
class Excerpt:
    """Some lines of a file or a cell, and the number of the first."""

    label: str
    first: int
    lines: tuple[str, ...]


def spans_of(source: Source, name: str) -> tuple[Span, ...]:
    """Return where a function, a class, or as `Class.method` a method is defined, as often as it is; nothing where it is not."""
    found = []
    for number, chunk in enumerate(source.chunks):
        lines = lines_of(chunk.text)
        blocks = _definitions(lines, name.split("."), 0, len(lines))
        found += [Span(number, first + 1, last) for first, last in blocks]
    return tuple(found)


def code_of(source: Source, name: str) -> str:
    """Return the last definition of a name, which is the one that counts, or nothing."""
    spans = spans_of(source, name)
    return "\n".join(_lines_in(source, spans[-1])) if spans else ""


def excerpts(source: Source, exercise: Exercise) -> tuple[Excerpt, ...]:
    """Return the definitions of an exercise as the student wrote them; of one that is written twice the last counts."""
    last = [spans[-1] for name in exercise.blanks if (spans := spans_of(source, name))]
    return tuple(
        Excerpt(source.chunks[span.chunk].label, span.first, tuple(_lines_in(source, span)[:MOST_LINES]))
        for span in last
    )


def lines_of(text: str) -> list[str]:
    """Return the lines of code as Python counts them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _lines_in(source: Source, span: Span) -> list[str]:
    return lines_of(source.chunks[span.chunk].text)[span.first - 1 : span.last]


def _definitions(lines: Sequence[str], names: Sequence[str], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield where a name, or a name inside another, is defined among some lines: the first line, and the one behind."""
    written = next((line for line in lines[start:stop] if _STATEMENT.match(line.lstrip(" \t"))), "")
    indent = written[: len(written) - len(written.lstrip(" \t"))]
    at = [i for i in range(start, stop) if lines[i].startswith(indent) and _STATEMENT.match(lines[i], len(indent))]
    for first, after in zip(
        at, [*at[1:], stop], strict=False
    ):  # where there is no statement, there is one end too many
        defined = _DEFINES.match(lines[first], len(indent))
        if defined and defined[1] == names[0]:
            last = _last_code(lines, indent, first, after)
            if len(names) > 1:
                yield from _definitions(lines, names[1:], first + 1, last)
            else:
                yield _decorated(lines, indent, first), last


def _decorated(lines: Sequence[str], indent: str, start: int) -> int:
    while start and lines[start - 1].startswith(f"{indent}{_DECORATES}"):
        start -= 1
    return start


def _last_code(lines: Sequence[str], indent: str, start: int, after: int) -> int:
    """Return the line behind a definition, without what stands between it and the next."""
    between = (f"{indent}#", f"{indent}{_DECORATES}")
    while after > start + 1 and (not lines[after - 1].strip() or lines[after - 1].startswith(between)):
        after -= 1
    return after
