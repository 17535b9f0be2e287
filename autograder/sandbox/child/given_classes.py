"""Make objects of a class as the stub gives it, where no object of the submission's own has come to an answer.

Constructors are given, and no part of an exercise: what builds on a class whose constructor was broken is judged with that of the stub.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import CellType, FunctionType, ModuleType
from typing import Any

from autograder.sandbox.child.replaced import Place, put_in_place
from autograder.sandbox.child.stand_ins import call_among


def call_with_given_classes(
    student: ModuleType,
    harness: object,
    path: str,
    args: list[Any],
    kwargs: dict[str, Any],
    module: dict[str, Any] | None,
    given: Mapping[str, str],
    others: Mapping[str, Any],
) -> list[Any]:
    """Make a call as `call_among` does, while classes can be made as they are `given`: their text by name."""
    places = dict[Place, Callable[..., Any]](_given(student, name, text) for name, text in given.items())
    with put_in_place(places):
        return call_among(student, harness, path, args, kwargs, module, others)


def _given(student: ModuleType, name: str, text: str) -> tuple[Place, Callable[..., Any]]:
    """Return where a class of this text, or its constructor, is put, and what is put there."""
    own, missing = getattr(student, name, None), name not in vars(student)
    exec(text, vars(student))  # noqa: S102 (the stub's own, whose names are those of the submission)
    made = vars(student)[name]
    setattr(student, name, own)
    if missing:
        delattr(student, name)
    if not isinstance(own, type):
        return (student, name), made
    return (own, "__init__"), _constructor_of(made, own)


def _constructor_of(made: type, own: type) -> Any:
    """Return the constructor of a class as one of another class, whose `super()` it means."""
    function: Any = made.__init__  # type: ignore[misc]
    if not isinstance(function, FunctionType):
        return function
    cells = tuple(CellType(own) if name == "__class__" else cell for name, cell in _cells(function))
    return FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, cells)


def _cells(function: FunctionType) -> list[tuple[str, CellType]]:
    return list(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
