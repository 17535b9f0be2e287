"""Find how wrong answers are related to the right ones, where no known mistake gives them.

A relation says of one array what it would be: twice the expected one, its transpose, the expected one less an argument.
It is told where it holds of every array of all calls of an exercise, right ones included, and where enough different
numbers speak for it that chance cannot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from autograder.course.spec import Status
from autograder.judge.array_pairs import Part, arrays_in, parts_of, shown_parts
from autograder.judge.axes_of_relations import REDUCED, with_axis_names
from autograder.judge.diagnose import named
from autograder.judge.outcome_keys import once_for_all
from autograder.judge.outcomes_alike import UNCOMPARABLE
from autograder.judge.rearranged import Pair, Relations, under_other_keys
from autograder.judge.reasons import PARTS, Key, Relation
from autograder.judge.related import other_relations, plain_relations
from autograder.judge.row_factors import row_factors
from autograder.judge.trials import Judged, Knowledge
from autograder.judge.wrong_places import place_of_wrong, speaks_against, what_failing_calls_share
from autograder.sandbox.job import Ending

ENOUGH = 3  # different wrong numbers that a relation gets right: by chance it happens once in 10**12
ENOUGH_FOR_SLIPS = (
    2  # fractions, since a slip gives all that came, right numbers among it: of some hundreds one does so once in 10**7
)
ENOUGH_WHOLE = 8  # the same for whole numbers and truth values where only two of them are different
TOLD_BY_DTYPE = frozenset({"fractions_cut_off"})  # which speaks for them, also where all that is left is zero
FACTORS = frozenset({"times", "divided", "times_root", "divided_root", "one_less_counted", "one_more_counted"})
_FROM_THE_END = re.compile("the last axis|the axis before|axis -")  # said where axes from the front do not fit
# Which say little of what the code does: a slip that gives the same says more.
VAGUE = frozenset(
    {
        "other_places",
        "other_places_and_shape",
        "reordered",
        "own_factor",
        "factor_along",
        "own_offset",
        "offset_along",
        "no_sum_of_one",
    }
)
PLAIN_SLIPS = frozenset({"slip_instead", "slip_lacks_factor", "slip_lacks_term", "slip_lacks_division"})
MOST_NAMES = 2  # that one factor is called
MOST_PARTS = 3  # that are named
MOST = 100  # numbers of a part that are counted


def find_relation(oracle: Knowledge, exercise: str, judged: Sequence[Judged]) -> Relation | None:
    """Return what relates an exercise's wrong values to the right ones, over all its calls that returned, or None.

    Where nothing does, answers that are not finite have no say: no number is left in them to be related. Where several parts of the answers are wrong and nothing relates all of them, the first related part is told.
    """

    def find() -> Relation | None:
        with np.errstate(all="ignore"):
            parts = parts_of(oracle, judged)
            found = _find_relation(oracle, exercise, parts)
            if found and any(speaks_against(shown, found.key) for shown in shown_parts(oracle, judged)):
                found = None
            if found is None or found.key[0] in VAGUE:
                found = _slip(oracle, exercise, judged, parts) or found
            elif found.part and found.key[0] != "unchanged":
                # It is about a part: two mistakes that give all of it say more, and one that does may be the same in other words.
                slip = _slip(oracle, exercise, judged, parts)
                found = slip if slip and slip.beside else found
            return found and with_axis_names(found, oracle.assignment.stub, parts)

    return once_for_all(oracle, ("relation", exercise), judged, find)


def find_slip(oracle: Knowledge, exercise: str, judged: Sequence[Judged]) -> Relation | None:
    """Return the slip that gives all answers of an exercise's calls by itself and says what stands or lacks where, or None."""

    def find() -> Relation | None:
        with np.errstate(all="ignore"):
            found = _slip(oracle, exercise, judged, parts_of(oracle, judged))
        return found if found and found.key[0] in PLAIN_SLIPS and not found.beside else None

    return once_for_all(oracle, ("slip", exercise), judged, find)


def _slip(oracle: Knowledge, exercise: str, judged: Sequence[Judged], parts: Sequence[Part]) -> Relation | None:
    """Return the slip that gives all answers of the calls that returned, if enough numbers are wrong in them."""
    numbers = set[tuple[str, float]]().union(*(_numbers(part, part.got, part.got) for part in parts if part.is_wrong))
    if len({number for place, number in numbers if not place}) < ENOUGH_FOR_SLIPS and not are_enough(numbers):
        return None
    returned = [j for j in judged if all(outcome.ending is Ending.RETURNED for outcome in j.outcomes)]
    failed = [j.trial for j in returned if j.status is not Status.PASSED]
    found = oracle.slip_giving(exercise, {j.trial: j.outcomes for j in returned}, failed)
    if found is None or (found.beside and not are_enough(numbers)):
        return None
    return Relation(exercise, found.key, beside=named(oracle.misconception(found.beside)) if found.beside else None)


