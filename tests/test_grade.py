"""Grading one submission: points, whose fault a failure is, what it is called, and what hidden cases keep to themselves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from small import read_honestly

from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment, Call, Finding, Limits, Misconception, Status, Visibility, call
from autograder.course.spec import case as hidden_case
from autograder.handout.kit.self_check import check
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.blame import judge_all, judge_trial
from autograder.judge.checks import close
from autograder.judge.crash_reasons import explain_kind
from autograder.judge.exercise_diagnoses import Named
from autograder.judge.grade import grade
from autograder.judge.messages import KINDS
from autograder.judge.reason_sentences import UNNAMED
from autograder.judge.result import CaseResult, Result
from autograder.judge.terminal_text import result_as_text
from autograder.oracle.calls_here import run_requests
from autograder.oracle.oracle import Oracle
from autograder.oracle.reference import BrokenReferenceError
from autograder.sandbox.child.program import Program
from autograder.sandbox.child.tree import Opaque, Tensor
from autograder.sandbox.job import (
    Chunk,
    Ending,
    Frame,
    Isolation,
    Job,
    JobResult,
    Outcome,
    Request,
    Sandbox,
    Source,
    Trouble,
)
from autograder.sandbox.termination import Terminated

Graded = Callable[[str], Result]
Edited = Callable[..., str]
Cases = Callable[[Result, str], Mapping[str, CaseResult]]

SOURCE = Source("means", (Chunk("means.py", "def row_means(x): ..."),))
MEDIAN = "np.median(x, axis=-1)"  # which is no slip of a mean


class Puppet:
    """A sandbox in which nothing runs: it answers with what a test wants to see judged."""

    isolation = Isolation("C", (), ())

    def __init__(self, answer: Callable[[int], Outcome], loading: Outcome | None = None) -> None:
        self._answer = answer
        self._loading = loading or Outcome(Ending.RETURNED)

    def run(self, job: Job) -> JobResult:
        """Give the answers."""
        return read_honestly(job) or JobResult(tuple(self._answer(i) for i in range(len(job.requests))), self._loading)

    def close(self) -> None:
        """Nothing is open."""


def scores(result: Result) -> dict[str, float]:
    """Return the points by exercise."""
    return {exercise.name: exercise.score for exercise in result.exercises}


def statuses(cases: Mapping[str, CaseResult]) -> dict[str, Status]:
    """Return the statuses by case."""
    return {name: case.status for name, case in cases.items()}


def with_mistakes(assignment: Assignment, *names: str) -> str:
    """Return the reference with some of its known mistakes in it."""
    bank = {m.name: m for m in assignment.misconceptions}
    text = apply_edits(assignment.reference, tuple(bank[name] for name in names))
    assert text is not None
    return text


# Points


def test_the_reference_gets_full_marks(graded: Graded, assignment: Assignment) -> None:
    """Every case passes and says nothing."""
    result = graded(assignment.reference)
    assert (result.score, result.max_score, result.all_passed) == (7, 7, True)
    assert {(c.status, c.message, c.diagnosis) for e in result.exercises for c in e.cases} == {(Status.PASSED, "", "")}


def test_the_stub_gets_none(graded: Graded, assignment: Assignment) -> None:
    """Nothing is written, and nothing is held against it."""
    result = graded(assignment.stub)
    assert result.score == 0
    for exercise in result.exercises:
        for case in exercise.cases:
            assert case.status is Status.MISSING
            assert re.fullmatch(r"Not written yet: `raise` in line \d+\.", case.message)


def test_points_are_shared_by_weight(graded: Graded, edited: Edited) -> None:
    """A case of weight three earns three quarters of an exercise whose other case has weight one."""
    only_the_example = "return np.array([3.0, 6.0]) if x.ndim == 2 and x[0, 0] == 1.0 else x.sum(-1)"
    only_the_rest = "return np.zeros(2) if x[0].sum() == 9.0 else x.mean(-1)"
    assert scores(graded(edited(row_means=only_the_example)))["row_means"] == 0.5
    assert scores(graded(edited(row_means=only_the_rest)))["row_means"] == 1.5


def test_exercises_stand_on_their_own(graded: Graded, edited: Edited) -> None:
    """Whoever gets the first wrong in a way nobody knows still earns the others, if written without it."""
    text = edited(
        row_means="return x[..., 0] * 17",
        center="return x - x.mean(-1, keepdims=True)",
        spread="return x.std(-1)",
    )
    assert scores(graded(text)) == {"row_means": 0, "center": 2, "spread": 3}


def test_public_cases_alone_are_graded_alone(assignment: Assignment, sandbox: Sandbox) -> None:
    """`check` runs what students may see, and nothing else."""
    source = Source("means", (Chunk("means.py", assignment.reference),))
    result = grade(source, Oracle(assignment, 0, public_only=True), sandbox)
    assert {c.visibility for e in result.exercises for c in e.cases} == {Visibility.PUBLIC}
    assert result.score == 7


# What is wrong, and how it is called


def test_each_kind_of_end_has_its_status(graded: Graded, edited: Edited, cases: Cases) -> None:
    """Crashes, missing functions and memory are told apart, and the messages say so."""
    text = edited(row_means="return x.summ(-1)", center="return np.ones((1 << 17, 1 << 13))", spread="return x.std(-1)")
    text = text.replace("def spread", "def spred")
    result = graded(text)
    assert set(statuses(cases(result, "row_means")).values()) == {Status.CRASHED}
    assert set(statuses(cases(result, "center")).values()) == {Status.MEMORY}
    assert set(statuses(cases(result, "spread")).values()) == {Status.MISSING}
    message = cases(result, "row_means")["two_rows"].message
    reason, _, traceback = message.partition("\n")
    assert reason == "`x` has no `summ`. Is it `sum`?"
    assert traceback.startswith("AttributeError: 'numpy.ndarray' object has no attribute 'summ'\n  means.py, line ")
    assert (
        cases(result, "spread")["two_spreads"].message
        == "There is no `spread` in your file. There is a `spred`. Was it renamed or removed?"
    )


def test_a_wrong_value_shows_both_arrays_in_public_cases_only(graded: Graded, edited: Edited, cases: Cases) -> None:
    """The worked example is explained in full, the hidden case in one sentence."""
    found = cases(graded(edited(row_means="return x.mean(-1) + 1")), "row_means")
    assert "4 instead of 3" in found["two_rows"].message
    assert "expected" in found["two_rows"].message
    assert found["means_of_any_shape"].message == "The values differ from the reference's."


def test_prints_are_shown_of_public_cases_and_noted_of_hidden_ones(
    graded: Graded, edited: Edited, cases: Cases
) -> None:
    """What a student printed helps them; what hidden inputs made it print is for graders."""
    result = graded(edited(row_means="print('shape', x.shape)\nreturn x"))
    found = cases(result, "row_means")
    assert "Your code printed\n  shape (2, 3)" in found["two_rows"].message
    assert "shape" not in found["means_of_any_shape"].message.replace("The shape is not", "")
    assert "shape (3, 5)" in "".join(case.grader_note for e in result.exercises for case in e.cases)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def row_means(x:\n", "SyntaxError: '(' was never closed\n  means.py, line 1"),
        ("import os\nos._exit(3)\n", "ended the Python process while being imported (exit code 3)"),
    ],
)
def test_a_file_that_cannot_be_imported_says_why_once(graded: Graded, text: str, words: str) -> None:
    """The problem is the file's; every case only points to it."""
    result = graded(text)
    assert words in result.problem
    assert result.score == 0
    assert {c.message for e in result.exercises for c in e.cases} == {"The file could not be imported."}
    assert {c.status for e in result.exercises for c in e.cases} == {Status.CRASHED}


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_file_is_called_empty_once(graded: Graded, text: str) -> None:
    """No function was renamed in it."""
    result = graded(text)
    assert (result.problem, result.score) == ("There is nothing in your file.", 0)
    assert {(c.message, c.status) for e in result.exercises for c in e.cases} == {(result.problem, Status.MISSING)}


