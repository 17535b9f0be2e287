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
    """A part of a README under a heading."""

    heading: str
    text: str


def section_of(readme: str, name: str, names: list[str]) -> Section | None:
    """Return what to read for one of a README's exercises, or None where it has no place there.

    This is a section of the second level. Where one asks for exercises in several places, it is parted at the headings between.
    """
    blocks = paragraphs(readme)
    places = {number: found for number, found in placed_in(readme, names) if found}
    place = next((number for number, found in places.items() if name in found), None)
    first = None if place is None else _last_heading(blocks, place, "## ")
    if place is None or first is None:
        return None
    after = next((i for i in range(place + 1, len(blocks)) if blocks[i].startswith("## ")), len(blocks))
    earlier = max((number for number in places if first <= number < place), default=None)
    later = min((number for number in places if place < number < after), default=None)
    begin = first if earlier is None else max(earlier + 1, _last_heading(blocks, place) or 0)
    end = after if later is None else max(place + 1, _last_heading(blocks, later) or 0)
    heading = blocks[_last_heading(blocks, begin) or 0].splitlines()[0].lstrip("# ")
    return Section(heading, "\n\n".join(blocks[begin:end]))


def _last_heading(blocks: list[str], place: int, level: str = "##") -> int | None:
    """Return the number of the last heading up to a paragraph, or None where there is none."""
    return next((i for i in range(place, -1, -1) if blocks[i].startswith(level)), None)


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
