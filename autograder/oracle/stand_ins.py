"""Decide whether an exercise that gave something wrong, on another one's wrong answer, is right by itself.

The right answer cannot be given to the student's code, because no expected value may enter the sandbox. So random functions
stand in for the wrong exercises, in the sandbox and here. The exercise is right where it gives what the reference gives.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from types import FunctionType
from typing import Any

import numpy as np

from autograder.judge.trials import Trial
from autograder.oracle.calls_here import run_requests
from autograder.oracle.drawn_answers import drawn_like
from autograder.oracle.free_arguments import NOTHING_FREE, free_in, free_in_all
from autograder.oracle.noise import alike_but_for_noise, fractions_in
from autograder.oracle.other_ways import NotedCall, Way, calls_in_ways, may_use
from autograder.oracle.reference import Reference
from autograder.oracle.replay import Replay
from autograder.oracle.rows_of_calls import by_row, shared_by_rows, with_the_row_of
from autograder.oracle.step_limit import limited_steps
from autograder.sandbox.child import stand_ins
from autograder.sandbox.child.program import evaluate
from autograder.sandbox.child.stand_ins import Known, in_order, shapes_of, what_is_said
from autograder.sandbox.child.tree import Code, as_arrays, leaves
from autograder.sandbox.job import Ending, Job, Outcome, Request, Sandbox, Source

Right = Callable[[], tuple[Outcome, ...]]  # runs a right way the first time
Asked = tuple[tuple[Request, ...], tuple[Right, ...]]  # what is asked, and what each right way gives
StandIns = dict[str, Known]  # what `call_among` takes
_NOTHING: Asked = (), ()
_HARNESS = f"from {stand_ins.__name__} import call_among"
MOST_STEPS = (
    10_000  # of the reference among stand-ins: in each it may call one, which takes a hundred times a plain step
)
TIMES = 4  # that tokens and few numbers are asked for, which may agree by chance
FEW = 4  # numbers
LIVELY = 12.0  # how much more of the answers changes then with what is asked


@dataclass(frozen=True)
class Alone:
    """What trials come to among stand-ins. Left out are those of which the reference calls nothing that can be stood in for."""

    follows: Mapping[Trial, tuple[str, ...]]  # the wrong exercises; none where the calling exercise is wrong itself
    undecided: frozenset[Trial] = frozenset()  # by what the student's code does: it calls with other shapes, or says so
    called: Mapping[Trial, frozenset[str]] = field(default_factory=dict)  # which stand-ins code calls that ends

    def after(self, more: Alone) -> Alone:
        """Return the same with what was found among other stand-ins, where these showed that a trial is right."""
        found = {trial: names for trial, names in more.follows.items() if names}
        return Alone({**self.follows, **found}, self.undecided - found.keys(), {**self.called, **more.called})


def right_among_stand_ins(
    oracle: Reference, replay: Replay, source: Source, sandbox: Sandbox, trials: Sequence[Trial]
) -> Alone:
    """Return from which wrong exercises trials follow, judged without these.

    What is not as the reference may be right without some that this calls: it is asked again, among stand-ins for those alone
    that the student's code calls itself.
    """
    alone = _in_any_way(oracle, replay, source, sandbox, trials)
    fewer = defaultdict[frozenset[str], list[Trial]](list)
    for trial in trials:
        called = alone.called.get(trial, frozenset())
        if called and not alone.follows.get(trial) and called < replay.wrong:
            fewer[called].append(trial)
    for names, left in fewer.items():
        alone = alone.after(_in_any_way(oracle, Replay(oracle, names), source, sandbox, left))
    return alone


def _in_any_way(oracle: Reference, replay: Replay, source: Source, sandbox: Sandbox, trials: Sequence[Trial]) -> Alone:
    """Return the same with the same stand-ins for all.

    What is not as the reference may be as one of the other correct solutions, which call otherwise; it is asked again, among
    stand-ins for what these call.
    """
    alone = _alone(oracle, source, sandbox, {trial: asked_among_stand_ins(replay, trial) for trial in trials})
    left = [trial for trial in trials if not alone.follows.get(trial)]
    return alone.after(
        _alone(oracle, source, sandbox, {trial: _asked_in_other_ways(oracle, replay, trial) for trial in left})
    )


def _alone(oracle: Reference, source: Source, sandbox: Sandbox, asked: Mapping[Trial, Asked]) -> Alone:
    told = [trial for trial, (requests, _) in asked.items() if requests]
    if not told:
        return Alone({})
    limits, shortcuts = oracle.assignment.limits, oracle.assignment.shortcuts
    requests = tuple(request for trial in told for request in asked[trial][0])
    ran = sandbox.run(Job(source, requests, limits, shortcuts, oracle.assignment.torch)).outcomes
    outcomes, said = iter(as_called(outcome) for outcome in ran), iter(ran)
    got: dict[Trial, tuple[Outcome, ...]] = {t: tuple(next(outcomes) for _ in asked[t][0]) for t in told}
    called = {t: frozenset[str]().union(*(_called(next(said)) for _ in asked[t][0])) for t in told}
    decided = [t for t in told if not any(o.trouble and o.trouble.text == stand_ins.OTHER_SHAPES for o in got[t])]
    same = {t for t in decided if any(each_alike(t, got[t], right()) for right in asked[t][1])}
    follows = {t: tuple(sorted(asked[t][0][0].args[-1])) if t in same else () for t in decided}
    return Alone(follows, frozenset(told).difference(decided), called)


def as_called(outcome: Outcome) -> Outcome:
    """Return the outcome of a call among stand-ins as that of the call itself."""
    match outcome.ending, outcome.value:
        case Ending.RETURNED, [value, [*_]]:
            return replace(outcome, value=value, args=own_arguments(outcome))
    return replace(outcome, value=None)


def own_arguments(outcome: Outcome) -> tuple[Any, ...]:
    """Return the arguments of a call that a harness made for it, as they are afterwards; none where these were not asked for."""
    match outcome.args:
        case [_, [*args], *_]:
            return tuple(args)
    return ()


def _called(outcome: Outcome) -> frozenset[str]:
    """Return which stand-ins such a call called, as far as it says so."""
    match outcome.value:
        case [_, [*names]]:
            return frozenset(name for name in names if isinstance(name, str))
    return frozenset()


def each_alike(trial: Trial, got: tuple[Outcome, ...], right: tuple[Outcome, ...]) -> bool:
    """Whether a trial's outcomes are the right ones each time that it was asked; not where a right way does not end."""
    if not _ended(right):
        return False
    count = len(trial.requests)
    times = (slice(first, first + count) for first in range(0, len(got), count))
    return all(alike_but_for_noise(trial, got[time], right[time]) for time in times)


