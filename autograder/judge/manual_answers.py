"""Take the answers that a person grades out of a submission: texts are read in the sandbox, pictures came with the source."""

from __future__ import annotations

from dataclasses import replace

from autograder.course.assignment import PLOT
from autograder.course.language import marked, say, speaking
from autograder.course.spec import Assignment
from autograder.judge.read_in_sandbox import read_in_sandbox
from autograder.judge.result import ExerciseResult, Result
from autograder.sandbox.child import answers_read
from autograder.sandbox.job import Sandbox, Source

MOST = 20_000  # characters of an answer
UNREADABLE = marked("(The grader could not take this answer out of the file. It stands in the code.)")
SHORTENED = marked("(The answer is longer. Its first {most:,} characters are read.)")
PICTURE = marked("(a picture)")


def with_answers(result: Result, source: Source, assignment: Assignment, sandbox: Sandbox) -> Result:
    """Return a result that holds what the student answered to the exercises that a person grades. Raises ReadingError."""
    with speaking(assignment.language):
        answers = _answers(source, assignment, sandbox)

    def answered(exercise: ExerciseResult) -> ExerciseResult:
        given = exercise.name in answers
        return replace(exercise, answer=answers[exercise.name], cases=()) if given else exercise

    return replace(result, exercises=tuple(map(answered, result.exercises))) if answers else result


def _answers(source: Source, assignment: Assignment, sandbox: Sandbox) -> dict[str, str]:
    """Return the answers by exercise, empty where there is none."""
    manual = {e.name: e.answer for e in assignment.exercises if e.manual}
    texts = [name for name, kind in manual.items() if kind != PLOT]
    drawn = {name for name, _ in source.pictures}
    answers = {name: say(PICTURE) if name in drawn else "" for name, kind in manual.items() if kind == PLOT}
    if texts:
        found = read_in_sandbox(answers_read, source, (texts, MOST), sandbox, assignment.limits)
        answers |= {name: _understood(found, name) for name in texts}
    return answers


def _understood(found: object, name: str) -> str:
    """Return an answer as the child told it; a hostile source may have ended the child, or made something up."""
    text = found.get(name, "") if isinstance(found, dict) else None
    if not isinstance(text, str):
        return say(UNREADABLE)
    text = text.replace("\r\n", "\n").encode("utf-8", "replace").decode()
    if len(text) > MOST:
        text = f"{text[:MOST]}\n{say(SHORTENED, most=MOST)}"
    return text.strip("\n") if text.strip() else ""
