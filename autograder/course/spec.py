"""What an assignment is made of: frozen data, no side effects.

A `Case` is inputs, how to call the student's code, and a pure check on what comes back. The same case grades a
student, validates the reference, kills a known-wrong variant and, where public, runs on the student's laptop.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, Protocol

import numpy as np

from autograder.sandbox.child.tree import Code as Code  # noqa: PLC0414 (cases are written with these, too)
from autograder.sandbox.child.tree import Tensor as Tensor  # noqa: PLC0414


class Status(StrEnum):
    """How a case ended, in the words that stand in results and reports."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    CRASHED = "CRASHED"
    TIMEOUT = "TIMEOUT"
    MEMORY = "MEMORY"
    OUTPUT = "OUTPUT"  # too large, or not data
    MISSING = "MISSING"  # not written yet
    SKIPPED = "SKIPPED"  # what it builds on failed
    GRADER_ERROR = "GRADER_ERROR"  # ours, never the student's


class Visibility(StrEnum):
    """Who may see a case's inputs and outputs; decided by the directory its file lies in."""

    PUBLIC = "public"
    HIDDEN = "hidden"


@dataclass(frozen=True)
class Module:
    """How to make the torch module whose method is called: constructor arguments and a state dict to load.

    With `cotangents`, one for each output, the call returns a dict of "output", "input_grads" (a list, None where an
    argument is no floating tensor, a list of its own where it is a tuple or list) and "param_grads" (by name) for the
    loss sum(output * cotangent). With `init=None` the exercise is a plain function, called for its gradients.
    """

    init: tuple[Any, ...] | None = ()
    state: Mapping[str, Any] = field(default_factory=dict)
    method: str = "forward"
    training: bool = False
    cotangents: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Call:
    """One call of the student's code, as data. An empty function name means the case's own exercise."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    function: str = ""
    module: Module | None = None

    def path(self, exercise: str) -> str:
        """Return the dotted name of the function or method that is called."""
        called = self.function or exercise
        return called if self.module is None or self.module.init is None else f"{called}.{self.module.method}"


def call(*args: Any, **kwargs: Any) -> Call:
    """Call the exercise's own function."""
    return Call(args, kwargs)


def call_module(*args: Any, module: Module, **kwargs: Any) -> Call:
    """Make the exercise's own class as `module` says, and call its method."""
    return Call(args, kwargs, module=module)


@dataclass(frozen=True)
class Answer:
    """What one call gave: the value it returned, and its arguments as they were afterwards."""

    value: Any
    args: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Finding:
    """Why a case failed. `kind` alone is safe to tell about a hidden case; the rest shows data.

    `kind` is one of judge.explain.KINDS; `where` names the part of the output ("dK", "[1]"), `index` the
    first differing entry of that array, `call` which of the case's calls it was.
    """

    kind: str
    headline: str
    where: str = ""
    got: Any = None
    expected: Any = None
    index: tuple[int, ...] | None = None
    call: int = 0


class Check(Protocol):
    """A pure judgement of answers; the parent process runs it, never the student's."""

    sees_arguments: ClassVar[bool]  # whether it needs the arguments as they were after the call

    def judge(self, calls: tuple[Call, ...], got: tuple[Answer, ...], expected: tuple[Answer, ...]) -> Finding | None:
        """Return why the answers are wrong, or None if they are right."""

    def public(self, expected: tuple[Answer, ...]) -> tuple[Answer, ...]:
        """Return of the answers to a public case what students may have, the answers themselves where that is all."""

    def alike(self, got: tuple[Answer, ...], other: tuple[Answer, ...]) -> bool:
        """Whether two submissions' answers are the same, as diagnosis sees it."""


@dataclass(frozen=True)
class Plot:
    """A row of positive numbers in each call's answer, drawn over its index in the student's feedback, on a log axis.

    `row` takes it out of what a call returned; `calls` names the calls in the legend. Of a hidden case this shows what
    the row holds, so it is for configurations that the text describes anyway.
    """

    label: str
    calls: tuple[str, ...]
    row: Callable[[Any], Any] = lambda value: value