def _find_relation(oracle: Knowledge, exercise: str, parts: Sequence[Part]) -> Relation | None:
    if exchanged := under_other_keys(parts):
        return Relation(exercise, exchanged)
    finite = [part for part in parts if part.got.dtype.kind != "f" or np.isfinite(part.got).all()]
    if found := _related(oracle, exercise, parts):
        return found
    found = _related(oracle, exercise, finite) if len(finite) < len(parts) else None
    if found and found.key[0] not in REDUCED:  # of what is not finite these would be no remedy
        left_out = (part for part in parts if all(part is not other for other in finite))
        if not any(speaks_against(part, found.key) for part in left_out):
            return found
    shared = what_failing_calls_share(parts)
    wrong = list(dict.fromkeys(part.path for part in parts if part.is_wrong))
    told = _told_parts(parts, wrong) if len(wrong) < len({part.path for part in parts}) else ""
    return Relation(exercise, shared, told) if shared else None


def _related(oracle: Knowledge, exercise: str, parts: Sequence[Part]) -> Relation | None:
    wrong = list(dict.fromkeys(part.path for part in parts if part.is_wrong))
    for paths in [wrong, *([path] for path in wrong if len(wrong) > 1)]:
        chosen = [part for part in parts if part.path in paths]
        found = _one_for_all(oracle, chosen) or place_of_wrong(chosen)
        # Of many parts, some hold the numbers of others by how they are made, as from one generator.
        if found and (found[0] != "other_part" or len(wrong) <= MOST_PARTS):
            return Relation(exercise, found, _told_parts(parts, paths))
    return None


def _told_parts(parts: Sequence[Part], paths: Sequence[tuple[object, ...]]) -> str:
    """Return what the related parts are called, or nothing where they are all that was answered, or many."""
    called: dict[tuple[object, ...], str] = {}
    for part in parts:
        if part.path in paths and (part.path not in called or not part.called.startswith("[")):  # some cases name none
            called[part.path] = part.called
    some = len(paths) == 1 or len(paths) < len({part.path for part in parts})
    if len(called) > MOST_PARTS:  # they may be all entries of one dict
        called = {path: name.partition("[")[0] for path, name in called.items()}
        wholes = {name for name in called.values() if name}
        some &= len(wholes) == 1 and all(p.path in paths for p in parts if p.called.partition("[")[0] in wholes)
        return PARTS.join(wholes) if some else ""
    return PARTS.join(called.values()) if some else ""


def _one_for_all(oracle: Knowledge, parts: Sequence[Part]) -> Key | None:
    """Return the likeliest relation that holds of all parts; the first wrong one says which are tried on the others."""
    wrong = [part for part in parts if part.is_wrong]
    if not wrong:
        return None
    first = wrong[0]
    found = {key: _numbers(first, *pair()) for key, pair in _all(oracle, first).items() if _holds(first, pair)}
    for part in parts:
        if part is first or not found:
            continue
        told = _all(oracle, part)
        for key in list(found):
            if key not in told and not part.is_wrong:
                continue  # such as the transpose of a row
            if key not in told or not _holds(part, told[key]):
                del found[key]
            elif part.is_wrong:
                found[key] |= _numbers(part, *told[key]())
    enough = [key for key, numbers in found.items() if are_enough(numbers) or (key[0] in TOLD_BY_DTYPE and numbers)]
    return _joined(enough) if enough else None


def _joined(keys: Sequence[Key]) -> Key:
    """Return the first of the relations that hold, with all sizes that its factor may be."""
    kind, *names = keys[0]
    if kind not in FACTORS:
        return keys[0]
    others = [key[1] for key in keys[1:] if key[0] == kind]
    if not _FROM_THE_END.search(names[0]):
        others = [other for other in others if not _FROM_THE_END.search(other)]
    return kind, " or ".join([*names, *others][:MOST_NAMES])


def _all(oracle: Knowledge, part: Part) -> Relations:
    """Return all relations that can be asked about a part, the most telling first."""
    return {**plain_relations(part), **row_factors(part), **_altered(oracle, part), **other_relations(part)}


def _altered(oracle: Knowledge, part: Part) -> Relations:
    """Ask whether a part is right for other arguments."""
    return {change: partial(_answer, oracle, part, change) for change in oracle.alterations(part.trial)}


def _answer(oracle: Knowledge, part: Part, change: Key) -> Pair:
    outcomes = oracle.altered(part.trial, change)
    other = arrays_in(outcomes[part.call]).get(part.path) if outcomes else None
    return part.got, np.full(part.got.shape, np.nan) if other is None else other


def _holds(part: Part, pair: Callable[[], Pair]) -> bool:
    try:
        return part.agrees(*pair())
    except UNCOMPARABLE:
        return False


def _numbers(part: Part, one: np.ndarray, other: np.ndarray) -> set[tuple[str, float]]:
    """Return the different wrong numbers that a relation gets right; of whole ones each with its place, zeros as well."""
    other = (other[part.wrong] if one.shape == part.wrong.shape else other.reshape(-1))[:MOST]
    if other.dtype.kind != "f" or not (other % 1).any():
        place = f"{part.trial.case.name} {part.call} {part.path}"
        return {(f"{place} {index}", float(number)) for index, number in enumerate(other)}
    return {("", float(f"{number:.5g}")) for number in other if number}


def are_enough(numbers: set[tuple[str, float]]) -> bool:
    """Whether different numbers, fractions or whole ones each with its place, are too many to be right by chance."""
    fractions = {number for place, number in numbers if not place}
    whole = {number for place, number in numbers if place}
    return (
        len(fractions) >= ENOUGH
        or (len(numbers) > ENOUGH and len(whole) >= ENOUGH)
        or (len(numbers) >= ENOUGH_WHOLE and len(whole) > 1)
    )
