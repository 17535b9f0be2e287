"""Judge training runs: does the student's code learn, and no better than it can without seeing the answers?

A loss alone proves nothing: a model that reads the future reaches a lower one. So each run is judged twice. Over its
first steps, from the reference's own start and batches, the losses have to be the reference's: cheap and sharp, and
where they are not, the long run is not made. Of the long run the grader computes every metric itself, from what the run
returned on inputs whose targets never entered the sandbox. Both are judged on top of known mistakes that are charged
elsewhere (`carried_mistakes.py`).
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.course.language import say, speaking
from autograder.course.spec import Assignment, Status, Training
from autograder.judge.messages import our_fault
from autograder.judge.picture import training_picture
from autograder.judge.reasons import Message
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.judge.training_outcome import (
    Opening,
    agree,
    explain_pace,
    first_case,
    head_of,
    is_hopeless,
    judge_first_steps,
    mend_first,
    told_before_the_end,
)
from autograder.judge.training_run import first_seconds
from autograder.oracle.carried_mistakes import (
    NOTHING_CARRIED,
    Carried,
    carried_by,
    fail_alike,
    places_of,
    same_end,
)
from autograder.oracle.gpus import Gpus, NoDeviceError
from autograder.oracle.larger_run import tell_larger
from autograder.oracle.oracle import Oracle
from autograder.oracle.training_beginnings import MOST_HINTS, first_steps_on_top
from autograder.oracle.training_cases import (
    judge_larger,
    judge_metrics,
    larger_not_made,
    metric_case,
    not_measured,
    reference_broke,
    scored,
    status_of,
    told_of_the_end,
    why_no_end,
)
from autograder.oracle.training_losses import KnownLosses
from autograder.oracle.training_runs import Progress, TrainingRuns
from autograder.oracle.written_alone import judge_alone
from autograder.sandbox.child.device import CPU
from autograder.sandbox.child.tree import as_arrays
from autograder.sandbox.job import Ending, Outcome, Sandbox, Source
from autograder.sandbox.time_limits import WALL, Rationed

_BY_CHANCE = (Status.GRADER_ERROR, Status.TIMEOUT)  # the machine's doing, perhaps: a twin gets a run of its own


class Trainer:
    """The training runs of a grading run. Safe to share between threads; the same code is trained once."""

    def __init__(self, oracle: Oracle, progress: Progress | None = None, gpus: Gpus | None = None) -> None:
        self._gpus = gpus
        self.assignment: Assignment = oracle.assignment
        self.oracle = oracle
        self.losses = KnownLosses(oracle)
        self._runs = TrainingRuns(oracle, self.losses, progress, gpus)
        self._known: dict[tuple[str, str], ExerciseResult] = {}
        self._once: dict[tuple[str, ...], threading.Lock] = {}

    def add_to(
        self,
        result: Result,
        source: Source,
        sandbox: Sandbox,
        names: Collection[str] | None = None,
    ) -> Result:
        """Return a result with those of training exercises, all or the named ones, in the order of the assignment."""
        with speaking(self.assignment.language):
            return self._added_to(result, source, sandbox, names)

    def _added_to(self, result: Result, source: Source, sandbox: Sandbox, names: Collection[str] | None) -> Result:
        wanted = [t for t in self.assignment.trainings if names is None or t.exercise in names]
        wanted.sort(key=lambda training: -training.seconds)
        source = self._as_handed_out(source)
        digest = hashlib.sha256(repr(source).encode(errors="replace")).hexdigest()
        graded = result
        for training in wanted if not result.problem else ():
            key = (training.exercise, digest)
            with self._once.setdefault(key, threading.Lock()):
                carried = carried_by(self.oracle, training, graded)
                known = self._known.get(key) or self.train(training, source, sandbox, carried)
                if not any(case.status in _BY_CHANCE for case in known.cases):
                    self._known[key] = known
            result = self._with(result, known)
        if not result.problem:
            return result
        status = next((e.status for e in result.exercises), Status.CRASHED)
        return self.without_run(result, status, say("The file could not be imported."), wanted)

    def _as_handed_out(self, source: Source) -> Source:
        """Return a file under the name that all students were given, so that no message tells of a twin's."""
        if source.notebook or source.several:
            return source
        file = self.assignment.file
        return Source(Path(file).stem, tuple(replace(chunk, label=file) for chunk in source.chunks))

    def without_run(
        self, result: Result, status: Status, message: str, trainings: Sequence[Training] | None = None
    ) -> Result:
        """Return a result with training exercises in which every case has one status and one reason."""
        with speaking(self.assignment.language):
            for training in self.assignment.trainings if trainings is None else trainings:
                result = self._with(result, self._unmade(training, status, message))
        return result

    def _unmade(self, training: Training, status: Status, message: str, note: str = "") -> ExerciseResult:
        told = Message(message)
        cases = [first_case(status, told), *(metric_case(metric, status, told) for metric in training.asked)]
        return scored(self.assignment, training, [replace(case, grader_note=note) for case in cases])

    def _with(self, result: Result, exercise: ExerciseResult) -> Result:
        order = [e.name for e in self.assignment.exercises]
        exercises = sorted((*result.exercises, exercise), key=lambda e: order.index(e.name))
        return replace(result, exercises=tuple(exercises))

    def reference_curve(self, training: Training, sandbox: Sandbox) -> tuple[tuple[int, float], ...]:
        """Return the reference's own steps and losses, from one run of it in the sandbox."""
        return self._runs.of_reference(training, sandbox).curve

    def train(
        self, training: Training, source: Source, sandbox: Sandbox, carried: Carried = NOTHING_CARRIED
    ) -> ExerciseResult:
        """Train a submission and judge it on top of the known mistakes that its cases have named."""
        with speaking(self.assignment.language):
            try:
                return self._judged(training, source, sandbox, carried)
            except NoDeviceError as error:
                told = say("{our_fault} The next run tries it again: {error}.", our_fault=our_fault(), error=error)
                return self._unmade(training, Status.GRADER_ERROR, told)

    def _judged(self, training: Training, source: Source, sandbox: Sandbox, carried: Carried) -> ExerciseResult:
        training = self._runs.patient(training, sandbox)
        # What is repeated for want of room on a device is not at the student's expense: there each run has its own limit.
        shared = self._gpus and training.device != CPU
        rationed = sandbox if shared else Rationed(sandbox, self._most_seconds(training))
        whole = (
            None if carried.wrong else self._whole(training, source, rationed, self.reference_curve(training, sandbox))
        )
        case, names, first, late = self._begin(training, whole, source, rationed, sandbox, carried)
        whole, allowed = (late, first_seconds(training)) if late else (whole, training.seconds)
        broke_off = first.ending is not Ending.RETURNED
        if broke_off and names and carried.explained_by(names, self.oracle):
            follow = [replace(metric_case(m, Status.PASSED, case.told), follows=case.follows) for m in training.asked]
            return scored(self.assignment, training, [case, *follow])
        if broke_off and (ours := self._reference_broke(training, sandbox)):
            return ours
        if broke_off or case.status is not Status.PASSED:
            return scored(self.assignment, training, [case, *not_measured(training, first)])
        if whole is None and is_hopeless(first.seconds, training):
            told = Message(explain_pace(first.seconds, training))
            slow = [metric_case(metric, Status.TIMEOUT, told) for metric in training.asked]
            return scored(self.assignment, training, [case, *slow])
        whole = whole or self._runs.make(training, source, rationed, training.steps, training.seconds)
        if whole.ending is not Ending.RETURNED and (ours := self._reference_broke(training, sandbox)):
            return ours
        choices = (names,) if names else carried.choices
        found = self._measured(training, whole, allowed, source, sandbox, rationed, carried)
        found = told_of_the_end(whole, training.first_steps if late else training.steps, found)
        found = judge_alone(training, found, self._runs, source, sandbox, carried)
        found = [self._charged_once(training, c, whole, sandbox, carried, choices) for c in found]
        picture = training_picture(whole.curve, self.reference_curve(training, sandbox))
        learned = all(c.status is Status.PASSED and not c.follows for c in (case, *found))
        larger, more = self._larger(training, source, sandbox) if learned else ("", larger_not_made(training))
        case = replace(case, picture=picture, told=Message(larger) if larger else case.told)
        return scored(self.assignment, training, [case, *found, *more])

    def _begin(
        self,
        training: Training,
        whole: Outcome | None,
        source: Source,
        rationed: Sandbox,
        sandbox: Sandbox,
        carried: Carried,
    ) -> tuple[CaseResult, tuple[str, ...], Outcome, Outcome | None]:
        """Judge the first steps, of a long run or of one for them alone.

        Return their case, the known mistakes on top of which it passes, what they came to, and the run itself where they are right and
        what follows the last of them came to no end: a long run's would not, either.
        """
        if whole and (head := head_of(training, whole)):
            return *self._first_steps(training, head, source, rationed, sandbox, carried), head, None
        first = self._runs.make(training, source, rationed, training.first_steps, first_seconds(training))
        case, names = self._first_steps(training, first, source, rationed, sandbox, carried)
        begun = told_before_the_end(training, first)
        if begun and case.status is not Status.PASSED:
            told, on_top = self._first_steps(training, begun, source, rationed, sandbox, carried)
            if told.status is Status.PASSED:
                return told, on_top, begun, first
        return case, names, first, None

    def _reference_broke(self, training: Training, sandbox: Sandbox) -> ExerciseResult | None:
        """Return a result without a verdict where the reference's own run does not come to its end here either."""
        reference = self._runs.of_reference(training, sandbox)
        if reference.ending is Ending.RETURNED:
            return None
        note = reference.trouble.text if reference.trouble else ""
        return self._unmade(training, Status.GRADER_ERROR, reference_broke(training, reference), note)

    def _measured(
        self,
        training: Training,
        whole: Outcome,
        allowed: float,
        source: Source,
        sandbox: Sandbox,
        rationed: Sandbox,
        carried: Carried,
    ) -> list[CaseResult]:
        """Judge the metrics of a whole run, which so many seconds were allowed for, by their bands."""
        if whole.ending is Ending.RETURNED:
            args = as_arrays(training.measured_with(self.oracle.seed))
            cases = judge_metrics(training, args, whole, self._runs.of_reference(training, sandbox))
        else:
            told = why_no_end(self.assignment, whole, source, training, allowed, rationed)
            cases = [metric_case(metric, status_of(whole), told) for metric in training.metrics]
        hint = mend_first(carried.wrong[:MOST_HINTS])
        return [c if c.status is Status.PASSED else replace(c, told=c.told.then(hint)) for c in cases]

    def _larger(self, training: Training, source: Source, sandbox: Sandbox) -> tuple[str, list[CaseResult]]:
        """Make the larger run where there is one and it is for this device; say what came of it, and judge what has a band."""
        if training.larger is None or training.device == CPU:
            return "", []
        larger = replace(training.larger, device=training.device)
        reference = self._runs.of_reference(larger, sandbox)
        own = self._runs.make(larger, source, sandbox, larger.steps, larger.seconds)
        args = as_arrays(larger.measured_with(self.oracle.seed))
        judged = replace(larger, metrics=training.larger_asked)
        return tell_larger(larger, args, source, own, reference), judge_larger(judged, args, source, own, reference)

    def _most_seconds(self, training: Training) -> float:
        """Return how long all runs of a submission may take together: a short one and a long one."""
        return WALL * (2 * self.assignment.limits.import_seconds + first_seconds(training) + training.seconds)

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
        whole = self._runs.make(training, source, sandbox, training.steps, training.seconds, opening)
        return None if opening.stopped else whole

    def _first_steps(
        self,
        training: Training,
        outcome: Outcome,
        source: Source,
        rationed: Sandbox,
        sandbox: Sandbox,
        carried: Carried,
    ) -> tuple[CaseResult, tuple[str, ...]]:
        """Judge a run's first steps; return the known mistakes, too, with which the reference's are the same, if they are."""
        case = judge_first_steps(
            training,
            outcome,
            self.losses.first(training),
            carried.wrong[:MOST_HINTS],
            lambda: why_no_end(self.assignment, outcome, source, training, first_seconds(training), rationed),
        )
        return first_steps_on_top(self.oracle, self.losses, training, case, outcome, carried, source, sandbox)

    def _charged_once(
        self,
        training: Training,
        case: CaseResult,
        own: Outcome,
        sandbox: Sandbox,
        carried: Carried,
        choices: Sequence[tuple[str, ...]],
    ) -> CaseResult:
        """Pass a metric that the reference misses in the same way with known mistakes that are charged elsewhere."""
        if case.status is Status.PASSED:
            return case
        metric, args = (
            next(m for m in training.metrics if m.name == case.name),
            as_arrays(training.measured_with(self.oracle.seed)),
        )
        for names in choices:
            if not carried.explained_by(names, self.oracle) or self.oracle.variant(*names) is None:
                continue
            theirs = self._runs.of_reference(training, sandbox, names)
            if theirs.ending is Ending.FAULT:
                return metric_case(metric, Status.GRADER_ERROR, Message(our_fault()))
            if fail_alike(metric, args, own, theirs):
                places = carried.charged_at(places_of(self.oracle, names))
                told = Message(same_end(places))
                return replace(metric_case(metric, Status.PASSED, told), seconds=own.seconds, follows=places)
        return case
