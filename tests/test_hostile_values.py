"""Whatever values come back from a sandbox, grading ends, says something that can be shown, and gives no points for them.

The values are those that pass the codec: trees of data and arrays, of any shape. They are also made from the right ones,
slightly wrong, so that every line of the checks meets them.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
import pytest
import torch
from class_records import report_html, summary
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small import read_honestly

from autograder.classroom.record import record
from autograder.classroom.record_json import told_record
from autograder.classroom.submissions import Submission
from autograder.course.spec import (
    Assignment,
    Call,
    Case,
    Exercise,
    Limits,
    Misconception,
    Status,
    Visibility,
    call,
    case,
)
from autograder.judge.checks import (
    agree,
    answered,
    boolean,
    choice,
    close,
    permuted,
    same_prefix,
    stacked,
    sums_to_one,
    untouched,
)
from autograder.judge.grade import grade
from autograder.oracle.oracle import Oracle
from autograder.pages.feedback import feedback_html
from autograder.sandbox.child.tree import Opaque, Tensor
from autograder.sandbox.job import Chunk, Ending, Frame, Isolation, Job, JobResult, Outcome, Source, Trouble

REFERENCE = """
import numpy as np
import torch

def number(x): return float(x.sum())
def whole(x): return int(x.size)
def array(x): return x * 2
def small(x): return x.astype(np.float32)
def pair(x): return x, x.sum()
def names(x): return x * 3, x + 1
def table(x): return {"a": x, "b": 2, "c": [1.5, "text"]}
def mask(x): return x > 0
def text(x): return "yes"
def nothing(x): return None
def empty(x): return []
def tensor(x): return torch.from_numpy(x) * 2
def scores(x): return np.where(x > 0, x, -np.inf)
def softmax(x): return np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)
def running(x): return np.cumsum(x, axis=-2)
def twice(x): return x * 2.0
def quiz(): return {"q1": "a", "q2": "b"}
"""
X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])
BATCH = np.stack([X, X + 1])
CHECKS: dict[str, tuple[Any, tuple[Call, ...]]] = {
    "number": (close(), (call(X),)),
    "whole": (close(), (call(X),)),
    "array": (untouched(), (call(X), call(X * 100))),
    "small": (close(), (call(X),)),
    "pair": (close(), (call(X),)),
    "names": (close(names=("left", "right"), only="right"), (call(X),)),
    "table": (close(), (call(X),)),
    "mask": (boolean(), (call(X),)),
    "text": (close(), (call(X),)),
    "nothing": (close(), (call(X),)),
    "empty": (close(), (call(X),)),
    "tensor": (untouched(), (call(X),)),
    "scores": (close(), (call(X),)),
    "softmax": (sums_to_one(), (call(X),)),
    "running": (same_prefix(axis=-2, upto=1), (call(X), call(X + np.array([[0.0], [1.0]])))),
    "twice": (stacked(), (call(BATCH), call(BATCH[0]), call(BATCH[1]))),
    "quiz": (answered(options=("a", "b")), (Call(),)),
}
MORE = {
    "twice": (permuted(axis=0, order=(1, 0)), (call(X), call(X[[1, 0]]))),
    "small": (agree(), (call(X), call(X.copy()))),
    "array": (agree(), (call(X), call(X))),
    "quiz": (choice("q1"), (Call(),)),
    "mask": (boolean(strict=True), (call(X),)),
}
MISTAKES = tuple(
    Misconception(f"wrong_{name}", name, old, new, f"first_{name}", "You did that.")
    for name, old, new in (
        ("number", "float(x.sum())", "float(x.max())"),
        ("array", "array(x): return x * 2", "array(x): return x * 4"),
        ("pair", "return x, x.sum()", "return x, x.max()"),
        ("table", '"b": 2', '"b": 3'),
        ("mask", "x > 0\ndef text", "x < 0\ndef text"),
        ("tensor", "torch.from_numpy(x) * 2", "torch.from_numpy(x) * 4"),
        ("softmax", "/ np.exp(x).sum(axis=-1, keepdims=True)", "/ np.exp(x).sum()"),
        ("twice", "x * 2.0", "x * 5.0"),
    )
)


def _case(prefix: str, name: str, check: Any, calls: tuple[Call, ...], visibility: Visibility) -> Case:
    def generate(rng: np.random.Generator) -> Iterator[Call]:
        """Calls as given."""
        yield from calls

    generate.__name__ = f"{prefix}_{name}"
    return replace(case(name, check=check)(generate), visibility=visibility)


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    """Return an oracle with every check there is, each for public and hidden cases."""
    cases = [
        _case(f"{prefix}{visibility[0]}", name, check, calls, visibility)
        for visibility in (Visibility.PUBLIC, Visibility.HIDDEN)
        for prefix, group in (("first", CHECKS), ("more", MORE))
        for name, (check, calls) in group.items()
    ]
    assignment = Assignment(
        slug="values",
        title="Values",
        file="values.py",
        points=float(len(CHECKS)),
        exercises=tuple(Exercise(name, 1.0, (name,)) for name in CHECKS),
        limits=Limits(),
        torch=False,
        given=(),
        reference=REFERENCE,
        stub="",
        cases=tuple(cases),
        misconceptions=MISTAKES,
        correct=(),
    )
    made = Oracle(assignment, 0)
    for trial in made.trials:
        made.expected(trial)
    return made


def _flat(value: Any) -> np.ndarray:
    return np.asarray(value.array if isinstance(value, Tensor) else value)


def _as_list(value: Any) -> Any:
    return value if not isinstance(value, np.ndarray) else value.tolist()


# Ways of being nearly right: each makes something else of the right value, and may fail on some.
NEARLY: tuple[Callable[[Any], Any], ...] = (
    lambda v: v,
    lambda v: _flat(v) * 0,
    lambda v: _flat(v) > 0,
    lambda v: _flat(v).astype(np.float16),
    lambda v: _flat(v).astype(np.uint8),
    lambda v: _flat(v).astype(np.int64) * (2**62),
    lambda v: _flat(v) * np.nan,
    lambda v: _flat(v) * np.inf,
    lambda v: _flat(v) * 1e308 * 10,
    lambda v: _flat(v) + 1e-4 * np.abs(_flat(v)).max(),
    lambda v: _flat(v) * (1 + 1e-4),
    lambda v: np.where(np.isfinite(_flat(v)), _flat(v), 0),
    lambda v: np.where(np.isfinite(_flat(v)), _flat(v), np.nan),
    lambda v: _flat(v)[None],
    lambda v: _flat(v).ravel(),
    lambda v: _flat(v)[:0],
    lambda v: np.broadcast_to(_flat(v).ravel()[:1], (60, 60)).copy(),
    lambda v: Tensor(_flat(v)),
    lambda v: Tensor(_flat(v) > 0),
    _as_list,
    lambda v: [v],
    lambda v: (v, v),
    lambda v: {"a": v},
    lambda v: [*v][::-1],
    lambda v: [*v, None],
    lambda v: tuple(NEARLY[2](part) for part in v),
    lambda v: {key: NEARLY[6](part) for key, part in v.items()},
    lambda v: {**v, 5: None},
    lambda _: {True: 1, 0: 2, "": 3, "a": 4},
    lambda v: {key: {} for key in v},
    lambda v: dict.fromkeys(v, "C \x00"),
    lambda v: float(_flat(v).ravel()[0]),
    lambda v: int(_flat(v).ravel()[0]),
    str,
    lambda v: np.float32(_flat(v).ravel()[0]),
    lambda _: np.bool_(True),
    lambda v: Opaque(type(v).__name__),
)
ODD = (
    *(np.zeros((2**40, 0)), np.zeros((0, 2**40)), np.zeros((0,)), np.zeros(()), np.zeros((1,) * 16)),
    *(np.array(True), np.float16(np.inf), np.uint64(2**64 - 1), np.int8(-128), np.full((3, 3), -128, np.int8)),
    *(Tensor(np.zeros((2**30, 0))), Tensor(np.zeros(())), Tensor(np.array([np.nan])), Opaque(""), Opaque("x\x00<b>")),
    *(2**63, -(2**63), 5e-324, -0.0, float("nan"), float("inf"), "", "x" * 1_000_000, {}, [], (), {"": ""}, [[[[]]]]),
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**64), 2**64)
    | st.floats()
    | st.text(max_size=5)
    | st.builds(Opaque, st.text(max_size=5))
    | st.sampled_from(ODD)
)
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(-3, 3), inner, max_size=3)
    ),
    max_leaves=6,
)
TROUBLES = st.builds(
    Trouble,
    st.text(max_size=80) | st.sampled_from(["ValueError", "NotImplementedError", ""]),
    st.text(max_size=50),
    st.lists(
        st.builds(
            Frame, st.sampled_from(["values.py", "cell 1", ""]), st.integers(-(2**63), 2**63), st.text(max_size=20)
        ),
        max_size=3,
    ).map(tuple),
)
ENDINGS = st.sampled_from([e for e in Ending if e is not Ending.RETURNED])


class Scripted:
    """A sandbox that returns what a test draws, in place of what the reference would give."""

    isolation = Isolation("C", (), ())

    def __init__(self, right: dict[tuple[str, int], Outcome], draw: Callable[[Outcome], Outcome]) -> None:
        self._right, self._draw = right, draw

    def run(self, job: Job) -> JobResult:
        """Answer every request; those that are no case's own are answered as the number's."""
        if reading := read_honestly(job):
            return reading
        seen: dict[str, int] = {}
        outcomes = []
        for request in job.requests:
            seen[request.group] = seen.get(request.group, -1) + 1
            key = (request.group, seen[request.group])
            outcomes.append(self._draw(self._right.get(key, next(iter(self._right.values())))))
        return JobResult(tuple(outcomes), Outcome(Ending.RETURNED))

    def close(self) -> None:
        """Hold nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Hold nothing."""


SOURCE = Source("values", (Chunk("values.py", "def number(x):\n    return x\n"),))


def shown(oracle: Oracle, draw: Callable[[Outcome], Outcome]) -> dict[str, Any]:
    """Grade what is drawn and make every page of it; return the record."""
    right = {
        (f"{trial.case.exercise}.{trial.case.name}", number): outcome
        for trial in oracle.trials
        for number, outcome in enumerate(oracle.expected(trial))
    }
    with Scripted(right, draw) as sandbox, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's, on overflow: they cost nobody anything
        result = grade(SOURCE, oracle, sandbox)
    found = record(oracle.assignment, Submission("student", "student.py", SOURCE), result, sandbox.isolation, 0, 1.0)
    entry = told_record(found)
    json.dumps(entry, allow_nan=False)
    assert feedback_html(found)
    assert report_html([found], summary(isolation=found.isolation))
    assert len(json.dumps(entry)) < 1_000_000
    return entry


def test_right_values_pass(oracle: Oracle) -> None:
    """What the reference gives earns everything, or what follows would prove nothing."""
    assert shown(oracle, lambda outcome: outcome)["score"] == len(CHECKS)


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_odd_values(oracle: Oracle, odd: Any) -> None:
    """Each odd value, in place of all answers, in all arguments and deep inside, is graded and earns nothing."""
    for value in (odd, [odd], (odd, odd), {"a": odd, "b": odd, "c": odd}, {"q1": odd, "q2": odd}):
        entry = shown(oracle, lambda _, value=value: Outcome(Ending.RETURNED, value, (odd,)))
        statuses = {case["status"] for exercise in entry["exercises"] for case in exercise["cases"]}
        assert statuses <= {Status.PASSED, Status.FAILED, Status.SKIPPED}
    shown(oracle, lambda outcome: replace(outcome, args=(odd, odd)))
    shown(oracle, lambda outcome: replace(outcome, args=()))


@pytest.mark.parametrize("nearly", NEARLY, ids=range(len(NEARLY)))
def test_nearly_right_values(oracle: Oracle, nearly: Callable[[Any], Any]) -> None:
    """Each way of being nearly right is graded on every check."""

    def draw(outcome: Outcome) -> Outcome:
        with np.errstate(all="ignore"):
            try:
                return replace(outcome, value=nearly(outcome.value), args=tuple(map(nearly, outcome.args)))
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                return replace(outcome, value=Opaque("cannot be made"))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shown(oracle, draw)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.data())
def test_any_values(oracle: Oracle, data: st.DataObject) -> None:
    """Trees of anything, exceptions of any name and any order of endings are graded and shown."""
    drawn = data.draw(st.lists(TREES, min_size=1, max_size=6))
    troubles = data.draw(st.lists(TROUBLES, min_size=1, max_size=3))
    random = data.draw(st.randoms(use_true_random=False))

    def draw(outcome: Outcome) -> Outcome:
        chance = random.random()
        if chance < 0.5:
            return Outcome(Ending.RETURNED, random.choice(drawn), tuple(random.choices(drawn, k=random.randrange(3))))
        if chance < 0.7:
            return replace(outcome, printed="\x1b<b>" * random.randrange(3))
        if chance < 0.9:
            return Outcome(Ending.RAISED, trouble=random.choice(troubles))
        return Outcome(random.choice(list(Ending)), trouble=random.choice([None, *troubles]))

    shown(oracle, draw)


def test_torch_is_loaded() -> None:
    """Tensors were compared here with torch in the same process, as in a grader of a torch course."""
    assert torch.ones(1).sum() == 1


def test_no_answer_outlives_its_submission(oracle: Oracle) -> None:
    """What a student's answers did to the reference they were put into, its tables and caches too, is gone for the next."""
    assignment = replace(oracle.assignment, reference=f"TABLE = [1, 2]\n{REFERENCE}")
    twice = Oracle(assignment, 0)
    spoiled = vars(twice.own_reference().module)
    spoiled["TABLE"].append("a student's")
    spoiled["number"] = None
    assert vars(twice.own_reference().module)["TABLE"] == [1, 2]
    assert callable(vars(twice.own_reference().module)["number"])
