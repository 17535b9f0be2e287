"""Where right turns into wrong in public calls whose mistake has no name: what is told, and where nothing is."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from autograder.course.spec import Assignment, Visibility, call, case
from autograder.handout.kit.bundle import read_bundle
from autograder.handout.kit.self_check import check
from autograder.handout.public_data import public_bundle, public_files, public_oracle
from autograder.judge import result
from autograder.judge.checks import close
from autograder.judge.grade import grade
from autograder.judge.reason_sentences import explain_turn
from autograder.judge.reasons import Turn
from autograder.judge.result import CaseResult
from autograder.judge.result_json import case_of, stored_case, told_case
from autograder.judge.screen import Screen
from autograder.judge.terminal_text import result_as_text
from autograder.judge.value_trails import read_trail
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Chunk, Sandbox, Source

Told = Callable[[str], dict[str, CaseResult]]
REFERENCE = """
import numpy as np


def blend(x, w):
    # BEGIN SOLUTION
    centered = x - x.mean(axis=-1, keepdims=True)
    raised = np.exp(centered)
    shares = raised / raised.sum(axis=-1, keepdims=True)
    return shares @ w
    # END SOLUTION


def run(x, w):
    # BEGIN SOLUTION
    steps = x.shape[0]
    state = np.zeros(x.shape[1])
    states = []
    for t in range(steps):
        state = np.tanh(x[t] + w @ state)
        states.append(state)
    return np.stack(states)
    # END SOLUTION
"""
X = np.array([[0.5, 2.0, -1.25, 0.75], [1.5, -0.25, 3.0, 0.125], [0.3, 0.9, -2.1, 1.7]])
W = np.random.default_rng(1).normal(size=(4, 4)).round(2)


@case("blend", check=close())
def blended(rng: np.random.Generator) -> Any:
    """Shares of the rows of `w`."""
    yield call(X, W)


@case("run", check=close())
def three_steps(rng: np.random.Generator) -> Any:
    """A state for each row."""
    yield call(X, W)


@pytest.fixture(scope="module")
def course(assignment: Assignment) -> Assignment:
    """Return an assignment with two exercises of some lines each, and a known mistake that no test here makes."""
    exercise, known = assignment.exercises[0], assignment.misconceptions[0]
    exercises = tuple(replace(exercise, name=name, blanks=(name,), uses=(), points=1) for name in ("blend", "run"))
    mistakes = tuple(
        replace(known, name=f"{name}_known", exercise=name, old=old, new=new, caught_by=caught, twins=())
        for name, old, new, caught in (
            ("blend", "shares @ w", "shares @ w * 7", "blended"),
            ("run", "np.stack(states)", "np.stack(states) * 7", "three_steps"),
        )
    )
    cases = tuple(replace(c, visibility=Visibility.PUBLIC) for c in (blended, three_steps))
    return replace(
        assignment, exercises=exercises, cases=cases, misconceptions=mistakes, reference=REFERENCE, correct=(), given=(), shortcuts=(), points=2
    )  # fmt: skip


@pytest.fixture(scope="module")
def oracle(course: Assignment) -> Oracle:
    """Return the oracle of these two exercises."""
    return Oracle(course, 1)


@pytest.fixture(scope="module")
def told(course: Assignment, oracle: Oracle, sandbox: Sandbox) -> Told:
    """Return a function that grades a text, and gives its cases by name."""

    def of(text: str) -> dict[str, CaseResult]:
        found = grade(source(course, text), oracle, sandbox)
        return {c.name: c for e in found.exercises for c in e.cases}

    return of


def source(course: Assignment, text: str) -> Source:
    """Return a text as a submission."""
    return Source("means", (Chunk(course.file, text),))


def written(blend: str = "", run: str = "") -> str:
    """Return a submission with these bodies."""
    head = "import numpy as np\n\n"
    bodies = {"blend": blend, "run": run}
    return head + "\n\n".join(
        f"def {name}(x, w):\n" + "".join(f"    {line}\n" for line in (body or "return x").splitlines())
        for name, body in bodies.items()
    )


def line_of(text: str, code: str) -> int:
    """Return the last line that begins with some code."""
    return max(number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith(code))


BLEND = """
middle = x - np.mean(x, axis=-1)[:, None]
e = np.exp(middle)
weights = e / e.sum(axis=0)
return weights @ w
""".strip()
RUN = """
h, every = np.zeros(len(w)), []
for row in x:
    h = np.tanh(row + w.T @ h)
    every.append(h)
