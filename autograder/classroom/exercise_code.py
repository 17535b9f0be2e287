"""Find the code of one exercise in a submission, so that a person can read it beside the verdict.

Lines are compared, nothing is parsed: hostile code can crash the parser. A definition ends before the next line that is
indented no deeper, apart from closing brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.course.spec import Exercise
from autograder.sandbox.job import Source

MOST_LINES = 200  # of one definition; more is cut


@dataclass(frozen=True)
class Excerpt:
    """Some lines of a file or a cell, and the number of the first."""

    label: str
    first: int
    lines: tuple[str, ...]


def exercise_code(source: Source, exercise: Exercise) -> tuple[Excerpt, ...]:
    """Return the definitions of an exercise as the student wrote them; of one that is written twice the last counts."""
    found = {}
    for name in exercise.blanks:
        for chunk in source.chunks:
            lines = chunk.text.splitlines()
            for start, stop in _blocks(lines, name.split("."), 0, len(lines)):
                found[name] = Excerpt(chunk.label, start + 1, tuple(lines[start : min(stop, start + MOST_LINES)]))
    return tuple(found.values())


def _blocks(lines: Sequence[str], names: Sequence[str], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield where definitions of a name, or of a name in a class, begin and end."""
    opens = re.compile(rf"([ \t]*)(?:async[ \t]+)?(?:def|class)[ \t]+{re.escape(names[0])}\b")
    for at in range(start, stop):
        if not (match := opens.match(lines[at])):
            continue
        end = _end(lines, at, stop, len(match[1]))
        if len(names) > 1:
            yield from _blocks(lines, names[1:], at + 1, end)
        else:
            yield _with_decorators(lines, at, start, match[1]), end


def _end(lines: Sequence[str], at: int, stop: int, depth: int) -> int:
    """Return behind which line a definition ends, blank lines left out."""
    end = at + 1
    for number in range(at + 1, stop):
        text = lines[number].lstrip()
        if text and len(lines[number]) - len(text) <= depth and text[0] not in ")]}#":
            break
        end = number + 1 if text else end
    return end


def _with_decorators(lines: Sequence[str], at: int, start: int, indent: str) -> int:
    while at > start and lines[at - 1].startswith(f"{indent}@"):
        at -= 1
    return at
