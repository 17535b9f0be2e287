"""Say what only those calls have that crash: code is often written for one sample first, or without a mask."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.course.spec import Status
from autograder.judge.array_pairs import given_of
from autograder.judge.reasons import Key
from autograder.judge.trials import Facts, Judged
from autograder.judge.wrong_places import features_of, fewest_axes, method_of, told_apart
from autograder.sandbox.job import Ending

# What is told of calls that crash, by what others are told that are wrong, with the crashes that it takes.
_TOLD = {
    "differs_if_given": ("crashes_if_given", 1),
    "differs_by_axes": ("crashes_by_axes", 1),
    "differs_by_length": ("crashes_by_length", 2),
    "differs_by_mask": ("crashes_by_mask", 2),
}
CRASHES = frozenset(kind for kind, _ in _TOLD.values())
OTHERS = 2  # calls at least that end


def what_crashing_calls_share(oracle: Facts, judged: Sequence[Judged]) -> Key | None:
    """Return what all calls have that crash, and none that end; those of other methods of a class have no say."""
    if any(j.status not in (Status.PASSED, Status.CRASHED) for j in judged):
        return None
    crashed, ended = _calls(judged, Ending.RAISED), _calls(judged, Ending.RETURNED)
    methods = {method_of(j.trial, index) for j, index in crashed}
    ended = [(j, index) for j, index in ended if method_of(j.trial, index) in methods]
    if not crashed or len(methods) > 1 or len(ended) < OTHERS:
        return None
    given = [dict(given_of(oracle, j.trial, index, frozenset())) for j, index in (*crashed, *ended)]
    least = fewest_axes(given)
    has = [set(features_of(each, least)) for each in given]
    kind, *named = told_apart(has[: len(crashed)], has[len(crashed) :], [*least]) or ("",)
    told, enough = _TOLD.get(kind, ("", 0))
    return (told, *named) if told and len(crashed) >= enough else None


def _calls(judged: Sequence[Judged], ending: Ending) -> list[tuple[Judged, int]]:
    return [(j, index) for j in judged for index, outcome in enumerate(j.outcomes) if outcome.ending is ending]
