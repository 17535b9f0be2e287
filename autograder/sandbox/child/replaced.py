"""Call into a submission while other functions stand in the places of its own."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from autograder.sandbox.child.module_call import make_call
from autograder.sandbox.child.named_answers import with_names

Place = tuple[Any, str]


def place_of(student: ModuleType, name: str) -> Place:
    """Return the object and the attribute that hold what is called under a name: of a module's class its `forward`."""
    own = getattr(student, name, None)
    return (own, "forward") if isinstance(own, type) else (student, name)


def places_for(student: ModuleType, others: Mapping[str, Callable[..., Any]]) -> dict[Place, Callable[..., Any]]:
    """Return functions by the places of their names; in a class each is a method that needs no object."""
    named = {place_of(student, name): other for name, other in others.items()}
    return {
        place: with_names(student, getattr(*place, None), other) if place[0] is student else _as_method(other)
        for place, other in named.items()
    }


def _as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda _, *args, **kwargs: function(*args, **kwargs)


def call_with(
    others: Mapping[Place, Callable[..., Any]],
    student: ModuleType,
    path: str,
    args: list[Any],
    kwargs: dict[str, Any],
    module: dict[str, Any] | None,
) -> Any:
    """Make one call while functions stand in these places."""
    with put_in_place(others):
        return make_call(operator.attrgetter(path)(student), module, args, kwargs)


@contextmanager
def put_in_place(others: Mapping[Place, Callable[..., Any]]) -> Iterator[None]:
    """Put functions in these places until the block ends."""
    before = {(place, attribute): getattr(place, attribute, None) for place, attribute in others}
    for (place, attribute), other in others.items():
        setattr(place, attribute, other)
    try:
        yield
    finally:
        for (place, attribute), own in before.items():
            setattr(place, attribute, own)
