"""The code of a running notebook: what its cells hold that were run, and which cells are still to be run.

It need not be saved first. As in a notebook that is handed in, its imports, definitions and constants count.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder.course.language import say
from autograder.course.spec import Assignment, Status
from autograder.judge.reasons import Message
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.sandbox.child.parse import parse
from autograder.sandbox.job import Chunk, Source
from autograder.submission.notebook_cells import python_of_cell

_UNDEFINED = re.compile(r"\bname '(\w+)' is not defined")


def source_of_cells(env: Mapping[str, Any], file: str) -> Source:
    """Return a running notebook's code: every cell that was run, without those whose definitions came again."""
    cells = [(n, python_of_cell(_as_typed(text))) for n, text in enumerate(env.get("In", ())) if text.strip()]
    chunks: list[Chunk] = []
    seen: set[str] = set()
    for number, code in reversed(cells):
        tree = _parsed(code)
        defined = _defined(tree) if tree else set()
        if tree and not (defined and defined <= seen):
            chunks.append(Chunk(f"cell [{number}]", code))
            seen |= defined
    return Source(Path(file).stem, tuple(reversed(chunks)), notebook=True)


def _as_typed(text: str) -> str:
    """Return a cell as it was typed where it begins with a magic such as `%%time`, of which a kernel keeps a call."""
    match _parsed(text) if ".run_cell_magic(" in text else None:
        case ast.Module(body=[ast.Expr(value=ast.Call(func=ast.Attribute(attr="run_cell_magic"), args=parts))]):
            texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            if len(texts) == 3:
                return f"%%{texts[0]} {texts[1]}\n{texts[2]}"
    return text


def with_cells_to_run(result: Result, source: Source, assignment: Assignment) -> Result:
    """Return a result in which what fails for want of a cell says so: the handout's names that no cell has made yet."""
    made = {name for chunk in source.chunks if (tree := _parsed(chunk.text)) for name in _names(tree)}
    absent = {name for tree in [_parsed(assignment.stub)] if tree for name in _names(tree)} - made
    wanted = {note: next((name for name in _UNDEFINED.findall(note) if name in absent), "") for note in result.notes}
    missing = next(filter(None, wanted.values()), "")
    blanks = {e.name: e.blanks[0].partition(".")[0] for e in assignment.exercises if e.blanks}

    def cell_of(exercise: ExerciseResult, case: CaseResult) -> str:
        """Return the name whose cell is to be run before a case can say anything, or nothing."""
        named = [*_UNDEFINED.findall(case.message), blanks.get(case.waits_for, "")]
        if case.status is Status.MISSING:
            named += [blanks.get(exercise.name, ""), missing]
        return next((name for name in named if name in absent), "")

    def told(exercise: ExerciseResult, case: CaseResult) -> CaseResult:
        name = cell_of(exercise, case)
        text = say(
            "Run the cell that defines `{name}` first, then this check again. Did it end in an error?", name=name
        )
        return replace(case, status=Status.SKIPPED, told=Message(text), reason=None, crash="") if name else case

    exercises = (replace(e, cases=tuple(told(e, case) for case in e.cases)) for e in result.exercises)
    return replace(result, exercises=tuple(exercises), notes=tuple(note for note in result.notes if not wanted[note]))


def _parsed(code: str) -> ast.Module | None:
    """Return a cell's code as a tree, or None where it is not Python and so never ran."""
    try:
        return parse(code)
    except (SyntaxError, ValueError):
        return None


def _defined(tree: ast.Module) -> set[str]:
    """Return the functions and classes that a cell defines."""
    return {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}


def _names(tree: ast.Module) -> Iterator[str]:
    """Yield all names that code makes at its top level: definitions, imports and constants."""
    yield from _defined(tree)
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (leaf.id for target in targets for leaf in ast.walk(target) if isinstance(leaf, ast.Name))
