"""Say where answers are wrong, where nothing says how: at the last step only, beside a mask, in one row, in some cases.

What is said of places describes every wrong array, and is told where enough of them have room for it to be otherwise.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from autograder.judge.array_pairs import Part
from autograder.judge.rearranged import axis_of
from autograder.judge.reasons import Key
from autograder.judge.trials import Trial
from autograder.sandbox.child.tree import array_of

LONG = 3  # entries along an axis at least, for a place on it to say something
EACH = 2  # entries in a half of it
ENOUGH = 2  # arrays that have such an axis
EITHER, ALL = 2, 5  # calls at least that fail and that pass, and of both together
LARGE = 50.0  # its exponential is far beyond those of usual numbers
ALONG = frozenset({
    "only_first_right", "only_last_right", "only_first_wrong", "only_last_wrong",
    "first_half_wrong", "second_half_wrong", "even_entries_wrong", "odd_entries_wrong",
})  # fmt: skip
# What is so, and for how many arrays it counts: none where there was no room for it to be otherwise.
Places = Iterator[tuple[Key, int]]


def place_of_wrong(parts: Sequence[Part]) -> Key | None:
    """Return what is so of all wrong parts, or None."""
    wrong = [part for part in parts if part.is_wrong and part.got.shape == part.expected.shape and part.got.ndim]
    if not wrong or len(wrong) < sum(part.is_wrong for part in parts):
        return None
    for places in (_not_finite, _sums, _alike, _factors, _offsets, _along, _masked, _unfilled):
        told = [dict(places(part)) for part in wrong]
        for key in told[0]:
            if all(key in each for each in told) and sum(each[key] for each in told) >= ENOUGH:
                return key
    return None


OF_A_CALL = frozenset({"differs_if_given", "differs_by_mask", "differs_by_size", "differs_by_length"})


def speaks_against(part: Part, place: Key) -> bool:
    """Whether an array that is shown is wrong in other places along an axis than it is said of others, or in a call that should be right.

    One entry says nothing of an axis.
    """
    if place[0] in OF_A_CALL:
        name = place[1].partition("`")[2].rstrip("`") or place[1]
        known = name in part.given or "[" not in name  # what a dict holds is not looked at here
        return known and place not in set(features_of(part.given, fewest_axes([part.given])))
    sizes = {called: part.got.shape[axis] for axis, called in _axes(part)}
    is_longer = part.got.shape == part.expected.shape and len(place) > 1 and sizes.get(place[1], 0) > 1
    return is_longer and place[0] in ALONG and place not in dict(_along(part))


def _axes(part: Part) -> Iterator[tuple[int, str]]:
    return ((-i, axis_of(-i)) for i in range(1, part.got.ndim + 1))


def _other_axes(part: Part, axis: int) -> tuple[int, ...]:
    return tuple(i for i in range(part.got.ndim) if i != part.got.ndim + axis)


def _along(part: Part) -> Places:
    """Is it wrong at one end of an axis only, or right there only?"""
    for axis, called in _axes(part):
        bad = np.atleast_1d(part.wrong.any(axis=_other_axes(part, axis)))
        if len(bad) == 1:
            continue
        room = len(bad) >= LONG
        if bad[1:].all() and not bad[0]:
            yield ("only_first_right", called), room
        if bad[:-1].all() and not bad[-1]:
            yield ("only_last_right", called), room
        if bad[0] and not bad[1:].any():
            yield ("only_first_wrong", called), room
        if bad[-1] and not bad[:-1].any():
            yield ("only_last_wrong", called), room
        for kind, wrong, right in _halves(bad):
            if wrong.all() and not right.any():
                yield (kind, called), len(bad) >= 2 * EACH


def _halves(bad: np.ndarray) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield the ways to cut an axis in two halves, and whether entries of either are wrong."""
    if len(bad) % 2 == 0:
        one, other = np.split(bad, 2)
        yield from (("second_half_wrong", other, one), ("first_half_wrong", one, other))
        yield from (("odd_entries_wrong", bad[1::2], bad[::2]), ("even_entries_wrong", bad[::2], bad[1::2]))


