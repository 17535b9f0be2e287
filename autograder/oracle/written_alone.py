"""Ask what writes with a trained model once more by itself, where it is wrong in its own cases.

In a training such a function can find the answers without the model: in the frames and variables around it, or in what the student's
model was given to read. So in a process of its own it writes with parameters that no run has seen, from sources of the same
kind. Nothing there says more than the model does. It has to write what the reference writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograder.course.language import marked, say
from autograder.course.spec import Status, Training
from autograder.judge.outcomes_alike import UNCOMPARABLE
from autograder.judge.reasons import Message
from autograder.judge.result import CaseResult
from autograder.oracle.carried_mistakes import Carried
from autograder.oracle.training_cases import metric_case
from autograder.oracle.training_runs import TrainingRuns
from autograder.sandbox.child.tree import as_arrays
from autograder.sandbox.job import Ending, Outcome, Sandbox, Source

ALIKE = 0.9  # the share of rows that have to be the reference's
NOT_WRITTEN = marked(
    "Not counted: `{name}` fails its own cases, and with other parameters, in a process of its own, it does not write what the model says."
)


def judge_alone(
    training: Training,
    found: Sequence[CaseResult],
    runs: TrainingRuns,
    source: Source,
    sandbox: Sandbox,
    carried: Carried,
) -> list[CaseResult]:
    """Return the cases of a training's metrics, failed where they rest on what a wrong exercise writes, and alone it writes otherwise."""
    resting = [m.name for m in training.metrics if m.left]
    passed = [case.name for case in found if case.name in resting and case.status is Status.PASSED]
    alone = training.alone
    if alone is None or not passed or alone.exercise not in carried.wrong:
        return list(found)
    own = runs.make(alone, source, sandbox, alone.steps, alone.seconds)
    for names in ((), *carried.choices):
        theirs = runs.of_reference(alone, sandbox, names)
        if Ending.FAULT in (own.ending, theirs.ending) or _alike(own, theirs):
            return list(found)
    told = Message(say(NOT_WRITTEN, name=alone.exercise))
    failed = {m.name: metric_case(m, Status.FAILED, told) for m in training.metrics if m.name in passed}
    return [failed.get(case.name, case) for case in found]


def _alike(own: Outcome, theirs: Outcome) -> bool:
    """Whether two runs came to their ends and wrote nearly the same rows."""
    if own.ending is not Ending.RETURNED or theirs.ending is not Ending.RETURNED:
        return False
    try:
        mine, right = _rows(own.value), _rows(theirs.value)
    except UNCOMPARABLE:
        return False
    same = sum(one == other for one, other in zip(mine, right, strict=False))
    return len(mine) == len(right) and same >= ALIKE * len(right)


def _rows(value: Any) -> list[list[int]]:
    return [[int(word) for word in row] for row in as_arrays(value["said"])]
