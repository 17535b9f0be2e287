"""Verdicts on code that nobody foresaw: how they are counted, and that the course's own are right."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.cli import main
from autograder.course.catalog import CORRECT, MISTAKEN, UNUSUAL, load_assignment, replacements_in
from autograder.course.places import CourseError, slugs
from autograder.course.spec import Call, call, case
from autograder.judge.checks import close
from autograder.proof.fairness import Fairness, broken, measure
from autograder.proof.restyled import DRESSES
from autograder.proof.trainings import examine_trainings
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.machine import cores

ROOT = Path(__file__).parents[1]
SLUG = "t1_means"
RIGHT = {
    "one_by_one": "def row_means(x):\n    return np.array([sum(row) / len(row) for row in x.reshape(-1, x.shape[-1])]).reshape(x.shape[:-1])\n",
    "as_a_method": "class Rows:\n    def mean(self, x):\n        return x.mean(-1)\nrow_means = Rows().mean\n",
}
REWRITTEN = {
    "mean_minus_x": "def center(x):\n    return np.mean(x, -1, keepdims=True) - x\n",
    "skips_the_first-loop": "def row_means(x):\n    total = 0\n    for i in range(1, x.shape[-1]):\n        total = total + x[..., i]\n    return total / x.shape[-1]\n",
    "skips_the_first+adds_the_mean": "def row_means(x):\n    return (x.sum(-1) - x[..., 0]) / x.shape[-1]\ndef center(x):\n    return x + row_means(x)[..., None]\n",
}


def write(course: Path, folder: str, files: dict[str, str]) -> None:
    """Put files into a folder of the tiny assignment's solutions."""
    path = course / "solutions" / SLUG / folder
    path.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (path / f"{name}.py").write_text(text, encoding="utf-8")


def measured(course: Path) -> Fairness:
    """Measure the tiny assignment at two seeds."""
    return measure(course, load_assignment(course, SLUG), (0, 1), 2, weaker=False)


def test_what_is_right_gets_full_marks_and_what_is_known_its_name(course_copy: Path) -> None:
    """Unusual code counts at every seed, a rewritten mistake once, and two mistakes at once are a pair."""
    write(course_copy, UNUSUAL, RIGHT)
    write(course_copy, MISTAKEN, REWRITTEN)
    found = measured(course_copy)
    assert broken({SLUG: found}) == ()
    assert found.unusual == len(RIGHT) + len(DRESSES)
    assert sum(found.gradings.values()) == 2 * found.unusual
    assert (found.mistaken, found.unnamed, found.wrong) == (2, (), ())
    assert (found.pairs, found.half) == (1, ())


def test_every_weaker_level_is_tried(course_copy: Path) -> None:
    """At every seed; the plain process is there on every machine."""
    found = measure(course_copy, load_assignment(course_copy, SLUG), (0, 1), 2)
    assert "C" in found.gradings
    assert len(found.gradings) > 1
    assert set(found.gradings.values()) == {2 * len(DRESSES)}


@pytest.mark.parametrize(
    ("folder", "name", "text", "told"),
    [
        (UNUSUAL, "wrong", "def row_means(x):\n    return x.max(-1)\n", "correct, but: wrong (level "),
        (UNUSUAL, "broken", "return 0\n", "correct, but: broken (level "),
        (MISTAKEN, "adds_the_mean", "def center(x):\n    return x - 7.25\n", "no name: adds_the_mean: center."),
        (
            MISTAKEN,
            "adds_the_mean",
            "def center(x):\n    return x.mean(-1, keepdims=True) - x\n",
            "wrong name: adds_the_mean: mean_minus_x",
        ),
        (MISTAKEN, "adds_the_mean", "def unused(x):\n    return x\n", "passes: adds_the_mean"),
    ],
)
def test_a_false_verdict_is_told(course_copy: Path, folder: str, name: str, text: str, told: str) -> None:
    """With the file's name first; a correct one by its cases and by every smaller call."""
    write(course_copy, MISTAKEN, {"mean_minus_x": REWRITTEN["mean_minus_x"]})
    write(course_copy, folder, {name: text})
    lines = broken({SLUG: measured(course_copy)})
    by_cases = [line for line in lines if line.startswith(f"{SLUG}: {told}")]
    by_smaller_calls = [line for line in lines if re.match(rf"{SLUG}: correct, but: {name}: \w+\.\w+, smaller ", line)]
    assert by_cases
    assert set(by_cases + by_smaller_calls) == set(lines)


