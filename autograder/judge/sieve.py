"""Leave out known mistakes that cannot have given a student's answers: by a few numbers of each, compared as one array.

To compare whole answers with those of hundreds of mistakes would be most of the work of looking for a name. What is left out
here is neither the same nor alike in the sense of `outcomes_alike.py`.
"""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.judge.tolerance import scale
from autograder.judge.trials import Facts, Trial
from autograder.sandbox.child.tree import array_of, parts_of
from autograder.sandbox.job import Ending, Outcome

SAMPLED = 16  # numbers of a trial
MIN_SCALED = 3  # wrong numbers that one factor has to explain
_NOISE = 1e-5  # of a factor
MOST_SIGNATURES = 50_000  # that are kept, of mistakes and pairs of them
_MORE = 1 + 1e-9  # than the tolerance, for the rounding of a quotient
_SAME = 0.1  # of the tolerance: float noise is below that, and few other numbers are
Names = tuple[str, ...]
Path = tuple[Any, ...]
Kind = tuple[tuple[Path, ...], tuple[tuple[int, ...], ...]]  # the places of arrays and numbers, and their shapes


@dataclass(frozen=True)
class Signature:
    """Some numbers of a trial's answers, and the scale of each; NaN in an array that is not finite throughout."""

    places: tuple[Path, ...]  # of all arrays and numbers
    shapes: tuple[tuple[int, ...], ...]
    numbers: np.ndarray
    scales: np.ndarray

    @property
    def kind(self) -> Kind:
        """What answers share whose numbers can be compared one by one."""
        return self.places, self.shapes

    def is_like(self, other: Signature) -> bool:
        """Whether both have the same arrays and numbers."""
        return self.kind == other.kind


@dataclass(frozen=True)
class Shown:
    """Which of a student's numbers are wrong, and which of them each of some mistakes changes, and gives, when it is made alone."""

    wrong: np.ndarray  # (numbers,)
    changes: np.ndarray  # (mistakes, numbers)
    gives: np.ndarray  # (mistakes, numbers)
    # (mistakes,), one factor for all wrong numbers, NaN where there is none: from those of a mistake to the student's, and from
    # the right ones to those of a mistake.
    times: np.ndarray
    scales: np.ndarray


def candidates(
    oracle: Facts, attempt: Sequence[Names], trial: Trial, got: tuple[Outcome, ...], at_least: int = 2
) -> list[Names]:
    """Return those of some mistakes whose answers in a trial may be the student's; all where they are fewer than `at_least`."""
    mine = _signature(trial, got) if len(attempt) >= at_least else None
    if mine is None:
        return list(attempt)
    known = _all_known(oracle, attempt, trial)
    left = {names for names, s in known if s is None or s.places != mine.places}
    told = [(names, s) for names, s in known if s and s.is_like(mine)]
    if told:
        numbers, scales = (np.stack(parts) for parts in zip(*((s.numbers, s.scales) for _, s in told), strict=True))
        excess = _excess(trial, mine, numbers, scales)
        left |= {names for (names, _), over in zip(told, excess, strict=True) if not (over > 0).any()}
    return [names for names in attempt if names in left]


def compared_by_numbers(trial: Trial, got: tuple[Outcome, ...]) -> bool:
    """Whether numbers of these answers can leave mistakes out at all."""
    return _signature(trial, got) is not None


def giving_a_part(oracle: Facts, attempt: Sequence[Names], trial: Trial, got: tuple[Outcome, ...]) -> set[Names]:
    """Return those of some mistakes that give at least one of the student's wrong numbers in a trial, or the same wrong shapes."""
    shown = shown_by(oracle, attempt, trial, got)
    parts = (shown.gives & shown.wrong).any(axis=1) if shown else ()
    return {names for names, part in zip(attempt, parts, strict=False) if part}


def shown_by(oracle: Facts, attempt: Sequence[Names], trial: Trial, got: tuple[Outcome, ...]) -> Shown | None:
    """Return what the student's numbers in a trial show of some mistakes; None where no number can be compared.

    Where these have other shapes than the right ones, that is as one number, and a mistake with the same shapes gives it.
    """
    mine, right = _signature(trial, got), _signature(trial, oracle.expected(trial))
    finite = np.isfinite(mine.numbers) if mine else np.zeros(0, bool)
    if mine is None or not finite.any():
        return None
    known = _of_all(oracle, tuple(attempt), trial)
    gives, changes = np.zeros((2, len(attempt), len(finite)), bool)
    times, factors = np.full((2, len(attempt)), np.nan)
    changes[:] = True
    if right is None or not right.is_like(mine):
        alike = [known[key][0] for key in known if right and key == right.kind]
        gives[known[mine.kind][0] if mine.kind in known else []] = True
        changes[list(itertools.chain(*alike))] = False
        return Shown(np.array([True]), changes[:, :1], gives[:, :1], times, factors)
    wrong = _excess(trial, mine, right.numbers, right.scales) > 0
    if mine.kind in known:
        like, numbers, scales = known[mine.kind]
        gives[like] = _excess(trial, mine, numbers, scales, _SAME) <= 0
        changes[like] = ~(_excess(trial, right, numbers, scales, _SAME) <= 0)
        times[like] = _factors(mine.numbers[wrong], numbers[:, wrong])
        factors[like] = _factors(numbers[:, wrong], right.numbers[wrong])
    return Shown(wrong[finite], changes[:, finite], gives[:, finite], times, factors)


