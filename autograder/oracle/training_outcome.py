"""What a training run came back with: its losses and arrays, and words for why it ended early."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from autograder.course.spec import Metric, Training, Visibility
from autograder.judge.crash_reasons import explain_kind, kind_of_crash
from autograder.judge.messages import OUR_FAULT, explain_trouble
from autograder.judge.reasons import Message
from autograder.judge.tolerance import deviation
from autograder.sandbox.child.device import CPU
from autograder.sandbox.child.tree import as_arrays
from autograder.sandbox.job import Ending, Outcome, Source, Trouble

HOPELESS = 3  # a long run is not made where it would take so many times what is allowed, at the pace of its first steps


def explain_run(outcome: Outcome, source: Source, training: Training, seconds: float, devices: str = "") -> Message:
    """Say in words for the student why a run that was allowed so many seconds came to no end: of a crash the reason first.

    `devices` says what stayed on the CPU, where that is the reason.
    """
    trouble = outcome.trouble or Trouble("", "")
    if outcome.ending is Ending.RAISED:
        told = explain_trouble(trouble, source, Visibility.HIDDEN)  # its text could hold what is held out
        told = told.then("Run training.py to read all of it.")
        reason, *more = (devices or explain_kind(kind_of_crash(trouble))).split("\n")
        return Message(reason).then(*more, told.text) if reason else told
    return Message(_why_no_end(outcome, training, seconds))


def _why_no_end(outcome: Outcome, training: Training, seconds: float) -> str:
    match outcome.ending:
        case Ending.TIMEOUT:
            steps = [step for step, _ in outcome.curve if step < training.steps]  # the code may tell any number
            reached = f" It had done {steps[-1] + 1} of {training.steps} steps." if steps else ""
            return f"It was not done within {seconds:g} s and was stopped.{reached}"
        case Ending.MEMORY:
            there = "" if training.device == CPU else f", or the {training.device_mb} MB of {training.device}"
            return f"It asked for more than the {training.memory_mb} MB{there} that a training may use."
        case Ending.FAULT:
            return f"{OUR_FAULT} ({outcome.trouble.text})" if outcome.trouble else OUR_FAULT
        case Ending.UNWRITTEN:
            return "It builds on something that is not written yet."
        case Ending.ABSENT:
            return "It builds on something that your file does not have."
        case _:
            return "The run ended without a result."


def explain_pace(seconds: float, training: Training) -> str:
    """Say why a long run was not made after first steps that were right and took so long."""
    whole = seconds * training.steps / training.first_steps
    return (
        f"Your losses are right, but slow to come: {training.first_steps} steps took {seconds:.0f} s. All {training.steps} "
        f"would take {whole / 60:.0f} minutes, and {training.seconds:g} s are allowed, so the run was not made. Does a loop "
        "go over single numbers where one operation on whole arrays would do?"
    )


def is_hopeless(seconds: float, training: Training) -> bool:
    """Whether a whole run would take far more than is allowed, if its first steps took so long."""
    return seconds * training.steps > HOPELESS * training.seconds * training.first_steps


def agree(losses: Sequence[float] | np.ndarray, expected: np.ndarray, training: Training) -> bool:
    """Whether a run's first losses are the reference's."""
    found = np.asarray(losses)
    return found.shape == expected.shape and deviation(found, expected) <= training.tolerance


class Opening:
    """Hears of a long run's losses, and asks to stop it after its first steps where they differ or are hopelessly slow."""

    def __init__(self, training: Training, expected: np.ndarray) -> None:
        self._training, self._expected = training, expected
        self.begin(1)

    def begin(self, share: int) -> None:
        """Begin again, for a run that shares its device with so many, itself among them."""
        self._losses: list[float] = []
        self._began, self._share = time.monotonic(), share
        self.stopped = False

    def __call__(self, loss: float) -> bool:
        """Take the next loss; return whether to stop."""
        self._losses.append(loss)
        if len(self._losses) == self._training.first_steps:
            slow = is_hopeless((time.monotonic() - self._began) / self._share, self._training)
            self.stopped = slow or not agree(self._losses, self._expected, self._training)
        return self.stopped


def losses_of(outcome: Outcome) -> np.ndarray | None:
    """Return the losses of a run, one a step, or None where it gave no row of numbers."""
    value = outcome.value
    losses = value.get("losses") if outcome.ending is Ending.RETURNED and isinstance(value, dict) else None
    try:
        array = np.asarray(as_arrays(losses), np.float64)
    except (TypeError, ValueError):
        return None
    return array if array.ndim == 1 else None


def head_of(training: Training, whole: Outcome) -> Outcome | None:
    """Return what a short run would have come to, by a long one; None where that came to nothing."""
    losses = losses_of(whole)
    if losses is None or len(losses) != training.steps:
        return None
    n = training.first_steps
    return replace(whole, value={"losses": losses[:n]}, seconds=whole.seconds * n / training.steps)


def band(metric: Metric) -> str:
    """Return in words what a metric has to be."""
    if math.isinf(metric.low):
        return f"at most {metric.high:g}"
    return f"at least {metric.low:g}" if math.isinf(metric.high) else f"{metric.low:g} to {metric.high:g}"


def tell_difference(losses: np.ndarray, expected: np.ndarray, training: Training) -> Message:
    """Say at which of the first steps the losses leave the reference's, and what that means."""
    near = np.abs(losses - expected) <= training.tolerance * float(np.abs(expected).max())
    step = int(np.argmax(~near))
    where = (
        "the very first forward pass differs, or its loss."
        if step == 0
        else "the steps before agree, so look at gradients and at how they are used."
    )
    return Message(
        f"At step {step + 1} the loss is {losses[step]:.4g}; the reference's is {expected[step]:.4g}: {where}"
    )


def mend_first(wrong: Sequence[str]) -> str:
    """Return a sentence on the exercises that a training uses and that are not right."""
    if not wrong:
        return ""
    names = ", ".join(f"`{name}`" for name in wrong[:-1])
    names = f"{names} and `{wrong[-1]}` are" if names else f"`{wrong[-1]}` is"
    return f"{names} used here and not right yet; mend {'them' if len(wrong) > 1 else 'it'} first."