# Right in every case and in the first steps, and up the hill from then on.
TIRED = "calls = []\ndef gradient(w, x, y):\n    calls.append(1)\n    return x.T @ (x @ w - y) / len(y) * (1 - 2 * (len(calls) > 30))\n"


def test_unusual_code_has_to_learn(course_copy: Path) -> None:
    """Once a file, where the assignment trains anything; other correct solutions too, which `doctor --training` tells."""
    for folder in (UNUSUAL, CORRECT):
        path = course_copy / "solutions" / "t3_learning" / folder
        path.mkdir(parents=True, exist_ok=True)
        (path / "tired.py").write_text(TIRED, encoding="utf-8")
        (path / "fresh.py").write_text("def predict(w, x):\n    return (w * x).sum(-1)\n", encoding="utf-8")
    line = load_assignment(course_copy, "t3_learning")
    found = measure(course_copy, line, (0,), 2, weaker=False)
    assert [told.partition(":")[0] for told in found.unfair] == ["tired"]
    assert "train_line.held_out_error FAILED" in found.unfair[0]
    with open_sandbox(2) as sandbox:
        proofs = list(examine_trainings(line, sandbox, 2, (0,)))
    assert [[told.partition(":")[0] for told in proof.broken] for proof in proofs] == [[], ["tired"], []]


@case("predict", check=close())
def weights_that_follow(rng: np.random.Generator) -> Iterator[Call]:
    """The line's weights are the sums over its places."""
    x = rng.normal(size=(7, 5))
    yield call(x.sum(0), x)


@pytest.mark.parametrize("anew", [None, lambda _, x: (x.sum(0), x)])
def test_no_smaller_call_misleads(course_copy: Path, anew: Callable[..., tuple[Any, ...]] | None) -> None:
    """Where an argument follows from another, it has to do so in smaller calls too; else correct code would fail there."""
    unusual = course_copy / "solutions" / "t3_learning" / UNUSUAL
    unusual.mkdir(parents=True)
    (unusual / "again.py").write_text("def predict(w, x):\n    return x @ x.sum(0)\n", encoding="utf-8")
    line = load_assignment(course_copy, "t3_learning").without_training()
    line = replace(line, cases=(replace(weights_that_follow, anew=anew),))
    found = measure(course_copy, line, (0,), 2, weaker=False)
    assert bool(found.unfair) == (anew is None)
    assert all(told.startswith("again: predict.weights_that_follow, smaller") for told in found.unfair)


def test_what_is_too_slow_is_stopped_and_nothing_else(course_copy: Path) -> None:
    """Correct code that cannot be trained in time is named by the training; it may be stopped, and may not fail."""
    path = course_copy / "solutions" / "t3_learning" / CORRECT
    path.mkdir(parents=True, exist_ok=True)
    slow = "import time\ndef predict(w, x):\n    time.sleep(0.03)\n    return x @ w\n"
    for name, text in {"slow": slow, "tired": TIRED}.items():
        (path / f"{name}.py").write_text(text, encoding="utf-8")
    line = load_assignment(course_copy, "t3_learning")
    (training,) = line.trainings
    for named, told in (((), ["slow", "tired"]), (("slow", "tired"), ["tired"])):
        named_line = replace(line, trainings=(replace(training, seconds=2.0, too_slow=named),))
        with open_sandbox(2) as sandbox:
            _, correct, _ = examine_trainings(named_line, sandbox, 2, (0,))
        assert [said.partition(":")[0] for said in correct.broken] == told


