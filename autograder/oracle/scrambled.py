"""Ask for calls in which what the student's code of some exercises answers is scrambled before anyone builds on it.

A caller is right on top of wrong answers only if it makes something of them. So the student's caller and the reference build on
answers that are changed in the same way; the child changes them (`sandbox/child/scrambled_answers.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from autograder.sandbox.child import scrambled_answers
from autograder.sandbox.job import Ending, Outcome, Request

_HARNESS = f"from {scrambled_answers.__name__} import call_scrambled"


def scrambled(request: Request, names: Collection[str]) -> Request:
    """Return the request that makes the same call while the answers of `names` are scrambled."""
    args = (request.function, list(request.args), dict(request.kwargs), request.module, sorted(names))
    return replace(
        request,
        function="call_scrambled",
        args=args,
        kwargs={},
        module=None,
        harness=_HARNESS,
        keep_args=False,
        phase=1,
    )


def as_called(outcome: Outcome, asked: Request) -> Outcome:
    """Return the outcome of such a request as that of the call in it."""
    match outcome.ending, outcome.value:
        case Ending.RETURNED, [value, list(args)]:
            return replace(outcome, value=value, args=tuple(args) if asked.keep_args else ())
    return replace(outcome, value=None)
