"""Tell what a larger run came to beside the reference's own on the same device: no band is known for it, so it has no points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.course.spec import Metric, Training
from autograder.judge.outcomes_alike import UNCOMPARABLE
from autograder.judge.tolerance import deviation
from autograder.judge.training_outcome import agree, explain_run, losses_of
from autograder.sandbox.child.tree import as_arrays
from autograder.sandbox.job import Ending, Outcome, Source


def measured(metric: Metric, args: tuple[Any, ...], outcome: Outcome) -> float:
    """Return what a metric says of a run. Raises one of UNCOMPARABLE where that cannot be measured."""
    with np.errstate(all="ignore"):  # weights may be anything
        return float(metric.measure(args, as_arrays(outcome.value)))


def figures(training: Training, args: tuple[Any, ...], outcome: Outcome) -> Mapping[str, float]:
    """Return what was measured of a run, by metric; nan where a metric cannot be."""
    found = {}
    for metric in training.metrics if outcome.ending is Ending.RETURNED else ():
        try:
            found[metric.name] = measured(metric, args, outcome)
        except UNCOMPARABLE:
            found[metric.name] = float("nan")
    return found


def tell_larger(training: Training, args: tuple[Any, ...], source: Source, own: Outcome, reference: Outcome) -> str:
    """Say what a larger run of a submission came to, and the reference's own."""
    begun = f"A larger model was trained on {training.device}, too, without points: {training.steps} steps."
    if own.ending is not Ending.RETURNED:
        return f"{begun} {explain_run(own, source, training, training.seconds).text}"
    theirs = figures(training, args, reference)
    lines = [begun, f"  first losses: {_first(training, own, reference)}"]
    for metric in training.metrics:
        value, beside = figures(training, args, own)[metric.name], theirs.get(metric.name)
        compared = "" if beside is None else f" (the reference, in the same class: {beside:.4g})"
        lines.append(f"  {metric.name.replace('_', ' ')}: {value:.4g}{compared}")
    return "\n".join(lines)


def _first(training: Training, own: Outcome, reference: Outcome) -> str:
    """Compare a run's first losses with those of the reference on the same device."""
    losses, expected = losses_of(own), losses_of(reference)
    if losses is None or expected is None:
        return "there are none to compare"
    losses, expected = losses[: training.first_steps], expected[: training.first_steps]
    if agree(losses, expected, training):
        return f"the reference's, within {deviation(losses, expected):.1g}"
    return "others than the reference's"
