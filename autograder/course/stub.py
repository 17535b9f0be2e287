"""Render the stub students get from the reference: one source, and it fails closed.

Lines between `# BEGIN SOLUTION` and `# END SOLUTION` go. Inside a function they become a `raise NotImplementedError`;
at the top level they vanish. Rendering is refused unless the definitions so blanked are exactly the declared ones, and
everything else that would ship is declared as given.
"""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass

from autograder.course.assignment import CODE, PLOT
from autograder.course.joined_files import split
from autograder.course.spec import Assignment
from autograder.sandbox.child.parse import parse

BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"
_ALMOST = re.compile(r"#[\W_]*(begin|end)[\W_]*solutions?(\b|_)", re.IGNORECASE)


_Function = ast.FunctionDef | ast.AsyncFunctionDef


class StubError(Exception):
    """The reference cannot be turned into a stub without risk of giving a solution away."""


@dataclass(frozen=True)
class _Region:
    start: int  # line numbers from 1, of the markers
    end: int


def render_stub(assignment: Assignment) -> str:
    """Return the stub's source. Raises StubError, naming file and line, on any doubt about what ships."""
    # Each of several files by itself first, so that a line is told as one of its own file.
    for file, text in split(assignment.reference).items():
        with _told(assignment, file):
            solution_spans(text)
    with _told(assignment, " and ".join(assignment.files or (assignment.file,))):
        return _rendered(assignment)


@contextmanager
def _told(assignment: Assignment, file: str) -> Iterator[None]:
    """Say of an error in which file it is."""
    try:
        yield
    except StubError as error:
        raise StubError(f"solutions/{assignment.slug}/{file}: {error}") from None


def _rendered(assignment: Assignment) -> str:
    source = assignment.reference
    lines = _lines(source)
    regions = _regions(lines)
    functions = tuple(_functions(_parse(source, "the reference")))
    owners = {region: _owner(region, functions, lines) for region in regions}
    blanked = {name for name in owners.values() if name}
    declared = {blank for exercise in assignment.exercises for blank in exercise.blanks}
    if blanked != declared:
        raise StubError(
            "the blanked functions are not the declared exercises: "
            f"declared but not blanked: {sorted(declared - blanked)}; blanked but not declared: {sorted(blanked - declared)}. "
            "Declare each as an [[exercise]] in assignment.toml, and put it between # BEGIN SOLUTION and # END SOLUTION. "
            'Where one exercise is several methods, it lists them: blanks = ["Beam.step", "Beam.decode"].'
        )
    text = "".join(_blank(lines, owners))
    _refuse_undeclared(text, assignment, declared)
    _refuse_answers(text, assignment)
    return text


def blanked(source: str, names: AbstractSet[str]) -> str:
    """Return a reference without the solutions of some functions and methods."""
    spans = (span for span in solution_spans(source) if span[0] in names)
    return "".join(_blank(_lines(source), {_Region(start, end): name for name, start, end in spans}))


def unmarked(source: str) -> str:
    """Return a reference as a student would have it who wrote all of it, without the marks around solutions."""
    return "".join(line for line in _lines(source) if line.strip() not in (BEGIN, END))


def solution_lines(source: str) -> tuple[str, ...]:
    """Return every line inside a solution region, stripped, for proofs that none of them ships."""
    lines = _lines(source)
    inside = [line.strip() for r in _regions(lines) for line in lines[r.start : r.end - 1]]
    return tuple(line for line in inside if line)


def solution_spans(source: str) -> tuple[tuple[str, int, int], ...]:
    """Return every solution region: the function it lies in, if any, and the lines of its two markers."""
    lines = _lines(source)
    functions = tuple(_functions(_parse(source, "the reference")))
    return tuple((_owner(region, functions, lines), region.start, region.end) for region in _regions(lines))


def functions_in(source: str) -> frozenset[str]:
    """Return the functions and methods of a reference by dotted name. Raises StubError where it is not Python."""
    return frozenset(name for name, _ in _functions(_parse(source, "the reference")))


def _lines(source: str) -> list[str]:
    """Split a source where Python does; str.splitlines also knows form feeds and others, and would shift what follows."""
    return io.StringIO(source, newline="").readlines()


def _parse(source: str, name: str) -> ast.Module:
    try:
        return parse(source)
    except SyntaxError as error:
        raise StubError(f"{name} would not be Python: line {error.lineno}: {error.msg}.") from None


