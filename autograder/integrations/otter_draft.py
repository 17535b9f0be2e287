"""Draft an assignment from an otter master notebook: the text of its files, and a list of what was not carried over."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.course.assignment import Exercise
from autograder.integrations.otter_master import MARKDOWN, PROMPT, SOLUTION, Master, OtterMasterError, read_master
from autograder.integrations.otter_reference import Reference, reference_of
from autograder.integrations.otter_tests import DraftCase, Drafter

_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$")
_PICTURE = re.compile(r"!\[[^\]]*\]\((?!https?:)([^)\s]+)")


@dataclass(frozen=True)
class Draft:
    """The files of an assignment, public and secret ones by name; what was not carried over; what its author has to add."""

    public: dict[str, str]
    secret: dict[str, str]
    left_over: tuple[str, ...]
    to_do: tuple[str, ...]


def draft_of(path: Path, slug: str, file: str, order: int) -> Draft:
    """Return the draft of a notebook's assignment. Raises OtterMasterError where there is nothing to make one of."""
    master = read_master(path)
    left_over = list(master.left_over)
    reference = reference_of(master, left_over)
    if not reference.exercises:
        raise OtterMasterError(
            f"{path}: no question's solution is a function, so there is no exercise to make. Found: {'; '.join(left_over)}."
        )
    exercises = list(reference.exercises.values())
    drafter = Drafter({exercise.name for exercise in exercises}, reference.libraries, left_over)
    for question in master.questions.values():
        drafter.add(question)
    left_over += [f"settings: {key} of # ASSIGNMENT CONFIG" for key in master.config]
    title, readme, sections = _readme(master, reference, slug, file, left_over)
    left_over.sort(key=_place)
    to_do = tuple(_to_do(exercises, drafter.cases))
    head = f'"""{_in_docstring(title)}: fill in each function, then run `autograder check {slug} {file}`."""\n\n'
    public = {
        "assignment.toml": _toml(title, order, file, reference, sections),
        "README.md": readme + _notice(path.name, slug, len(left_over)),
        "cases.py": _cases("Public cases: students see these inputs and the expected outputs.", drafter, hidden=False),
    }
    listed = "".join(f"\n- {_in_docstring(line)}" for line in (*left_over, *to_do))
    secret = {
        file: head + reference.source,
        "cases.py": _cases(
            f"Hidden cases.\n\nDRAFT from {_in_docstring(path.name)}. Not carried over, or to be added; delete what is done:\n{listed}\n",
            drafter,
            hidden=True,
        ),
        "misconceptions.py": '"""Known mistakes: write one for each case to catch, with mistakes_of and edit."""\n\nMISCONCEPTIONS = ()\n',
    }
    return Draft(public, secret, tuple(left_over), to_do)


def _place(line: str) -> float:
    """Return the number of the cell that a line of the list is about; lines about whole questions come last."""
    found = re.search(r"\bcell (\d+)", line)
    return int(found[1]) if found else float("inf")


def _to_do(exercises: Iterable[Exercise], cases: Sequence[DraftCase]) -> Iterator[str]:
    """Yield what a notebook of otter cannot say."""
    for exercise in exercises:
        for hidden, kind in ((False, "public"), (True, "hidden")):
            if not any(case.exercise == exercise.name and case.hidden == hidden for case in cases):
                yield f"to add: a {kind} case of {exercise.name}"
    yield "to add: known mistakes in misconceptions.py, and another correct solution in correct/"


