"""A training: a run in which a student's code has to learn, and what it has to reach."""

from __future__ import annotations

import ast
import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from autograder.sandbox.child.parse import parse

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Drawn:
    """What a training is drawn as where metrics need more than the run may see: its arguments, and a secret."""

    args: tuple[Any, ...]
    secret: Any


@dataclass(frozen=True)
class Metric:
    """What a training run has to reach: a number the grader computes itself from what the run returned.

    `measure(args, value)` gets the run's arguments and its value, as numpy arrays; targets it knows from neither,
    or from the secret that was drawn, which then stands behind the arguments. Below
    `low` or above `high` the case fails, and `below` or `above` says what that symptom means. `left` says where to look instead
    if the losses fell as the reference's did, and no metric without a `left` fails.
    """

    name: str
    claim: str
    measure: Callable[[tuple[Any, ...], Any], float]
    low: float = -math.inf
    high: float = math.inf
    below: str = ""
    above: str = ""
    left: str = ""
    weight: float = 1.0

    @property
    def has_band(self) -> bool:
        """Whether there is a value that does not hold."""
        return self.low > -math.inf or self.high < math.inf

    def holds(self, value: float) -> bool:
        """Whether a measured value is in the band."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Training:
    """A run of the harness `function` of the assignment's public training.py, on the student's code.

    The harness is called as function(student, report, steps, *args) with the student's module and a function that
    takes (step, loss); elsewhere than on the CPU with device=..., too. It returns a dict whose "losses" holds every step's
    loss; over `first_steps` they have to be the reference's, from the same start and batches. `draw` makes the arguments;
    held-out targets are not among them. With `Drawn(args, secret)` it also draws what metrics see and neither the sandbox nor a
    handout ever does. Students get what `at_home` draws, where it is given: `draw` holds out a text from them.
    `prefers` is the device that the training asks for, `device` the one that a grading
    has settled on.
    `catches` names misconceptions that have to fail. First losses may deviate by `tolerance` of the largest of them:
    float noise grows from step to step, and over 20 it stays below 1e-4; small networks allow for a sharper one.
    `too_slow` names correct solutions of the course's own that are known to take far more than `seconds`. `memory_mb` bounds
    what it takes of the computer's memory, `device_mb` of a GPU's own. `larger` is a run that is made elsewhere than on the
    CPU after this one has passed, and is told beside the reference's own. Of its metrics those that have a band give points.
    `alone` is a run on the CPU in a process of its own, which learns nothing: the exercise that it is named for writes with parameters
    that no run has seen. It is made where that exercise is wrong, and returns rows of whole numbers as "said".
    """

    exercise: str
    function: str
    draw: Callable[[np.random.Generator], tuple[Any, ...] | Drawn]
    steps: int
    seconds: float
    metrics: tuple[Metric, ...]
    catches: tuple[str, ...] = ()
    first_steps: int = 20
    tolerance: float = 1e-2
    memory_mb: int = 2048
    device_mb: int = 4096
    too_slow: tuple[str, ...] = ()
    prefers: str = "cpu"
    device: str = "cpu"
    larger: Training | None = None
    alone: Training | None = None
    at_home: Callable[[np.random.Generator], tuple[Any, ...] | Drawn] | None = None

    @property
    def larger_asked(self) -> tuple[Metric, ...]:
        """The metrics of the larger run that give points, under names of their own; none on the CPU, where it is not made."""
        found = self.larger.metrics if self.larger and self.device != "cpu" else ()
        return tuple(replace(metric, name=f"larger_{metric.name}") for metric in found if metric.has_band)

    @property
    def asked(self) -> tuple[Metric, ...]:
        """All metrics that give points on the device, in the order of their cases."""
        return (*self.metrics, *self.larger_asked)

    def args(self, seed: int) -> tuple[Any, ...]:
        """Return the run's arguments for a seed, without the secret."""
        drawn = self._drawn(seed)
        return drawn.args if isinstance(drawn, Drawn) else drawn

    def measured_with(self, seed: int) -> tuple[Any, ...]:
        """Return what metrics get for a seed: the run's arguments, and the secret behind them where one was drawn."""
        drawn = self._drawn(seed)
        return (*drawn.args, drawn.secret) if isinstance(drawn, Drawn) else drawn

    def _drawn(self, seed: int) -> tuple[Any, ...] | Drawn:
        import numpy as np

        return self.draw(np.random.default_rng([seed, zlib.crc32(self.exercise.encode())]))


def takes_device(harness: str, function: str) -> bool:
    """Whether a function of a harness can compute elsewhere than on the CPU: it has a parameter `device`."""
    return any(
        isinstance(node, ast.FunctionDef)
        and node.name == function
        and "device" in {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
        for node in parse(harness).body
    )
