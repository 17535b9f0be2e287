"""What a result that should be full marks says of itself, for whoever maintains the course."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from autograder.course.spec import Status, Training
from autograder.judge.result import ExerciseResult, Result


def failures(result: Result) -> Iterator[str]:
    """Yield what keeps a file from full marks, a line each."""
    if result.problem:
        yield result.problem.replace("\n", " | ")
        return
    for exercise in result.exercises:
        yield from exercise_failures(exercise)


def training_failures(training: Training, name: str, result: ExerciseResult) -> Iterator[str]:
    """Yield what keeps a correct solution from full marks in a training; one that is known to be too slow may be stopped."""
    stopped = (Status.TIMEOUT, Status.SKIPPED) if name in training.too_slow else ()
    yield from (f"{name}: {line}" for line in exercise_failures(result, stopped))


def exercise_failures(exercise: ExerciseResult, excused: Collection[Status] = ()) -> Iterator[str]:
    """Yield the cases that did not pass, and why, a line each."""
    for case in exercise.cases:
        if case.status not in (Status.PASSED, *excused):
            said, note = case.told.headline, case.grader_note[:200].replace("\n", " | ")
            yield f"{exercise.name}.{case.name} {case.status}: {said} {note}".rstrip()
