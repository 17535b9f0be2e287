"""Charge exercises that follow from each other in a circle: none of them is written, though each calls the next as right code may.

Right code of one exercise may call another, and that of the other one the first; no code may do both. Who is in a circle is judged
again without it: among stand-ins for what is wrong outside of it alone. Of those that are not right then, the dearest is charged,
as if it alone were not written.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from autograder.course.definitions import Definition, reachable
from autograder.judge.repeated_mistakes import prices_of
from autograder.judge.trials import Trial
from autograder.oracle.replay import Replay
from autograder.oracle.stand_ins import right_among_stand_ins
from autograder.sandbox.job import Sandbox, Source

Follows = Mapping[Trial, tuple[str, ...]]


def without_circles(replay: Replay, source: Source, sandbox: Sandbox, follows: Follows) -> dict[Trial, tuple[str, ...]]:
    """Return what trials follow from, as `judge.trials.Origins` tells it, where none leads back to itself."""
    found = dict(follows)
    circle = _in_circles(found)
    if not circle:
        return found
    outside = {name for names in found.values() for name in names}.union(replay.wrong) - circle
    mine = [trial for trial in found if trial.case.exercise in circle and not circle.isdisjoint(found[trial])]
    alone = right_among_stand_ins(replay.oracle, Replay(replay.oracle, frozenset(outside)), source, sandbox, mine)
    found |= {trial: names for trial, names in alone.follows.items() if names}
    prices = prices_of(replay.oracle)
    while circle := _in_circles(found):
        dearest = max(
            sorted(circle), key=lambda name: sum(prices[t] for t in found if t.case.exercise == name and found[t])
        )
        found |= {t: () for t in found if t.case.exercise == dearest and not circle.isdisjoint(found[t])}
    return found


def _in_circles(follows: Follows) -> frozenset[str]:
    """Return the exercises that lead back to themselves."""
    leads = defaultdict[str, set[str]](set)
    for trial, names in follows.items():
        leads[trial.case.exercise].update(names)
    known = {name: Definition("", others) for name, others in leads.items()}
    return frozenset(name for name, others in leads.items() if name in reachable(others, known))
