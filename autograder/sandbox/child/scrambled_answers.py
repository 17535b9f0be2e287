"""Call an exercise of a submission while the answers of others are changed on their way to it.

All numbers of an array are changed in the same way. So code that builds on the answers as the reference does gives what the
reference gives on top of the same changed answers, with whatever calls it gets them: one for each row, all at once, or turned
round. Code that does without them, and is only right because wrong answers say so little, does not.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from autograder.sandbox.child.probabilities import as_probabilities, axis_of_probabilities
from autograder.sandbox.child.replaced import call_with, place_of
from autograder.sandbox.child.tree import map_leaves


def call_scrambled(
    student: ModuleType,
    _: object,
    path: str,
    args: list[Any],
    kwargs: dict[str, Any],
    module: dict[str, Any] | None,
    names: Sequence[str],
) -> list[Any]:
    """Make one call while what `names` answer is scrambled; return its value, and the arguments as they are afterwards."""
    own = {place_of(student, name): getattr(*place_of(student, name), None) for name in names}
    others = {place: _scrambling(function) for place, function in own.items() if callable(function)}
    return [call_with(others, student, path, args, kwargs, module), args]


def _scrambling(own: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(own)
    def scrambling(*args: Any, **kwargs: Any) -> Any:
        places = itertools.count()
        return map_leaves(lambda leaf: _scrambled(leaf, next(places)), own(*args, **kwargs))

    return scrambling


def _scrambled(leaf: Any, place: int) -> Any:
    """Return fractions times a number for their place in the answer; shares of one are squared, and shares again.

    A sum of answers that are no shares is scrambled as each of them is.
    """
    if "float" not in str(getattr(leaf, "dtype", type(leaf))):
        return leaf
    if axis := axis_of_probabilities(leaf):
        return as_probabilities(leaf * leaf, axis)
    return leaf * (0.6 + 0.31 * place % 0.7)
