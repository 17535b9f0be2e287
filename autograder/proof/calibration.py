"""Calibrate tolerances: float noise has to stay a decade below each of them, and known mistakes a decade above.

How far answers are off is measured with the case's own check: the smallest tolerance at which it would pass. And no score
may hang on the luck of a seed: at its own tolerance a case notices a known mistake at every seed, or at none.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from autograder.course.spec import Answer, Assignment, Call, Case, Misconception
from autograder.judge.outcomes_alike import UNCOMPARABLE, answers_of
from autograder.judge.tolerance import TOLERANCE
from autograder.judge.trials import Trial, make_trial
from autograder.oracle.calls_here import run_requests
from autograder.oracle.oracle import Oracle
from autograder.oracle.reference import BrokenReferenceError
from autograder.proof.known_mistakes import bank_of
from autograder.sandbox.child.program import Program
from autograder.sandbox.child.tree import map_leaves
from autograder.sandbox.child.wire_format import encode
from autograder.sandbox.job import Ending, Outcome

SEEDS = range(20)
MARGIN = 10.0
_LOWEST, _HIGHEST = -17.0, 3.0  # decades in which deviations are looked for; below is none, above is any
_STEP = 0.05  # decades
_OTHER = {np.dtype(np.float64): np.float32, np.dtype(np.float32): np.float64}


@dataclass(frozen=True)
class Reading:
    """What was measured for one case; the tolerance is None where nothing may deviate at all."""

    exercise: str
    case: str
    tolerance: float | None
    noise: float
    noisiest: str  # what made the noise
    nearest: float  # the least that a known mistake changes, infinite where each changes what is no number
    mistake: str
    because: str = ""
    wavering: Mapping[str, int] = field(default_factory=dict)  # mistakes noticed at some seeds only, and at how many
    seeds: int = 0  # at how many of them the case handed in something new

    @property
    def broken(self) -> str:
        """Why the tolerance or the inputs are no good, or nothing."""
        found = [line for line in (self._noisy, self._luck or self._near) if line]
        return f"{self.exercise}.{self.case}: {'; and '.join(found)}" if found else ""

    @property
    def _luck(self) -> str:
        said = " and ".join(
            f"{known} is noticed at {n} of {self.seeds} seeds only" for known, n in self.wavering.items()
        )
        return said and f"{said}; draw inputs that show it always, or never"

    @property
    def _noisy(self) -> str:
        if self.tolerance is None:
            return f"{self.noisiest} changes an answer that has to be exact" if self.noise else ""
        if self.noise > self.tolerance:
            return f"{self.noisiest} deviates by {self.noise:.1e}, more than {self.tolerance:g}, so right code may fail"
        near = self.noise * MARGIN > self.tolerance
        return (
            f"{self.noisiest} deviates by {self.noise:.1e}, less than a decade below {self.tolerance:g}" if near else ""
        )

    @property
    def _near(self) -> str:
        if self.tolerance is None or self.nearest >= self.tolerance * MARGIN:
            return ""
        return f"{self.mistake} deviates by {self.nearest:.1e}, less than a decade above {self.tolerance:g}"


def nothing_to_measure(assignment: Assignment) -> Iterator[str]:
    """Yield what has to be there for tolerances to lie between noise and mistakes."""
    if not assignment.correct:
        yield f"there is no other correct way in solutions/{assignment.slug}/correct/, so little noise is measured"
    if not assignment.misconceptions:
        yield f"there is no known mistake in {bank_of(assignment)}"
    if not assignment.cases:
        yield "there is no case"


def calibrated(assignment: Assignment) -> tuple[Reading, ...]:
    """Measure every case of an assignment over the seeds."""
    meters = {
        (case.exercise, case.name): _Meter(case) for e in assignment.exercises for case in assignment.cases_of(e.name)
    }
    correct = {a.name: _replaced(assignment, a.source) for a in assignment.correct}
    for seed in SEEDS:
        oracle = Oracle(assignment, seed)
        for trial in oracle.trials:
            meter = meters[trial.case.exercise, trial.case.name]
            if not meter.is_new(trial):
                continue
            expected = oracle.expected(trial)
            for source, heard, outcomes in _noises(assignment, oracle, trial, correct):
                meter.hear(source, heard, outcomes, expected)
            for known in oracle.misconceptions_of(trial.case.exercise):
                matters = oracle.matters(known.name, trial)
                meter.see(known, trial, oracle.answers((known.name,), trial) if matters else expected, expected)
    return tuple(meter.reading() for meter in meters.values())


def _replaced(assignment: Assignment, source: str) -> Program:
    program = Program("correct", notebook=False)
    program.load([(assignment.file, assignment.with_replaced(source))])
    for note in program.notes[:1]:
        raise BrokenReferenceError(f"a correct solution of {assignment.slug} fails on import ({note['text']})")
    return program


def _noises(
    assignment: Assignment, oracle: Oracle, trial: Trial, correct: Mapping[str, Program]
) -> Iterator[tuple[str, Trial, tuple[Outcome, ...]]]:
    """Yield right answers that may differ by noise: another precision, other ways to write it, two threads."""
    other = other_precision(trial, oracle.seed)
    with double_precision():
        yield "the other precision", other, run_requests(oracle.reference(), other.requests)
    for name, program in correct.items():
        yield name, trial, run_requests(program, trial.requests)
    if assignment.torch:
        import torch

        threads = torch.get_num_threads()
        torch.set_num_threads(2 if threads == 1 else 1)
        yield "another number of threads", trial, run_requests(oracle.reference(), trial.requests)
        torch.set_num_threads(threads)


@dataclass
class _Meter:
    """Gathers what one case's answers deviate by."""

    case: Case
    noise: float = 0.0
    noisiest: str = ""
    nearest: tuple[float, str] = (math.inf, "")
    asked: bytes = b""  # what the last trial hands in
    seeds: int = 0
    noticed: Counter[str] = field(default_factory=Counter)

    def is_new(self, trial: Trial) -> bool:
        """Whether a trial hands in something else than the last one; inputs that are not drawn need one look only."""
        last, self.asked = self.asked, encode([(r.function, r.args, r.kwargs, r.module) for r in trial.requests])
        self.seeds += self.asked != last
        return self.asked != last

    def hear(self, source: str, trial: Trial, got: tuple[Outcome, ...], expected: tuple[Outcome, ...]) -> None:
        """Take in a right answer."""
        passes = self._judge(trial, got, expected)
        if not passes(self.noise):
            self.noise, self.noisiest = _least(passes), source

    def see(
        self, known: Misconception, trial: Trial, got: tuple[Outcome, ...] | None, expected: tuple[Outcome, ...]
    ) -> None:
        """Take in a wrong answer.

        One a decade below the tolerance plainly passes: the case is not about that mistake, unless the bank says so.
        """
        passes = self._judge(trial, got, expected) if got else _never
        self.noticed[known.name] += not passes(self._tolerance or 0.0)
        unseen = known.caught_by != self.case.name and passes((self._tolerance or 0.0) / MARGIN)
        if not unseen and passes(self.nearest[0]):
            self.nearest = min(self.nearest, (_least(passes), known.name))

    def reading(self) -> Reading:
        """Return what came of it."""
        because = getattr(self.case.check, "because", "")
        wavering = {name: n for name, n in self.noticed.items() if 0 < n < self.seeds}
        return Reading(
            self.case.exercise,
            self.case.name,
            self._tolerance,
            self.noise,
            self.noisiest,
            *self.nearest,
            because,
            wavering,
            self.seeds,
        )

    @property
    def _tolerance(self) -> float | None:
        found: float | None = getattr(self.case.check, "tolerance", None)
        return found

    def _judge(self, trial: Trial, got: tuple[Outcome, ...], expected: tuple[Outcome, ...]) -> Callable[[float], bool]:
        """Return whether these answers pass at a tolerance."""
        if any(outcome.ending is not Ending.RETURNED for outcome in got):
            return _never
        mine, theirs = answers_of(got), answers_of(expected)
        check: Any = self.case.check

        def passes(tolerance: float) -> bool:
            because = "" if tolerance == TOLERANCE else "it is measured"
            at = check if self._tolerance is None else replace(check, tolerance=tolerance, because=because)
            return _passes(at, trial, mine, theirs)

        return passes


