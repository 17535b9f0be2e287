"""Leave out known mistakes that cannot have given a student's answers: by a few numbers of each, compared as one array.

To compare whole answers with those of hundreds of mistakes would be most of the work of looking for a name. What is left out
here is neither the same nor alike in the sense of `outcomes_alike.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.judge.tolerance import scale
from autograder.judge.trials import Facts, Trial
from autograder.sandbox.child.tree import array_of
from autograder.sandbox.job import Ending, Outcome

SAMPLED = 16  # numbers of a trial
MOST_SIGNATURES = 50_000  # that are kept, of mistakes and pairs of them
_MORE = 1 + 1e-9  # than the tolerance, for the rounding of a quotient
Names = tuple[str, ...]
Path = tuple[Any, ...]


@dataclass(frozen=True)
class Signature:
    """Some numbers of a trial's answers, and the scale of each; NaN in an array that is not finite throughout."""

    places: tuple[Path, ...]  # of all arrays and numbers
    shapes: tuple[tuple[int, ...], ...]
    numbers: np.ndarray
    scales: np.ndarray


def candidates(
    oracle: Facts, attempt: Sequence[Names], trial: Trial, got: tuple[Outcome, ...], at_least: int = 2
) -> list[Names]:
    """Return those of some mistakes whose answers in a trial may be the student's; all where they are fewer than `at_least`."""
    mine = _signature(trial, got) if len(attempt) >= at_least else None
    if mine is None:
        return list(attempt)
    known = [(names, signature) for names in attempt for signature in _known(oracle, names, trial)]
    left = [names for names, s in known if s is None or s.places != mine.places]
    told = [(names, s) for names, s in known if s and s.places == mine.places and s.shapes == mine.shapes]
    if told:
        numbers, scales = np.stack([s.numbers for _, s in told]), np.stack([s.scales for _, s in told])
        limit = getattr(trial.case.check, "tolerance", 0.0) * _MORE
        far = (np.abs(mine.numbers - numbers) > limit * scales).any(axis=1)
        left += [names for (names, _), away in zip(told, far, strict=True) if not away]
    return [names for names in attempt if names in set(left)]


def _known(oracle: Facts, names: Names, trial: Trial) -> tuple[Signature | None, ...]:
    """Return the signature of mistakes in a trial, which may be None; nothing where they cannot be combined."""

    def made() -> tuple[Signature | None, ...]:
        answers = oracle.answers(names, trial)
        return () if answers is None else (_signature(trial, answers),)

    return oracle.kept(("signature", trial, names), made, MOST_SIGNATURES)


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
    chosen = flat[np.linspace(0, len(flat) - 1, min(count, len(flat))).astype(int)] if len(flat) else flat
    numbers = chosen if np.isfinite(flat).all() else np.full_like(chosen, np.nan)
    return numbers, np.full(len(numbers), scale(array))


def _arrays(tree: Any, path: Path) -> Iterator[tuple[Path, np.ndarray]]:
    """Yield the arrays and numbers of a tree with what leads to them."""
    if isinstance(tree, dict | list | tuple):
        for key, part in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from _arrays(part, (*path, key))
        return
    plain = isinstance(tree, int | float) and not isinstance(tree, bool)
    array = np.asarray(tree) if plain else array_of(tree)
    if array is not None and array.dtype.kind in "fiub":
        yield path, np.asarray(array)