def asked_among_stand_ins(replay: Replay, trial: Trial) -> Asked:
    """Return a trial's requests among stand-ins, and what the reference gives there; none where that cannot be asked."""
    oracle = replay.oracle

    def made() -> Asked:
        requests = _requests(oracle, trial, _calls_of_reference(replay, trial))
        return _answerable(requests, [partial(_of_reference, oracle, requests)])

    return replay.kept(("stand-ins", trial, replay.wrong_in(trial)), made, _NOTHING)


def _asked_in_other_ways(oracle: Reference, replay: Replay, trial: Trial) -> Asked:
    """Return the same for stand-ins that answer what the reference and the other correct solutions call."""
    in_ways = calls_in_ways(oracle, trial)
    called = {name for noted in in_ways.values() for name, _ in noted}
    names = (replay.wrong & may_use(oracle, trial.case.exercise) & called) | replay.wrong_in(trial)

    def made() -> Asked:
        calls_of = {way: [call for name, call in noted if name in names] for way, noted in in_ways.items()}
        ways = [way for way, calls in calls_of.items() if None not in calls]
        calls = [*_calls_of_reference(replay, trial), *(call for way in ways for call in calls_of[way] if call)]
        requests = _requests(oracle, trial, calls)
        rights = [partial(_of_reference, oracle, requests), *(partial(_of_way, way, requests) for way in ways)]
        return _answerable(requests, rights)

    return replay.kept(("stand-ins of other ways", trial, names), made, _NOTHING)


