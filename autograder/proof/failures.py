"""What a result that should be full marks says of itself, for whoever maintains the course."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.course.spec import Status
from autograder.judge.result import ExerciseResult, Result


def failures(result: Result) -> Iterator[str]:
    """Yield what keeps a file from full marks, a line each."""
    if result.problem:
        yield result.problem.replace("\n", " | ")
        return
    for exercise in result.exercises:
        yield from exercise_failures(exercise)


def exercise_failures(exercise: ExerciseResult) -> Iterator[str]:
    """Yield the cases that did not pass, and why, a line each."""
    for case in exercise.cases:
        if case.status is not Status.PASSED:
            said, note = case.message.partition("\n")[0], case.grader_note[:200].replace("\n", " | ")
            yield f"{exercise.name}.{case.name} {case.status}: {said} {note}".rstrip()
