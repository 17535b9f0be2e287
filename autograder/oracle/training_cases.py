"""The cases of a training: its first steps, and a case for each metric of its whole run. No run is made here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from autograder.course.spec import Assignment, Metric, Status, Training, Visibility
from autograder.judge.blame import STATUS
from autograder.judge.outcomes_alike import UNCOMPARABLE
from autograder.judge.reasons import NOTHING, Message
from autograder.judge.result import CaseResult, ExerciseResult
from autograder.oracle.larger_run import measured
from autograder.oracle.training_losses import FIRST_STEPS
from autograder.oracle.training_outcome import band, losses_of
from autograder.sandbox.job import Ending, Outcome

FIRST_STEPS_CLAIM = "From the same start, on the same batches, the first losses are the reference's."
LEARNED = 0.9  # of how far the reference's loss falls: who comes so far has learned as it has


def first_case(status: Status = Status.PASSED, told: Message = NOTHING, seconds: float = 0.0) -> CaseResult:
    """Return the case of the first steps."""
    return CaseResult(FIRST_STEPS, FIRST_STEPS_CLAIM, Visibility.HIDDEN, status, told, seconds=seconds)


def metric_case(metric: Metric, status: Status, told: Message = NOTHING) -> CaseResult:
    """Return the case of a metric."""
    return CaseResult(metric.name, metric.claim, Visibility.HIDDEN, status, told)


def status_of(outcome: Outcome) -> Status:
    """Return the status of what came to no end."""
    return STATUS[outcome.ending]


def not_measured(training: Training, first: Outcome) -> list[CaseResult]:
    """Return the cases of a whole run that was not made, since the first steps were not right."""
    why = "the first steps already differ" if first.ending is Ending.RETURNED else "it broke off in its first steps"
    return [metric_case(m, Status.SKIPPED, Message(f"Not measured: {why}.")) for m in training.metrics]


def judge_metrics(training: Training, args: tuple[Any, ...], outcome: Outcome, reference: Outcome) -> list[CaseResult]:
    """Return the case of each metric of a whole run that came to its end.

    Where the losses fell as the reference's did, and no other metric fails than those that say what is left then, they do.
    """
    values = [_value(metric, args, outcome) for metric in training.metrics]
    failing = [
        m for m, value in zip(training.metrics, values, strict=True) if isinstance(value, str) or not m.holds(value)
    ]
    alone = all(m.left for m in failing) and _learned_alike(outcome, reference)
    return [_judge(m, value, outcome, alone) for m, value in zip(training.metrics, values, strict=True)]


def _value(metric: Metric, args: tuple[Any, ...], outcome: Outcome) -> float | str:
    """Return what a metric says of a run, or why that cannot be measured."""
    try:
        return measured(metric, args, outcome)
    except UNCOMPARABLE as error:
        return str(error)


def _judge(metric: Metric, value: float | str, outcome: Outcome, alone: bool) -> CaseResult:
    if isinstance(value, str):
        return metric_case(metric, Status.FAILED, Message(f"What the run returned cannot be measured ({value})."))
    if metric.holds(value):
        return replace(metric_case(metric, Status.PASSED), seconds=outcome.seconds)
    symptom = metric.left if alone else metric.below if value < metric.low else metric.above
    text = f"{metric.name.replace('_', ' ').capitalize()}: {value:.4g}; {band(metric)} is asked for. {symptom}"
    return metric_case(metric, Status.FAILED, Message(text.strip()))


def _learned_alike(outcome: Outcome, reference: Outcome) -> bool:
    """Whether a run's losses fell nearly as far as the reference's; they are the student's own word, and only words depend on it."""
    own, theirs = losses_of(outcome), losses_of(reference)
    if own is None or theirs is None or own.shape != theirs.shape:
        return False
    last = max(1, len(theirs) // 10)
    fallen, reached = theirs[0] - theirs[-last:].mean(), theirs[0] - own[-last:].mean()
    return bool(reached >= LEARNED * fallen)


def scored(assignment: Assignment, training: Training, cases: Sequence[CaseResult]) -> ExerciseResult:
    """Return a training's result: the first steps weigh 1, and each metric what it says."""
    points = next(e.points for e in assignment.exercises if e.name == training.exercise)
    weights = (1.0, *(metric.weight for metric in training.metrics))
    earned = sum(w for w, case in zip(weights, cases, strict=True) if case.status is Status.PASSED)
    score = round(points * earned / sum(weights), 4)
    return ExerciseResult(training.exercise, score, points, tuple(cases), training.device)