def test_a_failing_statement_outside_the_functions_is_noted(graded: Graded, assignment: Assignment) -> None:
    """What does not work beside the functions is told, and costs nothing by itself."""
    result = graded(assignment.reference + "\nimport pandas_\nprint(row_means(3))\n")
    assert result.all_passed
    assert result.problem == ""
    assert [note.partition("\n")[0] for note in result.notes] == [
        "ModuleNotFoundError: No module named 'pandas_'",
        "AttributeError: 'int' object has no attribute 'sum'",
    ]


# Diagnosis


def test_every_known_mistake_is_called_by_its_name(graded: Graded, assignment: Assignment, cases: Cases) -> None:
    """Also when it is written in other words than the bank's."""
    for m in assignment.misconceptions:
        named = {c.diagnosis for c in cases(graded(with_mistakes(assignment, m.name)), m.exercise).values()} - {""}
        assert named
        assert named <= {m.name, *m.twins}


def test_a_mistake_is_recognised_by_what_it_returns(graded: Graded, edited: Edited, cases: Cases) -> None:
    """The student's own way to the same wrong numbers gets the same sentence."""
    body = (
        "rows = []\nfor row in np.atleast_2d(x.reshape(-1, x.shape[-1])):\n    rows.append(sum(row[1:]) / len(row))\n"
    )
    found = cases(graded(edited(row_means=body + "return np.array(rows).reshape(x.shape[:-1])")), "row_means")
    assert {c.diagnosis for c in found.values()} == {"skips_the_first"}
    assert {c.says for c in found.values()} == {"Your sum leaves out the first entry."}


def test_two_mistakes_at_once_are_both_named(graded: Graded, assignment: Assignment, cases: Cases) -> None:
    """No single one explains the numbers, the two together do."""
    found = cases(graded(with_mistakes(assignment, "divides_by_rows", "skips_the_first")), "row_means")
    assert {c.diagnosis for c in found.values()} == {"divides_by_rows+skips_the_first"}
    assert {c.says for c in found.values()} == {
        "You divide by the number of rows. Also: Your sum leaves out the first entry."
    }


def test_mistakes_that_cannot_be_told_apart_are_offered_as_a_choice(
    graded: Graded, assignment: Assignment, cases: Cases
) -> None:
    """Two twins explain the same numbers."""
    found = cases(graded(with_mistakes(assignment, "mean_minus_x")), "center")["centers_any_shape"]
    assert found.diagnosis == "mean_minus_x"
    assert found.says == "One of these: Your difference is the wrong way around. Or: Your result has the wrong sign."


def test_what_is_right_gets_no_diagnosis(graded: Graded, assignment: Assignment) -> None:
    """Correct solutions are never told a mistake they did not make."""
    for other in assignment.correct:
        result = graded(f"{assignment.reference}\n{other.source}")
        assert result.all_passed
        assert {c.diagnosis + c.says for e in result.exercises for c in e.cases} == {""}