def _never(_: float) -> bool:
    return False


def _passes(check: Any, trial: Trial, mine: tuple[Answer, ...], theirs: tuple[Answer, ...]) -> bool:
    try:
        return check.judge(trial.calls, mine, theirs) is None
    except UNCOMPARABLE:
        return False


def _least(passes: Callable[[float], bool]) -> float:
    """Return the smallest tolerance at which answers pass, within a few hundredths of a decade."""
    if passes(0.0):
        return 0.0
    low, high = _LOWEST, _HIGHEST
    if not passes(10**high):
        return math.inf
    while high - low > _STEP:
        middle = (low + high) / 2
        low, high = (low, middle) if passes(10**middle) else (middle, high)
    return float(np.float64(10**high))


@contextmanager
def double_precision() -> Iterator[None]:
    """Let torch make float64 parameters where a module makes its own."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        yield
        return
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(usual)


def other_precision(trial: Trial, seed: int) -> Trial:
    """Return the trial with every floating input in the other precision."""
    return make_trial(trial.case, tuple(map(_call, trial.calls)), seed)


def _call(call: Call) -> Call:
    module = call.module
    if module is not None:
        module = replace(
            module, state=_cast(module.state), cotangents=_cast(module.cotangents), before=_cast(module.before)
        )
    return replace(call, args=_cast(call.args), kwargs=_cast(call.kwargs), module=module)


def _cast(tree: Any) -> Any:
    """Return a tree of arguments whose floating arrays are of the other precision."""
    return map_leaves(_cast_leaf, tree)


def _cast_leaf(leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray) and leaf.dtype in _OTHER:
        return leaf.astype(_OTHER[leaf.dtype])
    torch: Any = sys.modules.get("torch")
    if torch is not None and torch.is_tensor(leaf) and leaf.is_floating_point():
        return leaf.detach().to(torch.float32 if leaf.dtype == torch.float64 else torch.float64)
    return leaf
