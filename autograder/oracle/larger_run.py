"""Tell what a larger run came to beside the reference's own on the same device; points are given by the metrics with a band."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.course.language import marked, say
from autograder.course.spec import Metric, Training
from autograder.judge.outcomes_alike import UNCOMPARABLE
from autograder.judge.tolerance import deviation
from autograder.judge.training_outcome import agree, explain_run, losses_of
from autograder.sandbox.child.tree import as_arrays, leaves
from autograder.sandbox.job import Ending, Outcome, Source

MOST_ROWS = 100_000  # of an array without entries


def measured(metric: Metric, args: tuple[Any, ...], outcome: Outcome) -> float:
    """Return what a metric says of a run. Raises one of UNCOMPARABLE where that cannot be measured."""
    value = as_arrays(outcome.value)
    # An empty array takes no room, but a loop over 2**59 rows of it never ends.
    if any(isinstance(leaf, np.ndarray) and not leaf.size and max(leaf.shape) > MOST_ROWS for leaf in leaves(value)):
        raise ValueError("an array has rows, and nothing in them")
    try:
        with np.errstate(all="ignore"):  # weights may be anything
            return float(metric.measure(args, value))
    except MemoryError:
        raise ValueError("it is more than memory holds") from None


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
    told = marked("A larger model was trained on {device}, too: {steps} steps. What has no band gives no points.")
    begun = say(told, device=training.device, steps=training.steps)
    if own.ending is not Ending.RETURNED:
        return f"{begun} {explain_run(own, source, training, training.seconds).text}"
    theirs = figures(training, args, reference)
    lines = [begun, _first(training, own, reference)]
    for metric in training.metrics:
        value, beside = figures(training, args, own)[metric.name], theirs.get(metric.name)
        line = f"  {metric.name.replace('_', ' ')}: {value:.4g}"
        if beside is not None:
            line = say("{measured} (the reference, in the same class: {value:.4g})", measured=line, value=beside)
        lines.append(line)
    return "\n".join(lines)


def _first(training: Training, own: Outcome, reference: Outcome) -> str:
    """Compare a run's first losses with those of the reference on the same device."""
    losses, expected = losses_of(own), losses_of(reference)
    if losses is None or expected is None:
        return say("  first losses: there are none to compare")
    losses, expected = losses[: training.first_steps], expected[: training.first_steps]
    if agree(losses, expected, training):
        return say("  first losses: the reference's, within {deviation:.1g}", deviation=deviation(losses, expected))
    return say("  first losses: others than the reference's")