@pytest.mark.parametrize(
    ("known", "written", "diagnosis", "says"),
    [
        ("total * np.inf", "float(10**400)", "wide_rows", "Wide rows go wrong."),  # OverflowError stands for inf
        ("{}['wide']", "{}['other']", "", "Perhaps: Wide rows go wrong."),  # a KeyError may come from anything
        ("{}['wide']", "[][9]", "", ""),
    ],
)
def test_a_crash_says_less_than_a_number(
    assignment: Assignment,
    sandbox: Sandbox,
    edited: Edited,
    cases: Cases,
    known: str,
    written: str,
    diagnosis: str,
    says: str,
) -> None:
    """An overflow is as good as infinity; another error of the same type makes a guess, one of another type nothing."""
    right = "total / x.shape[-1]"
    new = f"({right} if x.shape[-1] < 5 else {known})"
    mistake = Misconception(
        "wide_rows", "row_means", old=right, new=new, caught_by="means_of_any_shape", says="Wide rows go wrong."
    )
    oracle = Oracle(replace(assignment, misconceptions=(*assignment.misconceptions, mistake)), 0)
    text = edited(row_means=f"return x.mean(-1) if x.shape[-1] < 5 else {written}")
    found = cases(grade(Source("means", (Chunk("means.py", text),)), oracle, sandbox), "row_means")
    assert found["means_of_any_shape"].status is Status.CRASHED
    assert found["means_of_any_shape"].diagnosis == diagnosis
    assert found["means_of_any_shape"].says == says


@pytest.mark.parametrize(
    "body", [f"return {MEDIAN}", "return x.mean(-1) * np.nan", f"return {MEDIAN} if len(x) else x.nothing"]
)
def test_what_nobody_knows_gets_no_diagnosis(graded: Graded, edited: Edited, cases: Cases, body: str) -> None:
    """A wrong answer that no known mistake gives is not explained by one."""
    found = cases(graded(edited(row_means=body)), "row_means")
    assert {c.status for c in found.values()} == {Status.FAILED}
    assert {c.diagnosis for c in found.values()} == {""}
    assert {c.says for c in found.values()} <= {"", UNNAMED}
    assert UNNAMED in {c.says for c in found.values()}


@pytest.mark.parametrize(
    "body",
    [
        "return None",
        "return [x.max(-1)]",
        "return x.max(-1) if len(x) == 2 else x.nothing",
        "while len(x) == 3: pass\nreturn x.max(-1)",
    ],
)
def test_what_says_by_itself_what_is_wrong_needs_no_name(
    graded: Graded, edited: Edited, cases: Cases, body: str
) -> None:
    """Another type, a crash, a hang."""
    found = cases(graded(edited(row_means=body)), "row_means")
    assert {c.status for c in found.values()} != {Status.PASSED}
    assert {c.says for c in found.values()} == {""}


@pytest.mark.parametrize(
    ("written", "diagnosis"),
    [("[0 * x[0].sum(-1) + np.nan, *x[1:].mean(-1)]", "first_row"), ("x.mean(-1) * np.nan", "")],
)
def test_nan_everywhere_is_like_no_mistake(
    assignment: Assignment, sandbox: Sandbox, edited: Edited, cases: Cases, written: str, diagnosis: str
) -> None:
    """A mistake that overflows in one place is not that of someone whose numbers all do; nothing finite speaks for it."""
    right = "total / x.shape[-1]"
    new = f"np.array([0 * total[0] + np.inf, *({right})[1:]])"
    mistake = Misconception("first_row", "row_means", old=right, new=new, caught_by="two_rows", says="The first row.")
    oracle = Oracle(replace(assignment, misconceptions=(*assignment.misconceptions, mistake)), 0)
    text = edited(row_means=f"return np.array({written})")
    found = cases(grade(Source("means", (Chunk("means.py", text),)), oracle, sandbox), "row_means")
    assert {c.diagnosis for c in found.values()} == {diagnosis}


BESIDE = (
    "There is a mistake here beside the one in your `row_means`, which it uses: with what your `row_means` gives, right code would come to "
    "something else. Once that one passes, it shows better."
)


def test_what_uses_a_wrong_exercise_points_there(
    graded: Graded, edited: Edited, assignment: Assignment, sandbox: Sandbox, cases: Cases
) -> None:
    """Where a value has no name and an exercise that the case uses fails too, that one is to be mended first.

    A grading knows what right code would give on top of that one, and says where this is something else.
    """
    text = edited(row_means=f"return {MEDIAN}", spread="return np.sqrt(row_means(center(x) ** 2)) + x.min()")
    says = "It uses your `row_means`, which does not pass yet; mend that first."
    assert {c.says for c in cases(graded(text), "spread").values()} == {BESIDE}
    assert {c.says for c in cases(graded(text), "row_means").values()} == {UNNAMED}
    at_home = check(Source("means", (Chunk("means.py", text),)), public_bundle(public_oracle(assignment)))
    assert {c.says for c in cases(at_home, "spread").values()} == {says}
    assert {c.says for c in cases(at_home, "center").values()} == {says}


@pytest.mark.parametrize(
    ("center", "says"),
    [
        ("return x - as_columns(row_means(mean))", "There is no variable or function named `mean` here."),
        ("return x - as_columns(row_means(x)), 0", "You returned a tuple of 2"),
        ("return (x - as_columns(row_means(x)))[..., None]", "The shape is"),
    ],
)
def test_what_no_value_of_another_exercise_can_cause_is_told_at_once(
    assignment: Assignment, edited: Edited, cases: Cases, center: str, says: str
) -> None:
    """At home, too, where nothing can be judged on top of that exercise: wrong numbers there bring no wrong shape here."""
    text = edited(row_means="return x.max(-1)", center=center)
    at_home = check(Source("means", (Chunk("means.py", text),)), public_bundle(public_oracle(assignment)))
    failing = [case for case in cases(at_home, "center").values() if case.status is not Status.PASSED]
    assert {case.lead.startswith(says) for case in failing} == {True}, [case.lead for case in failing]
    assert {case.waits_for for case in failing} == {""}


