"""Prove that one more mistake never raises a score, on pairs of known mistakes in different exercises.

A pair is graded as the reference with both in it, and each of the two alone. Where one mistake hides the other, no outcome
tells them apart: both together answer every case as one alone does, or pass some case that one alone fails, since they answer
there as the reference does, or as the other mistake does alone. Such pairs are counted apart. Others pass a case by wrong
answers that do have its property, which those of one alone, not finite for instance, have not. They are named, each by itself.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment, Misconception, Status
from autograder.judge.outcomes_alike import same_outcomes
from autograder.judge.repeated_mistakes import prices_of
from autograder.judge.result import Result
from autograder.judge.trials import Trial
from autograder.oracle.oracle import Oracle
from autograder.proof.gradings import Ungraded
from autograder.proof.known_mistakes import bank_of
from autograder.proof.soundness import StillToWrite

NOISE = 1e-6  # points, of rounding
Pair = tuple[Misconception, Misconception]
GradeAll = Callable[
    [Sequence[tuple[Misconception, ...]]], Sequence[Result]
]  # of submissions with these mistakes in them, in their order


@dataclass(frozen=True)
class Pairs:
    """What came of pairs of mistakes."""

    tried: int = 0
    hidden: int = 0  # of these, those in which one hides the other
    rising: tuple[str, ...] = ()  # those that score more than one of the two alone
    ungraded: tuple[str, ...] = ()  # those of which nothing is known
    by_property: tuple[str, ...] = ()  # those that score more since wrong answers of both have a property
    missing: tuple[str, ...] = ()  # why there is none, where there should be

    @property
    def broken(self) -> tuple[str, ...]:
        """What keeps the proof from holding."""
        return self.rising + self.ungraded + self.missing


def draw_pairs(assignment: Assignment, count: int | None, seed: int = 0) -> tuple[Pair, ...]:
    """Draw so many pairs of known mistakes in different exercises that can be made together, or all where none is said.

    First comes one pair for every two exercises of which one uses the other: only there one mistake can excuse another.
    """
    pairs = [(a, b) for a, b in itertools.combinations(assignment.misconceptions, 2) if a.exercise != b.exercise]
    possible = functools.partial(filter, lambda pair: apply_edits(assignment.reference, pair) is not None)
    if count is None:
        return tuple(possible(pairs))
    pairs = [pairs[i] for i in np.random.default_rng(seed).permutation(len(pairs))]
    edges = dict.fromkeys(frozenset((e.name, used)) for e in assignment.exercises for used in e.uses)
    along = (next(possible(p for p in pairs if {m.exercise for m in p} == edge), None) for edge in edges)
    first = [pair for pair in along if pair is not None]
    return tuple(itertools.islice(itertools.chain(first, possible(p for p in pairs if p not in first)), count))


def nothing_to_pair(assignment: Assignment) -> tuple[str, ...]:
    """Return what is missing where mistakes could be in more than one exercise, and cannot be paired; nothing if nothing is."""
    if len(assignment.exercises) < 2 or draw_pairs(assignment, 1):
        return ()
    return (StillToWrite(f"there is no pair of known mistakes in different exercises in {bank_of(assignment)}"),)


def try_pairs(
    oracle: Oracle, pairs: Sequence[Pair], grade_all: GradeAll, alone: Mapping[Misconception, Result] | None = None
) -> Pairs:
    """Grade pairs, and each of their mistakes alone where that was not done before; none at all prove nothing."""
    if not pairs:
        return Pairs(missing=nothing_to_pair(oracle.assignment))
    known = dict(alone or {})
    single = [m for m in dict.fromkeys(m for pair in pairs for m in pair) if m not in known]
    results = grade_all([*((m,) for m in single), *pairs])
    known |= dict(zip(single, results, strict=False))
    hidden, rising, by_property, ungraded = 0, list[str](), list[str](), list[str]()
    for pair, result in zip(pairs, results[len(single) :], strict=True):
        unknown = [found.problem for found in (result, *(known[m] for m in pair)) if isinstance(found, Ungraded)]
        if unknown:
            ungraded.append(f"{' and '.join(m.name for m in pair)}: {unknown[0]}")
            continue
        both, each = _score(result), [_score(known[m]) for m in pair]
        if both <= min(each) + NOISE:
            continue
        as_one = any(
            abs(both - score) <= NOISE and _hides(oracle, m, pair) for m, score in zip(pair, each, strict=True)
        )
        freed = {m: tuple(_freed(oracle, result, known[m])) for m in pair}
        unseen = {m: _as_the_other(oracle, result, known, pair, m) for m in pair}
        alike = {m: [t for t in (*freed[m], *unseen[m]) if _is_hidden(oracle, pair, m, t)] for m in pair}
        line = " and ".join(_told(pair, each)) + f"; both score {both:g}"
        if as_one or _covers(oracle, alike, both, known):
            hidden += 1
        elif _covers(oracle, freed, both, known):
            by_property.append(line)
        else:
            rising.append(line)
    return Pairs(len(pairs), hidden, tuple(rising), tuple(ungraded), tuple(by_property))


def _score(result: Result) -> float:
    return sum(exercise.score for exercise in result.exercises)


def _covers(
    oracle: Oracle, freed: Mapping[Misconception, Sequence[Trial]], both: float, alone: Mapping[Misconception, Result]
) -> bool:
    """Whether a pair scores no more than each of its mistakes alone, but for these cases."""
    prices = prices_of(oracle)
    return all(both - sum(prices[t] for t in trials) <= _score(alone[m]) + NOISE for m, trials in freed.items())


def _freed(oracle: Oracle, both: Result, alone: Result) -> Iterator[Trial]:
    """Yield the trials that both mistakes together pass by what they answer, and one alone does not."""
    free = _passed(both, follows=False) - _passed(alone, follows=False) - _passed(alone, follows=True)
    yield from (trial for trial in oracle.trials if (trial.case.exercise, trial.case.name) in free)


def _as_the_other(
    oracle: Oracle, both: Result, known: Mapping[Misconception, Result], pair: Pair, mistake: Misconception
) -> list[Trial]:
    """Return the trials that a mistake alone fails, and that the pair is not charged for, nor its other mistake alone."""
    (other,) = (m for m in pair if m != mistake)
    alone = _passed(known[mistake], follows=False) | _passed(known[mistake], follows=True)
    excused = _passed(both, follows=True) & _passed(known[other], follows=True) - alone
    return [trial for trial in oracle.trials if (trial.case.exercise, trial.case.name) in excused]


def _passed(result: Result, *, follows: bool) -> set[tuple[str, str]]:
    """Return the cases that a result does not charge: those whose answer is right, or those that follow from another exercise."""
    cases = ((e.name, c) for e in result.exercises for c in e.cases)
    return {(name, c.name) for name, c in cases if c.status is Status.PASSED and bool(c.follows) is follows}


def _is_hidden(oracle: Oracle, pair: Pair, mistake: Misconception, trial: Trial) -> bool:
    """Whether a pair answers a trial as the reference does, or as the mistake's other one does alone."""
    both = oracle.answers(tuple(m.name for m in pair), trial)
    other = oracle.answers(tuple(m.name for m in pair if m != mistake), trial)
    known = (oracle.expected(trial), other)
    return both is not None and any(found is not None and same_outcomes(trial, found, both) for found in known)


def _hides(oracle: Oracle, mistake: Misconception, pair: Pair) -> bool:
    """Whether a pair of mistakes answers every case as one of them does alone."""
    for trial in oracle.trials:
        one, both = oracle.answers((mistake.name,), trial), oracle.answers(tuple(m.name for m in pair), trial)
        if one is None or both is None or not same_outcomes(trial, one, both):
            return False
    return True


def _told(pair: Pair, each: Sequence[float]) -> Iterator[str]:
    for mistake, score in zip(pair, each, strict=True):
        yield f"{mistake.name} in {mistake.exercise} scores {score:g}"
