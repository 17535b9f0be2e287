"""Whether each exercise has its hints and its sentence on what was learned, and none of them holds a line of the solution."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from autograder.course.spec import Assignment, Exercise
from autograder.course.stub import StubError, solution_lines, solution_spans
from autograder.proof.soundness import Proof, StillToWrite, concerns, is_quiz
from autograder.sandbox.child.parse import parse

ENOUGH = (2, 3)
SHORTEST = 12  # characters, without blanks, of a piece of a solution that tells more than a formula does
_SENTENCE = re.compile(r"[.!?](?=\s|$)")  # its end
_VALUES = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)


def hints_are_hints(assignment: Assignment, only: Collection[str] = ()) -> Proof:
    """Prove it of every exercise of an assignment that has any; quizzes and trainings need none."""
    return Proof("hints are two or three, and hold no line of the solution", tuple(_broken(assignment, only)))


def _broken(assignment: Assignment, only: Collection[str]) -> Iterator[str]:
    where = f"assignments/{assignment.slug}/assignment.toml"
    if not any(exercise.hints for exercise in assignment.exercises):
        return
    secret = _secret(assignment)
    for exercise in (e for e in assignment.exercises if concerns(only, e.name)):
        if len(exercise.hints) not in ENOUGH and _needs_some(assignment, exercise):
            count = f"{len(exercise.hints)} hint{'s' * (len(exercise.hints) != 1)}"
            told = f"{exercise.name} has {count}; write two or three: a question, an idea, the shape of the line"
            yield StillToWrite(f"{where}: {told}") if len(exercise.hints) < min(ENOUGH) else f"{where}: {told}"
        for number, hint in enumerate(exercise.hints, start=1):
            if told := _told(secret, hint):
                yield f"{where}: hint {number} of {exercise.name} holds a line of the solution: {told}"


def learned_is_one_sentence(assignment: Assignment, only: Collection[str] = ()) -> Proof:
    """Prove it of every exercise of an assignment that says of any what was learned."""
    promise = "what was learned is one sentence for each exercise, and holds no line of the solution"
    return Proof(promise, tuple(_unlearned(assignment, only)))


def _unlearned(assignment: Assignment, only: Collection[str]) -> Iterator[str]:
    where = f"assignments/{assignment.slug}/assignment.toml"
    if not any(exercise.learned for exercise in assignment.exercises):
        return
    secret = _secret(assignment)
    for exercise in (e for e in assignment.exercises if concerns(only, e.name)):
        if not exercise.learned and exercise.manual:
            continue
        if not exercise.learned:
            told = f"{exercise.name} does not say what was learned; write one sentence in `learned`"
            yield StillToWrite(f"{where}: {told}")
        elif len(_SENTENCE.findall(exercise.learned)) != 1 or not _SENTENCE.search(exercise.learned[-1]):
            yield f"{where}: what {exercise.name} says was learned is not one sentence: {exercise.learned}"
        if told := _told(secret, exercise.learned):
            yield f"{where}: what {exercise.name} says was learned holds a line of the solution: {told}"


def _secret(assignment: Assignment) -> list[str]:
    """Return the pieces of the solutions, the longest first; none where the stub's own proof tells that they are not marked."""
    try:
        return sorted(_pieces(assignment), key=lambda piece: len(_squeezed(piece)), reverse=True)
    except StubError:
        return []


def _told(secret: list[str], text: str) -> str:
    """Return the longest piece of a solution that a text holds, or an empty text."""
    return next((piece for piece in secret if _squeezed(piece) in _squeezed(text)), "")


def _needs_some(assignment: Assignment, exercise: Exercise) -> bool:
    return bool(exercise.hints) or not (exercise.training or is_quiz(assignment, exercise.name))


def _pieces(assignment: Assignment) -> Iterator[str]:
    """Yield the lines of the solutions and what they assign or return, but for what the stub shows as well."""
    shown = _squeezed(assignment.stub)
    spans = [(start, end) for _, start, end in solution_spans(assignment.reference)]
    values = [
        ast.get_source_segment(assignment.reference, node.value) or ""
        for node in ast.walk(parse(assignment.reference))
        if isinstance(node, _VALUES) and node.value and any(start < node.lineno < end for start, end in spans)
    ]
    for piece in dict.fromkeys([*solution_lines(assignment.reference), *values]):
        if len(_squeezed(piece)) >= SHORTEST and _squeezed(piece) not in shown:
            yield piece


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)
