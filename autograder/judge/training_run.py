"""Run a training's harness on a student's code in a sandbox."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from autograder.course.spec import Assignment, Training
from autograder.sandbox.child.device import CPU
from autograder.sandbox.job import Ending, Job, Outcome, Request, Sandbox, Source
from autograder.sandbox.time_limits import WALL

FIRST_SECONDS = 120  # at most, for the first steps


def training_request(
    training: Training, args: Sequence[Any], steps: int, seed: int, harness: str, device: str = CPU
) -> Request:
    """Return the call of a training's harness for so many steps, on a device."""
    return Request(
        training.function,
        (steps, *args),
        {} if device == CPU else {"device": device},
        None,
        group=f"{training.exercise}.{steps}",
        family=training.exercise,
        phase=1,
        seed=zlib.crc32(f"{seed}.{training.exercise}".encode()),
        harness=harness,
    )


def run_training(
    assignment: Assignment,
    training: Training,
    request: Request,
    source: Source,
    sandbox: Sandbox,
    seconds: float,
    watch: Callable[[int, float], bool],
) -> Outcome:
    """Make one run within so many seconds of computing; `watch` hears of every step's loss and says whether to stop."""
    limits = replace(assignment.limits, memory_mb=training.memory_mb)
    limits = replace(limits, case_seconds=seconds, total_seconds=WALL * seconds)
    device = str(request.kwargs.get("device", CPU))
    where = device, 0 if device == CPU else training.device_mb
    ran = sandbox.run(Job(source, (request,), limits, assignment.shortcuts, assignment.torch, watch, *where))
    return ran.outcomes[0] if ran.loading.ending is Ending.RETURNED else ran.loading


def first_seconds(training: Training) -> float:
    """Return how many seconds of computing the first steps may take."""
    return min(training.seconds, FIRST_SECONDS)
