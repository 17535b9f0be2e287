"""`--repro`: each public case of the course as a program that runs beside a student's file, and shows what the case judges."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from autograder.course.catalog import load_assignment
from autograder.course.places import slugs
from autograder.course.spec import Answer
from autograder.handout.kit.repro import repro
from autograder.judge.trials import Small
from autograder.oracle.calls_here import RANDOM
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.wire_format import snapshot
from autograder.sandbox.job import Source

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("slug", slugs(ROOT))
def test_each_public_case_runs_as_a_program(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the reference it gives the reference's last answer."""
    assignment = load_assignment(ROOT, slug)
    oracle = Oracle(assignment, 0, public_only=True)
    source = Source.of(assignment.file, assignment.reference)
    monkeypatch.setitem(sys.modules, source.module, oracle.own_reference().module)
    for trial in oracle.trials:
        expected = oracle.expected(trial)
        text = repro(source, Small(trial, expected), oracle.signatures, "")
        names: dict[str, Any] = {}
        with RANDOM:
            exec(text, names)
        check = trial.case.check
        if getattr(check, "alike_by_value", False):  # others judge all calls of a case
            args = expected[-1].args
            got, right = Answer(snapshot(names["yours"]), args), Answer(expected[-1].value, args)
            assert check.judge(trial.calls[-1:], (got,), (right,)) is None, text
