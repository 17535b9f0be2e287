"""All that a judge can know at home, with the reference at hand; `judge.trials.Knowledge` says what each method gives."""

from __future__ import annotations

from autograder.oracle import (
    altered_calls,
    calls_inside,
    consequences,
    slips_tried,
    smaller_calls,
    turning_points,
    values_on_the_way,
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
    on_the_way = values_on_the_way.on_the_way
    slip_giving = slips_tried.slip_giving
    smaller = smaller_calls.smaller
    turning_point = turning_points.turning_point
    without_others = without_others.without_others
