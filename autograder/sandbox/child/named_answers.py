"""Give a tuple the names by which a submission reads its parts, where it has a named tuple of that length.

What stands in for a function answers as the exercise asks: with a tuple. A submission's own function may return a named one, and
code that calls it may read `.dx`.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from types import ModuleType
from typing import Any


def with_names(student: ModuleType, own: object, answer: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that answers the same; tuples have the names that `own`, in whose place it stands, gives them."""
    written = getattr(getattr(own, "__code__", None), "co_names", ())

    def named(*args: Any, **kwargs: Any) -> Any:
        found = answer(*args, **kwargs)
        if type(found) is not tuple:
            return found
        kinds = [
            (name, kind)
            for name, kind in vars(student).items()
            if isinstance(kind, type)
            and kind.__bases__ == (tuple,)
            and len(getattr(kind, "_fields", ())) == len(found) > 0
        ]
        kinds = [(name, kind) for name, kind in kinds if name in written] or kinds
        if len(kinds) != 1:
            return found
        ((name, kind),) = kinds
        # Made anew: methods of the student's own class are no part of the answer.
        return namedtuple(name, kind._fields)(*found)  # type: ignore[attr-defined] # noqa: PYI024

    return named
