"""What the grader does in its own process with a student's answers and text is bounded, and taints no later verdict."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile_support import CALLS, COURSE

from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment, Exercise, Limits, Status, Visibility, call, case
from autograder.judge.blame import diagnosis_of, judge_trial
from autograder.judge.checks import close
from autograder.judge.crash_reasons import reason_of_crash
from autograder.judge.grade import grade
from autograder.judge.outcomes_alike import UNCOMPARABLE
from autograder.oracle.larger_run import measured
from autograder.oracle.oracle import Oracle
from autograder.oracle.replay import Replay
from autograder.sandbox.job import Ending, Isolation, Job, JobResult, Outcome, Sandbox, Source, Trouble
from autograder.sandbox.levels import open_sandbox

MOST_WORK = 5.0  # CPU seconds of the grader's own, as for the attacks; before the mending it was minutes
HOSTILE = Path(__file__).parent / "hostile"
REFERENCE = """
import numpy as np

def mask(n, share=1.0):
    return np.ones((n, int(n * share)))

def ends(lengths):
    return lengths - 1

def rows(lengths):
    last = ends(lengths)
    return np.zeros((int(lengths.max()), len(last)))
"""


class Scripted:
    """A sandbox that gives the same outcome for every request."""

    isolation = Isolation("C", (), ())

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    def run(self, job: Job) -> JobResult:
        """Answer every request."""
        return JobResult((self._outcome,) * len(job.requests), Outcome(Ending.RETURNED))

    def close(self) -> None:
        """Hold nothing."""


@case("mask", check=close())
def a_mask(rng: np.random.Generator) -> Iterator[Any]:
    """Three rows."""
    del rng
    yield call(3)


@case("rows", check=close())
def some_rows(rng: np.random.Generator) -> Iterator[Any]:
    """Rows for the longest."""
    del rng
    yield call(np.array([2, 5]))


@cache
def oracle() -> Oracle:
    """Return the oracle of exercises that reserve what they are told to."""
    names = ("mask", "ends", "rows")
    return Oracle(
        Assignment(
            slug="counts",
            title="Counts",
            file="counts.py",
            points=3.0,
            exercises=tuple(Exercise(name, 1.0, (name,)) for name in names),
            limits=Limits(),
            torch=False,
            given=(),
            reference=REFERENCE,
            stub="",
            cases=(a_mask, some_rows),
            misconceptions=(),
            correct=(),
        ),
        0,
    )


def right_inside(told: Any) -> bool:
    """Return whether calls of `mask` are found to be right that a child says it made."""
    found = oracle()
    box = Scripted(Outcome(Ending.RETURNED, told))
    return found.right_inside(Source.of("counts.py", REFERENCE), box, found.trials_of("rows"), "mask")


def test_calls_like_those_of_the_cases_are_made() -> None:
    """A right answer is found to be right, a wrong one wrong; or what follows would prove nothing."""
    assert right_inside([[[20, 0.5], np.ones((20, 10))], [[3], np.ones((3, 3))]])
    assert not right_inside([[[20, 0.5], np.zeros((20, 10))]])


@pytest.mark.parametrize(
    "told",
    [
        [[[1_000_000, 1.0], 0]],
        [[[np.int64(1_000_000)], 0]],
        [[[np.array(1_000_000)], 0]],
        [[[3, 1e12], 0]],
        [[[np.zeros(5000)], 0]],
        [[[3], np.ones((3, 3))]] * 1001,
        [[3, 0]],
        [[[3]]],
        [None],
        {"a": 1},
        np.zeros((2, 2)),
    ],
    ids=range(11),
)
def test_no_call_is_made_that_is_beyond_the_cases(told: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A child may say that it called with a million; a matrix of that size would end the grader."""
    made: list[Any] = []
    right = Replay.right
    monkeypatch.setattr(Replay, "right", lambda self, asked: made.append(asked) or right(self, asked))
    assert not right_inside(told)
    assert made == []


@pytest.mark.parametrize("after", [np.array([10**12, 5]), np.array([1e12, 5.0])], ids=["whole", "fractions"])
def test_changed_arguments_are_no_larger_than_answers_may_be(after: np.ndarray) -> None:
    """The reference goes on with arguments as the student's version left them, and may take them as counts."""
    replay, trial = Replay(oracle(), frozenset({"ends"})), oracle().trials_of("rows")[0]
    answers = {
        "kept": Outcome(Ending.RETURNED, np.array([1, 4]), (np.array([2, 6]),)),
        "huge": Outcome(Ending.RETURNED, np.array([1, 4]), (after,)),
    }
    (found,) = replay.outcomes(trial, lambda calls: (answers["kept"],) * len(calls))
    assert found.value.shape == (6, 2)
    replay = Replay(oracle(), frozenset({"ends"}))
    (found,) = replay.outcomes(trial, lambda calls: (answers["huge"],) * len(calls))
    assert found.ending is Ending.NOT_RUN


