"""How hard a failing case is to follow: of those that fail alike, the easiest is told first."""

from __future__ import annotations

import itertools

from autograder.judge.calls_as_text import numbers_in
from autograder.judge.trials import Judged
from autograder.sandbox.child.tree import array_of, leaves

FORM = ("shape", "container", "keys", "length")  # findings that are about what holds the numbers
IN_WORDS = ("property", "constant")  # findings that say more than which numbers differ


def ease_of(judged: Judged, *, in_words: bool = False) -> tuple[int, ...]:
    """Return how hard a case's calls are to follow; less is easier.

    Where nothing else is known, whether a finding is told `in_words`. Whether the form is right, since numbers of a wrong form
    are wrong for that; how little its sizes say of a wrong shape; whether numbers are not finite, which say less; whether gradients
    are asked for, which are wrong where the values are; the most axes; whether positions have no words; and the numbers shown.
    """
    case, shown = judged.trial.case, judged.smallest or judged
    kind = judged.finding.kind if judged.finding else ""
    vague = vagueness_of(shown) if kind == "shape" else (0, 0)
    backward = any(made.module is not None and made.module.cotangents for made in judged.trial.calls)
    axes = max(map(len, _shapes(judged)), default=0)
    only_numbers = in_words and kind not in IN_WORDS
    return only_numbers, kind not in FORM, *vague, kind == "not_finite", backward, axes, not case.words, size_of(shown)


def vagueness_of(judged: Judged) -> tuple[int, int]:
    """Return how little the sizes in a case's calls say of shapes: axes of length one hide them, and different lengths tell axes apart."""
    lengths = list(itertools.chain(*_shapes(judged)))
    return lengths.count(1), -len({*lengths})


def size_of(judged: Judged) -> int:
    """Return how many numbers a case's calls show."""
    return numbers_in(_given(judged))


def _shapes(judged: Judged) -> list[tuple[int, ...]]:
    return [array.shape for leaf in leaves(_given(judged)) if (array := array_of(leaf)) is not None]


def _given(judged: Judged) -> list[object]:
    return [[made.args, dict(made.kwargs)] for made in judged.trial.calls]
