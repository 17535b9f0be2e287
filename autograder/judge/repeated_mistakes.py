"""Charge a mistake once that a student made in several exercises which do not call each other.

It is charged where it costs most. Otherwise repeating a mistake in a cheaper exercise would raise the score.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from autograder.course.spec import Status
from autograder.judge.blame import OWN_FAULT, Verdict
from autograder.judge.compare import alike
from autograder.judge.forbidden import Reading
from autograder.judge.outcomes_alike import agrees
from autograder.judge.reasons import Diagnosis
from autograder.judge.trials import Facts, Judged, Trial
from autograder.sandbox.child.tree import array_of, leaves
from autograder.sandbox.job import Outcome, Request

SAME = 1e-6  # how far an argument may be from itself
Names = Mapping[str, Diagnosis | None]


def charge_repeats(
    oracle: Facts, judged: tuple[Judged, ...], named: Names, verdict: Verdict, reading: Reading
) -> Verdict:
    """Return the verdict with every repeated mistake charged to the exercise where it costs most."""
    if not verdict.excused and not verdict.may_charge_twice(judged):
        return verdict
    prices = prices_of(oracle)
    uses = reading.builds_on() if verdict.excused else {}
    unwritten = {j.trial.case.exercise for j in judged if j.status is Status.MISSING}  # no mistake is made in these
    groups: dict[frozenset[str], dict[str, list[Trial]]] = defaultdict(lambda: defaultdict(list))
    for trial, places in verdict.excused.items():
        if (uses[trial.case.exercise] | unwritten).isdisjoint(places):
            groups[frozenset(places)][trial.case.exercise].append(trial)
    done: set[str] = set()
    for once, repeats in groups.items():
        dearest = _dearest(repeats, named, prices)
        charged = [trial for name in dearest for trial in repeats[name]]
        first = [trial for trial in _charged(judged, verdict) if trial.case.exercise in once]
        if once.isdisjoint(done) and _sum(charged, prices) > _sum(first, prices):
            done |= once
            verdict = _moved(verdict, named, charged, _that_say_something(judged, first), tuple(dearest))
    repeated = {trial for repeats in groups.values() for trials in repeats.values() for trial in trials}
    verdict = replace(verdict, again=verdict.again | repeated.intersection(verdict.excused))
    refused = reading.shortcuts()  # these have no points, whatever is charged there
    return _same_names(oracle, [j for j in judged if j.trial.case.exercise not in refused], verdict, prices)


def prices_of(oracle: Facts) -> dict[Trial, float]:
    """Return what each case is worth, in points."""
    points = {e.name: e.points for e in oracle.assignment.exercises}
    whole: dict[str, float] = defaultdict(float)
    for trial in oracle.trials:
        whole[trial.case.exercise] += trial.case.weight
    return {t: points[t.case.exercise] * t.case.weight / (whole[t.case.exercise] or 1.0) for t in oracle.trials}


def _sum(trials: Iterable[Trial], prices: Mapping[Trial, float]) -> float:
    return sum(prices[trial] for trial in trials)


def _charged(judged: tuple[Judged, ...], verdict: Verdict) -> list[Trial]:
    return [j.trial for j in judged if j.status in OWN_FAULT and j.trial not in verdict.excused]


def _dearest(repeats: Mapping[str, list[Trial]], named: Names, prices: Mapping[Trial, float]) -> list[str]:
    """Return the exercises to charge: for each named mistake the one where it costs most, and all without a diagnosis."""
    best: dict[object, str] = {}
    for name, trials in repeats.items():
        diagnosis = named.get(name)
        key = diagnosis.alternatives if diagnosis else name
        if key not in best or _sum(trials, prices) > _sum(repeats[best[key]], prices):
            best[key] = name
    return list(best.values())


def _moved(
    verdict: Verdict, named: Names, charged: list[Trial], instead: list[Trial], places: tuple[str, ...]
) -> Verdict:
    """Return the verdict with the trials of `charged` charged and those of `instead` excused."""
    excused = {trial: names for trial, names in verdict.excused.items() if trial not in charged}
    excused |= dict.fromkeys(instead, places)
    diagnoses = dict(verdict.diagnoses) | {name: named.get(name) for name in places}
    diagnoses |= dict.fromkeys({trial.case.exercise for trial in instead})
    return replace(verdict, excused=excused, diagnoses=diagnoses, again=verdict.again | set(instead))


def _same_names(oracle: Facts, judged: Sequence[Judged], verdict: Verdict, prices: Mapping[Trial, float]) -> Verdict:
    """Return the verdict with exercises that show the same known mistakes charged at one of them, where these cost most.

    Two known mistakes with the same sentence are the same mistake. An exercise repeats a dearer one where that one shows all of
    its mistakes, perhaps with others.
    """
    trials: dict[str, list[Judged]] = defaultdict(list)
    for j in judged:
        if j.status in OWN_FAULT and j.trial not in verdict.excused:
            trials[j.trial.case.exercise].append(j)
    charged: dict[str, frozenset[str]] = {}
    for name in sorted(trials, key=lambda name: -_sum((j.trial for j in trials[name]), prices)):
        own = verdict.diagnoses[name]
        if own is None or own.tentative or not own.is_only_one:
            continue
        if not all(agrees(oracle, own.names, j.trial, j.outcomes) for j in trials[name]):
            continue
        said = frozenset(mistake.sentence for mistake in own.own or own.alternatives[0])
        most = next((dearer for dearer, its in charged.items() if said <= its), None)
        excused = _that_say_something(judged, [j.trial for j in trials[name]]) if most else []
        if most and excused:
            verdict = _moved(verdict, {most: verdict.diagnoses[most]}, [], excused, (most,))
            verdict = replace(verdict, repeats={**verdict.repeats, **dict.fromkeys(excused, own)})
        elif not most:
            charged[name] = said
    return verdict


def _that_say_something(judged: Iterable[Judged], trials: Collection[Trial]) -> list[Trial]:
    """Return trials without those of exercises that only give their input back, or one number throughout, where they fail.

    Nothing is written there, so no mistake is repeated.
    """
    empty: dict[str, bool] = {}
    for j in (j for j in judged if j.trial in trials):
        empty[j.trial.case.exercise] = empty.get(j.trial.case.exercise, True) and _says_nothing(j)
    return [trial for trial in trials if not empty[trial.case.exercise]]


def _says_nothing(judged: Judged) -> bool:
    """Whether every answer is an argument as it was, or one number throughout."""
    pairs = zip(judged.trial.requests, judged.outcomes, strict=True)
    return all(_is_plain(request, outcome) for request, outcome in pairs)


def _is_plain(request: Request, outcome: Outcome) -> bool:
    backward = request.module is not None and request.module["cotangents"] and isinstance(outcome.value, dict)
    value = outcome.value.get("output") if backward else outcome.value
    arrays = [array_of(leaf) for leaf in leaves(value)]
    given = [array for leaf in leaves([request.args, dict(request.kwargs)]) if (array := array_of(leaf)) is not None]
    return all(
        array is not None
        and array.size > 0
        and ((array == array.flat[0]).all() or any(alike(array, g, SAME) for g in given))
        for array in arrays
    )
