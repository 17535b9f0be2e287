"""Turn the code cells of an otter master notebook into pieces of a reference: definitions with our markers, by question."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.course.stub import BEGIN, END
from autograder.integrations.otter_master import Cell
from autograder.sandbox.child.parse import parse
from autograder.submission.notebook_cells import python_of_cell

IMPORT, FUNCTION, CLASS, VALUE, LOOSE = "import", "function", "class", "value", "statement"

_BEGIN = re.compile(r"\s*# BEGIN SOLUTION( NO PROMPT)?")
_MARK = re.compile(r"# ?SOLUTION\b")
_MARK_ALONE = re.compile(r"\s*# ?SOLUTION( NO PROMPT)?\s*$")
_PROMPT = re.compile(r'^[ \t]*"{3}[ \t]*# BEGIN PROMPT.*?# END PROMPT[ \t]*$', re.DOTALL | re.MULTILINE)
_IGNORED = re.compile(r"# IGNORE\s*$")
_NO_CODE = re.compile(r"\s*(#.*)?")


@dataclass(frozen=True)
class Piece:
    """A statement at the top of a cell: what it is, the names that it gives, and whether a part of it is a solution.

    `text` is its source without otter's markers; of a function with a solution it has ours.
    """

    cell: Cell
    node: ast.stmt
    kind: str
    names: tuple[str, ...]
    text: str
    solved: bool

    @property
    def used(self) -> frozenset[str]:
        """The names that stand in it."""
        return frozenset(node.id for node in ast.walk(self.node) if isinstance(node, ast.Name))

    @property
    def title(self) -> str:
        """Its first line, for a list."""
        line = self.text.strip().partition("\n")[0]
        return f"`{line[:70]}{'...' * (len(line) > 70)}`"


def pieces_of(cell: Cell, left_over: list[str]) -> list[Piece]:
    """Return the statements of a code cell; what is no part of any is added to `left_over`."""
    text, prompts = cell.text, set[int]()
    for found in _PROMPT.finditer(cell.text):
        first = cell.text.count("\n", 0, found.start()) + 1
        prompts |= set(range(first, first + found[0].count("\n") + 1))
    if prompts:
        text = _PROMPT.sub(lambda found: "\n" * found[0].count("\n"), cell.text)
        left_over.append(f"cell {cell.number}: the text that otter shows in place of the solution; our stub raises")
    python = python_of_cell(text)
    for before, after in zip(text.split("\n"), python.split("\n"), strict=False) if python else ((text, ""),):
        if before != after:
            left_over.append(f"cell {cell.number}: `{before.strip().partition(chr(10))[0]}` is a notebook's, no Python")
    lines = _Lines(cell, python, prompts, left_over)
    try:
        nodes = parse(lines.text).body
    except (SyntaxError, ValueError, RecursionError) as error:
        left_over.append(f"cell {cell.number}: cannot be read as Python ({error})")
        return []
    shared = {b.lineno for a, b in itertools.pairwise(nodes) if b.lineno == a.end_lineno}
    return [_piece(cell, node, lines, alone=not shared & {node.lineno, node.end_lineno}) for node in nodes]


class _Lines:
    """The lines of a cell, from 1, without markers; and which of them otter keeps from students."""

    def __init__(self, cell: Cell, text: str, prompts: set[int], left_over: list[str]) -> None:
        self.lines, self.solved, self.markers = list[str](), set[int](), prompts
        inside = ignored = False
        for number, line in enumerate(text.split("\n"), start=1):
            bare = line.strip().upper()
            begins, ends = bool(_BEGIN.match(line)), line.rstrip().endswith("# END SOLUTION")
            ignores = bare.startswith("# BEGIN IGNORE")
            if ignored or ignores or _IGNORED.search(line):
                left_over.append(f"cell {cell.number}: `{line.strip()}` is marked as ignored")
                ignored = (ignored or ignores) and not bare.endswith("# END IGNORE")
                line = ""  # noqa: PLW2901 (the numbers of the lines stay)
                self.markers.add(number)
            elif begins or ends:
                inside, line = begins, ""  # noqa: PLW2901
                self.markers.add(number)
                self.solved.add(number)
            elif inside or _MARK.search(line):
                self.solved.add(number)
                line = _MARK_ALONE.sub("", line)  # noqa: PLW2901
            self.lines.append(line)
        if inside:
            left_over.append(
                f"cell {cell.number}: # BEGIN SOLUTION has no # END SOLUTION; all below it counts as solution"
            )

    @property
    def text(self) -> str:
        """The cell's code."""
        return "\n".join(self.lines) + "\n"

    def between(self, first: int, last: int) -> list[str]:
        """Return the lines from one to another, markers left out."""
        return [self.lines[n - 1] for n in range(first, last + 1) if n not in self.markers]

    def head(self, first: int) -> int:
        """Return where the comments begin that stand directly above a line."""
        while first > 1 and self.lines[first - 2].lstrip().startswith("#") and first - 1 not in self.solved:
            first -= 1
        return first


