"""Find an exercise's place in a README: where it first says "Exercise: `name`", else the end of the section named after it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

HEADING = re.compile(r"#{2,} ")
_ASKS = re.compile(r"Exercises?: ")
_NAME = re.compile(r"`(\w+)(?:\.\w+)?(?:\([^`]*\))?`")  # also as `Encoder.forward(src)`
_SENTENCE = re.compile(r"\.(?=\s|$)")
_FENCE = re.compile(r"(```|~~~)")


@dataclass(frozen=True)
class Section:
    """A heading of the second level and the Markdown from there to the next one."""

    heading: str
    text: str


def section_of(readme: str, name: str, names: list[str]) -> Section | None:
    """Return the section that one of a README's exercises has its place in, or None where it has none."""
    blocks = paragraphs(readme)
    place = next((number for number, found in placed_in(readme, names) if name in found), None)
    begins = [number for number, block in enumerate(blocks) if block.startswith("## ")]
    before = [number for number in begins if place is not None and number <= place]
    if not before:
        return None
    end = next((number for number in begins if number > before[-1]), len(blocks))
    heading = blocks[before[-1]].splitlines()[0].removeprefix("## ")
    return Section(heading, "\n\n".join(blocks[before[-1] : end]))


def unplaced(readme: str, names: list[str]) -> tuple[list[str], list[str]]:
    """Return the exercises without a place in a README that places others, and the names there that are no exercises."""
    blocks = [_SENTENCE.split(block)[0] for block in paragraphs(readme) if _ASKS.match(block)]
    asked = [name for block in blocks for name in _NAME.findall(block)]
    placed = {name for _, found in placed_in(readme, names) for name in found}
    return [name for name in names if name not in placed and blocks], [name for name in asked if name not in names]


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


def placed_in(readme: str, names: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of a paragraph and the exercises whose cells come after it."""
    blocks = paragraphs(readme)
    asked: dict[int, list[str]] = {}
    placed: set[str] = set()
    for number, block in enumerate(blocks):
        if _ASKS.match(block):
            found = [name for name in _NAME.findall(_SENTENCE.split(block)[0]) if name in names and name not in placed]
            asked[number] = found
            placed |= set(found)
    for name in names:
        if name not in placed:
            end = _end_of_section(blocks, name)
            if end is not None:
                asked.setdefault(end, []).append(name)
    yield from asked.items()


def _end_of_section(blocks: list[str], name: str) -> int | None:
    """Return the number of the last paragraph in the section whose heading holds an exercise's name, or None."""
    heading = re.compile(rf"#{{2,}} .*\b{re.escape(name)}\b", re.IGNORECASE)
    start = next((i for i, block in enumerate(blocks) if heading.match(block)), None)
    if start is None:
        return None
    following = (i for i in range(start + 1, len(blocks)) if HEADING.match(blocks[i]))
    return next(following, len(blocks)) - 1
