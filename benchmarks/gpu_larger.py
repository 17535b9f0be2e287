"""Measure the run that wants a GPU, so that a band for its metrics can be chosen.

A band is to be ten times the spread of correct solutions wide at least, and a tenth of the way to the nearest known mistake
at most. A mistake whose first losses differ is noticed by these alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gpu_runs import Row, compared, run_of, side_by_side

from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment, Misconception, Replacement, Training
from autograder.judge.training_outcome import losses_of
from autograder.oracle.device_choice import open_for
from autograder.oracle.larger_run import figures
from autograder.oracle.oracle import Oracle
from autograder.oracle.training_losses import KnownLosses
from autograder.sandbox.child.device import CPU
from autograder.sandbox.child.tree import as_arrays
from autograder.sandbox.job import Outcome, Sandbox

ROOT = Path(__file__).resolve().parents[1]
MOST_SECONDS = 120.0  # that the reference's run is to take
REFERENCE, CORRECT, MISTAKE = "reference", "correct", "mistake"


def larger_runs(assignment: Assignment, seeds: Sequence[int], jobs: int) -> Iterator[Row]:
    """Yield what the larger runs of an assignment come to: the reference's at every seed, all others at the first; one is alone."""
    wanted = [(t, replace(t.larger, device=t.device)) for t in assignment.trainings if t.larger and t.device != CPU]
    if not wanted:
        return
    with open_for(assignment, jobs, ROOT / "solutions") as sandbox:
        for training, larger in wanted:
            runs = [_Runs(assignment, larger, KnownLosses(Oracle(assignment, seed)), seed, sandbox) for seed in seeds]
            whole = runs[0].made(assignment.reference, larger.steps)
            head = _head(whole, larger)
            yield runs[0].row(REFERENCE, REFERENCE, whole, head)
            # A short run's learning rate falls sooner, so that its losses are none of a whole run's.
            short = _head(runs[0].made(assignment.reference, larger.first_steps), larger)
            bank = [m for m in assignment.misconceptions if m.name in training.catches]
            calls: list[Callable[[], Row]] = [each.of_reference for each in runs[1:]]
            calls += [partial(runs[0].of_correct, a, head) for a in assignment.correct]
            calls += [partial(runs[0].of_mistake, known, short, head) for known in bank]
            yield from side_by_side(calls, jobs)


def _head(whole: Outcome, training: Training) -> np.ndarray:
    losses = losses_of(whole)
    return np.empty(0) if losses is None else losses[: training.first_steps]


@dataclass(frozen=True)
class _Runs:
    """The runs of one larger training at one seed."""

    assignment: Assignment
    training: Training
    losses: KnownLosses
    seed: int
    sandbox: Sandbox

    def made(self, text: str, steps: int) -> Outcome:
        """Train a text."""
        return run_of(self.losses, self.assignment, self.training, text, self.sandbox, steps)

    def of_reference(self) -> Row:
        """Return what the reference comes to at this seed."""
        whole = self.made(self.assignment.reference, self.training.steps)
        return self.row(REFERENCE, REFERENCE, whole, _head(whole, self.training))

    def of_correct(self, other: Replacement, head: np.ndarray) -> Row:
        """Return what another correct solution comes to."""
        whole = self.made(f"{self.assignment.reference}\n{other.source}", self.training.steps)
        return self.row(CORRECT, other.name, whole, head)

    def of_mistake(self, known: Misconception, short: np.ndarray, head: np.ndarray) -> Row:
        """Return what a known mistake comes to: it is trained to the end only where its first losses do not tell it."""
        text = apply_edits(self.assignment.reference, (known,)) or ""
        begun = self.made(text, self.training.first_steps)
        if not compared(self.training, begun, short)["holds"]:
            return self.row(MISTAKE, known.name, begun, short)
        return self.row(MISTAKE, known.name, self.made(text, self.training.steps), head)

    def row(self, kind: str, name: str, ran: Outcome, expected: np.ndarray) -> Row:
        """Return what a run came to; the reference has to be in time, and correct solutions to come to an end."""
        told = compared(self.training, ran, expected)
        losses = losses_of(ran)
        whole = losses is not None and len(losses) == self.training.steps
        metrics = figures(self.training, as_arrays(self.losses.args(self.training)), ran) if whole else {}
        holds = kind == MISTAKE or (whole and (kind == CORRECT or ran.seconds <= MOST_SECONDS))
        who = {"training": self.training.exercise, "kind": kind, "solution": name, "seed": self.seed}
        found = {"agrees": told["holds"], "seconds": round(ran.seconds, 1), "metrics": dict(metrics)}
        return {**who, **told, **found, "holds": holds}


@dataclass(frozen=True)
class _Told:
    """What a table tells of a run."""

    kind: str
    solution: str
    agrees: bool
    seconds: float
    metrics: Mapping[str, float]


def larger_table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a table of these rows: by metric what a band has to lie between."""
    runs = [_Told(row["kind"], row["solution"], row["agrees"], row["seconds"], row["metrics"]) for row in rows]
    whole = [run for run in runs if run.metrics]
    reference = [run for run in whole if run.kind == REFERENCE]
    if not reference:
        return
    others = len({run.solution for run in whole if run.kind == CORRECT})
    yield (
        f"\n| model for a GPU | reference, {len(reference)} seeds | with {others} correct solutions, at most apart "
        "| nearest known mistake of those trained to the end |"
    )
    yield "|---|---|---|---|"
    for name in reference[0].metrics:
        own = [run.metrics[name] for run in reference]
        right = [*own, *(run.metrics[name] for run in whole if run.kind == CORRECT)]
        wrong = [(abs(run.metrics[name] - own[0]), run) for run in whole if run.kind == MISTAKE]
        _, nearest = min(wrong, key=lambda pair: pair[0], default=(0.0, None))
        beside = f"{nearest.metrics[name]:.4g} ({nearest.solution})" if nearest else "-"
        yield f"| {name} | {min(own):.4g} to {max(own):.4g} | {max(right) - min(right):.2g} | {beside} |"
    first = reference[0].seconds
    told = sum(run.kind == MISTAKE and not run.agrees for run in runs)
    yield f"\nThe reference alone took {first:.0f} s; {MOST_SECONDS:.0f} s are the goal. First losses tell {told} mistakes."
