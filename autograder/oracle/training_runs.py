"""Make training runs in the sandbox: a submission's, and the reference's once for all."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from dataclasses import replace

from autograder.course.edits import apply_edits
from autograder.course.spec import Training
from autograder.judge.training_outcome import Opening
from autograder.judge.training_run import run_training
from autograder.oracle.gpus import Gpus, Place
from autograder.oracle.oracle import Oracle
from autograder.oracle.training_losses import KnownLosses
from autograder.sandbox.child.device import CPU
from autograder.sandbox.gpu_watch import lost_devices
from autograder.sandbox.job import Ending, Outcome, Sandbox, Source

TIMES = 20  # a run may take that many times what the reference took, if that is more than its limit

# Hears of an exercise's step, of how many, the loss, and whether it is the reference that is trained.
Progress = Callable[[str, int, int, float, bool], None]


class TrainingRuns:
    """Runs of a training, on the device it is for. Safe to share between threads."""

    def __init__(self, oracle: Oracle, losses: KnownLosses, progress: Progress | None, gpus: Gpus | None) -> None:
        self._oracle, self._assignment = oracle, oracle.assignment
        self._losses, self._progress, self._gpus = losses, progress, gpus
        self._references: dict[tuple[str, ...], Outcome] = {}  # by exercise and known mistakes
        self._once: dict[tuple[str, ...], threading.Lock] = {}

    def of_reference(self, training: Training, sandbox: Sandbox, names: tuple[str, ...] = ()) -> Outcome:
        """Return what a whole run of the reference comes to, with known mistakes in it or without; each is made once."""
        key = (training.exercise, *names)
        with self._once.setdefault(key, threading.Lock()):
            if key not in self._references:
                text = apply_edits(self._assignment.reference, tuple(map(self._oracle.misconception, names)))
                source = Source.of(self._assignment.file, text or "")
                outcome = self.make(training, source, sandbox, training.steps, training.seconds, reference=True)
                if outcome.ending is Ending.FAULT:
                    return outcome
                self._references[key] = outcome
            return self._references[key]

    def patient(self, training: Training, sandbox: Sandbox) -> Training:
        """Return a training with as many seconds as a slow machine needs, by what the reference took on it."""
        reference = self.of_reference(training, sandbox)
        took = reference.seconds if reference.ending is Ending.RETURNED else 0.0
        return replace(training, seconds=max(training.seconds, TIMES * took))

    def make(
        self,
        training: Training,
        source: Source,
        sandbox: Sandbox,
        steps: int,
        seconds: float,
        opening: Opening | None = None,
        *,
        reference: bool = False,
    ) -> Outcome:
        """Make a run of so many steps; where devices are shared, as often as a neighbour or a device ends it by chance."""
        assignment = self._assignment
        watch = functools.partial(self._hear, training.exercise, steps, opening, reference)

        def attempt(place: Place) -> Outcome:
            allowed = seconds * place.share
            if opening:
                opening.begin(place.share)
            request = self._losses.request(training, steps, place.device)
            outcome = run_training(assignment, training, request, source, sandbox, allowed, watch)
            return replace(outcome, seconds=outcome.seconds / place.share)

        if self._gpus is None or training.device == CPU:
            return attempt(Place(training.device, 1))
        usual = training.seconds * steps / training.steps
        return self._gpus.run(training.exercise, usual, attempt, lambda name: lost_devices(sandbox).get(name, ""))

    def _hear(
        self, exercise: str, steps: int, opening: Opening | None, reference: bool, step: int, loss: float
    ) -> bool:
        if self._progress:
            self._progress(exercise, step, steps, loss, reference)
        return opening is not None and opening(loss)