def test_a_crash_inside_of_what_passes_points_at_the_call(graded: Graded, edited: Edited, cases: Cases) -> None:
    """What meets there is wrong because of what is handed in."""
    first = "It fails inside your `row_means`, whose own cases pass: look at what your `center` hands to it."
    for case in cases(graded(edited(center="return x - as_columns(row_means(3))")), "center").values():
        public = case.visibility is Visibility.PUBLIC
        kind = "`x` is a single int, which has no `sum`." if public else explain_kind("no_such_attribute")
        assert case.lead == f"{first} {kind}"


def test_no_mistake_is_seen_behind_an_exercise_that_shows_it_does_not_make_it(oracle: Oracle) -> None:
    """Its name stands only where the code that fails does not call it, and may have made the same mistake in a copy of it."""
    mistake = ("skips_the_first",)  # of `row_means`
    judged = tuple(
        judge_trial(
            oracle,
            trial,
            (oracle.answers(mistake, trial) or ()) if name == "center" else oracle.expected(trial),
            oracle.expected(trial),
        )
        for name in ("row_means", "center")
        for trial in oracle.trials_of(name)
    )
    (copied,) = Named(oracle, judged).values()
    assert copied
    assert copied.names == mistake
    (calling,) = Named(oracle, judged, lambda _: {"row_means"}).values()
    assert calling is None


def test_what_hangs_in_another_exercise_waits_for_it(assignment: Assignment, edited: Edited, cases: Cases) -> None:
    """At home as well, where nothing is judged beside it: three loops that never end are not three mistakes."""
    hurried = replace(assignment, limits=replace(assignment.limits, case_seconds=0.3))
    at_home = check(
        Source.of("means.py", edited(row_means="while True:\n    pass")), public_bundle(public_oracle(hurried))
    )
    for name in ("center", "spread"):
        first, *others = {(c.status, c.waits_for) for c in cases(at_home, name).values()} - {(Status.SKIPPED, "")}
        assert (first, others) == ((Status.TIMEOUT, "row_means"), [])


def test_a_loop_at_home_ends_by_the_limit_of_public_cases(assignment: Assignment, edited: Edited, cases: Cases) -> None:
    """Hidden cases that take long do not keep a student waiting."""
    patient = replace(assignment, limits=replace(assignment.limits, case_seconds=60.0, home_case_seconds=0.3))
    source = Source.of("means.py", edited(row_means="while True:\n    for i in range(3):\n        i += 1"))
    first, *_ = cases(check(source, public_bundle(public_oracle(patient))), "row_means").values()
    line = source.chunks[0].text.partition("while True:")[0].count("\n") + 1
    assert first.message.startswith("It gave no answer within 0.3 s of computing and was stopped. ")
    assert f"It was in the loop of line {line}. Does it ever end?" in first.message


@pytest.mark.parametrize(
    ("text", "line", "loops"),
    [
        ("def f():\n    while True:\n        for i in [1]:\n            i\n", 4, (2,)),
        ("def f():\n    while True:\n        for i in count():\n            i\n", 4, (3, 2)),
        ("def f():\n    while a:\n        while b:\n            i\n", 4, (3, 2)),
        ("def f():\n    for a in b:\n        for c in a:\n            i\n", 4, (3,)),
        ("while True:\n    def f():\n        for i in [1]:\n            i\n", 4, (3,)),
        ("def f():\n    i\n", 2, ()),
    ],
)
def test_the_loops_that_may_never_end_are_told(text: str, line: int, loops: tuple[int, ...]) -> None:
    """A loop through something finite ends, so the one around it does not; of two that may not, both are named."""
    assert Source.of("means.py", text).loops_around("means.py", line) == loops


@pytest.mark.parametrize(
    ("spread", "says"),
    [
        ("y = center(x)\nreturn y['a']", BESIDE),
        ("y = x - x.mean(-1, keepdims=True)\nreturn y['a']", ""),
        ("return x.std(-1) + 1", "Every number is one too large."),
    ],
)
def test_only_what_the_code_itself_uses_is_to_be_mended_first(
    graded: Graded, edited: Edited, cases: Cases, spread: str, says: str
) -> None:
    """The reference may call another exercise where this student does not; and what crashes may do so because of it."""
    found = cases(graded(edited(row_means="return x.max(-1)", spread=spread)), "spread")
    assert {c.says for c in found.values() if c.status is not Status.PASSED} == {says}


USED_BESIDE = {
    "called where it is right": ("x[..., 1:].sum(-1) / x.shape[-1] + center(0 * x).sum(-1)", True),
    "never called": ("x[..., 1:].sum(-1) / x.shape[-1] if x.ndim < 9 else center(x)", True),
    "called where it is wrong": ("(x[..., 1:].sum(-1) + 0 * center(x).sum(-1)) / x.shape[-1]", False),
}