@pytest.fixture
def jailed() -> Iterator[Sandbox]:
    """Return the strongest sandbox of this machine."""
    with open_sandbox(1) as opened:
        yield opened


def test_who_spends_the_reference_s_work_gains_nothing_and_taints_nothing(
    jailed: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers that keep the reference busy leave no work for asking again among twins: not for this submission, nor for the next."""
    monkeypatch.setattr("autograder.oracle.replay.MOST_STEPS", 100_000)
    assignment = load_assignment(COURSE, CALLS)
    # What is built on the copied shares is replayed first, and what never ends last.
    assignment = replace(assignment, exercises=tuple(reversed(assignment.exercises)))
    reference = assignment.reference
    forged = (HOSTILE / "PASSED" / "forge_calls_copied.py").read_text()
    copied = reference[: reference.index("def shares")] + forged[forged.index("def shares") :]
    spends = copied.replace("return float(x[1] - x[0])", "return 1e-9 * float(x[1])").replace("place < end", "False")
    assert spends.count("1e-9") == spends.count("while False") == 1

    def points(text: str, found: Oracle) -> dict[str, float]:
        return {e.name: e.score for e in grade(Source.of("calls.py", text), found, jailed).exercises}

    alone = points(copied, Oracle(assignment, 5))
    shared = Oracle(assignment, 5)
    assert points(spends, shared)["mix"] == 0
    assert points(copied, shared) == alone
    assert alone["mix"] == 0


@pytest.mark.parametrize(("count", "compared"), [(9_900, False), (3, True)])
def test_an_answer_of_thousands_of_parts_is_compared_with_no_mistake(
    count: int, compared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With hundreds of them, in every case, that took minutes; answers of ordinary size are still compared."""
    asked: list[str] = []
    monkeypatch.setattr("autograder.judge.blame.diagnose", lambda _, exercise, *__, **___: asked.append(exercise))
    monkeypatch.setattr("autograder.judge.blame.diagnose_all_but_one", lambda *_, **__: None)
    trial = oracle().trials_of("mask")[0]
    mine = (Outcome(Ending.RETURNED, [0.5] * count),)
    judged = judge_trial(oracle(), trial, mine, oracle().expected(trial))
    assert judged.status is Status.FAILED
    assert diagnosis_of(oracle(), "mask", [judged]) is None
    assert bool(asked) is compared


def test_a_source_of_annotations_is_searched_at_once() -> None:
    """Of a crash in a public case the class is searched for what its constructor makes; each place ends the search soon."""
    source = Source.of("counts.py", f"class Net: pass\n# {'self.a:' * 30_000}\nself.weight: float = 1\n")
    trouble = Trouble("AttributeError", "'Net' object has no attribute 'weigth'")
    began = time.thread_time()
    told = reason_of_crash(trouble, Visibility.PUBLIC, source, call(3), "mask", "", {})
    assert time.thread_time() - began < MOST_WORK
    assert "`weight`" in told


RETURNED = (
    "said",
    "renamed",
    "probe",
    "answers",
    "logits",
    "changed",
    "in_pieces",
    "with_attention",
    "without",
    "lstm",
    "params",
)
SHAPES = {
    "rows of nothing": ((2**59, 0), (2**59, 0)),
    "a row and a column": ((400_000, 1), (1, 400_000)),
    "two of them in a batch": ((8, 6, 400_000, 1), (8, 6, 1, 400_000)),
    "a pile": ((400_000, 1, 8), (400_000, 1, 8)),
}


@pytest.mark.parametrize("what", SHAPES)
def test_no_metric_is_kept_busy_by_shapes(what: str) -> None:
    """What a training returns is measured here: two arrays that fit into a megabyte may broadcast to terabytes."""
    one, other = (np.broadcast_to(np.uint8(1), shape) for shape in SHAPES[what])
    value = {name: other if name in ("changed", "answers") else one for name in RETURNED}
    began = time.thread_time()
    for slug in ("a3_gates", "a7_transformer", "a8_language_model", "a9_modern_lm"):
        for training in load_assignment(HOSTILE.parents[1], slug).trainings:
            drawn = training.draw(np.random.default_rng(0))
            args = drawn if isinstance(drawn, tuple) else (*drawn.args, *drawn.secret)
            for metric in training.metrics:
                with contextlib.suppress(UNCOMPARABLE), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # numpy's, of a mean over nothing
                    assert not metric.holds(measured(metric, args, Outcome(Ending.RETURNED, value)))
    assert time.thread_time() - began < 4 * MOST_WORK