def _not_finite(part: Part) -> Places:
    """Is it NaN exactly where something is masked?"""
    bad = ~np.isfinite(part.got)
    if bad.any() and np.array_equal(bad, part.wrong):
        for name, mask in _masks(part):
            for kind, where in (("nan_where_false", ~mask), ("nan_where_true", mask)):
                if np.array_equal(np.broadcast_to(where, bad.shape), bad):
                    yield (kind, name), not bad.all()


def _masked(part: Part) -> Places:
    """Is it wrong only where a mask is True, or only where it is False?"""
    for name, mask in _masks(part):
        for kind, where in (("wrong_where_false", ~mask), ("wrong_where_true", mask)):
            if not (part.wrong & ~where).any():
                elsewhere = np.broadcast_to(~where, part.expected.shape)
                yield (
                    (kind, name),
                    bool(where.any() and part.expected[elsewhere].any()),
                )  # zeros are right by themselves


def _unfilled(part: Part) -> Places:
    """Is all zero that is wrong, beside something that is right?"""
    if part.got.dtype.kind != "b" and not part.got[part.wrong].any() and part.got.any():
        yield ("zero_where_wrong",), ENOUGH if part.wrong.sum() >= LONG else part.got.size > 1


def _masks(part: Part) -> Iterator[tuple[str, np.ndarray]]:
    """Yield every mask that the call was given, as it lies over the array."""
    for name, array in part.given.items():
        shape = part.got.shape
        if array.dtype.kind == "b" and array.ndim:
            for mask in (array, *(array[..., None] for _ in range(array.shape != shape))):
                if mask.ndim <= len(shape) and all(
                    n in (1, m) for n, m in zip(mask.shape[::-1], shape[::-1], strict=False)
                ):
                    yield name, np.broadcast_to(mask, shape)
                    break


def _sums(part: Part) -> Places:
    """Does it sum to one along another axis than it should?"""
    ones = {called: _sums_to_one(part.expected, axis) for axis, called in _axes(part)}
    mine = {called: _sums_to_one(part.got, axis) for axis, called in _axes(part)}
    for called, so in ones.items():
        for other, instead in mine.items():
            if so and not mine[called] and instead and not ones[other]:
                yield ("sums_along_other", other, called), part.got.size > 1
        if so and not any(mine.values()) and np.isfinite(part.got).all():
            yield ("no_sum_of_one", called), bool(part.wrong.any())


def _sums_to_one(array: np.ndarray, axis: int) -> bool:
    """Whether shares stand along an axis; those of what may look at nothing are zero."""
    if array.dtype.kind != "f" or array.shape[axis] <= 1 or not (array >= 0).all():
        return False
    ones = np.abs(array.sum(axis) - 1) < 1e-4
    return bool(ones.any()) and bool((ones | ~array.any(axis)).all())


def _alike(part: Part) -> Places:
    """Is it the same along an axis, where it should not be?"""
    if part.got.dtype.kind == "b" and part.got.all() == part.got.any():
        yield ("all_the_same", str(bool(part.got.all()))), part.got.size >= LONG
    for axis, called in _axes(part):
        if part.got.shape[axis] > 1 and _is_flat(part.got, axis) and not _is_flat(part.expected, axis):
            yield ("same_along", called), part.got.shape[axis] >= LONG and part.got.size > part.got.shape[axis]


def _is_flat(array: np.ndarray, axis: int) -> bool:
    array = array.astype(np.float64)
    size = float(np.abs(array).max()) or 1.0
    return bool(np.ptp(array, axis=axis).max() <= 1e-6 * size)


def _factors(part: Part) -> Places:
    """Is each row off by a factor of its own?"""
    yield from _by_rows(part, "factor_along", "own_factor", lambda got, expected: got / expected)


def _offsets(part: Part) -> Places:
    """Is each row off by a number of its own?"""
    yield from _by_rows(part, "offset_along", "own_offset", lambda got, expected: got - expected)


