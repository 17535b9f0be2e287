"""Read a master notebook of otter-grader, as `otter assign` does: its questions, cells and tests. Nothing in it is run."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MARKDOWN, CODE, RAW = "markdown", "code", "raw"
QUESTION, SOLUTION, PROMPT, TESTS = "question", "solution", "prompt", "tests"

_BOUNDARY = re.compile(r"#\s+(begin|end)\s+(question|prompt|solution|tests)\b", re.IGNORECASE)
_CONFIG = re.compile(r"#\s+assignment\s+config\b", re.IGNORECASE)
_FENCED = re.compile(r"^```otter[ \t]*\n(.*?)^```[ \t]*$\n?", re.DOTALL | re.MULTILINE)
_IGNORED = re.compile(r"##\s*ignore\s*##|#\s*ignore\b", re.IGNORECASE)
_FORMAT_V0 = re.compile(r"^```\s*\n\s*BEGIN (ASSIGNMENT|QUESTION)\b", re.IGNORECASE | re.MULTILINE)
_TEST_CONFIG = re.compile(
    r'^(?:\w\s*=\s*)?"{3}\s*#\s*BEGIN\s*TEST\s*CONFIG[^\n]*\n(.*?)^\s*"{3}\s*#\s*END\s*TEST\s*CONFIG[^\n]*',
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)


class OtterMasterError(Exception):
    """The notebook cannot be read as a master notebook of otter; the message says why and what to do."""


@dataclass(frozen=True)
class Cell:
    """A cell that is no marker and no test: its number from 1, and the question and the block of it in which it stands."""

    number: int
    kind: str
    text: str
    question: str = ""
    block: str = ""


@dataclass(frozen=True)
class OtterTest:
    """A test cell without its settings: `output` is what the notebook shows below it."""

    number: int
    text: str
    hidden: bool
    points: float | None
    output: str


@dataclass
class Question:
    """A question's settings, and its tests in order."""

    name: str
    manual: bool
    points: Any
    all_or_nothing: bool
    tests: list[OtterTest] = field(default_factory=list)

    @property
    def worth(self) -> float:
        """Its points, as otter adds them up; 1 where nothing says."""
        points, tests = self.points, len(self.tests)
        if isinstance(points, dict):
            points = points.get("each", 1) * tests
        if isinstance(points, list):
            points = sum(number or 0 for number in points)
        if points is None:
            given = [test.points for test in self.tests if test.points is not None]
            points = sum(given) if given else 1
        return float(points)

    @property
    def weights(self) -> list[float | None]:
        """What each test is worth, None where only the question says."""
        if isinstance(self.points, list) and len(self.points) == len(self.tests):
            return self.points
        return [test.points for test in self.tests]


@dataclass
class Master:
    """A master notebook: its cells in order, its questions by name, its settings, and what was not understood."""

    cells: list[Cell] = field(default_factory=list)
    questions: dict[str, Question] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    left_over: list[str] = field(default_factory=list)


def read_master(path: Path) -> Master:
    """Return what a master notebook holds. Raises OtterMasterError."""
    cells = list(_cells(_notebook(path)))
    if not any(kind == RAW and _is_boundary(text, QUESTION) for kind, text, _ in cells):
        if any(kind == MARKDOWN and _FORMAT_V0.search(text) for kind, text, _ in cells):
            raise OtterMasterError(
                f"{path} is in otter's old format v0, with its settings in Markdown. Write them as raw cells first "
                "(older versions of otter-grader have a converter, otter.assign.v0.convert)."
            )
        raise OtterMasterError(
            f"{path} holds no raw cell that begins with # BEGIN QUESTION, so it is no master notebook."
        )
    try:
        return _Reader().read(cells)
    except OtterMasterError as error:
        raise OtterMasterError(f"{path}, {error}") from None


def _notebook(path: Path) -> Any:
    import nbformat

    read: Callable[..., Any] = nbformat.reads
    if path.suffix != ".ipynb":
        raise OtterMasterError(f"{path} is no notebook. Name the .ipynb file that otter assign reads.")
    try:
        text = path.read_text(encoding="utf-8-sig")
        notebook = read(text, as_version=4)
        kernel = notebook.metadata.get("kernelspec", {})
        language = str(kernel.get("language") or notebook.metadata.get("language_info", {}).get("name") or "python")
        texts = [(cell.cell_type, cell.source) for cell in notebook.cells]
    except OSError as error:
        raise OtterMasterError(f"{path} cannot be read: {error.strerror}.") from None
    except Exception as error:  # noqa: BLE001 (nbformat raises whatever its parsers do, of which many kinds)
        raise OtterMasterError(f"{path} is no notebook that can be read: {str(error).splitlines()[0]}.") from None
    if language.lower() not in ("python", "python3", "ipython"):
        raise OtterMasterError(f"{path} is a notebook in {language}. Only Python can be imported.")
    if not all(isinstance(source, str) for _, source in texts):
        raise OtterMasterError(f"{path} is no notebook that can be read: a cell has no text.")
    return notebook


