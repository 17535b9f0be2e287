"""Decide whether an exercise is right that needs a class of the submission whose given constructor was broken.

It is asked again, among stand-ins for what is wrong, while that class is made as the stub gives it. Nothing of the stub is a secret.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial

from autograder.course.joined_files import split
from autograder.judge.trials import Judged, Trial
from autograder.oracle.other_ways import may_use
from autograder.oracle.reference import Reference
from autograder.oracle.replay import Replay
from autograder.oracle.stand_ins import Asked, as_called, asked_among_stand_ins, each_alike
from autograder.sandbox.child import given_classes
from autograder.sandbox.child.parse import parse
from autograder.sandbox.job import Ending, Job, Request, Sandbox, Source

_HARNESS = f"from {given_classes.__name__} import call_with_given_classes"
_MADE = (Ending.RETURNED, Ending.UNWRITTEN)  # how a call ends only with an object


def broken_classes(oracle: Reference, judged: Sequence[Judged]) -> frozenset[str]:
    """Return the exercises that the stub gives as classes and of which no object may have been made in any case of their own."""
    made = {j.trial.case.exercise for j in judged if any(o.ending in _MADE for o in j.outcomes)}
    return frozenset(_given(oracle)) - made


def right_with_given_classes(
    replay: Replay, broken: Collection[str], source: Source, sandbox: Sandbox, trials: Sequence[Trial]
) -> dict[Trial, tuple[str, ...]]:
    """Return from which wrong exercises trials follow that are right when `broken` classes are made as the stub gives them."""
    oracle = replay.oracle
    needed = {trial: frozenset(broken) & may_use(oracle, trial.case.exercise) for trial in trials}
    asked = {trial: _asked(replay, trial, names) for trial, names in needed.items() if names}
    if not asked:
        return {}
    assignment = oracle.assignment
    requests = tuple(request for mine, _ in asked.values() for request in mine)
    ran = sandbox.run(Job(source, requests, assignment.limits, assignment.shortcuts, assignment.torch))
    outcomes = map(as_called, ran.outcomes)
    follows = {}
    for trial, (mine, rights) in asked.items():
        got = tuple(next(outcomes) for _ in mine)
        if any(each_alike(trial, got, right()) for right in rights):
            follows[trial] = tuple(sorted(needed[trial].union(mine[0].args[-1])))
    return follows


def _asked(replay: Replay, trial: Trial, names: Collection[str]) -> Asked:
    """Return the requests of a trial with classes as they are given, and what each right way gives."""
    oracle = replay.oracle
    requests, rights = asked_among_stand_ins(replay, trial)
    if not requests:  # it calls nothing that is wrong; it may be derived from it
        plain = (
            replace(r, args=(r.function, list(r.args), dict(r.kwargs), r.module, {}), kwargs={}) for r in trial.requests
        )
        requests, rights = tuple(plain), (partial(oracle.expected, trial),)
    given = {name: text for name, text in _given(oracle).items() if name in names}
    return tuple(_with(request, given) for request in requests), rights


def _with(request: Request, given: dict[str, str]) -> Request:
    *before, others = request.args
    name = "call_with_given_classes"
    return replace(request, function=name, args=(*before, given, others), module=None, harness=_HARNESS, phase=1)


def _given(oracle: Reference) -> dict[str, str]:
    """Return the classes that the stub gives, by the exercise, as texts without what is said in them."""
    return oracle.kept(("given classes",), lambda: dict(_classes(oracle)))


def _classes(oracle: Reference) -> Iterator[tuple[str, str]]:
    names = {exercise.name for exercise in oracle.assignment.exercises}
    for text in split(oracle.assignment.stub).values() or [oracle.assignment.stub]:
        for node in parse(text).body:
            if isinstance(node, ast.ClassDef) and node.name in names:
                yield node.name, ast.unparse(_without_texts(node))


def _without_texts(node: ast.ClassDef) -> ast.ClassDef:
    for part in ast.walk(node):
        if isinstance(part, ast.ClassDef | ast.FunctionDef):
            part.body = [one for one in part.body if not _is_text(one)] or [ast.Pass()]
    return node


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
