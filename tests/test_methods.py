"""Two methods of a class are two exercises, each called on an object that a case makes; a dataclass is what one returns."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.classroom.record import record
from autograder.classroom.submissions import Submission
from autograder.course.catalog import load_assignment
from autograder.course.spec import Status
from autograder.feedback.check_page import exercises_line
from autograder.handout.kit.repro import repro
from autograder.judge.grade import grade
from autograder.judge.trials import Small
from autograder.oracle.oracle import Oracle
from autograder.oracle.other_ways import Way
from autograder.pages.needs_a_look import looks
from autograder.proof.doctor import examine
from autograder.proof.write_stub import write_stub
from autograder.sandbox.job import Sandbox, Source

CONFIG = """
title = "Counts"
order = 1
points = 2
file = "counts.py"
given = ["Counts.__init__", "Share"]

[[exercise]]
name = "add"
points = 1
blanks = ["Counts.add"]

[[exercise]]
name = "share"
points = 1
blanks = ["Counts.share"]
"""
REFERENCE = '''"""Counts: fill in the two methods."""

from dataclasses import dataclass


@dataclass
class Share:
    """How often something was seen, of how many."""

    seen: int
    share: float


class Counts:
    """How often things were seen."""

    def __init__(self, of=()):
        self.of = dict(of)

    def add(self, name):
        """Return all counts, with one more of a name."""
        # BEGIN SOLUTION
        return self.of | {name: self.of.get(name, 0) + 1}
        # END SOLUTION

    def share(self, name):
        """Return the `Share` of a name."""
        # BEGIN SOLUTION
        seen = self.of.get(name, 0)
        return Share(seen, seen / sum(self.of.values()))
        # END SOLUTION
'''
CASES = '''"""Cases."""

from autograder.course.spec import Module, call_module, case
from autograder.judge.checks import close

BEGUN = Module(init=({{"a": 1, "b": 3}},))


@case("add", check=close())
def {0}adds(rng):
    """One more a."""
    yield call_module("a", module=BEGUN, function="Counts", method="add")


@case("share", check=close())
def {0}shares(rng):
    """Three of four are b."""
    yield call_module("b", module=BEGUN, function="Counts", method="share")
'''
BANK = '''"""Known mistakes."""

from autograder.course.mistakes import edit, mistakes_of

ADD = mistakes_of(
    "add",
    starts_anew=edit("self.of.get(name, 0) + 1", "1", "hidden_adds", "Your count forgets what was seen before."),
)
SHARE = mistakes_of(
    "share",
    share_of_names=edit("/ sum(self.of.values())", "/ len(self.of)", "shares", "Your share is of the names, not of all counts."),
)
MISCONCEPTIONS = ADD + SHARE
'''


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    """Return a course of one assignment whose exercises are two methods of a class."""
    for side, cases in (("assignments", CASES.format("")), ("solutions", CASES.format("hidden_"))):
        folder = tmp_path / side / "m1_counts"
        folder.mkdir(parents=True)
        (folder / "cases.py").write_text(cases, encoding="utf-8")
    (tmp_path / "assignments/m1_counts/assignment.toml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "solutions/m1_counts/counts.py").write_text(REFERENCE, encoding="utf-8")
    (tmp_path / "solutions/m1_counts/misconceptions.py").write_text(BANK, encoding="utf-8")
    write_stub(tmp_path, load_assignment(tmp_path, "m1_counts"))
    return tmp_path


def test_two_methods_are_two_exercises(counts: Path, sandbox: Sandbox) -> None:
    """`doctor` proves what is written of them; a mistake in one is named there, and costs the other nothing."""
    made = load_assignment(counts, "m1_counts")
    broken = {p.promise: p.broken for p in examine(made, sandbox, 2, counts, draft=True) if p.broken}
    assert broken == {}
    wrong = made.reference.replace("/ sum(self.of.values())", "/ len(self.of)")
    result = grade(Source.of(made.file, wrong), Oracle(made, 0), sandbox)
    assert [exercise.score for exercise in result.exercises] == [1.0, 0.0]
    assert {"+".join(case.suspected) for case in result.exercises[1].cases} == {"share_of_names"}


def test_a_method_that_calls_one_that_is_not_written_waits_for_it(counts: Path, sandbox: Sandbox) -> None:
    """It is written itself, and no file with it is one in which nothing is."""
    made = load_assignment(counts, "m1_counts")
    text = made.stub.replace("raise NotImplementedError", "raise  NotImplementedError", 1)
    head, share = text.rsplit("raise NotImplementedError", 1)
    source = Source.of(made.file, f"{head}return Share(self.add(name)[name], 0.5){share.partition(chr(10))[2]}\n")
    result = grade(source, Oracle(made, 0), sandbox)
    assert result.exercises[1].cases[0].message == "It builds on `add`, which is not written yet."
    assert "Nothing is written" not in exercises_line(result.exercises)
    told = looks([record(made, Submission("ada", "ada.py", source), result, sandbox.isolation, 0, 0.0)])
    (rows,) = (rows for heading, rows in told.items() if heading.startswith("Perhaps right by itself"))
    assert [(student, where) for student, where in rows] == [("ada", "`share`")]
    assert not any(heading.startswith("Nothing is written") for heading in told)


def test_an_object_without_parameters_needs_no_torch(counts: Path) -> None:
    """Neither in a program that makes its calls nor where another solution is watched."""
    made = load_assignment(counts, "m1_counts")
    oracle = Oracle(made, 0)
    trial = oracle.trials_of("add")[0]
    told = repro(
        Source.of(made.file, made.reference), Small(trial, oracle.expected(trial)), oracle.signatures, "It adds."
    )
    assert "torch" not in told
    assert "yours = module.add('a')" in told
    assert Way("counts.py", made.reference).calls(trial, {"Counts", "add"}) == ()


def test_a_method_that_is_not_written_is_missing(counts: Path, sandbox: Sandbox) -> None:
    """The stub gets no crash for it."""
    made = load_assignment(counts, "m1_counts")
    result = grade(Source.of(made.file, made.stub), Oracle(made, 0), sandbox)
    assert {case.status for exercise in result.exercises for case in exercise.cases} == {Status.MISSING}