def _regions(lines: list[str]) -> list[_Region]:
    regions, start = [], 0
    for number, line in enumerate(lines, start=1):
        mark = line.strip()
        if mark == BEGIN:
            if start:
                raise StubError(f"line {number}: a solution region begins inside the one of line {start}.")
            start = number
        elif mark == END:
            if not start:
                raise StubError(f"line {number}: a solution region ends that never began.")
            regions.append(_Region(start, number))
            start = 0
        elif _ALMOST.search(line):
            raise StubError(
                f"line {number}: {mark!r} looks like a marker but is not {BEGIN!r} or {END!r} on its own line."
            )
    if start:
        raise StubError(f"line {start}: a solution region never ends.")
    return regions


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, _Function]]:
    """Yield functions and methods by dotted name, also those inside `if` or `try`; what a function holds is its own."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, node
        else:
            yield from _functions(node, f"{prefix}{node.name}." if isinstance(node, ast.ClassDef) else prefix)


def _lambdas(tree: ast.AST) -> Iterator[str]:
    """Yield the names that are given a value with a lambda in it, outside of functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and any(
            isinstance(part, ast.Lambda) for part in ast.walk(node)
        ):
            yield from map(ast.unparse, node.targets if isinstance(node, ast.Assign) else [node.target])
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _lambdas(node)


def _first_line(node: _Function, lines: list[str]) -> int:
    """Return the line after a function's signature, where comments may stand before the first statement."""
    number: int = min([node.body[0].lineno, *(d.lineno for d in getattr(node.body[0], "decorator_list", []))])
    while number - 1 > node.lineno and re.fullmatch(r"\s*(#.*)?\s*", lines[number - 2]):
        number -= 1
    return number


def _owner(region: _Region, functions: tuple[tuple[str, _Function], ...], lines: list[str]) -> str:
    """Return the function a region lies in, or nothing where it stands at the top level."""
    for name, node in functions:
        first, last = _first_line(node, lines), node.end_lineno or node.lineno
        if first <= region.start and region.end <= last + 1:
            return name
        if region.start < node.lineno and last < region.end:
            continue
        if node.lineno <= region.end and region.start <= last:
            raise StubError(f"lines {region.start}-{region.end}: the region cuts {name} in two.")
    return ""


def _blank(lines: list[str], owners: dict[_Region, str]) -> Iterator[str]:
    replacement = {region.start: (region, name) for region, name in owners.items()}
    skip_to, raised = 0, set()
    for number, line in enumerate(lines, start=1):
        if number in replacement:
            region, name = replacement[number]
            skip_to = region.end
            if name and name not in raised:
                raised.add(name)
                indent = line[: len(line) - len(line.lstrip())]
                yield f'{indent}raise NotImplementedError("{name} is not written yet")\n'
        if number > skip_to:
            yield line


def _refuse_answers(stub: str, assignment: Assignment) -> None:
    """Refuse a stub in which an exercise that a person grades has no place for its answer, or an answer already."""
    values: dict[str, list[ast.expr]] = {}
    for node in _parse(stub, "the stub").body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values.setdefault(node.targets[0].id, []).append(node.value)
    for exercise in assignment.exercises:
        if not exercise.manual or exercise.answer == CODE:
            continue
        found = [value.value if isinstance(value, ast.Constant) else None for value in values.get(exercise.name, ())]
        if exercise.answer == PLOT and found != [f"{exercise.name}.png"]:
            raise StubError(f'{exercise.name} asks for a plot; write {exercise.name} = "{exercise.name}.png" once.')
        if exercise.answer != PLOT and [text.strip() if isinstance(text, str) else text for text in found] != [""]:
            raise StubError(
                f'{exercise.name} is answered in words; write {exercise.name} = r"""""" once, without an answer: it ships.'
            )


def _refuse_undeclared(stub: str, assignment: Assignment, declared: set[str]) -> None:
    """Refuse a top-level definition or method that would ship whole without being declared as given."""
    tree = _parse(stub, "the stub")
    functions = tuple(_functions(tree))
    for name in (*(name for name, _ in functions), *_lambdas(tree)):
        is_given = name in assignment.given or name.partition(".")[0] in assignment.given
        if name not in declared and not is_given:
            raise StubError(
                f"{name} would ship to students whole; blank it, or list it under `given` if it is meant to ship."
            )
    for name, node in functions:
        raises = any(
            isinstance(n, ast.Raise)
            and isinstance(n.exc, ast.Call)
            and getattr(n.exc.func, "id", "") == "NotImplementedError"
            for n in ast.walk(node)
        )
        if name in declared and not raises:
            raise StubError(f"{name} is declared as an exercise but its stub does not raise NotImplementedError.")