return np.array(every)
""".strip()


def test_the_last_right_value_and_what_comes_after_it_are_told(told: Told) -> None:
    """However the variables are called; no value of the reference is named, and no line of it."""
    text = written(blend=BLEND)
    found = told(text)["blended"]
    lines = (line_of(text, "weights ="), line_of(text, "return weights"))
    assert found.turn == Turn("means.py", "e", line_of(text, "e ="), lines)
    assert found.where == (
        f"`e`, set in means.py, line {lines[0] - 1}, is right: a correct solution has the same values on the way. "
        f"Look at lines {lines[0]} and {lines[1]}, and for a step that is missing there."
    )


def test_in_a_loop_the_pass_is_told(told: Told) -> None:
    """A state that begins as zeros is right once, whatever it is multiplied with."""
    text = written(run=RUN)
    found = told(text)["three_steps"].turn
    assert found
    assert (found.name, found.line, found.passes) == ("h", line_of(text, "h = np.tanh"), 1)
    assert line_of(text, "h = np.tanh") in found.lines


@pytest.mark.parametrize(
    "body",
    [
        "m = x - x.mean(axis=0)\ne = np.exp(m)\nreturn e / e.sum(axis=-1, keepdims=True) @ w",  # wrong from the first on
        BLEND.replace("middle", "raised"),  # right, but correct solutions call something else so
        "return np.cumsum(x @ w, axis=0) + np.sin(x).sum()",
        "import sys\nsys.settrace(None)\n" + BLEND,
    ],
)  # fmt: skip
def test_nothing_is_told_where_nothing_is_surely_right(told: Told, body: str) -> None:
    """Nor where the name says that a right value may stand in the wrong place, or the trail was stopped."""
    found = told(written(blend=body))["blended"]
    assert found.turn is None or found.turn.name not in ("raised", "m")
    assert found.turn is None or "raised" in body
    assert found.says


def test_what_was_made_before_the_last_right_value_is_told_where_it_is_used_after_it(told: Told) -> None:
    """Lines go by what the wrong value was made of, not by their order."""
    text = written(blend="size = np.abs(x).max(axis=0)\n" + BLEND.replace("e.sum(axis=0)", "e.sum(axis=-1, keepdims=True) * size"))  # fmt: skip
    found = told(text)["blended"].turn
    assert found
    assert (found.name, line_of(text, "size =") in found.lines) == ("e", True)


def test_a_helper_of_the_students_is_looked_into(told: Told) -> None:
    """Its lines are told, and not those of the call around it alone."""
    text = written(blend="e = np.exp(x - x.mean(axis=-1, keepdims=True))\nreturn scaled(e) @ w")
    text += "\n\ndef scaled(rows):\n    total = rows.sum(axis=0)\n    return rows / total\n"
    found = told(text)["blended"].turn
    assert found
    assert line_of(text, "total = rows") in found.lines


def test_a_variable_that_is_set_to_the_same_again_may_be_wrong(told: Told) -> None:
    """As a state that never moves on."""
    start = "start = np.zeros(len(w))\nstate = start\nevery = []\n"
    loop = "for t in range(len(x)):\n    new = np.tanh(x[t] + w @ state)\n    every.append(new)\n    state = start\n"
    text = written(run=start + loop + "return np.array(every)")
    found = told(text)["three_steps"].turn
    assert found is None or line_of(text, "state = start") in found.lines


def test_what_only_a_hidden_case_sees_is_not_told(course: Assignment, sandbox: Sandbox) -> None:
    """Nor is anything told of a hidden case beside a public one."""
    hidden = tuple(replace(c, visibility=Visibility.HIDDEN) for c in course.cases)
    found = grade(source(course, written(BLEND, RUN)), Oracle(replace(course, cases=hidden), 1), sandbox)
    assert [c.turn for e in found.exercises for c in e.cases] == [None, None]


def test_what_a_correct_solution_goes_on_to_change_is_not_told_as_right(course: Assignment, sandbox: Sandbox) -> None:
    """The step that changes it may be the one that is missing."""
    changed = REFERENCE.replace("shares", "raised")
    mistakes = tuple(replace(m, old=m.old.replace("shares", "raised")) for m in course.misconceptions)
    oracle = Oracle(replace(course, reference=changed, misconceptions=mistakes), 1)
    found = grade(source(course, written(blend=BLEND)), oracle, sandbox)
    told = next(c.turn for e in found.exercises for c in e.cases)
    assert told
    assert told.name == "middle"


def test_a_sum_over_a_part_is_not_told_as_right(told: Told) -> None:
    """A loop that stops too early ends with what a correct solution has in one of its passes."""
    text = written(run=RUN.replace("in x:", "in x[:2]:") + "\nlast = h")
    found = told(text)["three_steps"].turn
    assert found is None or line_of(text, "for row in") in found.lines


def test_at_home_the_same_is_told(course: Assignment, told: Told, tmp_path: Path) -> None:
    """A handout has the values of correct solutions on the way, and not their names."""
    for name, data in public_files(public_oracle(course)).items():
        (tmp_path / name).write_bytes(data)
    graded = told(written(BLEND, RUN))
    assert all(graded[name].turn for name in ("blended", "three_steps"))
    for bundle in (read_bundle(tmp_path), public_bundle(public_oracle(course))):
        found = check(source(course, written(BLEND, RUN)), bundle)
        assert {c.name: c.turn for e in found.exercises for c in e.cases} == {n: c.turn for n, c in graded.items()}


def test_a_turn_is_stored_and_shown(course: Assignment, oracle: Oracle, sandbox: Sandbox) -> None:
    """As data and as a sentence, in the terminal too."""
    found = grade(source(course, written(blend=BLEND)), oracle, sandbox)
    shown = next(c for e in found.exercises for c in e.cases if c.turn)
    again = case_of(stored_case(shown))
    assert (again.turn, again.where) == (shown.turn, shown.where)
    known = json.loads((Path(result.__file__).parents[1] / "classroom/result.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(
        json.loads(json.dumps(told_case(shown, 0.5))), {**known["$defs"]["case"], "$defs": known["$defs"]}
    )
    assert "a correct solution has the same values on the way" in result_as_text("", found, Screen(width=1000))


@pytest.mark.parametrize(
    "value",
    [
        None,
        [True],
        [True, np.zeros((1, 4), np.int64), [], np.zeros((0, 2), np.int64), [], [], {}],
        [True, np.array([[1, 5, 0, 1]]), [["f", "means.py"]], np.zeros((0, 2), np.int64), [], [], {}],
        [True, np.zeros((10_000, 4), np.int64), [["f", "means.py"]], np.zeros((0, 2), np.int64), [], [], {}],
        [True, np.array([[1, -1, 0, 1]]), [["f", "means.py"]], np.array([[7, 7]]), ["x"], [np.zeros(3)], {}],
        [True, np.array([[1, -1, 0, 1]]), [["f", "means.py"]], np.zeros((0, 2), int), [], [], {"means.py": [[1, 10**9, [], [], [], []]]}],
        [1, np.array([[1, -1, 0, 1]]), [["f", "means.py"]], np.zeros((0, 2), np.int64), [], [], {}],
    ],
)  # fmt: skip
def test_what_a_child_makes_up_is_no_trail(value: Any) -> None:
    """It may send anything that is data."""
    assert read_trail(value) is None


def test_places_that_are_none_of_the_submissions_are_not_told(told: Told) -> None:
    """A child can make up files and names, to carry something."""
    inner = BLEND.replace("\n", "\n    ")
    body = f"code = '''def made(x, w):\n    {inner}\n'''\nexec(compile(code, 'other.py', 'exec'), globals())\nreturn made(x, w)"
    assert told(written(blend=body))["blended"].turn is None


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((4,), "line 4,"),
        ((4, 5), "lines 4 and 5,"),
        ((4, 5, 6), "lines 4-6,"),
        ((2, 4, 5, 6, 9), "lines 2, 4-6 and 9,"),
    ],
)
def test_lines_that_follow_each_other_are_told_as_one_range(lines: tuple[int, ...], said: str) -> None:
    """From three on."""
    assert f"Look at {said} and" in explain_turn(Turn("means.py", "e", 3, lines))
