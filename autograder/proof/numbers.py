"""Whether the numbers that students read are true: worked examples everywhere, and what public claims and docstrings say.

A decimal of a public claim or of an exercise's docstring, as .7241 and 3.5, has to occur in the calls of its cases or while
the reference answers them, to the digits that are written; a logarithm counts as the number it is of. Brackets of numbers,
as [.531 .462], have to stand side by side in one array, or be a shape. Examples are computed (`examples.py`).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course.catalog import readme_of
from autograder.course.joined_files import place_in
from autograder.course.places import public_folder, secret_folder
from autograder.course.sections import section_of
from autograder.course.spec import Assignment, Visibility
from autograder.course.variants import files_of
from autograder.judge.trials import Trial
from autograder.oracle.calls_here import run_requests
from autograder.oracle.fresh_program import quiet
from autograder.oracle.oracle import Oracle
from autograder.proof.examples import NUMBER, as_written, checked, is_rounded, numbers_in, slips
from autograder.proof.soundness import concerns, is_quiz
from autograder.sandbox.child.parse import parse
from autograder.sandbox.child.program import Program
from autograder.sandbox.child.tree import Code, Tensor

_DECIMAL = re.compile(r"(?<![\w.])-?\d*\.\d+(?![\w.]*\d)")
_BRACKETS = re.compile(rf"\[[\s,\[\]]*{NUMBER}(?:[\s,\[\]]+{NUMBER})+[\s\]]*\]|\({NUMBER}(?:, *{NUMBER})+\)")
_SOURCES = re.compile(r"^\s*Sources?:.*?(?:\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)  # of sections and equations
_LARGEST = 100_000  # numbers of one array that are looked at


@dataclass(frozen=True)
class Passage:
    """A text of an assignment: the file and line where it begins, and what it is about."""

    file: str
    line: int
    text: str
    exercise: str = ""
    case: str = ""

    def at(self, position: int) -> str:
        """Return where a place in the text is, for an author."""
        return f"{self.file}, line {self.line + self.text.count(chr(10), 0, position)}"


def owners_of(assignment: Assignment) -> Mapping[str, str]:
    """Return the exercise to which each definition at the top level of the reference belongs that belongs to one."""
    return {blank.partition(".")[0]: e.name for e in assignment.exercises for blank in (e.name, *e.blanks)}


def passages(course: Path, assignment: Assignment, only: Collection[str] = ()) -> Iterator[Passage]:
    """Yield the README, every docstring of the reference and every claim, or what is about some exercises alone."""
    readme = readme_of(course, assignment.slug)
    if not only:
        yield Passage(f"assignments/{assignment.slug}/README.md", 1, readme)
    else:
        yield from _taught_in(assignment, readme, only)
    yield from (found for found in _written_beside_code(course, assignment) if concerns(only, found.exercise))


def _taught_in(assignment: Assignment, readme: str, only: Collection[str]) -> Iterator[Passage]:
    """Yield the sections of a README that teach some exercises."""
    for heading in dict.fromkeys(e.section for e in assignment.exercises if e.name in only):
        if section := section_of(readme, heading):
            title = section.text.partition("\n")[0]
            line = 1 + readme.splitlines().index(title)
            yield Passage(f"assignments/{assignment.slug}/README.md", line, section.text)


def _written_beside_code(course: Path, assignment: Assignment) -> Iterator[Passage]:
    """Yield every docstring of the reference and every claim."""
    slug, owners = assignment.slug, owners_of(assignment)
    tree = parse(assignment.reference)
    for top in (tree, *tree.body):
        for node in ast.walk(top) if isinstance(top, ast.ClassDef) else (top,):
            for passage in _docstring(node, "", owners.get(getattr(top, "name", ""), "")):
                file, line = place_in(assignment.reference, passage.line, assignment.file)
                yield replace(passage, file=f"solutions/{slug}/{file}", line=line)
    for home in (public_folder(course, slug), secret_folder(course, slug)):
        path = home / "cases.py"
        text = files_of(course, slug).text(path) if path.exists() else ""
        cases = {case.name: case for case in assignment.cases}
        for node in parse(text).body:
            case = cases.get(getattr(node, "name", ""))
            if case:
                yield from _docstring(node, f"{home.parent.name}/{slug}/cases.py", case.exercise, case.name)


def _docstring(node: ast.AST, file: str, exercise: str, case: str = "") -> Iterator[Passage]:
    body = getattr(node, "body", None)
    first = body[0] if isinstance(body, list) and body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        yield Passage(file, first.lineno, first.value.value, exercise, case)


def false_examples(oracle: Oracle, texts: Sequence[Passage]) -> Iterator[str]:
    """Yield the worked examples that do not come to what is written, with what they come to."""
    for passage in texts:
        names = {name: value for name, value in vars(oracle.own_reference().module).items() if name[:2] != "__"}
        with quiet():
            for slip in slips(passage.text, names):
                told = slip.trouble or f"is not right; right is {slip.right}"
                yield f"{passage.at(slip.start)}: {slip.said} {told}"


def false_numbers(oracle: Oracle, texts: Sequence[Passage]) -> Iterator[str]:
    """Yield the numbers of public claims and of exercises' docstrings that are neither in a call nor computed in it."""
    seen: dict[Trial, tuple[np.ndarray, ...]] = {}
    shown = [trial for trial in oracle.trials if trial.case.visibility is Visibility.PUBLIC]
    names = vars(oracle.own_reference().module)
    for passage in texts:
        mine = [t for t in shown if t.case.exercise == passage.exercise and passage.case in ("", t.case.name)]
        told = passage.text if passage.case else _SOURCES.sub("", checked(passage.text, names))
        claims = [*_BRACKETS.finditer(told), *_DECIMAL.finditer(told)]
        if not mine or not claims or is_quiz(oracle.assignment, passage.exercise):
            continue
        seen |= {trial: tuple(_arrays(oracle.assignment, trial)) for trial in mine if trial not in seen}
        arrays = [array for trial in mine for array in seen[trial]]
        for match in claims:
            nearest = _nearest(match[0], arrays)
            if nearest:
                yield f"{passage.at(passage.text.find(match[0]))}: {match[0]} is neither in a call nor computed on the way; {nearest}"


