"""Ask for calls in which what the student's code of some exercises answers is scrambled before anyone builds on it.

A caller is right on top of wrong answers only if it makes something of them. So the student's caller and the reference build on
answers that are changed in the same way; the child changes them (`sandbox/child/scrambled_answers.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from autograder.course.spec import Assignment
from autograder.sandbox.child import scrambled_answers
from autograder.sandbox.job import Ending, Job, Outcome, Request, Sandbox, Source

_HARNESS = f"from {scrambled_answers.__name__} import call_scrambled"


def run_scrambled(
    assignment: Assignment, source: Source, sandbox: Sandbox, asked: Iterable[tuple[Request, Collection[str]]]
) -> tuple[Outcome, ...]:
    """Make calls, each while the answers of some exercises are scrambled, and return what they come to."""
    asked = tuple(asked)
    requests = tuple(scrambled(request, names) for request, names in asked)
    ran = sandbox.run(Job(source, requests, assignment.limits, assignment.shortcuts, assignment.torch))
    return tuple(as_called(outcome, request) for outcome, (request, _) in zip(ran.outcomes, asked, strict=True))


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
