"""A helper that is given a model is no data to ask about; code that calls it rightly keeps its points all the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment
from autograder.judge.grade import grade
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Sandbox, Source

COURSE = Path(__file__).parent.parent
WRONG = {
    "a wrong number": "    return 1.1 * surprise\n",
    "nothing": "    return None\n",
}
RIGHT = "    return surprise\n"
CALL = "if held_out is not None and (step + 1) % every == 0:"


@pytest.mark.parametrize("what", WRONG)
def test_training_is_right_beside_a_wrong_evaluation(what: str, torch_sandbox: Sandbox) -> None:
    """And wrong where it evaluates after other steps."""
    assignment = replace(load_assignment(COURSE, "a8_language_model").without_training(), misconceptions=())
    oracle = Oracle(assignment, 5)
    wrong = assignment.reference.replace(RIGHT, WRONG[what])
    assert wrong != assignment.reference
    for text, is_right in ((wrong, True), (wrong.replace(CALL, CALL.replace("step + 1", "step")), False)):
        result = grade(Source.of(assignment.file, text), oracle, torch_sandbox)
        scores = {e.name: (e.score, e.max_score) for e in result.exercises}
        lost = {name for name, (score, most) in scores.items() if score < most}
        assert lost == ({"evaluate"} if is_right else {"evaluate", "train"})
