"""Make the notebook of a handout from the README and the stub: prose, a cell for each exercise, a check under it.

An exercise's cell comes where the README first says "Exercise: `name`", else at the end of the section that is named after
it, else at the end. Imports and given definitions keep their order in the stub.
"""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from autograder.course.spec import Exercise
from autograder.course.stub import END

_ASKS = re.compile(r"Exercises?: ")
_NAME = re.compile(r"`(\w+)(?:\.\w+)?(?:\([^`]*\))?`")  # also as `Encoder.forward(src)`
_SENTENCE = re.compile(r"\.(?=\s|$)")
_HEADING = re.compile(r"#{2,} ")
_FENCE = re.compile(r"(```|~~~)")


@dataclass(frozen=True)
class _Piece:
    """Part of a stub: the name of its exercise, or an empty one, and its text."""

    exercise: str
    text: str


def make_notebook(title: str, readme: str, stub: str, exercises: tuple[Exercise, ...], start: str, setup: str) -> str:
    """Return the notebook's text. The prose `start` comes before the first code; the code `setup` defines `grader`."""
    return written(notebook_cells(readme, stub, exercises, start, setup), title=title)


def written(cells: Iterable[tuple[str, str]], **metadata: str) -> str:
    """Return a notebook of cells, each ("prose", "code" or "raw", text); equal cells give equal bytes."""
    import nbformat

    v4: Any = nbformat.v4  # it has no types
    make = {"raw": v4.new_raw_cell, "prose": v4.new_markdown_cell, "code": v4.new_code_cell}
    # nbformat would draw random ids.
    made = [make[kind](text, id=f"cell-{number}") for number, (kind, text) in enumerate(cells)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {**metadata, "kernelspec": kernel, "language_info": {"name": "python"}}
    notebook = v4.new_notebook(cells=made, metadata=about)
    nbformat.validate(notebook)
    return str(v4.writes(notebook)) + "\n"


def notebook_cells(
    readme: str, stub: str, exercises: tuple[Exercise, ...], start: str, setup: str
) -> Iterator[tuple[str, str]]:
    """Yield every cell as ("prose" or "code", text)."""
    pieces = list(_pieces(stub, exercises))
    places = dict(_prose(readme, [exercise.name for exercise in exercises]))
    prose = _paragraph_cells(readme, set(places))
    first = True
    for end, text in prose:
        yield "prose", text
        if first:
            yield "prose", start.strip()
            yield "code", setup.strip()
            if pieces and not pieces[0].exercise:
                yield "code", pieces.pop(0).text
        first = False
        for name in places.get(end, ()):
            yield from _exercise_cells(name, pieces)
    for exercise in exercises:
        if not any(exercise.name in names for names in places.values()):
            yield from _exercise_cells(exercise.name, pieces)
    yield from (("code", piece.text) for piece in pieces)
    yield "prose", "**Everything at once.** When all is written, save the notebook and hand it in."
    yield "code", "grader.check_all()"


def unplaced(readme: str, names: list[str]) -> tuple[list[str], list[str]]:
    """Return the exercises without a place in a README that places others, and the names there that are no exercises."""
    blocks = [_SENTENCE.split(block)[0] for block in _blocks(readme) if _ASKS.match(block)]
    asked = [name for block in blocks for name in _NAME.findall(block)]
    placed = {name for _, found in _prose(readme, names) for name in found}
    return [name for name in names if name not in placed and blocks], [name for name in asked if name not in names]


def _exercise_cells(name: str, pieces: list[_Piece]) -> Iterator[tuple[str, str]]:
    """Yield the cells of an exercise and of given code before it in the stub; removes both from `pieces`."""
    own = [i for i, piece in enumerate(pieces) if piece.exercise == name]
    taken = [i for i in range(max(own, default=-1) + 1) if i in own or not pieces[i].exercise]
    yield from (("code", pieces[i].text) for i in taken)
    for i in reversed(taken):
        del pieces[i]
    yield "code", f'grader.check("{name}")'


def _pieces(stub: str, exercises: tuple[Exercise, ...]) -> Iterator[_Piece]:
    """Cut a stub into the definitions of exercises and the code between them."""
    lines = io.StringIO(stub, newline="").readlines()
    owners = {blank.partition(".")[0]: exercise.name for exercise in exercises for blank in exercise.blanks}
    owners |= {exercise.name: exercise.name for exercise in exercises}
    done, text = 0, ""
    for node in ast.parse(stub).body:
        name = owners.get(getattr(node, "name", ""), "")
        if not name:
            continue
        begin = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) - 1
        while begin > done and lines[begin - 1].startswith("#") and lines[begin - 1].strip() != END:
            begin -= 1
        text = "".join(lines[done:begin]).strip()
        if text:
            yield _Piece("", text)
        done = node.end_lineno or node.lineno
        yield _Piece(name, "".join(lines[begin:done]).strip())
    rest = "".join(lines[done:]).strip()
    if rest:
        yield _Piece("", rest)


def _blocks(readme: str) -> list[str]:
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


def _prose(readme: str, names: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of a paragraph and the exercises whose cells come after it."""
    blocks = _blocks(readme)
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
    following = (i for i in range(start + 1, len(blocks)) if _HEADING.match(blocks[i]))
    return next(following, len(blocks)) - 1


def _paragraph_cells(readme: str, ends: set[int]) -> Iterator[tuple[int, str]]:
    """Yield cells of prose, each with the number of its last block: a section, or the part of one before an exercise."""
    blocks, held = _blocks(readme), list[str]()
    for number, block in enumerate(blocks):
        held.append(block)
        following = blocks[number + 1] if number + 1 < len(blocks) else ""
        if number in ends or not following or _HEADING.match(following):
            yield number, "\n\n".join(held)
            held = []
