"""Of code that crashes in some calls is told what only these have."""

from __future__ import annotations

import pytest
from test_left_undone import with_body
from test_relations import oracle_of_course

from autograder.judge.grade import grade
from autograder.sandbox.job import Sandbox, Source

WRITTEN = {
    "for two axes": (
        "attention_scores",
        "    rows, width = Q.shape\n    return Q @ K.T / np.sqrt(width)",
        "In these cases it crashes whenever `Q` has one more axis in front, and only then.",
    ),
    "without a mask": (
        "attention_weights",
        (
            "    e = np.exp(scores - scores.max(-1, keepdims=True))\n    e = e if mask is None else e * mask.as_numbers\n"
            "    return e / e.sum(-1, keepdims=True)"
        ),
        "In these cases it crashes whenever `mask` is given, and only then: look at what you do with `mask`.",
    ),
    "for one size": (
        "attention_scores",
        "    return (Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])).reshape(3, 3)",
        "",
    ),
    "and wrong elsewhere": (
        "attention_weights",
        "    e = np.exp(scores)\n    e = e if mask is None else e * mask.as_numbers\n    return e / e.sum(-2, keepdims=True)",
        "",
    ),
}


@pytest.mark.parametrize("written", WRITTEN)
def test_what_only_calls_have_that_crash_is_told(written: str, sandbox: Sandbox) -> None:
    """Where they have one thing alone, and the others end and are right; else nothing is said of it."""
    exercise, body, says = WRITTEN[written]
    oracle = oracle_of_course("a5_attention")
    text = with_body(oracle.assignment.reference, exercise, body)
    result = grade(Source.of(oracle.assignment.file, text), oracle, sandbox)
    (cases,) = (e.cases for e in result.exercises if e.name == exercise)
    told = {case.says for case in cases if case.status == "CRASHED"}
    assert told == {says} if says else not any("and only then" in said for said in told)