@pytest.mark.parametrize("what", USED_BESIDE)
def test_a_name_gives_way_only_to_what_may_be_the_reason(
    what: str, graded: Graded, edited: Edited, cases: Cases
) -> None:
    """Code that uses an exercise with a mistake which the reference does not use there: if that is right when it is called, the name stands."""
    expression, stands = USED_BESIDE[what]
    text = edited(row_means=f"return {expression}", center="return x + as_columns(x.mean(axis=-1))")
    said = {case.says for case in cases(graded(text), "row_means").values()}
    assert said == {
        "Your sum leaves out the first entry."
        if stands
        else "It uses your `center`, which does not pass yet; mend that first."
    }


def test_a_guess_that_fits_only_the_public_case_is_not_made(graded: Graded, edited: Edited, cases: Cases) -> None:
    """A misconception has to explain every case that ran, not only one."""
    body = "return (x.sum(-1) - x[..., 0]) / 3 if x.shape == (2, 3) else x.max(-1)"
    found = cases(graded(edited(row_means=body)), "row_means")
    assert {c.diagnosis for c in found.values()} == {""}


@pytest.mark.parametrize("error", [AttributeError, RuntimeError])
def test_what_a_check_cannot_compare_fails_its_case_alone(
    assignment: Assignment, sandbox: Sandbox, edited: Edited, cases: Cases, error: type[Exception]
) -> None:
    """A check that meets what its author never thought of fails as numpy, or as torch does; the rest is graded."""

    @dataclass(frozen=True)
    class Narrow(close):
        def judge(self, calls: Any, got: Any, expected: Any) -> Finding | None:
            if isinstance(got[0].value, float):
                raise error("no such thing")
            return super().judge(calls, got, expected)

    changed = tuple(replace(c, check=Narrow()) if c.exercise == "row_means" else c for c in assignment.cases)
    text = edited(row_means="return 0.0", center="return x - x.mean(-1, keepdims=True)")
    result = grade(Source("means", (Chunk("means.py", text),)), Oracle(replace(assignment, cases=changed), 0), sandbox)
    found = cases(result, "row_means")["means_of_any_shape"]
    assert found.message == KINDS["uncomparable"]
    assert scores(result)["center"] == 2


# Error carried forward


def test_a_named_mistake_is_charged_once(graded: Graded, assignment: Assignment, cases: Cases) -> None:
    """What follows from the wrong means is right given them."""
    result = graded(with_mistakes(assignment, "skips_the_first"))
    assert scores(result) == {"row_means": 0, "center": 2, "spread": 3}
    followed = cases(result, "center")["centers_any_shape"]
    assert followed.status is Status.PASSED
    assert followed.message == "Right, given your `row_means`: what is wrong there is not charged again here."
    assert followed.diagnosis == ""


def test_a_mistake_of_its_own_is_charged_beside_a_carried_one(
    graded: Graded, assignment: Assignment, cases: Cases
) -> None:
    """Each exercise is told its own mistake."""
    result = graded(with_mistakes(assignment, "divides_by_rows", "adds_the_mean"))
    assert {c.diagnosis for c in cases(result, "row_means").values()} - {""} == {"divides_by_rows"}
    named = {c.diagnosis for c in cases(result, "center").values() if c.status is not Status.PASSED}
    assert named == {"divides_by_rows+adds_the_mean"}
    says = {c.says for c in cases(result, "center").values() if c.status is not Status.PASSED}
    assert says == {"You add the mean instead of taking it away. It also uses your `row_means`; see there."}
    assert scores(result)["center"] < 2


def test_a_mistake_without_a_name_is_charged_once_too(graded: Graded, edited: Edited, cases: Cases) -> None:
    """What follows is judged against the reference on top of the student's own means."""
    result = graded(edited(row_means="return x.max(-1)"))
    assert scores(result)["row_means"] == 0
    assert scores(result)["center"] == 2
    followed = cases(result, "center")["centers_any_shape"]
    assert followed.message == "Right, given your `row_means`: what is wrong there is not charged again here."


