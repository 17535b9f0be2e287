"""Judge a training run's first losses, and say why a run ended early. The reference's losses are given; no run is made here."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autograder.course.language import marked, say
from autograder.course.spec import Metric, Status, Training, Visibility
from autograder.judge.blame import STATUS
from autograder.judge.crash_reasons import explain_kind, kind_of_crash
from autograder.judge.messages import explain_trouble, our_fault
from autograder.judge.reasons import NOTHING, Advice, Hint, Message
from autograder.judge.result import CaseResult
from autograder.judge.tolerance import deviation
from autograder.sandbox.child.device import CPU
from autograder.sandbox.child.tree import as_arrays
from autograder.sandbox.job import Ending, Outcome, Source, Trouble

FIRST_STEPS = "first_steps"
FIRST_STEPS_CLAIM = marked("From the same start, on the same batches, the first losses are the reference's.")
LEARNED = 0.9  # of how far the reference's loss falls: a run that comes so far has learned as it has
HOPELESS = 3  # a long run is not made where it would take so many times what is allowed, at the pace of its first steps


def first_case(status: Status = Status.PASSED, told: Message = NOTHING, seconds: float = 0.0) -> CaseResult:
    """Return the case of the first steps."""
    return CaseResult(FIRST_STEPS, say(FIRST_STEPS_CLAIM), Visibility.HIDDEN, status, told, seconds=seconds)


def judge_first_steps(
    training: Training, outcome: Outcome, expected: np.ndarray, wrong: Sequence[str], why_no_end: Callable[[], Message]
) -> CaseResult:
    """Judge a run's first losses by the reference's; `wrong` are the exercises it uses that do not pass."""
    case, losses, hint = first_case(seconds=outcome.seconds), losses_of(outcome), mend_first(wrong)
    if outcome.ending is not Ending.RETURNED:
        return replace(case, status=STATUS[outcome.ending], told=why_no_end().then(hint))
    if losses is None or losses.shape != expected.shape:
        text = say("The run gave no loss for every step: the loss has to be one number.")
        return replace(case, status=Status.FAILED, told=Message(text).then(hint))
    parting = parting_of(losses, expected, training)
    if parting is None:
        return case
    margin = training.tolerance * float(np.abs(expected).max())
    too_good = not wrong and 0 <= losses[-1] < expected[-1] - margin
    reason = Advice(Hint.TOO_GOOD) if too_good else None
    return replace(case, status=Status.FAILED, told=tell_parting(parting).then(hint), reason=reason)


def explain_run(outcome: Outcome, source: Source, training: Training, seconds: float, devices: str = "") -> Message:
    """Say in words for the student why a run that was allowed so many seconds came to no end: of a crash the reason first.

    `devices` says what stayed on the CPU, where that is the reason.
    """
    trouble = outcome.trouble or Trouble("", "")
    if outcome.ending is Ending.RAISED:
        told = explain_trouble(trouble, source, Visibility.HIDDEN)  # its text could hold what is held out
        told = told.then(say("Run training.py to read all of it."))
        reason, *more = (devices or explain_kind(kind_of_crash(trouble))).split("\n")
        return Message(reason).then(*more, told.text) if reason else told
    return Message(_why_no_end(outcome, training, seconds))


def _why_no_end(outcome: Outcome, training: Training, seconds: float) -> str:
    match outcome.ending:
        case Ending.TIMEOUT:
            steps = [step for step, _ in outcome.curve if step < training.steps]  # the code may tell any number
            told = [say("It was not done within {seconds:g} s and was stopped.", seconds=seconds)]
            if steps:
                told.append(say("It had done {done} of {steps} steps.", done=steps[-1] + 1, steps=training.steps))
            return " ".join(told)
        case Ending.MEMORY:
            if training.device == CPU:
                return say("It asked for more than the {mb} MB that a training may use.", mb=training.memory_mb)
            told_of_both = marked(
                "It asked for more than the {mb} MB, or the {device_mb} MB of {device} that a training may use."
            )
            return say(told_of_both, mb=training.memory_mb, device_mb=training.device_mb, device=training.device)
        case Ending.FAULT:
            return our_fault(outcome.trouble)
        case Ending.UNWRITTEN:
            return say("It builds on something that is not written yet.")
        case Ending.ABSENT:
            return say("It builds on something that your file does not have.")
        case _:
            return say("The run ended without a result.")


def explain_pace(seconds: float, training: Training) -> str:
    """Say why a long run was not made after first steps that were right and took so long."""
    whole = seconds * training.steps / training.first_steps
    told = marked(
        "Your losses are right, but slow to come: {first} steps took {seconds:.0f} s. All {steps} would take {minutes:.0f} minutes, "
        "and {most:g} s are allowed, so the run was not made. Does a loop go over single numbers where one operation on whole "
        "arrays would do?"
    )
    counts = {"first": training.first_steps, "steps": training.steps}
    return say(told, **counts, seconds=seconds, minutes=whole / 60, most=training.seconds)


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
        self._share = share
        self.stopped = False

    def __call__(self, loss: float) -> bool:
        """Take the next loss; return whether to stop."""
        self._losses.append(loss)
        heard, steps = len(self._losses), self._training.first_steps
        if heard == 1:
            self._began = time.monotonic()  # what comes before, such as the import of the file, is no step
        if heard == steps:
            pace = (time.monotonic() - self._began) / self._share / max(1, steps - 1)
            self.stopped = is_hopeless(pace * steps, self._training) or not agree(
                self._losses, self._expected, self._training
            )
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


def head_of(training: Training, run: Outcome) -> Outcome | None:
    """Return what the first steps of a long run came to; None where it tells too little of them."""
    n, whole = training.first_steps, losses_of(run)
    if whole is None or len(whole) != training.steps:
        return told_before_the_end(training, run)
    return replace(run, value={"losses": whole[:n]}, seconds=run.seconds * n / training.steps)


def told_before_the_end(training: Training, run: Outcome) -> Outcome | None:
    """Return what first steps came to by what a run told step by step, if it then came to no end; that is not charged to them."""
    n = training.first_steps
    told = run.curve[:n]
    if run.ending is Ending.RETURNED or [step for step, _ in told] != list(range(n)):
        return None
    return replace(run, ending=Ending.RETURNED, trouble=None, value={"losses": [loss for _, loss in told]})


def after_the_last_step(steps: int, told: Message) -> Message:
    """Say of a run that did all its steps and came to no end that this is what follows the last of them; `told` says why."""
    where = marked(
        "A run of {steps} steps did them all; what comes after the last one, where your code is used to measure what was learned, came to no end."
    )
    return Message(say(where, steps=steps)).then(told.text)


def band(metric: Metric) -> str:
    """Return in words what a metric has to be."""
    if math.isinf(metric.low):
        return say("at most {high:g}", high=metric.high)
    if math.isinf(metric.high):
        return say("at least {low:g}", low=metric.low)
    return say("{low:g} to {high:g}", low=metric.low, high=metric.high)


@dataclass(frozen=True)
class Parting:
    """Where a run's losses leave the reference's: the step, from 0, and both losses there."""

    step: int
    loss: float
    expected: float


def parting_of(losses: np.ndarray, expected: np.ndarray, training: Training) -> Parting | None:
    """Return where first losses leave the reference's, or None where they agree."""
    if agree(losses, expected, training):
        return None
    near = np.abs(losses - expected) <= training.tolerance * float(np.abs(expected).max())
    step = int(np.argmax(~near))
    return Parting(step, float(losses[step]), float(expected[step]))


