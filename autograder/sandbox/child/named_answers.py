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
        fields = _named_tuples(student, len(found)) if type(found) is tuple else {}
        fields = {name: fields[name] for name in fields if name in written} or fields
        if len(fields) != 1:
            return found
        # A class of our own: methods of the student's are no part of the answer.
        return namedtuple(*fields.popitem())(*found)  # noqa: PYI024

    return named


def _named_tuples(student: ModuleType, length: int) -> dict[str, tuple[str, ...]]:
    """Return the fields of a submission's named tuples with so many, by their names."""
    kinds = {name: kind for name, kind in vars(student).items() if isinstance(kind, type)}
    fields = {name: getattr(kind, "_fields", ()) for name, kind in kinds.items() if kind.__bases__ == (tuple,)}
    return {name: names for name, names in fields.items() if len(names) == length > 0}
