"""Whether hints are hints: two or three for each exercise, and none that holds a line of the solution."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograder.course.spec import Assignment, Exercise
from autograder.course.stub import StubError, solution_lines, solution_spans
from autograder.proof.soundness import Proof, is_quiz

ENOUGH = (2, 3)
SHORTEST = 12  # characters, without blanks, of a piece of a solution that tells more than a formula does
_VALUES = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)


def hints_are_hints(assignment: Assignment) -> Proof:
    """Prove it of every exercise of an assignment that has any; quizzes and trainings need none."""
    return Proof("hints are two or three, and hold no line of the solution", tuple(_broken(assignment)))


def _broken(assignment: Assignment) -> Iterator[str]:
    where = f"assignments/{assignment.slug}/assignment.toml"
    if not any(exercise.hints for exercise in assignment.exercises):
        return
    try:
        secret = sorted(_pieces(assignment), key=lambda piece: len(_squeezed(piece)), reverse=True)
    except StubError:  # which the stub's own proof tells
        return
    for exercise in assignment.exercises:
        if len(exercise.hints) not in ENOUGH and _needs_some(assignment, exercise):
            count = f"{len(exercise.hints)} hint{'s' * (len(exercise.hints) != 1)}"
            yield f"{where}: {exercise.name} has {count}; write two or three: a question, an idea, the shape of the line"
        for number, hint in enumerate(exercise.hints, start=1):
            told = next((piece for piece in secret if _squeezed(piece) in _squeezed(hint)), "")
            if told:
                yield f"{where}: hint {number} of {exercise.name} holds a line of the solution: {told}"


def _needs_some(assignment: Assignment, exercise: Exercise) -> bool:
    return bool(exercise.hints) or not (exercise.training or is_quiz(assignment, exercise.name))


def _pieces(assignment: Assignment) -> Iterator[str]:
    """Yield the lines of the solutions and what they assign or return, but for what the stub shows as well."""
    shown = _squeezed(assignment.stub)
    spans = [(start, end) for _, start, end in solution_spans(assignment.reference)]
    values = [
        ast.get_source_segment(assignment.reference, node.value) or ""
        for node in ast.walk(ast.parse(assignment.reference))
        if isinstance(node, _VALUES) and node.value and any(start < node.lineno < end for start, end in spans)
    ]
    for piece in dict.fromkeys([*solution_lines(assignment.reference), *values]):
        if len(_squeezed(piece)) >= SHORTEST and _squeezed(piece) not in shown:
            yield piece


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)
