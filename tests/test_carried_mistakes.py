"""A known mistake that is charged in its own exercise is not charged again by the training that uses it; anything else is."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

from autograder.course.catalog import load_assignment
from autograder.course.edits import apply_edits
from autograder.course.spec import Assignment, Status
from autograder.judge.grade import grade
from autograder.judge.result import Result
from autograder.oracle.carried_mistakes import carried_by
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.sandbox.job import Sandbox, Source
from autograder.sandbox.levels import open_sandbox

ROOT = Path(__file__).parents[1]
UPHILL = ("(predict(w, x) - y)", "(y - predict(w, x))")  # does not learn
HALVED = ("/ len(y)", "/ (2 * len(y))")  # learns, at half the pace
UNKNOWN = ("return x.T @", "return 3 * x.T @")  # no known mistake
COLUMN = ("/ len(y)\n", "/ len(y) + np.zeros((3, 1))\n")  # the training crashes on it
BANK = """
MISCONCEPTIONS += (
    Misconception(
        "halved",
        "gradient",
        old="/ len(y)",
        new="/ (2 * len(y))",
        caught_by="any_gradient",
        says="Half of the gradient is missing.",
    ),
    Misconception(
        "a_column",
        "gradient",
        old="/ len(y)\\n",
        new="/ len(y) + np.zeros((3, 1))\\n",
        caught_by="any_gradient",
        says="A column comes back.",
    ),
)
"""
# A model that stops learning after a hundred calls, and one that takes too long for a whole run.
STALLS = "return x @ w + (sum(1 for _ in calls.append(1) or calls) > 100)"
CRAWLS = "while len(calls) > 100:\n        pass\n    calls.append(1)\n    return x @ w"


@pytest.fixture
def learning(course_copy: Path) -> Path:
    """Return a copy of the tiny course that knows of more mistakes in the gradient."""
    bank = course_copy / "solutions" / "t3_learning" / "misconceptions.py"
    bank.write_text(bank.read_text(encoding="utf-8") + BANK, encoding="utf-8")
    return course_copy


@pytest.fixture
def line(learning: Path) -> Assignment:
    """Return the assignment whose line learns."""
    return load_assignment(learning, "t3_learning")


@pytest.fixture(scope="module")
def jailed() -> Iterator[Sandbox]:
    """Return one sandbox for all tests here."""
    with open_sandbox(1) as opened:
        yield opened


def changed(assignment: Assignment, *edits: tuple[str, str]) -> str:
    """Return the reference with some of its text replaced."""
    text = assignment.reference
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


def graded(assignment: Assignment, sandbox: Sandbox, text: str, trainer: Trainer | None = None) -> Result:
    """Grade a text, training included."""
    trainer = trainer or Trainer(Oracle(assignment, 5))
    source = Source.of(assignment.file, text)
    return trainer.add_to(grade(source, trainer.oracle, sandbox), source, sandbox)


def scores(result: Result) -> dict[str, float]:
    """Return the points by exercise."""
    return {e.name: e.score for e in result.exercises}


def test_a_named_mistake_costs_nothing_in_the_training(cli: Cli, learning: Path, tmp_path: Path) -> None:
    """It is charged where it is; the training says so in a sentence that a student reads, in the page and the result."""
    works = tmp_path / "class"
    works.mkdir()
    reference = load_assignment(learning, "t3_learning")
    for name, edits in {"ann": (), "bob": (UPHILL,), "cyd": (HALVED,), "dan": (UNKNOWN,)}.items():
        (works / f"{name}.py").write_text(changed(reference, *edits), encoding="utf-8")
    out = tmp_path / "out"
    code, said, _ = cli("grade", "t3_learning", works, "-o", out, "--course", learning, "--accept-unsandboxed")
    assert code == 0, said
    found: dict[str, Any] = {
        name: json.loads((out / "results" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("ann", "bob", "cyd", "dan")
    }
    points = {name: {e["name"]: e["score"] for e in result["exercises"]} for name, result in found.items()}
    assert points == {
        "ann": {"predict": 1, "gradient": 1, "train_line": 3},
        "bob": {"predict": 1, "gradient": 0, "train_line": 3},
        "cyd": {"predict": 1, "gradient": 0, "train_line": 3},
        "dan": {"predict": 1, "gradient": 0, "train_line": 0},
    }
    first, metric = found["bob"]["exercises"][-1]["cases"]
    assert first["message"] == (
        "`gradient` is charged in its own exercise and not again here: with its mistake the reference has the same first losses."
    )
    assert metric["message"] == (
        "`gradient` is charged in its own exercise and not again here: with its mistake the reference does not get there, either."
    )
    assert found["cyd"]["exercises"][-1]["cases"][1]["message"] == ""  # it learns all the same
    page = (out / "feedback" / "bob.html").read_text(encoding="utf-8")
    assert "is charged in its own exercise and not again here" in page


SLOPE = ("return x @ w\n", "return x @ w**2\n")  # slips, which no known mistake is
TARGET = ("(predict(w, x) - y)", "(predict(w, x) - y**2)")


@pytest.mark.parametrize(("edit", "exercise"), [(SLOPE, "predict"), (TARGET, "gradient")])
def test_a_slip_costs_nothing_in_the_training(
    edit: tuple[str, str], exercise: str, line: Assignment, jailed: Sandbox
) -> None:
    """It has no name, and its answers are those of right code with a small change: that is trained as well."""
    result = graded(line, jailed, changed(line, edit))
    assert scores(result) == {"predict": 1, "gradient": 1, "train_line": 3} | {exercise: 0}
    first, _ = result.exercises[-1].cases
    assert first.follows == (exercise,)
    assert first.message.startswith(f"`{exercise}` is charged in its own exercise and not again here")


def test_what_is_wrong_beside_a_slip_is_charged(line: Assignment, jailed: Sandbox) -> None:
    """First losses are those with the slip, or the training fails as ever."""
    result = graded(line, jailed, changed(line, SLOPE, UNKNOWN))
    assert scores(result) == {"predict": 0, "gradient": 0, "train_line": 0}


def test_what_is_wrong_beside_it_is_charged(line: Assignment, jailed: Sandbox) -> None:
    """First losses are those of the named mistakes together, or the training fails as ever."""
    result = graded(line, jailed, changed(line, UPHILL, ("return x @ w\n", "return 2 * x @ w\n")))
    assert scores(result) == {"predict": 0, "gradient": 0, "train_line": 0}
    first = result.exercises[-1].cases[0]
    assert first.status is Status.FAILED
    assert "`predict` and `gradient` are used here and not right yet" in first.message


def test_two_named_mistakes_are_charged_once_each(line: Assignment, jailed: Sandbox) -> None:
    """The reference is trained with both of them."""
    result = graded(line, jailed, changed(line, UPHILL, ("return x @ w\n", "return abs(x) @ w\n")))
    assert scores(result) == {"predict": 0, "gradient": 0, "train_line": 3}
    assert (
        result.exercises[-1]
        .cases[0]
        .message.startswith("`predict` and `gradient` are charged in their own exercises and not again")
    )
    assert result.exercises[-1].cases[0].follows == ("predict", "gradient")


@pytest.mark.parametrize(
    ("body", "status"), [(STALLS, Status.FAILED), (CRAWLS, Status.TIMEOUT)], ids=["stalls", "crawls"]
)
def test_what_only_the_long_run_shows_is_charged(line: Assignment, jailed: Sandbox, body: str, status: Status) -> None:
    """With the named mistake alone the reference learns, and comes to an end."""
    text = changed(line, HALVED, ("return x @ w\n", body + "\n")) + "\n\ncalls = []\n"
    first, metric = graded(line, jailed, text).exercises[-1].cases
    assert (first.status, first.follows) == (Status.PASSED, ("gradient",))
    assert (metric.status, metric.follows) == (status, ())


def test_a_crash_of_a_named_mistake_is_charged_once(line: Assignment, jailed: Sandbox) -> None:
    """The reference breaks off with it, too."""
    result = graded(line, jailed, changed(line, COLUMN))
    assert scores(result) == {"predict": 1, "gradient": 0, "train_line": 3}
    assert result.exercises[-1].cases[0].message == (
        "`gradient` is charged in its own exercise and not again here: with its mistake the reference breaks off as yours does."
    )


def test_a_crash_hides_nothing_that_has_no_name(line: Assignment, jailed: Sandbox) -> None:
    """Beside an exercise that is wrong without a name it is unknown what the run would have come to."""
    alone = ("predict(w, x) - y", "x @ w - y")  # so that the gradient keeps its name
    result = graded(line, jailed, changed(line, COLUMN, alone, ("    return x @ w\n", "    return 2 * x @ w\n")))
    first, metric = result.exercises[-1].cases
    assert (first.follows, metric.status, metric.follows) == (("gradient",), Status.SKIPPED, ())


def test_another_crash_is_charged(line: Assignment, jailed: Sandbox) -> None:
    """Its kind is not what the named mistake gives."""
    broken = "if len(calls) > 30:\n        raise KeyError(1)\n    calls.append(1)\n    return x @ w"
    text = changed(line, UPHILL, ("return x @ w\n", broken + "\n")) + "\n\ncalls = []\n"
    result = graded(line, jailed, text)
    assert scores(result) == {"predict": 1, "gradient": 0, "train_line": 0}
    assert result.exercises[-1].cases[0].status is Status.CRASHED


def test_one_more_mistake_never_raises_the_score(line: Assignment, jailed: Sandbox) -> None:
    """Trainings included, for every pair of mistakes that can be made together."""
    trainer = Trainer(Oracle(line, 5))
    alone = {
        m: graded(line, jailed, apply_edits(line.reference, (m,)) or "", trainer).score for m in line.misconceptions
    }
    pairs = [
        (pair, text)
        for pair in itertools.combinations(line.misconceptions, 2)
        if (text := apply_edits(line.reference, pair))
    ]
    assert len(pairs) == 6
    for pair, text in pairs:
        assert graded(line, jailed, text, trainer).score <= min(alone[m] for m in pair), [m.name for m in pair]


@pytest.mark.parametrize("more", [(), ("memory_mask_inverted",)])
def test_a_mistake_that_is_made_twice_is_charged_once_and_carried_twice(more: tuple[str, ...], jailed: Sandbox) -> None:
    """Both blocks are post-norm: the dearer one is charged, whatever else is wrong there, and a training knows of both."""
    assignment = load_assignment(ROOT, "a7_transformer")
    made = {"encoder_post_norm", "decoder_post_norm", *more}
    twice = tuple(m for m in assignment.misconceptions if m.name in made)
    source = Source.of(assignment.file, apply_edits(assignment.reference, twice) or "")
    cases = assignment.without_training()
    result = grade(source, Oracle(cases, 0), jailed)
    lost = {e.name: e.max_score - e.score for e in result.exercises if e.score < e.max_score}
    assert lost.keys() == {"MaskedDecoderBlock"}
    encoder = next(e for e in result.exercises if e.name == "EncoderBlock")
    assert encoder.again == "The same mistake as in your `MaskedDecoderBlock`: it is charged there, and not again here."
    carried = carried_by(Oracle(assignment, 0), assignment.trainings[0], result)
    assert set(carried.choices[0]) == made
    assert carried.charged_at(("EncoderBlock", "MaskedDecoderBlock")) == ("MaskedDecoderBlock",)


@pytest.mark.parametrize("name", ["mean_over_padding", "starts_from_zeros", "norm_of_each_array"])
def test_a_slip_in_a_real_assignment_costs_its_own_points(name: str, jailed: Sandbox) -> None:
    """One in each of three exercises that the spelling network uses, one of them through another."""
    assignment = load_assignment(ROOT, "a2_bptt")
    mistake = next(m for m in assignment.misconceptions if m.name == name)
    result = graded(assignment, jailed, apply_edits(assignment.reference, (mistake,)) or "")
    found = {e.name: e.max_score - e.score for e in result.exercises if e.score < e.max_score}
    assert found.keys() == {mistake.exercise}