def _by_rows(part: Part, kind: str, whole: str, change: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Places:
    if part.expected.dtype.kind == "b":
        return
    changed = change(part.got, part.expected)
    if not np.isfinite(changed).all() or part.got.size < LONG:
        return
    if _is_flat(changed.reshape(-1), 0):
        yield (whole,), True
    for axis, called in _axes(part):
        if part.got.shape[axis] > 1 and part.got.ndim > 1 and _is_flat(changed, axis):
            yield (kind, called), part.got.shape[axis] >= LONG


def what_failing_calls_share(parts: Sequence[Part]) -> Key | None:
    """Return what only the failing calls have, or None. Those that are not asked for a part that is wrong have no say.

    Neither have calls of another method of a class, which takes other arguments.
    """
    wrong = {(part.path, method_of(part.trial, part.call)) for part in parts if part.is_wrong}
    by_call: dict[tuple[str, int], list[Part]] = {}
    for part in parts:
        if (part.path, method_of(part.trial, part.call)) in wrong:
            by_call.setdefault((part.trial.case.name, part.call), []).append(part)
    fails = {call for call, mine in by_call.items() if any(part.is_wrong for part in mine)}
    if min(len(fails), len(by_call) - len(fails)) < EITHER or len(by_call) < ALL:
        return None
    least = fewest_axes(part.given for part in itertools.chain(*by_call.values()))
    has = {call: {key for part in mine for key in _features(part, least)} for call, mine in by_call.items()}
    return told_apart([has[call] for call in fails], [has[call] for call in by_call.keys() - fails], [*least])


def fewest_axes(calls: Iterable[Mapping[str, np.ndarray]]) -> dict[str, int]:
    """Return the fewest axes that each argument has in some calls."""
    least: dict[str, int] = {}
    for given in calls:
        for name, array in given.items():
            least[name] = min(least.get(name, array.ndim), array.ndim)
    return least


def told_apart(some: Sequence[set[Key]], others: Sequence[set[Key]], arguments: Sequence[str]) -> Key | None:
    """Return the one thing that all of some calls have, and none of the others, or None; of the first of several `arguments`."""
    apart = set.intersection(*some) - set().union(*others)
    of = {key: key[1].partition("`")[2].rstrip("`") or key[1] for key in apart}
    # Calls that differ in two things, each of something else, do not say which of them it is.
    if len({kind for kind, _ in apart}) > 1 and len({*of.values()}) > 1:
        return None
    place = {key: arguments.index(name) if name in arguments else len(arguments) for key, name in of.items()}
    # Where only failing calls are given an argument, nothing is known of what it has to hold.
    return min(apart, key=lambda key: (key[0] != "differs_if_given", "[" in key[1], place[key], key), default=None)


def method_of(trial: Trial, call: int) -> str:
    """Return the method that one of a trial's calls calls, or nothing for a function."""
    module = trial.calls[call].module
    return module.method if module else ""


def _features(part: Part, least: Mapping[str, int]) -> Iterator[Key]:
    module = part.trial.calls[part.call].module
    for name, array in (module.state if module else {}).items():
        if np.any(array_of(array)):
            yield "differs_by_parameter", name
    yield from features_of(part.given, least)


def features_of(given: Mapping[str, np.ndarray], least: Mapping[str, int]) -> Iterator[Key]:
    """Yield what a call may differ in from others: in which an argument is not given, has fewer axes, is shorter or smaller."""
    for name, array in given.items():
        yield "differs_if_given", name
        if array.ndim > least[name]:
            yield "differs_by_axes", name
        if array.dtype.kind == "b" and array.ndim and not array.all():
            yield "differs_by_mask", name
        if array.dtype.kind == "f" and array.ndim and np.abs(array).max() > LARGE:
            yield "differs_by_size", name
        for axis, length in enumerate(array.shape):
            if length > 1 and array.ndim == least[name]:
                called = f"axis {axis} of `{name}`" if array.ndim > 1 else f"`{name}`"
                yield "differs_by_length", called