def numbers_of(
    oracle: Facts, attempt: Sequence[Names], trial: Trial, got: tuple[Outcome, ...]
) -> tuple[np.ndarray, np.ndarray, list[int], np.ndarray] | None:
    """Return some numbers of the student's, the right ones, which of some mistakes give as many, and these, (mistakes, numbers).

    None where they have other shapes than the right ones.
    """
    mine, right = _signature(trial, got), _signature(trial, oracle.expected(trial))
    known = _of_all(oracle, tuple(attempt), trial)
    if mine is None or right is None or not right.is_like(mine) or mine.kind not in known:
        return None
    like, numbers, _ = known[mine.kind]
    finite = np.isfinite(numbers).all(axis=1)
    return mine.numbers, right.numbers, [n for n, whole in zip(like, finite, strict=True) if whole], numbers[finite]


def _factors(many: np.ndarray, one: np.ndarray) -> np.ndarray:
    """Return for each row the factor, other than 1, between all numbers of two arrays; NaN where there is none, or few numbers."""
    with np.errstate(all="ignore"):
        ratios = np.atleast_2d(many / one)
        told = ~np.isnan(ratios)  # nothing times whatever it is stays nothing
        least, most = (
            extreme(ratios, axis=1, where=told, initial=i) for extreme, i in ((np.min, np.inf), (np.max, -np.inf))
        )
        same = (most - least <= _NOISE * np.abs(most)) & (np.abs(most - 1) > _NOISE) & (told.sum(axis=1) >= MIN_SCALED)
    return np.where(same, most, np.nan)


def _of_all(
    oracle: Facts, attempt: tuple[Names, ...], trial: Trial
) -> dict[Kind, tuple[list[int], np.ndarray, np.ndarray]]:
    """Return the numbers and scales of mistakes in a trial as arrays, and which mistakes these are, by the kind of their answers."""

    def made() -> dict[Kind, tuple[list[int], np.ndarray, np.ndarray]]:
        found = defaultdict[Kind, list[tuple[int, Signature]]](list)
        for number, names in enumerate(attempt):
            for signature in filter(None, _known(oracle, names, trial)):
                found[signature.kind].append((number, signature))
        return {
            kind: (
                [n for n, _ in known],
                np.stack([s.numbers for _, s in known]),
                np.stack([s.scales for _, s in known]),
            )
            for kind, known in found.items()
        }

    return oracle.kept(("numbers", trial, *attempt), made)


def _excess(trial: Trial, mine: Signature, numbers: np.ndarray, scales: np.ndarray, share: float = _MORE) -> np.ndarray:
    """Return by how much the numbers of others are further off than a share of the tolerance; NaN is neither near nor far."""
    limit: float = getattr(trial.case.check, "tolerance", 0.0) * share
    excess: np.ndarray = np.abs(mine.numbers - numbers) - limit * scales
    return excess


def _all_known(oracle: Facts, attempt: Sequence[Names], trial: Trial) -> list[tuple[Names, Signature | None]]:
    """Return the mistakes that can be made, each with its signature in a trial."""
    return [(names, signature) for names in attempt for signature in _known(oracle, names, trial)]


def _known(oracle: Facts, names: Names, trial: Trial) -> tuple[Signature | None, ...]:
    """Return the signature of mistakes in a trial, which may be None; nothing where they cannot be combined."""
    mattering = tuple(name for name in names if oracle.matters(name, trial))

    def made() -> tuple[Signature | None, ...]:
        answers = oracle.answers(mattering, trial)
        return () if answers is None else (_signature(trial, answers),)

    return oracle.kept(("signature", trial, mattering), made, MOST_SIGNATURES)


def _signature(trial: Trial, outcomes: tuple[Outcome, ...]) -> Signature | None:
    """Return the signature of outcomes, or None where a call did not return, or values alone do not decide what is alike."""
    check = trial.case.check
    if not getattr(check, "alike_by_value", False) or any(o.ending is not Ending.RETURNED for o in outcomes):
        return None
    at = getattr(check, "at", ())
    found = [
        ((i, *path), a) for i, o in enumerate(outcomes) for path, a in _arrays(o.value, ()) if path[: len(at)] == at
    ]
    if not found:
        return None
    each = max(1, SAMPLED // len(found))
    samples = [_sample(array, each) for _, array in found[:SAMPLED]]
    numbers, scales = (np.concatenate(parts) for parts in zip(*samples, strict=True))
    return Signature(tuple(path for path, _ in found), tuple(array.shape for _, array in found), numbers, scales)


def _sample(array: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers from all over an array, and its scale for each of them."""
    flat = np.asarray(array, np.float64).reshape(-1)
    chosen = flat[_spread(len(flat), count)]
    numbers = chosen if np.isfinite(flat).all() else np.full_like(chosen, np.nan)
    return numbers, np.full(len(numbers), scale(array))


@functools.cache
def _spread(length: int, count: int) -> np.ndarray:
    """Return so many places all over an array, or all of them."""
    return np.linspace(0, max(length - 1, 0), min(count, length)).astype(int)


def _arrays(tree: Any, path: Path) -> Iterator[tuple[Path, np.ndarray]]:
    """Yield the arrays and numbers of a tree with what leads to them."""
    if isinstance(tree, dict | list | tuple):
        for key, part in parts_of(tree):
            yield from _arrays(part, (*path, key))
        return
    plain = isinstance(tree, int | float) and not isinstance(tree, bool)
    array = np.asarray(tree) if plain else array_of(tree)
    if array is not None and array.dtype.kind in "fiub":
        yield path, np.asarray(array)
