"""Call an exercise of a submission until it calls another one that has no answer yet; those before get the answers that came along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from autograder.sandbox.child.replaced import call_with, places_for
from autograder.sandbox.child.wire_format import snapshot


class _StopError(BaseException):
    """Ends a call whose next answer is not there yet."""


def call_answered(
    student: ModuleType,
    _: object,
    path: str,
    args: list[Any],
    kwargs: dict[str, Any],
    module: dict[str, Any] | None,
    names: Sequence[str],
    answers: Sequence[Any],
) -> list[Any]:
    """Make one call in which what `names` hold answers as told, in order; return the value, or the first call without an answer."""
    left, asked = iter(answers), list[list[Any]]()

    def answering(name: str) -> Callable[..., Any]:
        def answer(*args: Any, **kwargs: Any) -> Any:
            found = next(left, asked)
            if found is not asked:
                return found
            asked.append([name, snapshot(list(args), 0), snapshot(kwargs, 0)])
            raise _StopError

        return answer

    try:
        value = call_with(
            places_for(student, {name: answering(name) for name in names}), student, path, args, kwargs, module
        )
    except _StopError:
        value = None
    return asked[0] if asked else [value]
