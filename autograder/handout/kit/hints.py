"""The hints to the exercise that is to be mended first, one more each time they are asked for."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

from autograder.course.language import say
from autograder.course.spec import Assignment, Status
from autograder.handout.kit.asked import CheckError
from autograder.handout.kit.hint_order import hint_order
from autograder.handout.kit.progress import read_kept
from autograder.judge.result import ExerciseResult, Result
from autograder.judge.terminal_text import plain
from autograder.sandbox.child.parse import parse
from autograder.sandbox.job import Source

SHOWN = ".hints.json"  # beside the student's file: which hints of each exercise were shown, from 0
WATCH = re.compile(r"^Watch: .*?(?=\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)  # a paragraph of a docstring


def next_hint(
    folder: Path, result: Result, assignment: Assignment, source: Source, wanted: str = "", width: int = 80
) -> str:
    """Return the diagnosis of the exercise to mend first and its hints, one more than the last time. Raises CheckError.

    The next hint is one that goes further than the diagnosis. With an exercise that is `wanted`, it is about the one to mend
    before that; `folder` is where it is kept which were shown.
    """
    root = _root(result, wanted)
    if root is None:
        return say("Nothing to hint at: no case fails.")
    authored = next(exercise.hints for exercise in assignment.exercises if exercise.name == root.name)
    hints = authored or watched(source, root.name)
    said = _diagnosis(root)
    says = f"→ {said}" if said else ""
    if not hints:
        return plain(f"{say('There is no hint about {exercise}.', exercise=root.name)}\n{says}".strip())
    known = root.shown.says if root.shown else ""  # a crash quotes the code, whose names say nothing of what is wrong
    shown = _one_more(folder / SHOWN, root.name, hint_order(hints, known))
    lines = [say("{exercise}, hint {n} of {all}", exercise=root.name, n=len(shown), all=len(hints)), says]
    if wanted and wanted != root.name:
        lines.append(say("`{exercise}` waits for it.", exercise=wanted))
    lines += [f"{number}. {hints[at]}" for number, at in enumerate(shown, start=1)]
    lines.append(say("Ask again for the next hint.") if len(shown) < len(hints) else say("These are all."))
    return plain("\n".join("\n".join(textwrap.wrap(line, width)) for line in lines if line))


def _diagnosis(root: ExerciseResult) -> str:
    """Return what is known to explain why an exercise fails; nothing of one that is not written, or where nothing is known."""
    case = root.shown
    if case is None or case.status is Status.MISSING:
        return ""
    return case.lead if case.status is Status.CRASHED else case.says


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


def _one_more(path: Path, exercise: str, order: Sequence[int]) -> list[int]:
    """Note that one more hint of an exercise is shown, the first in order that was not, and return all that were."""
    kept = read_kept(path)
    before = kept.get(exercise)
    shown = [at for at in before if at in order] if isinstance(before, list) else []
    shown += [at for at in order if at not in shown][:1]
    try:
        path.write_text(json.dumps({**kept, exercise: shown}), encoding="utf-8")
    except OSError as error:
        told = say("{path} cannot be written ({error}); hints are counted there.", path=path, error=error)
        raise CheckError(told) from None
    return shown
