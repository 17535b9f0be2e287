"""Know what a training's first losses are: the reference's, and those of code with a known mistake.

Both are worked out here, by the reference, when they are first asked for; nothing of a student's runs.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.course.spec import Misconception, Training
from autograder.judge.diagnose import MAX_NAMED
from autograder.judge.tolerance import deviation
from autograder.judge.training_outcome import FIRST_STEPS, losses_of, parting_of
from autograder.judge.training_run import training_request
from autograder.oracle.calls_here import run_requests
from autograder.oracle.carried_mistakes import Carried, same_crash
from autograder.oracle.functions_run import Calls, noting_calls
from autograder.oracle.oracle import Oracle
from autograder.oracle.reference import BrokenReferenceError
from autograder.sandbox.child.device import CPU
from autograder.sandbox.child.program import Program
from autograder.sandbox.job import Ending, Outcome, Request

# How near first losses are that come of the same mistake, in shares of the largest; and those of mistakes that are one here.
SAME_LOSSES, EQUALLY_NEAR = 1e-3, 1e-7

MOST_TRIED = 3  # mistakes of an exercise that make a step to see whether its loss depends on it


class KnownLosses:
    """The first losses of an assignment's trainings, at one seed. Safe to share between threads; each is computed once."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._args: dict[str, tuple[Any, ...]] = {}
        self._expected: dict[str, np.ndarray] = {}
        self._calls: dict[str, Calls] = {}
        self._mistaken: dict[tuple[str, ...], tuple[Outcome, np.ndarray | None]] = {}
        self._lock = threading.RLock()

    def args(self, training: Training) -> tuple[Any, ...]:
        """Return the arguments of a training, drawn once."""
        with self._lock:
            if training.exercise not in self._args:
                self._args[training.exercise] = training.args(self._oracle.seed)
            return self._args[training.exercise]

    def request(self, training: Training, steps: int, device: str = CPU) -> Request:
        """Return the call of a training's harness for so many steps, on a device."""
        args, seed = self.args(training), self._oracle.seed
        return training_request(training, args, steps, seed, self._oracle.assignment.harness, device)

    def first(self, training: Training) -> np.ndarray:
        """Return the reference's losses over the first steps."""
        with self._lock:
            if training.exercise not in self._expected:
                reference = self._oracle.reference()
                with noting_calls(self._oracle.assignment.file) as called:
                    outcome, losses = self._first_losses(training, reference)
                if losses is None or len(losses) != training.first_steps:
                    text = outcome.trouble.text if outcome.trouble else "no losses"
                    raise BrokenReferenceError(f"the reference fails {training.exercise}.{FIRST_STEPS} ({text})")
                self._expected[training.exercise], self._calls[training.exercise] = losses, frozenset(called)
            return self._expected[training.exercise]

    def curve(self, training: Training) -> np.ndarray:
        """Return the reference's losses over a whole run."""
        (outcome,) = run_requests(self._oracle.reference(), (self.request(training, training.steps),))
        losses = losses_of(outcome)
        if losses is None:
            raise BrokenReferenceError(f"the reference gives no losses in {training.exercise}")
        return losses

    def with_mistake(self, training: Training, name: str) -> np.ndarray | None:
        """Return the first losses of the reference with a known mistake in it, or None where it gives none."""
        return self._with(training, (name,))[1]

    def depends_at_once(self, training: Training, exercise: str) -> bool | None:
        """Whether the first loss depends on an exercise, or only later ones; None where the training catches no mistake in it.

        Known mistakes tell: a few of them make one step each, until one changes its loss.
        """
        caught = self._caught(training, exercise)
        return any(self._differs_at_once(training, name) for name in caught[:MOST_TRIED]) if caught else None

    def _caught(self, training: Training, exercise: str) -> list[str]:
        """Return the known mistakes in an exercise that a training catches."""
        bank = self._oracle.misconceptions_of(exercise)
        return [m.name for m in bank if m.name in training.catches]

    def _differs_at_once(self, training: Training, name: str) -> bool:
        expected = self.first(training)[:1]
        with self._lock:
            program = self._oracle.variant(name)
        if not program:
            return False
        (outcome,) = run_requests(program, (self.request(training, 1),))
        losses = losses_of(outcome)
        return losses is not None and losses.shape == (1,) and parting_of(losses, expected, training) is not None

    def cover(self, training: Training, names: tuple[str, ...], exercise: str) -> bool:
        """Whether beside some known mistakes none in an exercise shows in the first losses, of those that would show alone.

        A few are tried.
        """
        covering, first = self._with(training, names)[1], self.first(training)
        showing = (name for name in self._caught(training, exercise) if self._moves(training, (name,), first))
        both = [(*names, name) for name in itertools.islice(showing, MOST_TRIED)]
        possible = [pair for pair in both if self._with(training, pair)[0].ending is not Ending.NOT_RUN]
        return covering is not None and bool(possible) and not any(self._moves(training, p, covering) for p in possible)

    def _moves(self, training: Training, names: tuple[str, ...], losses: np.ndarray) -> bool:
        """Whether the first losses with known mistakes are others."""
        theirs = self._with(training, names)[1]
        return theirs is None or parting_of(theirs, losses, training) is not None

    def calls_in(self, training: Training) -> Calls:
        """Return which functions of the reference call which in its first steps and after them."""
        self.first(training)
        return self._calls[training.exercise]

    def _first_losses(self, training: Training, program: Program) -> tuple[Outcome, np.ndarray | None]:
        (outcome,) = run_requests(program, (self.request(training, training.first_steps),))
        return outcome, losses_of(outcome)

    def mistakes(self, training: Training, losses: np.ndarray, carried: Carried) -> tuple[Misconception, ...]:
        """Return the known mistakes that give these first losses, or none where too many do.

        Those that other cases have named come first, then those of exercises that are wrong. Each has to be trained for
        that, so that all others are tried only where nothing else is wrong.
        """
        near = self._near(training, losses)
        bank = [self._oracle.misconception(name) for name in training.catches]
        named, wrong = set(itertools.chain(*carried.choices)), carried.charged.union(carried.wrong)
        for group in ([m for m in bank if m.name in named], [m for m in bank if not wrong or m.exercise in wrong]):
            far = {m: self._distance(training, (m.name,), losses) for m in group}
            nearest = min(far.values(), default=math.inf)
            found = tuple(m for m in group if far[m] <= max(nearest, EQUALLY_NEAR))
            if nearest <= near:
                return found if len(found) <= MAX_NAMED else ()
        return ()

    def carried(self, training: Training, outcome: Outcome, choices: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """Return the first set of known mistakes with which the reference's first steps end as a run's, or nothing."""
        losses = losses_of(outcome)
        near = SAME_LOSSES if losses is None else self._near(training, losses)
        for names in choices:
            theirs, _ = self._with(training, names)
            far = math.inf if losses is None else self._distance(training, names, losses)
            if far <= near or same_crash(outcome, theirs):
                return names
        return ()

    def _near(self, training: Training, losses: np.ndarray) -> float:
        """Return how near first losses have to be to those of a mistake: much nearer than to the reference's."""
        expected = self.first(training)
        return min(SAME_LOSSES, deviation(losses, expected) / 10) if losses.shape == expected.shape else SAME_LOSSES

    def _with(self, training: Training, names: tuple[str, ...]) -> tuple[Outcome, np.ndarray | None]:
        """Return how the reference's first steps end with known mistakes in it, and their losses."""
        with self._lock:
            key = (training.exercise, *names)
            if key not in self._mistaken:
                program = self._oracle.variant(*names)
                none = (Outcome(Ending.NOT_RUN), None)
                self._mistaken[key] = self._first_losses(training, program) if program else none
            return self._mistaken[key]

    def _distance(self, training: Training, names: tuple[str, ...], losses: np.ndarray) -> float:
        """Return how far first losses are from those with known mistakes."""
        _, theirs = self._with(training, names)
        return math.inf if theirs is None or theirs.shape != losses.shape else deviation(losses, theirs)
