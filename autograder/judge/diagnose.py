"""Name the mistake: which misconception makes the reference answer as the student did.

A misconception explains an exercise when, on every case that ran, the student's answers are those of the reference
with that edit. Crashes agree when type and text do; crashes alone make an explanation tentative. Where no mistake explains
it so, one of the exercise's own may still be the only one that values speak for and that nothing speaks against: the same
mistake overflows elsewhere, and its errors are worded otherwise, when another hand writes it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from autograder.course.spec import Misconception
from autograder.judge.array_pairs import arrays_in
from autograder.judge.mistake_pairs import pairs_to_try
from autograder.judge.outcomes_alike import (
    MATRIX,
    UNCOMPARABLE,
    Likeness,
    agrees,
    answers_of,
    has_finite_wrong,
    is_all_overflow,
    is_mere_crash,
    likeness,
)
from autograder.judge.reasons import Diagnosis, Mistake
from autograder.judge.sieve import Names, candidates
from autograder.judge.tolerance import TOLERANCE, deviation
from autograder.judge.trials import Facts, Trial
from autograder.sandbox.child.tree import array_of, leaves
from autograder.sandbox.job import Outcome

MAX_NAMED = 3  # more candidates than this explain nothing
NOISE, FAR = 1e-6, 100  # by how much an explanation may be off, and how much further than the closest one
MOST_KEPT = 5_000  # answers for which the pairs to try are kept
MIN_EXPLAINED, MIN_EXPLAINED_BY_TWO = 2, 3  # failures at least that one or two mistakes explain which leave one open


def diagnose(
    oracle: Facts,
    exercise: str,
    got: Mapping[Trial, tuple[Outcome, ...]],
    failed: Iterable[Trial],
    carried: tuple[str, ...] = (),
    *,
    thorough: bool = True,
) -> Diagnosis | None:
    """Return what explains an exercise's failures: one misconception, else two at once, else None.

    With `carried`, misconceptions already charged to other exercises, one of this exercise is looked for that builds on them.
    Unless it is `thorough`, only single misconceptions of the exercise are looked at.
    """
    failed = tuple(failed)
    found = next(filter(None, _explanations(oracle, exercise, got, failed, carried, thorough=thorough)), ())
    found = _closest(oracle, found, got, failed) if len(found) > 1 else found
    crashes_only = all(any(map(is_mere_crash, got[trial])) for trial in failed)  # what returned beside one says nothing
    found = _only_one(oracle, found) if crashes_only else found
    if not 0 < len(found) <= MAX_NAMED:
        return None
    mistakes = tuple(tuple(named(oracle.misconception(name)) for name in names) for names in found)
    return Diagnosis(exercise, mistakes, crashes_only)


def _closest(
    oracle: Facts,
    found: tuple[tuple[str, ...], ...],
    got: Mapping[Trial, tuple[Outcome, ...]],
    failed: Iterable[Trial],
) -> tuple[tuple[str, ...], ...]:
    """Return the explanations whose numbers are no further off than float noise makes them, if others are closer."""
    apart = dict.fromkeys(found, 0.0)
    for names, trial in itertools.product(found, failed):
        for mine, theirs in zip(got[trial], oracle.answers(names, trial) or (), strict=False):
            ours, other = arrays_in(mine), arrays_in(theirs)
            same = [path for path in ours if path in other and ours[path].shape == other[path].shape]
            apart[names] = max([apart[names], *(deviation(ours[path], other[path]) for path in same)])
    limit = max(FAR * min(apart.values()), NOISE)
    return tuple(names for names in found if apart[names] <= limit)


def diagnose_all_but_one(
    oracle: Facts,
    exercise: str,
    got: Mapping[Trial, tuple[Outcome, ...]],
    failed: Sequence[Trial],
    *,
    thorough: bool = True,
) -> Diagnosis | None:
    """Return what explains all failures of an exercise but the same one, which has another reason: a mistake, else two at once.

    Unless it is `thorough`, only single mistakes are looked at.
    """
    if len(failed) < MIN_EXPLAINED + 1:
        return None
    own: list[tuple[str, ...]] = [(m.name,) for m in oracle.misconceptions_of(exercise)]
    found = _explaining_all_but_one(oracle, _all_but_one(oracle, own, got, failed), got, failed)
    if not found and thorough and len(failed) > MIN_EXPLAINED_BY_TWO:
        found = _explaining_all_but_one(oracle, _two_but_one(oracle, own, got, failed), got, failed)
    explained = set(found.values())
    if len(explained) != 1 or (len(found) > MAX_NAMED and not _only_one(oracle, tuple(found))):
        return None
    cases = explained.pop()
    if any(is_mere_crash(outcome) for trial in cases for outcome in got[trial]):
        return None
    mistakes = tuple(tuple(named(oracle.misconception(name)) for name in names) for names in found)
    return Diagnosis(exercise, mistakes, cases=frozenset(trial.case.name for trial in cases))


def _explaining_all_but_one(
    oracle: Facts, possible: Iterable[Names], got: Mapping[Trial, tuple[Outcome, ...]], failed: Sequence[Trial]
) -> dict[Names, tuple[Trial, ...]]:
    """Return which of several mistakes explain all failures but one, and which these are."""
    left = {names: _left_open(oracle, names, got, failed) for names in possible}
    return {names: tuple(t for t in failed if t is not open_one) for names, open_one in left.items() if open_one}


def _two_but_one(
    oracle: Facts, own: list[Names], got: Mapping[Trial, tuple[Outcome, ...]], failed: Sequence[Trial]
) -> list[Names]:
    """Return the pairs that may explain all failures but one, which is not the cheapest: on that all have been tried."""
    soonest = tuple(sorted(failed, key=lambda trial: trial.cost))
    likely, _ = _pairs(oracle, own, got, soonest)
    return candidates(oracle, likely, soonest[0], got[soonest[0]])


def _pairs(
    oracle: Facts, own: list[Names], got: Mapping[Trial, tuple[Outcome, ...]], failed: tuple[Trial, ...]
) -> tuple[list[Names], list[Names]]:
    """Return the pairs to try, chosen once for the same answers."""
    data = tuple(outcome.data for trial in failed for outcome in got[trial])

    def find() -> tuple[list[Names], list[Names]]:
        return pairs_to_try(oracle, own, got, failed)

    return oracle.kept(("pairs", failed, *data), find, MOST_KEPT) if all(data) else find()


def _all_but_one(
    oracle: Facts, own: list[tuple[str, ...]], got: Mapping[Trial, tuple[Outcome, ...]], failed: Sequence[Trial]
) -> list[tuple[str, ...]]:
    """Return the mistakes that may explain all failures but at most one."""
    missed = Counter[tuple[str, ...]]()
    for trial in failed:
        possible = candidates(oracle, own, trial, got[trial])
        missed.update(set(own).difference(possible))
        own = [names for names in own if missed[names] <= 1]
    return own


def _left_open(
    oracle: Facts, names: tuple[str, ...], got: Mapping[Trial, tuple[Outcome, ...]], failed: Sequence[Trial]
) -> Trial | None:
    """Return the only failure that mistakes do not explain, or None where there are more or none."""
    unlike = (trial for trial in failed if not agrees(oracle, names, trial, got[trial]))
    left = next(unlike, None)
    if left is None or next(unlike, None):
        return None
    without = {trial: outcomes for trial, outcomes in got.items() if trial is not left}
    return left if _explains(oracle, names, without, tuple(t for t in failed if t is not left)) else None


def chosen_option(oracle: Facts, trial: Trial, got: tuple[Outcome, ...]) -> Diagnosis | None:
    """Return the wrong option that one question of a quiz was answered with; what was answered to others says nothing of it."""
    about = (m for m in oracle.misconceptions_of(trial.case.exercise) if m.caught_by == trial.case.name)
    found = next((m for m in about if agrees(oracle, (m.name,), trial, got)), None)
    return Diagnosis(trial.case.exercise, ((named(found),),)) if found else None


def named(misconception: Misconception) -> Mistake:
    """Return a known mistake as it may be told, without the edit that makes it."""
    return Mistake(misconception.name, misconception.exercise, misconception.says)


def _explanations(
    oracle: Facts,
    exercise: str,
    got: Mapping[Trial, tuple[Outcome, ...]],
    failed: tuple[Trial, ...],
    carried: tuple[str, ...],
    *,
    thorough: bool,
) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yield what explains the failures in each way that there is, the likeliest way first; often that is nothing."""
    soonest = tuple(sorted(failed, key=lambda trial: trial.cost))  # most mistakes are left out by the first

    def possible(attempt: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
        for trial in soonest:
            attempt = candidates(oracle, attempt, trial, got[trial])
        return attempt

    def explain(attempt: list[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
        return tuple(names for names in possible(attempt) if _explains(oracle, names, got, failed))

    own: list[tuple[str, ...]] = [(m.name,) for m in oracle.misconceptions_of(exercise)]
    yield explain(own)
    if carried:
        yield explain([(*carried, *names) for names in own])
        return
    # Two mistakes may come to what code gives that is not written yet: that is no sign of either.
    pairs = thorough and not _is_plain(oracle, got, failed)
    likely, unlikely = _pairs(oracle, own, got, soonest) if pairs else ([], [])
    yield explain(likely)
    near = {names: _nearness(oracle, names, got, failed) for names in possible(own)}
    yield _only_one(oracle, tuple(names for names, found in near.items() if found is Likeness.EVIDENCE))
    yield _only_one(oracle, tuple(names for names, found in near.items() if found is Likeness.COMPATIBLE))
    if thorough:
        yield tuple(oracle.pairs_giving(got, failed)) if pairs else ()
        # What is not written yet is zero; of another exercise's mistake zeros alone say nothing.
        elsewhere = () if _is_zero(oracle, got, failed) else oracle.assignment.misconceptions
        others: list[tuple[str, ...]] = [(m.name,) for m in elsewhere if m.exercise != exercise]
        yield _only_one(oracle, explain(others))
        yield explain(unlikely)


def _is_plain(oracle: Facts, got: Mapping[Trial, tuple[Outcome, ...]], failed: Iterable[Trial]) -> bool:
    """Whether all arrays that are wrong are an argument as it was given, the identity, or one number everywhere."""
    for trial in failed:
        for mine, theirs, call in zip(got[trial], oracle.expected(trial), trial.calls, strict=True):
            ours, right = arrays_in(mine), arrays_in(theirs)
            wrong = [a for path, a in ours.items() if path not in right or not _agree(a, right[path])]
            given = [array for leaf in leaves([call.args, dict(call.kwargs)]) if (array := array_of(leaf)) is not None]
            if not ours or not all(_is_constant(a) or any(_agree(a, other) for other in given) for a in wrong):
                return False
    return True


def _agree(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and deviation(one, other) <= TOLERANCE


def _is_constant(array: np.ndarray) -> bool:
    """Whether an array of several numbers has one everywhere, or is the identity."""
    if array.size < 2:
        return False
    rows, columns = (*array.shape, 1)[:2]
    return bool((array == array.flat[0]).all()) or (array.ndim == MATRIX and _agree(array, np.eye(rows, columns)))


def _is_zero(oracle: Facts, got: Mapping[Trial, tuple[Outcome, ...]], failed: Iterable[Trial]) -> bool:
    """Whether all arrays that are wrong have the right shape and are zero."""
    for mine, theirs in ((m, t) for trial in failed for m, t in zip(got[trial], oracle.expected(trial), strict=True)):
        ours = arrays_in(mine)
        for path, right in arrays_in(theirs).items():
            same = path in ours and ours[path].shape == right.shape
            if not same or (ours[path].any() and deviation(ours[path], right) > TOLERANCE):
                return False
    return True


def _only_one(oracle: Facts, found: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Return explanations if they are one mistake and its twins; here a choice is no explanation."""
    others = {name for names in found[1:] for name in names}
    return found if found and others <= set(oracle.misconception(found[0][0]).twins) else ()


def _explains(
    oracle: Facts, names: tuple[str, ...], got: Mapping[Trial, tuple[Outcome, ...]], failed: tuple[Trial, ...]
) -> bool:
    # Failed cases first: they settle the question soonest.
    if not all(agrees(oracle, names, trial, got[trial]) for trial in failed):
        return False
    passed = [trial for trial in got if trial not in failed]
    if not all(agrees(oracle, names, trial, got[trial]) and _passes(oracle, names, trial) for trial in passed):
        return False
    return _speaks(oracle, names, got, failed, passed)


def _speaks(
    oracle: Facts,
    names: tuple[str, ...],
    got: Mapping[Trial, tuple[Outcome, ...]],
    failed: Iterable[Trial],
    passed: Iterable[Trial],
) -> bool:
    """Whether the outcomes say more than that numbers are not finite, as those of many mistakes are.

    A number that is finite says more, beside others that are not or by itself. So does a case that passes although a single
    mistake is run there; of two, one may undo the other wherever numbers are finite.
    """
    if any(not is_all_overflow(got[t]) or has_finite_wrong(t, got[t], oracle.expected(t)) for t in failed):
        return True
    return len(names) == 1 and any(oracle.matters(names[0], trial) for trial in passed)


def _passes(oracle: Facts, names: tuple[str, ...], trial: Trial) -> bool:
    """Whether the reference with these misconceptions passes a case; values may be alike of which only one is accepted."""
    answers = answers_of(oracle.answers(names, trial) or ())
    try:
        return trial.case.check.judge(trial.calls, answers, answers_of(oracle.expected(trial))) is None
    except UNCOMPARABLE:
        return False


def _nearness(
    oracle: Facts, names: tuple[str, ...], got: Mapping[Trial, tuple[Outcome, ...]], failed: tuple[Trial, ...]
) -> Likeness:
    """Return what all cases together say of a mistake: against it if one is; for it if a failed one is."""
    passed = [trial for trial in got if trial not in failed]
    if not _speaks(oracle, names, got, failed, passed):  # first: to compare takes long, and says nothing then
        return Likeness.NONE
    told = set()
    for trial in (*failed, *passed):
        variant = oracle.answers(names, trial)
        found = Likeness.NONE if variant is None else likeness(trial, got[trial], variant, oracle.expected(trial))
        if found is Likeness.NONE:
            return found
        told |= {found} if trial in failed else set()
    if Likeness.EVIDENCE in told:
        return Likeness.EVIDENCE
    if Likeness.VAGUE in told:
        return Likeness.NONE
    return Likeness.EVIDENCE if Likeness.PLACES in told else Likeness.COMPATIBLE
