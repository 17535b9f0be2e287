"""The sections of a README, in which exercises are taught: `section` of assignment.toml names one by its heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

HEADING = re.compile(r"(#{2,}) +(.*)")
_FENCE = re.compile(r"(```|~~~)")


@dataclass(frozen=True)
class Section:
    """A part of a README under a heading."""

    heading: str
    text: str


def section_of(readme: str, heading: str) -> Section | None:
    """Return the section of a heading, or None where there is none."""
    blocks = paragraphs(readme)
    found = (Section(title, "\n\n".join(blocks[first : last + 1])) for title, first, last in sections(blocks))
    return next((section for section in found if section.heading == heading), None)


def paragraphs(readme: str) -> list[str]:
    """Cut prose into paragraphs; a fenced block of code stays whole."""
    blocks, lines, fence = [], list[str](), ""
    for line in readme.splitlines():
        mark = _FENCE.match(line.strip())
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        if not line.strip() and not fence:
            blocks.append("\n".join(lines))
            lines = []
        else:
            lines.append(line)
    return [block for block in [*blocks, "\n".join(lines)] if block]


def sections(blocks: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the heading of each section and the numbers of its first and last paragraph, its subsections included."""
    heads = [(number, match) for number, block in enumerate(blocks) if (match := HEADING.match(block))]
    for at, (first, head) in enumerate(heads):
        ends = (number for number, other in heads[at + 1 :] if len(other[1]) <= len(head[1]))
        yield head[2].strip(), first, next(ends, len(blocks)) - 1
