"""All that a judge can know at home, with the reference at hand; `judge.trials.Knowledge` says what each method gives."""

from __future__ import annotations

from autograder.oracle import (
    altered_calls,
    calls_inside,
    consequences,
    right_values,
    slips_tried,
    smaller_calls,
    without_others,
)
from autograder.oracle.reference import Reference


class Oracle(Reference):
    """A run's trials, what the reference answers, what follows from a mistake, and what smaller calls should give."""

    replays = True
    alterations = altered_calls.alterations
    altered = altered_calls.altered
    follow = consequences.follow
    right_inside = calls_inside.right_inside
    right_values = right_values.right_values
    slip_giving = slips_tried.slip_giving
    smaller = smaller_calls.smaller
    without_others = without_others.without_others