def _toml(title: str, order: int, file: str, reference: Reference, sections: dict[str, str]) -> str:
    exercises = reference.exercises.values()
    lines = [f"title = {_quoted(title)}", f"order = {order}", f"points = {sum(e.points for e in exercises):g}"]
    lines.append(f"file = {_quoted(file)}")
    lines += ["torch = true"] * reference.torch
    lines += [f"given = {_quoted(reference.given)}"] * bool(reference.given)
    for exercise in exercises:
        lines += [
            "",
            "[[exercise]]",
            f"name = {_quoted(exercise.name)}",
            f"section = {_quoted(sections[exercise.name])}",
        ]
        lines += [f"points = {exercise.points:g}", "difficulty = 1"]
        lines += [f"blanks = {_quoted(exercise.blanks)}"] * (exercise.blanks != (exercise.name,))
        lines += [f"uses = {_quoted(exercise.uses)}"] * bool(exercise.uses)
    return "\n".join(lines) + "\n"


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _readme(
    master: Master, reference: Reference, slug: str, file: str, left_over: list[str]
) -> tuple[str, str, dict[str, str]]:
    """Return the title, the README with a place for each exercise, and the section in which each is taught."""
    text = _Text()
    sections = {}
    for name, cells in itertools.groupby(master.cells, lambda cell: cell.question):
        prose = [cell for cell in cells if cell.kind == MARKDOWN]
        told = [cell for cell in prose if cell.block not in (SOLUTION, PROMPT)]
        left_over += [f"cell {cell.number}: Markdown of a {cell.block}" for cell in prose if cell not in told]
        if name and name not in reference.exercises:
            left_over += [f"cell {cell.number}: the text of question {name}" for cell in told]
            continue
        for cell in told:
            left_over += [
                f"cell {cell.number}: the picture {n}, beside the notebook" for n in _PICTURE.findall(cell.text)
            ]
        if not name:
            text.add("\n\n".join(cell.text for cell in told))
            continue
        exercise = reference.exercises[name]
        sections[exercise.name] = text.add_section("\n\n".join(cell.text for cell in told), name)
        points = f"{exercise.points:g} point{'s' * (exercise.points != 1)}"
        text.blocks.append(f"- `{reference.signatures[name]}`, {points}")
    title = text.title or slug.partition("_")[2].replace("_", " ").capitalize() or slug
    blocks = [f"# {title}", *text.blocks, f"## Check yourself\n\n    autograder check {slug} {file}"]
    return title, "\n\n".join(blocks) + "\n", sections


class _Text:
    """The README as it grows: its title, its blocks, its headings, and the last of them that no exercise has yet."""

    def __init__(self) -> None:
        self.title, self.blocks, self._headings, self._open = "", list[str](), {"Check yourself", "Draft"}, ""

    def add(self, text: str) -> None:
        """Add text; the first heading of the first level is the title, later ones go a level down."""
        lines, fenced = list[str](), False
        for line in text.split("\n"):
            fenced ^= line.lstrip().startswith(("```", "~~~"))
            found = None if fenced else _HEADING.match(line)
            if found and len(found[1]) == 1 and not self.title:
                self.title = found[2]
            elif found:
                self._open = self._free(found[2])
                lines += ["", f"{'#' * max(2, len(found[1]))} {self._open}", ""]
            else:
                lines.append(line)
        if block := re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n"):
            self.blocks.append(block)

    def add_section(self, text: str, name: str) -> str:
        """Add a question's text under its own heading, the last one before it, or its name; return the heading."""
        before, at = self._open, len(self.blocks)
        self._open = ""
        self.add(text)
        heading = self._open or before
        if not heading:
            heading = self._free(name)
            self.blocks.insert(at, f"## {heading}")
        self._open = ""
        return heading

    def _free(self, wanted: str) -> str:
        """Return a heading that no other section has."""
        names = (wanted, *(f"{wanted} ({number})" for number in range(2, 10_000)))
        heading = next(name for name in names if name not in self._headings)
        self._headings.add(heading)
        return heading


def _notice(name: str, slug: str, count: int) -> str:
    return (
        f"\n## Draft\n\nThis is a first draft, made from the otter notebook {name}. {count} things were not carried over;\n"
        f"solutions/{slug}/cases.py lists them. Delete this section when it is done.\n"
    )


def _cases(head: str, drafter: Drafter, *, hidden: bool) -> str:
    """Return a file of cases."""
    own = [case for case in drafter.cases if case.hidden == hidden]
    text = "\n".join(call for case in own for call in case.calls)
    lines = [f'"""{head}"""', ""]
    imports = [
        f"import {library}{f' as {name}' * (name != library)}"
        for name, library in drafter.libraries.items()
        if re.search(rf"\b{name}\.", text)
    ]
    lines += [*imports, ""] if imports else []
    if own:
        lines += ["from autograder.course.spec import call, case", "from autograder.judge.checks import close", ""]
    for case in own:
        weight = f", weight={case.weight:g}" * (case.weight != 1)
        lines += ["", f'@case("{case.exercise}", check=close(){weight})', f"def {case.name}(rng):"]
        lines += [f'    """{case.claim}"""', *(f"    # The notebook expects {text}" for text in case.expects)]
        lines += [*(f"    yield call({call})" for call in case.calls), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _in_docstring(text: str) -> str:
    """Return a text as it can stand between three quotes."""
    return text.replace("\\", "\\\\").replace('"', "'").replace("\n", " ")