class Patient:
    """A sandbox with limits of its own, whatever a job's are."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.isolation = sandbox.isolation
        self._sandbox = sandbox

    def run(self, job: Job) -> JobResult:
        """Run a job as if its limits were the usual ones."""
        return self._sandbox.run(replace(job, limits=Limits()))

    def close(self) -> None:
        """It is not ours."""


def followed(assignment: Assignment, sandbox: Sandbox, text: str) -> set[str]:
    """Return the cases that only follow from mistakes elsewhere."""
    oracle, patient, source = Oracle(assignment, 0), Patient(sandbox), Source("means", (Chunk("means.py", text),))
    requests = tuple(request for trial in oracle.trials for request in trial.requests)
    judged = judge_all(oracle, patient.run(Job(source, requests, assignment.limits)))
    return {trial.case.name for trial in oracle.follow(source, patient, judged).follows}


def with_reference(assignment: Assignment, *edits: tuple[str, str]) -> Assignment:
    """Return the assignment with another reference."""
    reference = assignment.reference
    for old, new in edits:
        assert old in reference
        reference = reference.replace(old, new)
    return replace(assignment, reference=reference, misconceptions=())


WRONG_MEANS = ("total = x.sum(axis=-1)\n    return total / x.shape[-1]", "return x.max(-1)")


def test_what_follows_does_not_depend_on_the_clock(assignment: Assignment, sandbox: Sandbox) -> None:
    """Where the reference waits, for a processor or for others, a verdict stays what it is."""
    wrong = with_reference(assignment, WRONG_MEANS).reference
    waiting = "means = as_columns(row_means(x))\n    __import__('time').sleep(0.05)"
    slow = with_reference(assignment, ("means = as_columns(row_means(x))", waiting))
    hasty = replace(slow, limits=Limits(case_seconds=0.01, import_seconds=0.01))
    assert followed(hasty, sandbox, wrong) == followed(assignment, sandbox, wrong) != set()


def test_a_reference_that_never_ends_on_a_wrong_answer_is_stopped(assignment: Assignment, sandbox: Sandbox) -> None:
    """Such as a loop until rows are centered; the cases that need no loop are still followed."""
    loop = "means = as_columns(row_means(x))\n    while (abs((x - means).sum(-1)) > 1e-6).any(): pass"
    looping = with_reference(assignment, ("means = as_columns(row_means(x))", loop))
    text = with_reference(assignment, WRONG_MEANS).reference
    of_center = {c.name for c in assignment.cases if c.exercise == "center"}
    assert followed(looping, sandbox, text) == followed(assignment, sandbox, text) - of_center


def test_two_known_mistakes_that_never_end_together_are_stopped(assignment: Assignment) -> None:
    """Each alone does, and more is not proved of them."""
    counts = "left = 4\n    while left != 0:\n        left -= 1\n    total = x.sum(axis=-1)"
    counting = with_reference(assignment, ("total = x.sum(axis=-1)", counts))
    edits = {"one_more": ("left = 4", "left = 5"), "in_pairs": ("left -= 1", "left -= 2")}
    bank = tuple(Misconception(name, "row_means", *edit, "", "") for name, edit in edits.items())
    oracle = Oracle(replace(counting, misconceptions=bank), 0)
    trial = oracle.trials_of("row_means")[0]
    found = [oracle.answers(names, trial) or () for names in (("one_more",), ("in_pairs",), ("one_more", "in_pairs"))]
    assert [{outcome.ending for outcome in outcomes} for outcomes in found] == [
        {Ending.RETURNED}, {Ending.RETURNED}, {Ending.RAISED}
    ]  # fmt: skip


def test_a_followed_case_draws_what_its_calls_draw_in_the_sandbox(assignment: Assignment, sandbox: Sandbox) -> None:
    """The random state is set when a case begins, and not for each of its calls."""

    @hidden_case("center", check=close())
    def twice(rng: np.random.Generator) -> Iterator[Call]:
        """Two calls of one case."""
        yield call(rng.normal(size=(2, 3)))
        yield call(rng.normal(size=(2, 3)))

    noisy = with_reference(assignment, ("return x - means", "return x - means + np.random.rand()"))
    of_means = tuple(c for c in noisy.cases if c.exercise == "row_means")
    noisy = replace(noisy, cases=(*of_means, twice))
    text = with_reference(noisy, WRONG_MEANS).reference
    assert "twice" in followed(noisy, sandbox, text)


def test_an_interrupt_ends_the_reference_s_work() -> None:
    """Ctrl-C and SIGTERM are for the grader; neither is an answer of the code that it meets."""
    program = Program("interrupted", notebook=False)
    ends = "from autograder.sandbox.termination import terminate\n\ndef g():\n    terminate()"
    program.load([("interrupted.py", f"def f():\n    raise KeyboardInterrupt\n{ends}")])
    with pytest.raises(KeyboardInterrupt):
        run_requests(program, (Request("f", (), {}, None, "g", "f"),))
    with pytest.raises(Terminated):
        run_requests(program, (Request("g", (), {}, None, "g", "g"),))


def test_an_interrupt_ends_the_reference_s_import(assignment: Assignment) -> None:
    """The reference is not broken when SIGTERM comes while it is read; an exit of its own is its author's to mend."""
    ended = "from autograder.sandbox.termination import terminate\nterminate()\n"
    with pytest.raises(Terminated):
        Oracle(replace(assignment, reference=ended), 0).reference()
    with pytest.raises(BrokenReferenceError, match="cannot be imported"):
        Oracle(replace(assignment, reference="raise SystemExit(1)\n"), 0).reference()


def test_a_case_that_draws_is_alone_with_the_random_state() -> None:
    """Other threads judge other students meanwhile; there is one state for them all."""
    program = Program("drawing", notebook=False)
    text = "import time, numpy as np\ndef f():\n    time.sleep(0.02)\n    return np.random.rand()"
    program.load([("drawing.py", text)])
    requests = [(Request("f", (), {}, None, "g", "f", seed=seed),) * 2 for seed in range(4)]
    alone = [run_requests(program, each) for each in requests]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda each: run_requests(program, each), requests)) == alone


CHEATS = {
    "crash": ("raise ValueError", "return row_means(x)", "return row_means(x)"),
    "crash_but_in_the_example": (
        "return np.array([3.0, 6.0]) if x[0].sum() == 9.0 else 1 / 0",
        "return np.array([[-2.0, -1, 3], [-2, -1, 3]]) if x[0].sum() == 9.0 else row_means(x)",
        "return row_means(x)",
    ),
    "zeros": ("return 0 * x[..., 0]", "return x", "return 0 * x[..., 0]"),
    "nothing": ("return None", "return row_means(x)", "return row_means(x)"),
}


@pytest.mark.parametrize("how", CHEATS)
def test_breaking_the_first_exercise_earns_no_other(graded: Graded, edited: Edited, how: str) -> None:
    """A crash, or zeros, would make everything that is built on them right; it is not worth a hidden case."""
    row_means, center, spread = CHEATS[how]
    result = graded(edited(row_means=row_means, center=center, spread=spread))
    hidden = [c for e in result.exercises for c in e.cases if c.visibility is Visibility.HIDDEN]
    assert {c.status for c in hidden} & {Status.PASSED} == set()


