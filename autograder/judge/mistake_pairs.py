"""Choose which two known mistakes of an exercise are worth trying at once; all of them would be thousands of runs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from autograder.judge.combined_numbers import how_far
from autograder.judge.outcomes_alike import agrees, is_mere_crash
from autograder.judge.sieve import Names, Shown, candidates, compared_by_numbers, giving_a_part, shown_by
from autograder.judge.trials import Facts, Trial
from autograder.sandbox.job import Outcome

MAX_SIEVED = 3  # failed cases on which every mistake is tried alone, to see which pairs are worth trying
MAX_FOR_PARTS = 6  # failed cases of which one of a pair may explain a part alone
MAX_PAIRS, MAX_MORE = 80, 40  # that are tried, and of those that are unlikely
MAX_ALL = 400  # of which all are tried: two in one expression may leave nothing of what each gives alone
# Pairs of which neither shows in any of the student's numbers, as in a sum over fewer that is divided by more.
MAX_HIDDEN = 40
Pair = tuple[Names, Names]


def pairs_to_try(
    oracle: Facts, own: list[Names], got: Mapping[Trial, tuple[Outcome, ...]], failed: tuple[Trial, ...]
) -> tuple[list[Names], list[Names]]:
    """Return the pairs of mistakes that may explain an exercise together, the likeliest first, and others that hardly do.

    On a failed case that one of a pair alone does not change, the other alone mostly gives the student's answer; so what each
    gives alone, on the first of the failed cases, says which pairs to try first: those of which one explains a part of the failures
    alone, and a few more, since two in one expression may hide each other. Of the rest, only those are tried of which one
    explains a part and both are run on each of these.
    """
    if len(own) < 2 or all(any(map(is_mere_crash, got[trial])) for trial in failed):
        return [], []  # one mistake is enough for a crash, and each run of a pair may be a whole training
    failed = tuple(trial for trial in failed if not trial.is_large) or failed[:1]  # others say as much in far less time
    looked_at = failed[:MAX_SIEVED]
    parts = explaining_a_part(oracle, own, got, failed[:MAX_FOR_PARTS])
    pairs = every = list(itertools.combinations(own, 2))
    for trial in looked_at:
        changes = _changing(oracle, own, trial)
        gives = {
            n for n in candidates(oracle, list(changes), trial, got[trial]) if agrees(oracle, n, trial, got[trial])
        }
        pairs = [
            (a, b)
            for a, b in pairs
            if (a in changes and b in changes) or (a in gives and b not in changes) or (b in gives and a not in changes)
        ]
    speaks_against = _speaking_against(oracle, own, got, looked_at)
    far = np.sum([how_far(oracle, own, trial, got[trial]) for trial in looked_at], axis=0)
    place = {names: number for number, names in enumerate(own)}
    every = sorted(every, key=lambda pair: (speaks_against[pair], far[place[pair[0]], place[pair[1]]]))
    partly = [pair for pair in every if not parts.isdisjoint(pair)]
    kept = set(pairs)
    hidden = kept.difference(partly)
    likely = [pair for pair in partly if pair in kept][:MAX_PAIRS]
    likely += [pair for pair in every if pair in hidden and not speaks_against[pair][0]][:MAX_HIDDEN]
    few = len(every) <= MAX_ALL
    both = [
        (a, b)
        for a, b in (every if few else partly)
        if (a, b) not in likely and all(oracle.matters(a[0], t) and oracle.matters(b[0], t) for t in looked_at)
    ]
    return [a + b for a, b in likely], [a + b for a, b in (both if few else both[:MAX_MORE])]


def _speaking_against(
    oracle: Facts, own: list[Names], got: Mapping[Trial, tuple[Outcome, ...]], failed: tuple[Trial, ...]
) -> dict[Pair, tuple[float, float]]:
    """Return for each pair which share of the student's numbers speaks against it, and, less than 0, which one for it.

    A number that neither changes should be right, and one that only one changes should be what that one gives. Each wrong
    number that one gives is for it. So are all of them where one scales what is right as the student scales what the other gives.
    Both are sums over cases.
    """
    against, given = np.zeros((2, len(own), len(own)))
    for trial in failed:
        shown = shown_by(oracle, own, trial, got[trial]) or _shown_as_a_whole(oracle, own, trial, got[trial])
        leaves, wrong = (~shown.changes).astype(float), shown.wrong.astype(float)
        misses = (shown.changes & ~shown.gives).astype(float)
        one_alone = leaves @ misses.T
        scaled = np.isclose(shown.times[:, None], shown.scales, rtol=1e-4)
        scaled |= scaled.T
        against += np.where(scaled, 0.0, (leaves * wrong) @ leaves.T + one_alone + one_alone.T) / len(wrong)
        gives = shown.gives @ wrong / len(wrong)
        given += gives[:, None] + gives + scaled
    of_each = against.round(3).tolist(), (-given).round(3).tolist()
    places = itertools.combinations(range(len(own)), 2)
    return {(own[a], own[b]): (of_each[0][a][b], of_each[1][a][b]) for a, b in places}


def _shown_as_a_whole(oracle: Facts, own: list[Names], trial: Trial, got: tuple[Outcome, ...]) -> Shown:
    """Return what a case shows of mistakes as if all of its answers were one number."""
    changes = _changing(oracle, own, trial)
    gives = [[agrees(oracle, names, trial, got)] for names in own]
    none = np.full(len(own), np.nan)
    return Shown(np.array([True]), np.array([[names in changes] for names in own]), np.array(gives), none, none)


def explaining_a_part(
    oracle: Facts, own: list[Names], got: Mapping[Trial, tuple[Outcome, ...]], failed: tuple[Trial, ...]
) -> set[Names]:
    """Return the mistakes that give the student's outcomes of a failed case, or some of its wrong numbers."""
    parts = set[Names]()
    for trial in failed:
        parts |= giving_a_part(oracle, own, trial, got[trial])
        if not compared_by_numbers(trial, got[trial]):
            parts |= {names for names in own if names not in parts and agrees(oracle, names, trial, got[trial])}
    return parts


def _changing(oracle: Facts, own: list[Names], trial: Trial) -> frozenset[Names]:
    """Return the mistakes that change a trial when they are made alone."""

    def made() -> frozenset[Names]:
        return frozenset(names for names in own if not agrees(oracle, names, trial, oracle.expected(trial)))

    return oracle.kept(("changing", trial, *own), made)
