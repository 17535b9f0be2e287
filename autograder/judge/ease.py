"""How hard a failing case is to follow: of those that fail alike, the easiest is told first."""

from __future__ import annotations

from autograder.judge.calls_as_text import numbers_in
from autograder.judge.trials import Judged
from autograder.sandbox.child.tree import array_of, leaves


def ease_of(judged: Judged) -> tuple[int, ...]:
    """Return how hard a case's calls are to follow; less is easier.

    Whether shapes are right, since numbers of a wrong shape are wrong for that; whether gradients are asked for, which are wrong
    where the values are; the most axes; whether positions have no words; and the numbers shown.
    """
    case, shown = judged.trial.case, judged.smallest or judged
    shapes_are_right = judged.finding is None or judged.finding.kind != "shape"
    backward = any(made.module is not None and made.module.cotangents for made in judged.trial.calls)
    arrays = (array for leaf in leaves(_given(judged)) if (array := array_of(leaf)) is not None)
    axes = max((array.ndim for array in arrays), default=0)
    return shapes_are_right, backward, axes, not case.words, numbers_in(_given(shown))


def _given(judged: Judged) -> list[object]:
    return [[made.args, dict(made.kwargs)] for made in judged.trial.calls]
