"""Make single training runs for gpu.py, and compare their first losses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from autograder.course.spec import Assignment, Training
from autograder.judge.tolerance import deviation
from autograder.judge.training_outcome import agree, losses_of
from autograder.oracle.training_losses import KnownLosses
from autograder.sandbox.job import Chunk, Ending, Job, Outcome, Sandbox, Source
from autograder.sandbox.time_limits import WALL

Row = dict[str, Any]


def source_of(assignment: Assignment, text: str) -> Source:
    """Return a text as a submission."""
    return Source(Path(assignment.file).stem, (Chunk(assignment.file, text),))


def run_of(
    losses: KnownLosses, assignment: Assignment, training: Training, text: str, sandbox: Sandbox, steps: int
) -> Outcome:
    """Train a text for some steps in a sandbox, on the training's device."""
    seconds, memory = training.seconds, training.memory_mb
    limits = replace(assignment.limits, case_seconds=seconds, total_seconds=WALL * seconds, memory_mb=memory)
    request = losses.request(training, steps, training.device)
    job = Job(source_of(assignment, text), (request,), limits, (), assignment.torch)
    ran = sandbox.run(replace(job, device=training.device, device_mb=training.device_mb))
    return ran.outcomes[0] if ran.loading.ending is Ending.RETURNED else ran.loading


def side_by_side(calls: Sequence[Callable[[], Row]], at_once: int) -> Iterator[Row]:
    """Yield what calls come to, as they end; so many are made at once."""
    with ThreadPoolExecutor(at_once) as pool:
        for done in as_completed([pool.submit(call) for call in calls]):
            yield done.result()


def compared(training: Training, ran: Outcome, expected: np.ndarray) -> Row:
    """Return how far a run's first losses are from others, and whether that is near enough."""
    losses = losses_of(ran)
    if losses is None or not len(expected):
        return {
            "first_losses": math.inf,
            "holds": False,
            "ended": f"{ran.ending} {ran.trouble.text if ran.trouble else ''}".strip(),
        }
    head = losses[: training.first_steps]
    return {"first_losses": deviation(head, expected), "holds": agree(head, expected, training)}