@dataclass(frozen=True)
class Case:
    """A named claim about one exercise. Its docstring (`claim`) is what a student reads.

    Where some arguments follow from others, as a cache does from inputs and weights, `anew` takes a call's arguments and
    returns them with those worked out again: smaller calls are made by cutting and rounding every argument by itself.
    """

    name: str
    exercise: str
    claim: str
    check: Check
    generate: Callable[[np.random.Generator], Iterator[Call]]
    weight: float = 1.0
    keeps: str = ""  # why the case stays although no misconception fails it
    plot: Plot | None = None
    visibility: Visibility = Visibility.HIDDEN
    anew: Callable[..., tuple[Any, ...]] | None = None

    def calls(self, seed: int) -> tuple[Call, ...]:
        """Return the calls for a seed. Each case draws from its own stream, so adding one changes no other."""
        stream = zlib.crc32(f"{self.exercise}.{self.name}".encode())
        return tuple(self.generate(np.random.default_rng([seed, stream])))


def case(
    exercise: str, *, check: Check, weight: float = 1.0, keeps: str = "", plot: Plot | None = None
) -> Callable[[Callable[[np.random.Generator], Iterator[Call]]], Case]:
    """Turn a generator of calls into a Case: its name is the claim, its docstring what the student reads."""
    if isinstance(check, type):
        raise TypeError(f"check={check.__name__} is a class; write check={check.__name__}(...)")
    lacking = [name for name in ("sees_arguments", "judge", "public", "alike") if not hasattr(check, name)]
    if lacking:
        raise TypeError(
            f"a check of type {type(check).__name__} has no {', '.join(lacking)}; see Check in autograder/course/spec.py"
        )

    def decorate(generate: Callable[[np.random.Generator], Iterator[Call]]) -> Case:
        name = getattr(generate, "__name__", "")
        claim = " ".join((generate.__doc__ or "").split())
        return Case(name, exercise, claim, check, generate, weight, keeps, plot)

    return decorate


@dataclass(frozen=True)
class Misconception:
    """The smallest edit of the reference that makes a known mistake.

    `old` occurs exactly once in the reference, so the bank cannot rot silently; `caught_by` names a case of the
    exercise that fails on it; `says` is the sentence a student reads. `twins` are misconceptions of the same
    exercise whose outputs cannot be told from this one's.
    """

    name: str
    exercise: str
    old: str
    new: str
    caught_by: str
    says: str
    twins: tuple[str, ...] = ()


@dataclass(frozen=True)
class Replacement:
    """Definitions that replace those of the reference: another correct way to write it, or a known mistake rewritten."""

    name: str
    source: str


@dataclass(frozen=True)
class Exercise:
    """What a student writes for points: a function or class, and the definitions blanked in the stub.

    Of a `training` exercise nothing is blanked: it asks that what the others are made of learns together. `uses` are the
    other exercises that the reference calls in it; what those use in turn is not repeated. `doctor` proves it.
    """

    name: str
    points: float
    blanks: tuple[str, ...]
    difficulty: int = 1
    training: bool = False
    uses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Metric:
    """What a training run has to reach: a number the grader computes itself from what the run returned.

    `measure(args, value)` gets the run's arguments and its value, as numpy arrays; targets it knows from neither. Below
    `low` or above `high` the case fails, and `below` or `above` says what that symptom means.
    """

    name: str
    claim: str
    measure: Callable[[tuple[Any, ...], Any], float]
    low: float = -math.inf
    high: float = math.inf
    below: str = ""
    above: str = ""
    weight: float = 1.0