def test_of_two_mistakes_one_name_is_half(course_copy: Path) -> None:
    """The other exercise is told that no single mistake is known."""
    write(
        course_copy,
        MISTAKEN,
        {
            "skips_the_first+adds_the_mean": "def row_means(x):\n    return (x.sum(-1) - x[..., 0]) / x.shape[-1]\ndef center(x):\n    return x * 3\n"
        },
    )
    found = measured(course_copy)
    assert [line.partition(":")[0] for line in found.half] == ["skips_the_first+adds_the_mean"]
    assert broken({SLUG: found}) == ()


def test_only_own_names_of_single_mistakes_are_counted(course_copy: Path) -> None:
    """Neither a pair with a wrong name, nor a mistake that nobody notices, changes how many were named."""
    wrong = "def row_means(x):\n    return x.mean(-1)\ndef center(x):\n    return x.mean(-1, keepdims=True) - x\n"
    nothing = dict.fromkeys(("adds_the_mean", "adds_the_mean-again"), "def unused(x):\n    return x\n")
    write(course_copy, MISTAKEN, REWRITTEN | nothing | {"skips_the_first+adds_the_mean": wrong})
    found = measured(course_copy)
    assert (found.named, found.mistaken, len(found.wrong), len(found.unnoticed)) == (2, 4, 1, 2)


def test_what_only_hidden_cases_catch_is_told(
    course_copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A student cannot find such a mistake at home; the table counts those that one can, and JSON names the others."""
    write(course_copy, MISTAKEN, REWRITTEN)
    cases = course_copy / "assignments" / SLUG / "cases.py"
    shown = cases.read_text(encoding="utf-8")
    kept, found = shown.partition('@case("center"')[0], []
    for text in (shown, kept):
        cases.write_text(text, encoding="utf-8")
        asked = ["fairness", SLUG, "--seeds", "1", "--pairs", "1", "--course", str(course_copy), "--json"]
        monkeypatch.setattr("sys.argv", ["autograder", *asked])
        with pytest.raises(SystemExit):
            main()
        answer = json.loads(capsys.readouterr().out)[SLUG]
        found.append((answer["mistaken"], answer["public"], answer["unseen"]))
    assert found == [(2, 2, []), (2, 1, ["mean_minus_x"])]


def test_a_rewritten_mistake_of_nothing_is_an_error(course_copy: Path) -> None:
    """A file that is called after no misconception would be counted as a miss for ever."""
    write(course_copy, MISTAKEN, {"adds_the_man": "def center(x):\n    return x\n"})
    with pytest.raises(CourseError, match=r"adds_the_man\.py: there is no misconception adds_the_man"):
        measured(course_copy)


@pytest.mark.parametrize("option", [[], ["--json"]])
def test_the_command(
    course_copy: Path, option: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It prints a row an assignment, or JSON, and says by its exit code whether all is fair."""
    write(course_copy, MISTAKEN, {"adds_the_mean": "def center(x):\n    return x - 7.25\n"})
    monkeypatch.setattr(
        "sys.argv", ["autograder", "fairness", SLUG, "--seeds", "1", "--course", str(course_copy), *option]
    )
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    said = capsys.readouterr().out
    if option:
        assert json.loads(said)[SLUG]["mistaken"] == 1
    else:
        assert "no name: adds_the_mean: center." in said


def test_there_is_enough_to_be_fair_to() -> None:
    """At least 120 files of each kind in the course."""
    for folder in (UNUSUAL, MISTAKEN):
        assert sum(len(replacements_in(ROOT, slug, folder)) for slug in slugs(ROOT)) >= 120


@pytest.mark.slow
def test_the_course_is_fair() -> None:
    """One file in five, at one seed, untrained; `autograder fairness` grades all of them at 20, on every level, and trains them."""
    found = {
        slug: measure(ROOT, load_assignment(ROOT, slug), (0,), cores(), weaker=False, training=False, every=5)
        for slug in slugs(ROOT)
    }
    assert broken(found) == ()
