"""Compute what two known mistakes of an exercise give together on its public cases, as the fingerprints that a handout holds."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from autograder.handout.kit.two_mistakes import PAIRS, SUMS, Fingerprint, Names, Pairs, fingerprint_of
from autograder.handout.public_data import tellable
from autograder.judge.outcomes_alike import same_outcomes
from autograder.judge.trials import Trial
from autograder.oracle.oracle import Oracle

ROWS = 2  # of a pair at most, from the cases that take the least time; in all others one mistake alone may speak against it
Tracked = Callable[[Sequence[Names]], Iterable[Names]]


def pairs_file(oracle: Oracle, tracked: Tracked = iter) -> dict[str, bytes]:
    """Return the file of an assignment's pairs, by its name in a handout; thousands are run, which takes up to minutes.

    The oracle is of public cases. `tracked` goes through the pairs, and may show how far it is.
    """
    known = tellable(oracle)
    names, trials = [m.name for m in known], [trial.name for trial in oracle.trials]
    pairs = [(a.name, b.name) for a, b in itertools.combinations(known, 2) if a.exercise == b.exercise]
    places: list[tuple[int, int]] = []
    found: list[Fingerprint] = []
    told: list[tuple[int, int]] = []
    for a, b in tracked(pairs):
        rows = _rows_of(oracle, (a, b))
        places += [(len(told), trials.index(trial.name)) for trial, _ in rows]
        found += [fingerprint for _, fingerprint in rows]
        told += [(names.index(a), names.index(b))] if rows else []
    whole = Pairs(
        names,
        trials,
        np.array(told, np.uint16).reshape(-1, 2),
        np.array(places, np.uint16).reshape(-1, 2),
        np.array([fingerprint.form for fingerprint in found], np.uint32),
        np.array([fingerprint.sums for fingerprint in found], np.float32).reshape(-1, SUMS),
    )
    return {f"engine/{PAIRS}": whole.to_bytes()}


def _rows_of(oracle: Oracle, pair: Names) -> list[tuple[Trial, Fingerprint]]:
    """Return what a pair gives in the cases that both may change: first where each alone shows, and of these the cheapest."""
    trials = oracle.trials_of(oracle.misconception(pair[0]).exercise)
    both = [t for t in trials if not t.is_large and all(oracle.matters(name, t) for name in pair)]
    both.sort(key=lambda t: (not all(_changes(oracle, name, t) for name in pair), t.cost))
    rows = list(itertools.islice(_rows(oracle, pair, both), ROWS))
    oracle.forget(pair)
    return rows


def _rows(oracle: Oracle, pair: Names, trials: Iterable[Trial]) -> Iterator[tuple[Trial, Fingerprint]]:
    for trial in trials:
        outcomes = oracle.answers(pair, trial)
        if fingerprint := outcomes and fingerprint_of(trial, outcomes):
            yield trial, fingerprint


def _changes(oracle: Oracle, name: str, trial: Trial) -> bool:
    """Whether a mistake by itself changes what a trial gives."""

    def changes() -> bool:
        outcomes = oracle.answers((name,), trial)
        return outcomes is not None and not same_outcomes(trial, outcomes, oracle.expected(trial))

    return oracle.kept(("changes", name, trial), changes, most=100_000)