def _piece(cell: Cell, node: ast.stmt, lines: _Lines, *, alone: bool) -> Piece:
    first, last = _first(node), node.end_lineno or node.lineno
    solved = bool(lines.solved & set(range(first, last + 1)))
    text = "\n".join(lines.between(lines.head(first), last)) if alone else ast.unparse(node)
    kind, names = _kind(node)
    if isinstance(node, ast.FunctionDef) and solved:
        text = _with_region(node, lines) or text
    return Piece(cell, node, kind, names, text.strip("\n"), solved)


def _kind(node: ast.stmt) -> tuple[str, tuple[str, ...]]:
    """Return what a statement is, and the names that it gives."""
    match node:
        case ast.Import() | ast.ImportFrom():
            return IMPORT, tuple((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        case ast.FunctionDef():
            return FUNCTION, (node.name,)
        case ast.ClassDef():
            return CLASS, (node.name,)
        case ast.Assign() | ast.AnnAssign(value=ast.expr()):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            parts = [part for target in targets for part in getattr(target, "elts", [target])]
            if all(isinstance(part, ast.Name) for part in parts):
                return VALUE, tuple(part.id for part in parts if isinstance(part, ast.Name))
    return LOOSE, ()


def _first(node: ast.stmt) -> int:
    """Return the first line of a statement, its decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _with_region(node: ast.FunctionDef, lines: _Lines) -> str:
    """Return a function with our markers around its solution: the statements from the first with a mark to the last.

    Nothing is returned where no statement of it has a mark.
    """
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    if not body:
        return ""
    indent = re.match(r"\s*", lines.lines[_first(body[0]) - 1])[0]  # type: ignore[index]
    if node.lineno == body[0].lineno or not indent:  # all in one line
        head, *rest = ast.unparse(node).split("\n")
        return "\n".join([head, f"    {BEGIN}", *rest, f"    {END}"])
    low = _first(body[0])
    while low - 1 > node.lineno and _NO_CODE.fullmatch(lines.lines[low - 2]):
        low -= 1
    last = node.end_lineno or node.lineno
    inside = sorted(number for number in lines.solved if low <= number <= last)
    hit = [part for part in body if any(_first(part) <= number <= (part.end_lineno or 0) for number in inside)]
    if not hit:
        return ""
    start, end = min(_first(hit[0]), inside[0]), max(hit[-1].end_lineno or 0, inside[-1])
    before, solution, after = (
        lines.between(*span) for span in ((lines.head(_first(node)), start - 1), (start, end), (end + 1, last))
    )
    return "\n".join([*before, f"{indent}{BEGIN}", *solution, f"{indent}{END}", *after])


def lambdas_in(node: ast.AST) -> Iterator[str]:
    """Yield the names that a statement gives to functions without a name."""
    if isinstance(node, ast.Assign | ast.AnnAssign) and any(isinstance(part, ast.Lambda) for part in ast.walk(node)):
        yield from map(ast.unparse, node.targets if isinstance(node, ast.Assign) else [node.target])