def _nearest(said: str, arrays: Sequence[np.ndarray]) -> str:
    """Return what comes nearest to a number or a row of numbers in arrays, in words; nothing where it is there."""
    told = numbers_in(said)
    rows = [array for array in arrays if array.size >= len(told)]
    windows = [np.lib.stride_tricks.sliding_window_view(array, len(told)) for array in rows]
    if len(told) == 1:
        with np.errstate(over="ignore"):
            windows = [np.abs(np.concatenate([found, np.exp(found)])) for found in windows]
        told = [told[0].removeprefix("-")]
    wanted = np.array(list(map(float, told)))
    best: tuple[float, np.ndarray] | None = None
    for found in windows:
        far = np.abs(found - wanted).max(axis=-1)
        index = int(np.nanargmin(far)) if np.isfinite(far).any() else None
        if index is not None and (best is None or far[index] < best[0]):
            best = float(far[index]), found[index]
    if best is None:
        return "nothing there is like it"
    if all(is_rounded(float(value), text) for value, text in zip(best[1], told, strict=True)):
        return ""
    return f"the nearest is {' '.join(map(as_written, best[1], told))}"


def _arrays(assignment: Assignment, trial: Trial) -> Iterator[np.ndarray]:
    """Yield the numbers of a trial's calls, and of every variable of the reference while it answers them, in rows."""
    found: list[np.ndarray] = []

    def look(frame: Any, event: str, value: Any) -> None:
        if event == "return" and frame.f_code.co_filename == assignment.file:
            found.extend(_rows([value, *frame.f_locals.values()]))

    program = Program("watched", notebook=False)
    exec(compile(assignment.reference, assignment.file, "exec", dont_inherit=True), vars(program.module))  # noqa: S102 (the course's own)
    before = sys.getprofile()
    sys.setprofile(look)
    try:
        outcomes = run_requests(program, trial.requests)
    finally:
        sys.setprofile(before)
    yield from found
    yield from _rows([outcome.value for outcome in outcomes])
    yield from _rows([[*call.args, *call.kwargs.values()] for call in trial.calls])
    modules = [call.module for call in trial.calls if call.module]
    yield from _rows([[module.init, dict(module.state), module.cotangents, module.before] for module in modules])


def _rows(tree: Any) -> Iterator[np.ndarray]:
    """Yield the numbers of a tree: of each array in its order, by rows and by columns, and its shape; what stands in a list."""
    match tree:
        case list() | tuple():
            plain = [part for part in tree if isinstance(part, int | float | np.number) and not isinstance(part, bool)]
            yield np.array(plain, float)
            for part in tree:
                if not isinstance(part, int | float | np.number):
                    yield from _rows(part)
        case dict():
            yield from _rows(list(tree.values()))
        case Tensor(array):
            yield from _rows(array)
        case Code(expression):
            yield np.array([float(number) for number in re.findall(r"(?<![\w.])\d*\.?\d+", expression)])
        case np.ndarray() if tree.dtype.kind in "fiu":
            yield tree.ravel()[:_LARGEST].astype(float)
            yield tree.ravel("F")[:_LARGEST].astype(float)
            yield np.array(tree.shape, float)
        case _ if hasattr(tree, "detach") and hasattr(tree, "numpy"):
            yield from _rows(tree.detach().numpy())
