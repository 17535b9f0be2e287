"""The cases of a training: its first steps, and a case for each metric of its whole run. No run is made here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.course.language import marked, say
from autograder.course.spec import Assignment, Metric, Status, Training, Visibility
from autograder.judge.blame import STATUS
from autograder.judge.messages import our_fault
from autograder.judge.outcomes_alike import UNCOMPARABLE
from autograder.judge.read_in_sandbox import read_in_sandbox
from autograder.judge.reasons import NOTHING, Message
from autograder.judge.result import CaseResult, ExerciseResult
from autograder.judge.stray_tensors import explain_devices, speaks_of_devices, strays_in
from autograder.judge.training_outcome import after_the_last_step, band, explain_run, learned_alike, losses_of
from autograder.oracle.larger_run import figures, measured
from autograder.sandbox.child import tensors_made
from autograder.sandbox.job import Ending, Outcome, Sandbox, Source


def metric_case(metric: Metric, status: Status, told: Message = NOTHING) -> CaseResult:
    """Return the case of a metric."""
    return CaseResult(metric.name, metric.claim, Visibility.HIDDEN, status, told)


def status_of(outcome: Outcome) -> Status:
    """Return the status of what came to no end."""
    return STATUS[outcome.ending]


def why_no_end(
    assignment: Assignment, outcome: Outcome, source: Source, training: Training, seconds: float, sandbox: Sandbox
) -> Message:
    """Say why a run that was allowed so many seconds came to no end; of mixed devices, what the code makes on the CPU."""
    devices = ""
    if outcome.trouble and speaks_of_devices(outcome.trouble):
        read = read_in_sandbox(tensors_made, source, (), sandbox, assignment.limits)
        devices = explain_devices(outcome.trouble, tuple(strays_in(read)))
    return explain_run(outcome, source, training, seconds, devices)


def told_of_the_end(run: Outcome, steps: int, cases: Sequence[CaseResult]) -> list[CaseResult]:
    """Say of the metrics of a run that came to no end, if all its steps are done, that this is what follows the last of them."""
    if run.ending is Ending.RETURNED or not run.curve or run.curve[-1][0] != steps - 1:
        return list(cases)
    return [replace(case, told=after_the_last_step(steps, case.told)) for case in cases]


def not_measured(training: Training, first: Outcome) -> list[CaseResult]:
    """Return the cases of a whole run that was not made, since the first steps were not right."""
    told = say("Not measured: it broke off in its first steps.")
    if first.ending is Ending.RETURNED:
        told = say("Not measured: the first steps already differ.")
    return [metric_case(m, Status.SKIPPED, Message(told)) for m in training.asked]


def judge_larger(
    larger: Training, args: tuple[Any, ...], source: Source, own: Outcome, reference: Outcome
) -> list[CaseResult]:
    """Return the cases of a larger run, whether it came to its end or not.

    Its bands have met few devices: a metric that the reference's own run misses here passes, and where that run did not come to its end
    there is no verdict.
    """
    if own.ending is Ending.RETURNED:
        cases, beside = judge_metrics(larger, args, own, reference), figures(larger, args, reference)
        missed = {m.name for m in larger.metrics if m.name in beside and not m.holds(beside[m.name])}
        return [
            metric_case(m, Status.PASSED) if m.name in missed else c for m, c in zip(larger.metrics, cases, strict=True)
        ]
    status, told = status_of(own), explain_run(own, source, larger, larger.seconds)
    if reference.ending is not Ending.RETURNED:
        status, told = Status.GRADER_ERROR, Message(reference_broke(larger, reference))
    return [metric_case(metric, status, told) for metric in larger.metrics]


def reference_broke(training: Training, reference: Outcome) -> str:
    """Say that the reference's own run does not come to its end, so that a student's says nothing."""
    why = reference.trouble.type_name if reference.trouble else ""
    told = marked("{our_fault} The reference does not come to its end on {device} either: {why}.")
    return say(told, our_fault=our_fault(), device=training.device, why=why or reference.ending)


def larger_not_made(training: Training) -> list[CaseResult]:
    """Return the cases of a larger run that was not made, since the smaller one does not learn."""
    told = Message(say("Not measured: the smaller model has to learn first."))
    return [metric_case(m, Status.SKIPPED, told) for m in training.larger_asked]


def judge_metrics(training: Training, args: tuple[Any, ...], outcome: Outcome, reference: Outcome) -> list[CaseResult]:
    """Return the case of each metric of a whole run that came to its end.

    Where the losses fell as the reference's did, and no other metric fails than those that say what is left then, they do.
    """
    values = [_value(metric, args, outcome) for metric in training.metrics]
    failing = [
        m for m, value in zip(training.metrics, values, strict=True) if isinstance(value, str) or not m.holds(value)
    ]
    losses = losses_of(outcome)
    alone = all(m.left for m in failing) and learned_alike(losses, losses_of(reference))
    cases = [_judge(m, value, outcome, alone) for m, value in zip(training.metrics, values, strict=True)]
    if losses is None or np.isfinite(losses).all():
        return cases
    # Not from which step on: that is the student's own word.
    lost = Message(
        say("In the course of the run your loss becomes NaN or infinite. Run training.py to see from which step on.")
    )
    return [case if case.status is Status.PASSED else replace(case, told=lost.then(case.told.text)) for case in cases]


def _value(metric: Metric, args: tuple[Any, ...], outcome: Outcome) -> float | str:
    """Return what a metric says of a run, or why that cannot be measured."""
    try:
        return measured(metric, args, outcome)
    except UNCOMPARABLE as error:
        return str(error)


def _judge(metric: Metric, value: float | str, outcome: Outcome, alone: bool) -> CaseResult:
    if isinstance(value, str):
        told = say("What the run returned cannot be measured ({error}).", error=value)
        return metric_case(metric, Status.FAILED, Message(told))
    if metric.holds(value):
        return replace(metric_case(metric, Status.PASSED), seconds=outcome.seconds)
    symptom = metric.left if alone else metric.below if value < metric.low else metric.above
    named = metric.name.replace("_", " ").capitalize()
    text = say("{metric}: {value:.4g}; {band} is asked for.", metric=named, value=value, band=band(metric))
    return metric_case(metric, Status.FAILED, Message(f"{text} {symptom}".strip()))


def scored(assignment: Assignment, training: Training, cases: Sequence[CaseResult]) -> ExerciseResult:
    """Return a training's result: the first steps weigh 1, and each metric what it says."""
    points, bonus = next((e.points, e.bonus) for e in assignment.exercises if e.name == training.exercise)
    weights = (1.0, *(metric.weight for metric in training.asked))
    earned = sum(w for w, case in zip(weights, cases, strict=True) if case.status is Status.PASSED)
    score = round(points * earned / sum(weights), 4)
    return ExerciseResult(training.exercise, score, points, tuple(cases), training.device, bonus=bonus)