def _requests(oracle: Reference, trial: Trial, calls: Sequence[NotedCall]) -> tuple[Request, ...]:
    """Return the requests of a trial among stand-ins for calls, several times where it returns tokens or few numbers."""
    values = [fractions_in(leaf) for outcome in oracle.expected(trial) for leaf in leaves(outcome.value)]
    tokens = not values or values[0] is None
    times = TIMES if tokens or sum(v.size for v in values if v is not None) <= FEW else 1
    liveliness = LIVELY if tokens else 1.0
    found: tuple[Request, ...] = ()
    for number in range(times):
        name = f"{oracle.seed}.{trial.name}.{number}"
        others = _stand_ins(oracle, calls, np.random.default_rng(zlib.crc32(name.encode())), liveliness)
        found += _among(trial, others)
    return found


def _of_reference(oracle: Reference, requests: tuple[Request, ...]) -> tuple[Outcome, ...]:
    with limited_steps(MOST_STEPS):  # on answers that are not right ones a loop may never end
        return tuple(map(as_called, run_requests(oracle.own_reference(), requests)))


def _of_way(way: Way, requests: tuple[Request, ...]) -> tuple[Outcome, ...]:
    return tuple(map(as_called, way.outcomes(requests)))


def _answerable(requests: tuple[Request, ...], rights: Sequence[Right]) -> Asked:
    """Return what is asked, if a right way answers it; the others are run where what a student's code gives is not its answer."""
    once = tuple(map(cache, rights))
    return (requests, once) if requests and any(_ended(right()) for right in once) else _NOTHING


def _ended(outcomes: tuple[Outcome, ...]) -> bool:
    return all(outcome.ending is Ending.RETURNED for outcome in outcomes)


def _among(trial: Trial, others: StandIns) -> tuple[Request, ...]:
    """Return the requests that make the same calls among stand-ins, if there are any of these."""
    return tuple(
        replace(
            request,
            function="call_among",
            args=(request.function, list(request.args), dict(request.kwargs), request.module, others),
            kwargs={},
            module=None,
            harness=_HARNESS,
            phase=1,
        )
        for request in (trial.requests if others else ())
    )


def _calls_of_reference(replay: Replay, trial: Trial) -> list[NotedCall]:
    return [
        NotedCall(c.name, c.module is not None, c.args, c.kwargs, partial(replay.right, c), free_in(replay, c))
        for c in replay.calls(trial)
    ]


def _stand_ins(oracle: Reference, calls: Sequence[NotedCall], rng: np.random.Generator, liveliness: float) -> StandIns:
    """Return stand-ins with random answers to calls; none where an answer cannot be drawn, such as a function."""
    found: StandIns = {}
    free = free_in_all(calls)
    for call in calls:
        path = f"{call.name}.forward" if call.is_module else call.name
        parameters = oracle.signatures[path]
        numbers, masks = free.get(call.name, NOTHING_FREE)
        new = Known(parameters=list(parameters), answers=[], free=sorted(numbers), masks=sorted(masks), functions=[])
        known = found.setdefault(call.name, new)
        given = in_order(parameters, as_arrays(call.args), as_arrays(call.kwargs), numbers)
        said = [evaluate(part.expression) if isinstance(part, Code) else part for part in given]
        functions = {name for name, part in zip(parameters, said, strict=True) if isinstance(part, FunctionType)}
        known["functions"] = sorted(functions.union(known["functions"]))
        shapes = shapes_of(what_is_said(said))
        if any(shapes == before for before, *_ in known["answers"]):
            continue
        try:
            drawn = drawn_like(call.answer(), rng, signed=liveliness == LIVELY)
            drawn = with_the_row_of(known["answers"], shapes, drawn)
            rows = by_row(shapes, drawn, shared_by_rows(oracle, path))
            known["answers"].append((shapes, rows, drawn, liveliness))
        except ValueError:
            return {}
    return found