def test_what_builds_on_nothing_written_is_judged_without_it(graded: Graded, edited: Edited, cases: Cases) -> None:
    """What is right by itself keeps its points; what is not is told to wait, unless it has a known mistake."""
    result = graded(edited(row_means="raise NotImplementedError"))
    assert set(statuses(cases(result, "row_means")).values()) == {Status.MISSING}
    told = "Right by itself: it waits for `row_means` alone, and loses no points for that."
    for name in ("center", "spread"):
        assert {(c.status, c.message) for c in cases(result, name).values()} == {(Status.PASSED, told)}
    assert result.score == sum(e.max_score for e in result.exercises if e.name != "row_means")
    told = "It builds on `row_means`, which is not written yet."
    for body, status, mistakes in (
        ("return 3 * x - as_columns(row_means(x))", Status.SKIPPED, set()),
        ("return x + as_columns(row_means(x))", Status.FAILED, {"adds_the_mean"}),
    ):
        result = graded(edited(row_means="raise NotImplementedError", center=body))
        found = cases(result, "center").values()
        assert {(c.status, c.message) for c in found} == {(status, told)}
        assert {name for c in found for name in c.mistakes} == mistakes


def test_a_crash_inside_another_exercise_points_there(graded: Graded, edited: Edited, cases: Cases) -> None:
    """Also where the calling exercise is wrong by itself, so that the crash is no excuse."""
    result = graded(edited(row_means="return x.summ()", center="return x + as_columns(row_means(x))"))
    found = cases(result, "center")["two_rows_centered"]
    assert found.status is Status.SKIPPED
    first = "It fails inside your `row_means`, which does not pass its own cases yet. Judged without it, your `center` is not right either."
    assert found.message.startswith(first)


# Hidden cases keep their data


def digits(case: CaseResult, text: str) -> list[str]:
    """Return the digits in what a student reads of a case, beyond limits, line numbers and lines of their own."""
    own = {line.strip() for line in text.splitlines()}
    lines = [line for line in case.message.splitlines() if line.strip() not in own]
    return re.findall(r"\d", re.sub(r"[Ll]ine \d+|\d+(\.\d+)? (s|MB) ", "", "\n".join(lines)))


LEAKS = {
    "values": "return x * x",
    "shape": "return x[..., None] * np.ones(len(x))",
    "text": "raise ValueError(str(x.tolist()))",
    "type_name": "raise type('E' + str(abs(x.flat[0])).replace('.', '_'), (Exception,), dict())",
    "exit_code": "import os; os._exit(int(abs(x.flat[0]) * len('hundred' * len('x' * len('twelve months')))))",
    "printed": "print(x)",
    "returned_text": "return str(x.tolist())",
    "keys": "return dict((str(v), v) for v in x.flat)",
    "nan": "return x * np.nan",
    "function_name": "exec(compile('def f_' + str(abs(x.flat[0])).replace('.', '_') + '(): raise ValueError', 'means.py', 'exec'), "
    "globals()); [f for n, f in list(globals().items()) if n.startswith('f_')][-len('x')]()",
}


@pytest.mark.parametrize("how", LEAKS)
def test_hidden_messages_hold_no_digits_of_data(graded: Graded, edited: Edited, how: str) -> None:
    """However a submission tries to show what it was called with, its message holds no number but a line's."""
    text = edited(row_means=LEAKS[how])
    result = graded(text)
    hidden = [c for e in result.exercises for c in e.cases if c.visibility is Visibility.HIDDEN]
    assert any(c.status is not Status.PASSED for c in hidden)
    for case in hidden:
        assert not digits(case, text), case.message


VALUES = (
    st.none() | st.booleans() | st.integers(-(2**64) + 1, 2**64 - 1) | st.floats() | st.text(max_size=8)
    | st.builds(Opaque, st.text(max_size=8)) | st.lists(st.floats(), max_size=3)
    | hnp.arrays("f8", st.sampled_from([(2,), (3,), (3, 5), (2, 3), ()])) | hnp.arrays("f4", (2, 3)).map(Tensor)
)  # fmt: skip
TROUBLES = st.builds(
    Trouble,
    st.sampled_from(["ValueError", "X1", "", "\x1b[31m"]),
    st.text(max_size=8),
    st.lists(st.builds(Frame, st.sampled_from(["means.py", "other"]), st.integers(-5, 50), st.text(max_size=5))).map(
        tuple
    ),
)
OUTCOMES = st.builds(
    Outcome,
    st.sampled_from(Ending),
    VALUES,
    st.lists(VALUES, max_size=2).map(tuple),
    TROUBLES | st.none(),
    st.floats(0, 10),
    st.text(max_size=20),
)


@settings(max_examples=60)
@given(st.lists(OUTCOMES, min_size=1, max_size=12))
def test_whatever_comes_out_of_a_sandbox_is_graded(oracle: Oracle, outcomes: list[Outcome]) -> None:
    """Any outcomes give a result with every case in it, points within bounds, and nothing hidden in its messages."""
    result = grade(SOURCE, oracle, Puppet(lambda i: outcomes[i % len(outcomes)]))
    assert [len(oracle.trials_of(e.name)) for e in result.exercises] == [len(e.cases) for e in result.exercises]
    for exercise in result.exercises:
        assert 0 <= exercise.score <= exercise.max_score
        for case in exercise.cases:
            if case.visibility is Visibility.HIDDEN and case.status is not Status.GRADER_ERROR:
                assert not digits(case, ""), case.message


# When it is the grader that fails


