"""Make the notebook of a handout from the README and the stub: prose, a cell for each exercise, a check under it.

An exercise's cell comes at the end of the README's section that assignment.toml gives it, subsections included; without one,
at the end of the notebook. Given definitions come before the first exercise that stands below them in the stub.
"""

from __future__ import annotations

import ast
import io
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from autograder.course.language import marked, say
from autograder.course.sections import HEADING, paragraphs, sections
from autograder.course.spec import Assignment, Exercise
from autograder.course.stub import END
from autograder.sandbox.child.parse import parse

_ON_PLAY = marked(
    "**Play.** Your own model at work. The next cell runs `play.py` on the cells above: it trains your model once, keeps it, and\n"
    'shows a page. It takes the words of `python play.py`. After a change of your code add `"--fresh"` to train again.'
)


@dataclass(frozen=True)
class _Piece:
    """Part of a stub: the name of its exercise, or an empty one, and its text."""

    exercise: str
    text: str


def make_notebook(
    title: str, readme: str, stub: str, exercises: tuple[Exercise, ...], start: str, setup: str, *, play: bool = False
) -> str:
    """Return the notebook's text. The prose `start` comes before the first code; the code `setup` defines `grader`.

    With `play` it ends with a cell that runs play.py.
    """
    at_work = (("prose", say(_ON_PLAY)), ("code", "grader.play()"))
    cells = itertools.chain(notebook_cells(readme, stub, exercises, start, setup), at_work if play else ())
    return written(cells, title=title)


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
    ends = {title: last for title, _, last in sections(paragraphs(readme)) if title}
    prose = list(_paragraph_cells(readme, set(ends.values())))
    for number, (end, text) in enumerate(prose):
        yield "prose", text
        if number == 0:
            yield "prose", start.strip()
            yield "code", setup.strip()
            if pieces and not pieces[0].exercise:
                yield "code", pieces.pop(0).text
        for exercise in exercises:
            if ends.get(exercise.section) == end:
                yield from _exercise_cells(exercise, pieces)
    for exercise in exercises:
        if exercise.section not in ends:
            yield from _exercise_cells(exercise, pieces)
    yield from (("code", piece.text) for piece in pieces)
    yield "prose", say("**Everything at once.** When all is written, save the notebook and hand it in.")
    yield "code", "grader.check_all()"


def check_cell(exercise: Exercise) -> str:
    """Return the code that checks an exercise in a notebook: its cases, or its training alone."""
    return f'grader.{"train" if exercise.training else "check"}("{exercise.name}")'


def checks_in_order(
    cells: Iterable[tuple[str, str]], assignment: Assignment, exercises: tuple[Exercise, ...]
) -> Iterator[tuple[str, str]]:
    """Yield a notebook's cells so that a solved one passes from top to bottom.

    A check comes once all that its exercise uses is defined. `exercises` are those that have a check.
    """
    owner = {check_cell(exercise): exercise.name for exercise in exercises}
    uses = {check: set(owner.values()) & set(assignment.uses(name)) for check, name in owner.items()}
    defined, waiting = set[str](), list[str]()
    for kind, text in cells:
        if text not in owner:
            yield kind, text
            continue
        defined.add(owner[text])
        ready = [each for each in (text, *waiting) if uses[each] <= defined]
        waiting = [each for each in (*waiting, text) if each not in ready]
        yield from (("code", each) for each in ready)


def misplaced(readme: str, exercises: Iterable[Exercise]) -> Iterator[tuple[str, str]]:
    """Yield each exercise whose section is not one heading of the README, and the section.

    The section is empty where one exercise has none although another has.
    """
    titles = [title for title, *_ in sections(paragraphs(readme))]
    found = [(exercise.name, exercise.section) for exercise in exercises]
    yield from ((name, section) for name, section in found if titles.count(section) != 1 and any(s for _, s in found))


def _exercise_cells(exercise: Exercise, pieces: list[_Piece]) -> Iterator[tuple[str, str]]:
    """Yield the cells of an exercise and of given code before it in the stub; removes both from `pieces`."""
    own = [i for i, piece in enumerate(pieces) if piece.exercise == exercise.name]
    taken = [i for i in range(max(own, default=-1) + 1) if i in own or not pieces[i].exercise]
    yield from (("code", pieces[i].text) for i in taken)
    for i in reversed(taken):
        del pieces[i]
    yield "code", check_cell(exercise)


def _pieces(stub: str, exercises: tuple[Exercise, ...]) -> Iterator[_Piece]:
    """Cut a stub into the definitions of exercises and the code between them."""
    lines = io.StringIO(stub, newline="").readlines()
    owners = {blank.partition(".")[0]: exercise.name for exercise in exercises for blank in exercise.blanks}
    owners |= {exercise.name: exercise.name for exercise in exercises}
    done, text = 0, ""
    for node in parse(stub).body:
        name = owners.get(getattr(node, "name", "") or _assigned(node), "")
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


def _assigned(node: ast.stmt) -> str:
    """Return the name that a statement assigns to: that of an exercise which a person grades, perhaps."""
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return target.id if isinstance(target, ast.Name) else ""


def _paragraph_cells(readme: str, ends: set[int]) -> Iterator[tuple[int, str]]:
    """Yield cells of prose, each with the number of its last block: a section, or the part of one before an exercise."""
    blocks, held = paragraphs(readme), list[str]()
    for number, block in enumerate(blocks):
        held.append(block)
        following = blocks[number + 1] if number + 1 < len(blocks) else ""
        if number in ends or not following or HEADING.match(following):
            yield number, "\n\n".join(held)
            held = []
