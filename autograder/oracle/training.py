"""Judge training runs: does the student's code learn, and no better than it can without seeing the answers?

A loss alone proves nothing: a model that reads the future reaches a lower one. So each run is judged twice. Over its
first steps, from the reference's own start and batches, the losses have to be the reference's: cheap and sharp, and
where they are not, the long run is not made. Of the long run the grader computes every metric itself, from what the run
returned on inputs whose targets never entered the sandbox.
"""

from __future__ import annotations

import functools
import hashlib
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from autograder.course.spec import Assignment, Metric, Status, Training, Visibility
from autograder.judge import tensors_made
from autograder.judge.blame import STATUS
from autograder.judge.diagnose import named as named_mistake
from autograder.judge.messages import OUR_FAULT
from autograder.judge.outcomes_alike import UNCOMPARABLE
from autograder.judge.picture import training_picture
from autograder.judge.read_in_sandbox import read_in_sandbox
from autograder.judge.reasons import Advice, Diagnosis, Hint, Message
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.judge.stray_tensors import explain_devices, speaks_of_devices, strays_in
from autograder.oracle.device import device_trouble
from autograder.oracle.gpus import Gpus, NoDeviceError, Place
from autograder.oracle.larger_run import measured, tell_larger
from autograder.oracle.oracle import Oracle
from autograder.oracle.training_losses import FIRST_STEPS, KnownLosses
from autograder.oracle.training_outcome import (
    Opening,
    agree,
    band,
    explain_pace,
    explain_run,
    head_of,
    is_hopeless,
    losses_of,
    mend_first,
)
from autograder.sandbox.child.device import CPU
from autograder.sandbox.child.tree import as_arrays
from autograder.sandbox.job import Chunk, Ending, Job, Outcome, Sandbox, Source
from autograder.sandbox.time_limits import WALL, Rationed

FIRST_STEPS_CLAIM = "From the same start, on the same batches, the first losses are the reference's."
FIRST_SECONDS = 120  # at most, for the first steps
MOST_HINTS = 3  # exercises that are named as what to mend first
_BY_CHANCE = (Status.GRADER_ERROR, Status.TIMEOUT)  # the machine's doing, perhaps: a twin gets a run of its own
Progress = Callable[[str, int, int, float], None]  # hears of an exercise's step, of how many, and the loss