def test_a_sandbox_that_faults_costs_the_student_nothing(oracle: Oracle) -> None:
    """Every case is a GRADER_ERROR, and the problem says whose it is."""
    fault = Outcome(Ending.FAULT, trouble=Trouble("", "the worker did not start"))
    result = grade(SOURCE, oracle, Puppet(lambda _: fault, loading=fault))
    assert {c.status for e in result.exercises for c in e.cases} == {Status.GRADER_ERROR}
    assert result.problem.startswith("The grader itself failed here. That is not your doing")
    assert "the worker did not start" in result.problem


def test_a_fault_in_the_middle_is_told_at_its_case(oracle: Oracle, cases: Cases) -> None:
    """The others keep what they earned."""
    trials = list(oracle.trials)
    right = [outcome for trial in trials for outcome in oracle.expected(trial)]
    fault = Outcome(Ending.FAULT, trouble=Trouble("", "no memory"))
    result = grade(SOURCE, oracle, Puppet(lambda i: fault if i == 0 else right[i]))
    found = cases(result, "row_means")
    assert statuses(found) == {"two_rows": Status.GRADER_ERROR, "means_of_any_shape": Status.PASSED}
    assert found["two_rows"].message.startswith("The grader itself failed here. That is not your doing")
    assert scores(result) == {"row_means": 1.5, "center": 2, "spread": 3}


def test_a_broken_reference_is_never_the_students_fault(assignment: Assignment) -> None:
    """An author's mistake is raised, not graded."""
    for text in (
        assignment.reference.replace("return x - means", "return x - meens"),
        assignment.reference.replace("import numpy as np", "import numpyy as np"),
        assignment.reference.replace("return x - means", "return {1, 2}"),
    ):
        oracle = Oracle(replace(assignment, reference=text), 0)
        with pytest.raises(BrokenReferenceError):
            list(map(oracle.expected, oracle.trials))


def test_a_misconception_that_is_no_python_explains_nothing(
    assignment: Assignment, sandbox: Sandbox, cases: Cases
) -> None:
    """It cannot be what a student did, and breaks no one's grading."""
    bad = Misconception("no_python", "row_means", "total / x.shape[-1]", "total /", "two_rows", "Never.")
    oracle = Oracle(replace(assignment, misconceptions=(bad, *assignment.misconceptions)), 0)
    text = with_mistakes(assignment, "skips_the_first")
    result = grade(Source("means", (Chunk("means.py", text),)), oracle, sandbox)
    assert {c.diagnosis for c in cases(result, "row_means").values()} == {"skips_the_first"}


def test_edits_that_change_the_same_words_cannot_be_combined(assignment: Assignment) -> None:
    """Two misconceptions that change the same text are never both made."""
    adds = next(m for m in assignment.misconceptions if m.name == "adds_the_mean")
    other = replace(adds, name="multiplies", new=adds.new.replace("+", "*"))
    assert apply_edits(assignment.reference, (adds, other)) is None


def test_edits_of_one_line_can_be_combined() -> None:
    """Where one edit reaches around another, but changes other words, both are made."""
    line = "return weigh(x, a) + c * d\n"
    ends = Misconception("ends", "e", line, "return weigh(y, a) + c / d\n", "case", "Says.")
    middle = Misconception("middle", "e", "weigh(x, a) + c", "weigh(x, -a) - c", "case", "Says.")
    assert apply_edits(line, (ends, middle)) == "return weigh(y, -a) - c / d\n"
    assert apply_edits(line, (middle, replace(ends, new="return weigh(y, +a) + c / d\n"))) is None


def test_the_same_seed_gives_the_same_result(graded: Graded, assignment: Assignment) -> None:
    """Grading again changes nothing but the clock."""
    text = with_mistakes(assignment, "no_root")

    def timeless(result: Result) -> Any:
        return replace(
            result,
            exercises=tuple(
                replace(e, cases=tuple(replace(c, seconds=0.0) for c in e.cases)) for e in result.exercises
            ),
        )

    assert timeless(graded(text)) == timeless(graded(text))


def test_values_near_the_tolerance_do_not_depend_on_the_library(graded: Graded, edited: Edited) -> None:
    """Float noise is no mistake, in whichever order the sums are made."""
    body = (
        "total = np.zeros(x.shape[:-1], np.float32)\nfor i in reversed(range(x.shape[-1])):\n    total += x[..., i]\n"
    )
    assert graded(edited(row_means=body + "return total / np.float32(x.shape[-1])")).all_passed


def test_what_is_waited_for_is_shown_first(assignment: Assignment, graded: Callable[[str], Result]) -> None:
    """Also where it was renamed: what calls it can only say that it waits."""
    said = result_as_text("means", graded(assignment.reference.replace("def row_means(", "def row_mean(")))
    assert said.splitlines()[1].startswith("· row_means")
    assert "There is no `row_means` in your file. There is a `row_mean`. Was it renamed or removed?" in said


def test_one_import_that_is_missing_is_said_once(assignment: Assignment, graded: Callable[[str], Result]) -> None:
    """Then every function may be left out, though each is written; no student is told to write the first one."""
    text = assignment.reference.replace("import numpy as np", "import numpy", 1)
    assert text.count("np.ndarray") > 3
    said = result_as_text("means", graded(text), options=True)
    assert said.count("NameError: name 'np' is not defined") == 1
    assert "more places fail in the same way." in said
    assert "Write `import numpy as np` at the top of your file." in said
    assert "Your `row_means` was left out, because its definition fails when your file is imported." in said
    assert "To write next" not in said
    assert "renamed" not in said