def _cells(notebook: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield kind, text and the cell itself with its number; a fence ```otter in Markdown counts as a raw cell."""
    for number, cell in enumerate(notebook.cells, start=1):
        parts = _FENCED.split(cell.source) if cell.cell_type == MARKDOWN else [cell.source]
        for position, part in enumerate(parts):
            if part.strip():
                yield (RAW if position % 2 else cell.cell_type), part.strip("\n"), (number, cell)


def _is_boundary(text: str, block: str) -> bool:
    found = _BOUNDARY.match(text)
    return bool(found) and found is not None and found[2].lower() == block


class _Reader:
    """Follows the blocks of a notebook."""

    def __init__(self) -> None:
        self._master, self._blocks = Master(), list[tuple[str, int]]()
        self._question: Question | None = None

    def read(self, cells: list[tuple[str, str, Any]]) -> Master:
        """Return what the cells hold. Raises OtterMasterError, naming the cell."""
        for kind, text, (number, cell) in cells:
            if _IGNORED.match(text) and kind != MARKDOWN:
                self._master.left_over.append(f"cell {number}: marked as ignored")
            elif kind == RAW and _CONFIG.match(text):
                self._master.config |= _settings(text, number)
            elif kind == RAW and (found := _BOUNDARY.match(text)):
                self._cross(found[1].lower() == "begin", found[2].lower(), text, number)
            elif self._question and self._inside(TESTS) and kind == CODE:
                self._question.tests.append(_test(text, number, _output(cell)))
            elif kind == RAW:
                self._master.left_over.append(f"cell {number}: a raw cell, {_short(text)}")
            else:
                name = self._question.name if self._question else ""
                block = next((b for b, _ in reversed(self._blocks) if b != QUESTION), "")
                self._master.cells.append(Cell(number, kind, text, name, block))
        if self._blocks:
            block, number = self._blocks[-1]
            raise OtterMasterError(f"cell {number}: this {block} has no # END {block.upper()}.")
        return self._master

    def _inside(self, block: str) -> bool:
        return any(name == block for name, _ in self._blocks)

    def _cross(self, begins: bool, block: str, text: str, number: int) -> None:
        if not begins:
            if not self._blocks or self._blocks[-1][0] != block:
                raise OtterMasterError(
                    f"cell {number}: # END {block.upper()} has no # BEGIN {block.upper()} before it."
                )
            self._blocks.pop()
            self._question = None if block == QUESTION else self._question
            return
        if self._inside(block):
            raise OtterMasterError(f"cell {number}: # BEGIN {block.upper()} stands inside another {block}.")
        if block == TESTS and self._question is None:
            raise OtterMasterError(f"cell {number}: # BEGIN TESTS stands in no question.")
        if block == QUESTION:
            self._question = _question(_settings(text, number), number)
            if self._question.name in self._master.questions:
                raise OtterMasterError(f"cell {number}: a second question is called {self._question.name}.")
            self._master.questions[self._question.name] = self._question
        self._blocks.append((block, number))


def _question(settings: dict[str, Any], number: int) -> Question:
    if not str(settings.get("name") or "").strip():
        raise OtterMasterError(f"cell {number}: the question has no name. Write a line such as name: q1.")
    points = settings.get("points")
    each = points.values() if isinstance(points, dict) else points if isinstance(points, list) else [points]
    for value in each:
        if value is not None and not _is_number(value):
            raise OtterMasterError(f"cell {number}: points: {points!r} are no points.")
    name, whole = str(settings["name"]).strip(), bool(settings.get("all_or_nothing"))
    return Question(name, bool(settings.get("manual")), points, whole)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def _test(text: str, number: int, output: str) -> OtterTest:
    """Return a test cell, its settings read from the text at its head or the comment in its first line."""
    first = text.partition("\n")[0]
    hidden = first.lstrip().startswith("#") and bool(re.search(r"\bhidden\b", first, re.IGNORECASE))
    points = None
    if found := _TEST_CONFIG.match(text):
        settings = _settings(found[1], number)
        text = "\n" * found[0].count("\n") + text[found.end() :]
        hidden, points = bool(settings.get("hidden", hidden)), settings.get("points")
        if points is not None and not _is_number(points):
            raise OtterMasterError(f"cell {number}: points: {points!r} are no points.")
    return OtterTest(number, text, hidden, points, output)


def _settings(text: str, number: int) -> dict[str, Any]:
    try:
        import yaml
    except ImportError:
        raise OtterMasterError(
            f"its settings are YAML, and PyYAML is not installed here; {sys.executable} -m pip install pyyaml installs it."
        ) from None
    try:
        settings = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise OtterMasterError(f"cell {number}: its settings are no YAML: {' '.join(str(error).split())}.") from None
    if not isinstance(settings, dict):
        raise OtterMasterError(f"cell {number}: its settings are no lines of the form key: value.")
    return settings


def _output(cell: Any) -> str:
    """Return what stands below a test cell, as text."""
    found = (output.get("text") or output.get("data", {}).get("text/plain") or "" for output in cell.get("outputs", ()))
    return "".join(text if isinstance(text, str) else "".join(text) for text in found).strip()


def _short(text: str) -> str:
    """Return the first line of a text, for a list."""
    line = text.strip().partition("\n")[0]
    return f"`{line[:70]}{'...' * (len(line) > 70)}`"
