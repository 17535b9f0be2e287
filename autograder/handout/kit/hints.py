"""The hints to the exercise that is to be mended first, one more each time they are asked for."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from pathlib import Path

from autograder.course.spec import Assignment
from autograder.handout.kit.asked import CheckError
from autograder.handout.kit.progress import read_kept
from autograder.judge.result import ExerciseResult, Result
from autograder.judge.terminal_text import plain
from autograder.sandbox.child.parse import parse
from autograder.sandbox.job import Source

SHOWN = ".hints.json"  # beside the student's file: how many hints of each exercise were shown
WATCH = re.compile(r"^Watch: .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)  # a paragraph of a docstring


def next_hint(
    folder: Path, result: Result, assignment: Assignment, source: Source, wanted: str = "", width: int = 80
) -> str:
    """Return the diagnosis of the exercise to mend first and its hints, one more than the last time. Raises CheckError.

    With an exercise that is `wanted`, the one to mend before that; `folder` is where it is kept how many were shown.
    """
    root = _root(result, wanted)
    if root is None:
        return "Nothing to hint at: no case fails."
    authored = next(exercise.hints for exercise in assignment.exercises if exercise.name == root.name)
    hints = authored or watched(source, root.name)
    says = next((f"→ {case.says}" for case in root.failing if case.says), "")
    if not hints:
        return plain(f"There is no hint about {root.name}.\n{says}".strip())
    count = _one_more(folder / SHOWN, root.name, len(hints))
    lines = [f"{root.name}, hint {count} of {len(hints)}", says]
    if wanted and wanted != root.name:
        lines.append(f"`{wanted}` waits for it.")
    lines += [f"{number}. {hint}" for number, hint in enumerate(hints[:count], start=1)]
    lines.append("Ask again for the next hint." if count < len(hints) else "These are all.")
    return plain("\n".join("\n".join(textwrap.wrap(line, width)) for line in lines if line))


def _root(result: Result, wanted: str) -> ExerciseResult | None:
    """Return the exercise to mend first, or before the one that is wanted; None where nothing fails."""
    open_ones = {exercise.name: exercise for exercise in result.to_mend}
    if not wanted:
        return next(iter(open_ones.values()), None)
    root, met = open_ones.get(wanted), {wanted}
    while root and root.waits_for in open_ones.keys() - met:
        root = open_ones[root.waits_for]
        met.add(root.name)
    return root


def watched(source: Source, exercise: str) -> tuple[str, ...]:
    """Return the "Watch:" paragraphs in an exercise's docstrings, as they stand in the student's code."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    found = []
    for chunk in source.chunks:
        try:
            body = parse(chunk.text).body
        except (SyntaxError, ValueError):
            continue
        mine = [inner for node in body if isinstance(node, kinds) and node.name == exercise for inner in ast.walk(node)]
        texts = (ast.get_docstring(node) or "" for node in mine if isinstance(node, kinds))
        found += [" ".join(match[0].split()) for match in map(WATCH.search, texts) if match]
    return tuple(dict.fromkeys(found))


def _one_more(path: Path, exercise: str, most: int) -> int:
    """Count one more hint of an exercise as shown, and return how many these are."""
    counts = {name: n for name, n in read_kept(path).items() if isinstance(n, int) and n > 0}
    counts[exercise] = min(counts.get(exercise, 0) + 1, most)
    try:
        path.write_text(json.dumps(counts), encoding="utf-8")
    except OSError as error:
        raise CheckError(f"{path} cannot be written ({error}); hints are counted there.") from None
    return counts[exercise]