@dataclass(frozen=True)
class Training:
    """A run of the harness `function` of the assignment's public training.py, on the student's code.

    The harness is called as function(student, report, steps, *args) with the student's module and a function that
    takes (step, loss); with device=... too, where it is to run elsewhere than on the CPU, which is only for harnesses with
    such a parameter. `prefers` is the device that the training asks for, `device` the one that a grading has settled on. It returns a dict whose "losses" holds every step's loss; over `first_steps` they have to be the
    reference's, from the same start and batches. `draw` makes the arguments; held-out targets are not among them.
    `catches` names misconceptions that have to fail. First losses may deviate by `tolerance` of the largest of them:
    float noise grows from step to step, and over 20 it stays below 1e-4; small networks allow for a sharper one.
    `too_slow` names correct solutions of the course's own that are known to take far more than `seconds`.
    """

    exercise: str
    function: str
    draw: Callable[[np.random.Generator], tuple[Any, ...]]
    steps: int
    seconds: float
    metrics: tuple[Metric, ...]
    catches: tuple[str, ...] = ()
    first_steps: int = 20
    tolerance: float = 1e-2
    memory_mb: int = 2048
    too_slow: tuple[str, ...] = ()
    prefers: str = "cpu"
    device: str = "cpu"

    def args(self, seed: int) -> tuple[Any, ...]:
        """Return the run's arguments for a seed."""
        return self.draw(np.random.default_rng([seed, zlib.crc32(self.exercise.encode())]))


@dataclass(frozen=True)
class Shortcut:
    """Library code that would do these exercises for the student: full names, whose last part may hold `*`.

    `instead` says what may be used.
    """

    names: tuple[str, ...]
    exercises: tuple[str, ...]
    instead: str


@dataclass(frozen=True)
class Limits:
    """What one submission may use.

    Seconds are CPU time, which other work on the machine does not shorten; four times as much may pass on the wall. Those
    for all cases together are on the wall.
    """

    case_seconds: float = 2.0
    total_seconds: float = 60.0  # for all cases together
    import_seconds: float = 10.0
    memory_mb: int = 1024
    output_mb: int = 16  # for one answer
    log_kb: int = 64


@dataclass(frozen=True)
class Assignment:
    """Everything about one assignment, read from its two folders."""

    slug: str
    title: str
    file: str  # the file students edit
    points: float  # what the exercises' points must add up to
    exercises: tuple[Exercise, ...]
    limits: Limits
    torch: bool  # whether to have torch ready before submissions run
    given: tuple[str, ...]  # definitions of the reference that ship to students as they are
    reference: str  # source text
    stub: str  # source text, as committed
    cases: tuple[Case, ...]
    misconceptions: tuple[Misconception, ...]
    correct: tuple[Replacement, ...]  # other correct ways to write it
    shortcuts: tuple[Shortcut, ...] = ()
    trainings: tuple[Training, ...] = ()
    harness: str = ""  # source text of what runs the trainings, which students see

    @property
    def max_score(self) -> float:
        """The points of all exercises together."""
        return sum(exercise.points for exercise in self.exercises)

    def uses(self, exercise: str) -> tuple[str, ...]:
        """Return the exercises that one builds on, directly or through others, in report order."""
        direct = {e.name: e.uses for e in self.exercises}
        found, waiting = set[str](), [exercise]
        while waiting:
            new = set(direct.get(waiting.pop(), ())) - found
            found |= new
            waiting += new
        return tuple(name for name in direct if name in found and name != exercise)

    @property
    def device(self) -> str:
        """What models are trained on, the same for all of a class."""
        return next((training.device for training in self.trainings if training.device != "cpu"), "cpu")

    def without_training(self) -> Assignment:
        """Return the assignment without its training exercises, which take a minute each."""
        kept = tuple(exercise for exercise in self.exercises if not exercise.training)
        return replace(self, exercises=kept, trainings=(), points=sum(e.points for e in kept))

    def cases_of(self, exercise: str, *, public_only: bool = False) -> tuple[Case, ...]:
        """Return an exercise's cases in report order: public first, then hidden, each in file order."""
        return tuple(
            c for c in self.cases if c.exercise == exercise and not (public_only and c.visibility is Visibility.HIDDEN)
        )
