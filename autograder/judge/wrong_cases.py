"""Say what the failing cases of an exercise have in common that none of the passing ones has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from autograder.judge.compared import Part
from autograder.judge.reasons import Key

EITHER, ALL = 2, 5  # cases at least that fail and that pass, and of both together
LARGE = 50.0  # its exponential is far beyond those of usual numbers


def what_failing_cases_share(parts: Sequence[Part]) -> Key | None:
    """Return what only the failing cases have, or None."""
    by_case: dict[str, list[Part]] = {}
    for part in parts:
        by_case.setdefault(part.trial.case.name, []).append(part)
    fails = {name for name, mine in by_case.items() if any(part.is_wrong for part in mine)}
    if min(len(fails), len(by_case) - len(fails)) < EITHER or len(by_case) < ALL:
        return None
    least: dict[str, int] = {}
    for part in parts:
        for name, array in part.given.items():
            least[name] = min(least.get(name, array.ndim), array.ndim)
    has = {name: {key for part in mine for key in _features(part, least)} for name, mine in by_case.items()}
    shared = [key for key in has[min(fails)] if all(key in has[name] for name in fails)]
    return min((key for key in shared if not any(key in has[name] for name in by_case.keys() - fails)), default=None)


def _features(part: Part, least: Mapping[str, int]) -> Iterator[Key]:
    for name, array in part.given.items():
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
