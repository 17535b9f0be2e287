"""Add to an exercise whose mistake has no name where its public calls turn from right to wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.course.spec import Status, Visibility
from autograder.judge.reasons import Advice, Hint, Relation
from autograder.judge.result import CaseResult, ExerciseResult
from autograder.judge.trials import Judged, Knowledge
from autograder.judge.turning_points import turning_point
from autograder.sandbox.job import Sandbox, Source


def with_turn(
    result: ExerciseResult, judged: Sequence[Judged], oracle: Knowledge, source: Source, sandbox: Sandbox
) -> ExerciseResult:
    """Return an exercise's result with the turn of its cases; none is looked for where another exercise is to be mended first."""
    if any(case.waits_for for case in result.failing) or not any(map(_is_open, result.cases)):
        return result
    names = {case.name for case in result.cases if _is_open(case)}
    mine = [j for j in judged if j.trial.case.exercise == result.name and j.trial.case.name in names]
    turn = turning_point(oracle, source, sandbox, result.name, mine)
    cases = tuple(replace(case, turn=turn) if turn and case.name in names else case for case in result.cases)
    return replace(result, cases=cases)


def _is_open(case: CaseResult) -> bool:
    """Whether a public case gave something wrong, and no known mistake explains it."""
    unnamed = isinstance(case.reason, Relation) or case.reason == Advice(Hint.UNNAMED)
    return unnamed and case.visibility is Visibility.PUBLIC and case.status is Status.FAILED
