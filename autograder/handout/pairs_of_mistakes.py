"""Compute what two known mistakes of an exercise give together on its public cases, as the fingerprints that a handout holds."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from autograder.handout.kit.two_mistakes import PAIRS, Names, Pairs
from autograder.handout.on_all_cores import Tracked, on_all_cores
from autograder.handout.public_data import tellable
from autograder.judge.answer_fingerprints import SUMS, Fingerprint, fingerprint_of
from autograder.judge.outcomes_alike import same_outcomes
from autograder.judge.trials import Trial
from autograder.oracle.oracle import Oracle

# Rows of a pair, from the cases that take the least time, and of one that is like another in these; in all other cases one mistake
# alone may speak against it.
ROWS, MORE = 2, 3
NEAR = 3  # decimals of a sum
LEAST, AT_ONCE = 200, 20  # pairs for each process, and those that it is given at a time
Rows = list[tuple[str, Fingerprint]]  # with the names of trials


def pairs_file(oracle: Oracle, tracked: Tracked = iter) -> dict[str, bytes]:
    """Return the file of an assignment's pairs, by its name in a handout; thousands are run, which takes up to minutes.

    The oracle is of public cases. `tracked` goes through the pairs, and may show how far it is.
    """
    known = tellable(oracle)
    pairs = [(a.name, b.name) for a, b in itertools.combinations(known, 2) if a.exercise == b.exercise]

    def run(chosen: Sequence[Names], most: int) -> Iterator[tuple[Names, Rows]]:
        return on_all_cores(lambda pair: _rows_of(oracle, pair, most), chosen, tracked, least=LEAST, at_once=AT_ONCE)

    rows = {pair: found for pair, found in run(pairs, ROWS) if found}
    rows |= run(_like_another(rows), MORE)
    return {f"engine/{PAIRS}": _table([m.name for m in known], [t.name for t in oracle.trials], rows).to_bytes()}


def _table(names: list[str], trials: list[str], rows: Mapping[Names, Rows]) -> Pairs:
    found = [fingerprint for each in rows.values() for _, fingerprint in each]
    places = [(number, trials.index(name)) for number, each in enumerate(rows.values()) for name, _ in each]
    return Pairs(
        names,
        trials,
        np.array([[names.index(a), names.index(b)] for a, b in rows], np.uint16).reshape(-1, 2),
        np.array(places, np.uint16).reshape(-1, 2),
        np.array([fingerprint.form for fingerprint in found], np.uint32),
        np.array([fingerprint.sums for fingerprint in found], np.float32).reshape(-1, SUMS),
    )


def _like_another(rows: Mapping[Names, Rows]) -> list[Names]:
    """Return the pairs whose rows are those of another pair, nearly, so that more are needed to tell them apart."""
    alike = defaultdict[tuple[object, ...], list[Names]](list)
    for pair, found in rows.items():
        alike[tuple((name, f.form, *f.sums.round(NEAR)) for name, f in found)].append(pair)
    return [pair for pairs in alike.values() if len(pairs) > 1 for pair in pairs]


def _rows_of(oracle: Oracle, pair: Names, most: int) -> Rows:
    """Return what a pair gives in the cases that both may change: first where each alone shows, and of these the cheapest."""
    trials = oracle.trials_of(oracle.misconception(pair[0]).exercise)
    both = [t for t in trials if not t.is_large and all(oracle.matters(name, t) for name in pair)]
    both.sort(key=lambda t: (not all(_changes(oracle, name, t) for name in pair), t.cost))
    rows = list(itertools.islice(_rows(oracle, pair, _that_differ(oracle, both)), most))
    oracle.forget(pair)
    return rows


def _that_differ(oracle: Oracle, trials: Iterable[Trial]) -> Iterator[Trial]:
    """Yield the trials with a right answer of their own: what is the same call once more, of another type, tells nothing more."""
    seen = set[object]()
    for trial in trials:
        right = fingerprint_of(trial, oracle.expected(trial))
        mark = (right.form, *right.sums.round(NEAR)) if right else trial
        if mark not in seen:
            seen.add(mark)
            yield trial


def _rows(oracle: Oracle, pair: Names, trials: Iterable[Trial]) -> Iterator[tuple[str, Fingerprint]]:
    for trial in trials:
        outcomes = oracle.answers(pair, trial)
        if fingerprint := outcomes and fingerprint_of(trial, outcomes):
            yield trial.name, fingerprint


def _changes(oracle: Oracle, name: str, trial: Trial) -> bool:
    """Whether a mistake by itself changes what a trial gives."""

    def changes() -> bool:
        outcomes = oracle.answers((name,), trial)
        return outcomes is not None and not same_outcomes(trial, outcomes, oracle.expected(trial))

    return oracle.kept(("changes", name, trial), changes, most=100_000)