def tell_parting(parting: Parting) -> Message:
    """Say where losses leave the reference's, and what that means."""
    at_once = marked(
        "At step {step} the loss is {loss:.4g}; the reference's is {expected:.4g}: the very first forward pass differs, or its loss."
    )
    later = marked(
        "At step {step} the loss is {loss:.4g}; the reference's is {expected:.4g}: the steps before agree, so look at gradients "
        "and at how they are used."
    )
    if not math.isfinite(parting.loss):
        return Message(tell_no_number(parting.step))
    told = later if parting.step else at_once
    return Message(say(told, step=parting.step + 1, loss=parting.loss, expected=parting.expected))


def tell_no_number(step: int) -> str:
    """Say that a run's loss is no number from a step on, counted from 0."""
    told = marked(
        "At step {step} the loss is no number any more, but NaN or infinite. Which operation has no number for some input: a logarithm "
        "of 0, a division by 0, exp of a large number?"
    )
    return say(told, step=step + 1)


def learned_alike(own: np.ndarray | None, theirs: np.ndarray | None) -> bool:
    """Whether losses fell nearly as far as the reference's; they are the student's own word, so no point depends on it."""
    if own is None or theirs is None or own.shape != theirs.shape:
        return False
    last = max(1, len(theirs) // 10)
    fallen, reached = theirs[0] - theirs[-last:].mean(), theirs[0] - own[-last:].mean()
    return bool(reached >= LEARNED * fallen)


def mend_first(wrong: Sequence[str]) -> str:
    """Return a sentence on the exercises that a training uses and that are not right."""
    if not wrong:
        return ""
    *others, last = (f"`{name}`" for name in wrong)
    if not others:
        return say("{name} is used here and not right yet; mend it first.", name=last)
    told = marked("{names} and {last} are used here and not right yet; mend them first.")
    return say(told, names=", ".join(others), last=last)
