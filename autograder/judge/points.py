"""Give points: what an exercise earns by its cases, what it loses by a forbidden shortcut, and a result without any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.course.language import decimal, say, say_many
from autograder.course.quiz_checks import answered
from autograder.course.spec import Exercise, Status, Visibility
from autograder.judge.reasons import Advice, Hint, Message
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.judge.trials import Knowledge, Trial


def worth(exercise: Exercise, trials: Sequence[Trial]) -> float:
    """Return the points that trials can give: none where they only see whether a quiz is answered, as at home."""
    checks = [trial.case.check for trial in trials]
    return 0.0 if checks and all(isinstance(check, answered) for check in checks) else exercise.points


def points_earned(points: float, weights: Sequence[float], cases: Sequence[CaseResult]) -> float:
    """Return how many of an exercise's points it earns by the weights of the cases that passed."""
    earned = sum(weight for weight, case in zip(weights, cases, strict=True) if case.status is Status.PASSED)
    whole = sum(weights)  # nothing at home, where of a quiz it is only seen whether it is answered
    return round(points * earned / whole, 4) if whole else 0.0


def points_text(points: float) -> str:
    """Return points as people write them in the language spoken, with at most two decimals: 7.5, 10."""
    return decimal(f"{float(points):.2f}".rstrip("0").rstrip("."))


def points_of(score: float, most: float) -> str:
    """Say how many of the points that there are someone has."""
    return say_many(
        "{score} of {most} point",
        "{score} of {most} points",
        _plural(most),
        score=points_text(score),
        most=points_text(most),
    )


def graded_by_person(points: float) -> str:
    """Say that a person gives an exercise's points, and how many there are."""
    return say_many(
        "graded by a person, {points} point",
        "graded by a person, {points} points",
        _plural(points),
        points=points_text(points),
    )


def _plural(points: float) -> int:
    """Return a number that takes the form of points, which may be half ones."""
    return 1 if points == 1 else 2


def refused(exercise: ExerciseResult, shortcut: str) -> ExerciseResult:
    """Take the points of an exercise whose code uses what it may not, whatever it gave."""
    judged_by_value = (Status.PASSED, Status.FAILED)
    cases = tuple(
        replace(c, status=Status.FAILED, told=Message(shortcut), reason=Advice(Hint.FORBIDDEN), follows=(), again=False)
        if c.status in judged_by_value
        else c
        for c in exercise.cases
    )
    return replace(exercise, score=0.0, cases=cases)


def without_points(oracle: Knowledge, status: Status, message: str) -> Result:
    """Return a result in which every case has one status and one reason."""
    exercises = tuple(
        ExerciseResult(
            exercise.name,
            0.0,
            worth(exercise, oracle.trials_of(exercise.name)),
            (
                *(
                    CaseResult(t.case.name, t.case.claim, t.case.visibility, status, Message(message))
                    for t in oracle.trials_of(exercise.name)
                ),
                *([_not_read(message)] if exercise.manual and status is Status.GRADER_ERROR else ()),
            ),
            answer="" if exercise.manual else None,
            bonus=exercise.bonus,
            later=exercise.points - worth(exercise, oracle.trials_of(exercise.name)),
        )
        for exercise in oracle.assignment.exercises
        if not exercise.training
    )
    return Result(oracle.assignment.slug, exercises)


def _not_read(message: str) -> CaseResult:
    """Return what says, in place of an answer that a person would grade, that we failed; so it is tried again."""
    claim = say("The answer is taken out of what was handed in.")
    return CaseResult("answer", claim, Visibility.PUBLIC, Status.GRADER_ERROR, Message(message))
