"""Fingerprints of answers: what a trial gave in a few numbers, enough to know the same answer again but for float noise."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.judge.array_pairs import is_judged
from autograder.judge.failure_fingerprint import weights
from autograder.judge.tolerance import TOLERANCE, scale
from autograder.judge.trials import Trial
from autograder.sandbox.child.tree import array_of, parts_of
from autograder.sandbox.job import Ending, Outcome

SUMS = 2  # of the numbers of a trial, each with other weights
LARGE_MASK = 6  # entries, of which two pairs of mistakes seldom give the same ones
_ARGUMENTS = ("arguments",)


@dataclass(frozen=True)
class Fingerprint:
    """What a trial gave, in short."""

    form: int  # of containers, shapes and all that is no number
    sums: np.ndarray  # (SUMS,), float32

    def is_like(self, forms: np.ndarray, sums: np.ndarray) -> np.ndarray:
        """Return which of others are the same but for float noise, given their forms (n,) and sums (n, SUMS)."""
        like: np.ndarray = (np.abs(sums - self.sums) <= TOLERANCE).all(axis=1) & (forms == self.form)
        return like

    def tells_from(self, other: Fingerprint | None) -> bool:
        """Whether it is not like another one: what a case finds wrong may be too little to show in it."""
        return other is None or not self.is_like(np.array([other.form]), other.sums[None])[0]


def fingerprint_of(trial: Trial, outcomes: tuple[Outcome, ...], *, whole: bool = False) -> Fingerprint | None:
    """Return the fingerprint of a trial; None where a call did not return, values alone do not decide, or numbers say too little.

    They do where one is not finite, or all that is returned are integers, such as ids, or small masks, of which two pairs of mistakes often
    give the same ones; unless those are wanted as `whole` numbers.
    """
    check = trial.case.check
    if not getattr(check, "alike_by_value", False) or any(o.ending is not Ending.RETURNED for o in outcomes):
        return None
    form, rows, tells = [], [np.zeros(0)], False
    for call, outcome in enumerate(outcomes):
        seen = [(path, leaf) for path, leaf in _leaves(outcome.value, ()) if is_judged(trial, path)]
        seen += _leaves(list(outcome.args), _ARGUMENTS) if check.sees_arguments else ()
        for path, leaf in sorted(seen, key=lambda part: repr(part[0])):  # a dict may stand in any order
            array = _numbers(leaf)
            form.append(f"{call} {path} {leaf!r}" if array is None else f"{call} {path} {array.shape}")
            if array is not None:
                numbers = array.astype(np.float64).ravel()
                size = scale(numbers)
                with np.errstate(all="ignore"):
                    rows += [np.log([size]), numbers / size]
                says_enough = array.dtype.kind == "f" or (array.dtype.kind == "b" and array.size >= LARGE_MASK)
                tells |= says_enough and path[:1] != _ARGUMENTS
    row = np.concatenate(rows)
    if not row.size or not np.isfinite(row).all() or not (tells or whole):
        return None
    sums = weights(row.size)[:SUMS] @ row / np.sqrt(row.size)
    return Fingerprint(zlib.crc32("\n".join(form).encode("utf-8", "surrogatepass")), sums.astype(np.float32))


def _leaves(tree: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield what a tree holds with what leads there, and how long each container is; a list may stand for a tuple."""
    if isinstance(tree, dict | list | tuple):
        yield path, f"of {len(tree)}"
        yield from itertools.chain.from_iterable(_leaves(part, (*path, key)) for key, part in parts_of(tree))
    else:
        yield path, tree


def _numbers(leaf: Any) -> np.ndarray | None:
    array = np.asarray(leaf) if isinstance(leaf, int | float | np.generic) else array_of(leaf)
    return array if array is not None and array.dtype.kind in "fiub" else None