class Trainer:
    """The training runs of a grading run. Safe to share between threads; the same code is trained once."""

    def __init__(self, oracle: Oracle, progress: Progress | None = None, gpus: Gpus | None = None) -> None:
        self._progress, self._gpus = progress, gpus
        self.assignment: Assignment = oracle.assignment
        self.oracle = oracle
        self.losses = KnownLosses(oracle)
        self._references: dict[str, Outcome] = {}
        self._known: dict[tuple[str, str], ExerciseResult] = {}
        self._once: dict[tuple[str, str], threading.Lock] = {}

    def add_to(
        self,
        result: Result,
        source: Source,
        sandbox: Sandbox,
        names: Collection[str] | None = None,
    ) -> Result:
        """Return a result with those of training exercises, all or the named ones, in the order of the assignment."""
        wanted = [t for t in self.assignment.trainings if names is None or t.exercise in names]
        wanted.sort(key=lambda training: -training.seconds)
        source = self._as_handed_out(source)
        digest = hashlib.sha256(repr(source).encode(errors="replace")).hexdigest()
        wrong = [e.name for e in result.exercises if e.status is not Status.PASSED]
        named = {name for e in result.exercises for case in e.cases for name in case.mistakes}
        for training in wanted if not result.problem else ():
            key = (training.exercise, digest)
            with self._once.setdefault(key, threading.Lock()):
                known = self._known.get(key) or self.train(training, source, sandbox, wrong, named)
                if not any(case.status in _BY_CHANCE for case in known.cases):
                    self._known[key] = known
            result = self._with(result, known)
        if not result.problem:
            return result
        status = next((e.status for e in result.exercises), Status.CRASHED)
        return self.without_run(result, status, "The file could not be imported.", wanted)

    def _as_handed_out(self, source: Source) -> Source:
        """Return a file under the name that everybody was given, so that no message tells of a twin's."""
        if source.notebook:
            return source
        file = self.assignment.file
        return Source(Path(file).stem, tuple(replace(chunk, label=file) for chunk in source.chunks))

    def without_run(
        self, result: Result, status: Status, message: str, trainings: Sequence[Training] | None = None
    ) -> Result:
        """Return a result with training exercises in which every case has one status and one reason."""
        for training in self.assignment.trainings if trainings is None else trainings:
            result = self._with(result, self._unmade(training, status, message))
        return result

    def _unmade(self, training: Training, status: Status, message: str) -> ExerciseResult:
        first = CaseResult(FIRST_STEPS, FIRST_STEPS_CLAIM, Visibility.HIDDEN, status, Message(message))
        return self._scored(training, [first, *(_case(metric, status, message) for metric in training.metrics)])

    def _with(self, result: Result, exercise: ExerciseResult) -> Result:
        order = [e.name for e in self.assignment.exercises]
        exercises = sorted((*result.exercises, exercise), key=lambda e: order.index(e.name))
        return replace(result, exercises=tuple(exercises))

    def reference_curve(self, training: Training, sandbox: Sandbox) -> tuple[tuple[int, float], ...]:
        """Return the reference's own steps and losses, from one run of it in the sandbox."""
        return self._reference_run(training, sandbox).curve

    def _reference_run(self, training: Training, sandbox: Sandbox) -> Outcome:
        with self._once.setdefault((training.exercise, ""), threading.Lock()):
            if training.exercise not in self._references:
                source = Source("reference", (Chunk(self.assignment.file, self.assignment.reference),))
                outcome = self._run(training, source, sandbox, training.steps, training.seconds)
                self._references[training.exercise] = outcome
            return self._references[training.exercise]

    def train(
        self,
        training: Training,
        source: Source,
        sandbox: Sandbox,
        wrong: Sequence[str] = (),
        named: Collection[str] = (),
    ) -> ExerciseResult:
        """Train a submission and judge it; `wrong` are exercises of it that fail by themselves, `named` its mistakes."""
        wrong = [name for name in self.assignment.uses(training.exercise) if name in wrong]
        try:
            return self._judged(training, source, sandbox, wrong, named)
        except NoDeviceError as error:
            return self._unmade(training, Status.GRADER_ERROR, f"{OUR_FAULT} The next run tries it again: {error}.")

    def _judged(
        self, training: Training, source: Source, sandbox: Sandbox, wrong: Sequence[str], named: Collection[str]
    ) -> ExerciseResult:
        # What is repeated for want of room on a device is not at the student's expense: there each run has its own limit.
        shared = self._gpus and training.device != CPU
        rationed = sandbox if shared else Rationed(sandbox, self._most_seconds(training))
        whole = None if wrong else self._whole(training, source, rationed, self.reference_curve(training, sandbox))
        first = head_of(training, whole) if whole else None
        if first is None:
            first = self._run(training, source, rationed, training.first_steps, _first_seconds(training))
        cases = [self._first_steps(training, first, source, rationed, wrong, named)]
        if cases[0].status is not Status.PASSED:
            skipped = (
                "the first steps already differ"
                if first.ending is Ending.RETURNED
                else "it broke off in its first steps"
            )
            cases += [_case(metric, Status.SKIPPED, f"Not measured: {skipped}.") for metric in training.metrics]
            return self._scored(training, cases)
        if whole is None and is_hopeless(first.seconds, training):
            cases += [
                _case(metric, Status.TIMEOUT, explain_pace(first.seconds, training)) for metric in training.metrics
            ]
            return self._scored(training, cases)
        whole = whole or self._run(training, source, rationed, training.steps, training.seconds)
        cases += [self._measured(training, metric, whole, source, rationed) for metric in training.metrics]
        picture = training_picture(whole.curve, self.reference_curve(training, sandbox))
        learned = all(case.status is Status.PASSED for case in cases)
        told = self._larger(training, source, sandbox) if learned else ""
        return self._scored(training, [replace(cases[0], picture=picture, told=Message(told)), *cases[1:]])

    def _larger(self, training: Training, source: Source, sandbox: Sandbox) -> str:
        """Make the larger run where there is one and it is for this device; say what came of it."""
        if training.larger is None or training.device == CPU:
            return ""
        larger = replace(training.larger, device=training.device)
        reference = self._reference_run(larger, sandbox)
        own = self._run(larger, source, sandbox, larger.steps, larger.seconds)
        return tell_larger(larger, as_arrays(self.losses.args(larger)), source, own, reference)

    def _most_seconds(self, training: Training) -> float:
        """Return how long all runs of a submission may take together: a short one and a long one."""
        return WALL * (2 * self.assignment.limits.import_seconds + _first_seconds(training) + training.seconds)

    def _whole(
        self, training: Training, source: Source, sandbox: Sandbox, curve: Sequence[tuple[int, float]]
    ) -> Outcome | None:
        """Make the long run at once, where it begins like a short one; None if its own beginning does not allow it.

        Most code whose cases all pass learns as well, so that a short run before would be for nothing.
        """
        expected = self.losses.first(training)
        losses = [loss for _, loss in curve[: training.first_steps]]
        if not agree(losses, expected, training):
            return None
        opening = Opening(training, expected)
        whole = self._run(training, source, sandbox, training.steps, training.seconds, opening)
        return None if opening.stopped else whole

    def _scored(self, training: Training, cases: Sequence[CaseResult]) -> ExerciseResult:
        points = next(e.points for e in self.assignment.exercises if e.name == training.exercise)
        weights = (1.0, *(metric.weight for metric in training.metrics))
        earned = sum(w for w, case in zip(weights, cases, strict=True) if case.status is Status.PASSED)
        score = round(points * earned / sum(weights), 4)
        return ExerciseResult(training.exercise, score, points, tuple(cases), training.device)

    def _run(
        self,
        training: Training,
        source: Source,
        sandbox: Sandbox,
        steps: int,
        seconds: float,
        opening: Opening | None = None,
    ) -> Outcome:
        """Make a run of so many steps; where devices are shared, as often as a neighbour or a device ends it by chance."""
        assignment = self.assignment
        watch = functools.partial(self._hear, training.exercise, steps, opening)

        def attempt(place: Place) -> Outcome:
            allowed = seconds * place.share
            limits = replace(assignment.limits, memory_mb=training.memory_mb)
            limits = replace(limits, case_seconds=allowed, total_seconds=WALL * allowed)
            if opening:
                opening.begin(place.share)
            request = self.losses.request(training, steps, place.device)
            where = (place.device, training.device_mb)
            ran = sandbox.run(Job(source, (request,), limits, assignment.shortcuts, assignment.torch, watch, *where))
            outcome = ran.outcomes[0] if ran.loading.ending is Ending.RETURNED else ran.loading
            return replace(outcome, seconds=outcome.seconds / place.share)

        if self._gpus is None or training.device == CPU:
            return attempt(Place(training.device, 1))
        usual = training.seconds * steps / training.steps
        return self._gpus.run(training.exercise, usual, attempt, lambda name: device_trouble(assignment, name, sandbox))

    def _hear(self, exercise: str, steps: int, opening: Opening | None, step: int, loss: float) -> bool:
        if self._progress:
            self._progress(exercise, step, steps, loss)
        return opening is not None and opening(loss)

    def _first_steps(
        self,
        training: Training,
        outcome: Outcome,
        source: Source,
        sandbox: Sandbox,
        wrong: Sequence[str],
        named: Collection[str],
    ) -> CaseResult:
        case = CaseResult(FIRST_STEPS, FIRST_STEPS_CLAIM, Visibility.HIDDEN, Status.PASSED, seconds=outcome.seconds)
        hint = mend_first(wrong[:MOST_HINTS])
        if outcome.ending is not Ending.RETURNED:
            told = self._why_no_end(outcome, source, training, _first_seconds(training), sandbox)
            return replace(case, status=_status(outcome), told=told.then(hint))
        expected, losses = self.losses.first(training), losses_of(outcome)
        if losses is None or losses.shape != expected.shape:
            text = "The run gave no loss for every step: the loss has to be one number."
            return replace(case, status=Status.FAILED, told=Message(text).then(hint))
        if agree(losses, expected, training):
            return case
        known = self.losses.mistakes(training, losses, wrong, named)
        scale = float(np.abs(expected).max())
        step = int(np.argmax(~(np.abs(losses - expected) <= training.tolerance * scale)))
        text = f"At step {step + 1} the loss is {losses[step]:.4g}; the reference's is {expected[step]:.4g}"
        where = (
            ": the very first forward pass differs, or its loss."
            if step == 0
            else ": the steps before agree, so look at gradients and at how they are used."
        )
        failed = replace(case, status=Status.FAILED, told=Message(text + where).then(hint))
        if known:
            return replace(failed, reason=Diagnosis(training.exercise, tuple((named_mistake(m),) for m in known)))
        too_good = not wrong and 0 <= losses[-1] < expected[-1] - training.tolerance * scale
        return replace(failed, reason=Advice(Hint.TOO_GOOD) if too_good else None)

    def _why_no_end(
        self, outcome: Outcome, source: Source, training: Training, seconds: float, sandbox: Sandbox
    ) -> Message:
        devices = ""
        if outcome.trouble and speaks_of_devices(outcome.trouble):
            read = read_in_sandbox(tensors_made, source, (), sandbox, self.assignment.limits)
            devices = explain_devices(outcome.trouble, tuple(strays_in(read)))
        return explain_run(outcome, source, training, seconds, devices)

    def _measured(
        self, training: Training, metric: Metric, outcome: Outcome, source: Source, sandbox: Sandbox
    ) -> CaseResult:
        if outcome.ending is not Ending.RETURNED:
            told = self._why_no_end(outcome, source, training, training.seconds, sandbox)
            return replace(_case(metric, _status(outcome)), told=told)
        try:
            value = measured(metric, as_arrays(self.losses.args(training)), outcome)
        except UNCOMPARABLE as error:
            return _case(metric, Status.FAILED, f"What the run returned cannot be measured ({error}).")
        if metric.low <= value <= metric.high:
            return replace(_case(metric, Status.PASSED), seconds=outcome.seconds)
        symptom = metric.below if value < metric.low else metric.above
        text = f"{metric.name.replace('_', ' ').capitalize()}: {value:.4g}; {band(metric)} is asked for. {symptom}"
        return _case(metric, Status.FAILED, text.strip())


def _first_seconds(training: Training) -> float:
    return min(training.seconds, FIRST_SECONDS)


def _case(metric: Metric, status: Status, message: str = "") -> CaseResult:
    return CaseResult(metric.name, metric.claim, Visibility.HIDDEN, status, Message(message))


def _status(outcome: Outcome) -> Status:
    return STATUS[outcome.ending]
