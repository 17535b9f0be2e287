"""What touches a grade and what does not: keys change exactly when points may."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from autograder.classroom.result_keys import builds_on, engine, exercise_keys
from autograder.classroom.submissions import Submission
from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment, Limits, Visibility, call
from autograder.judge.checks import close
from autograder.oracle.oracle import Oracle
from autograder.sandbox.child.tree import Code
from autograder.sandbox.job import Chunk, Source

ALL = {"row_means", "center", "spread"}
Edit = Callable[[Assignment], Assignment]


def keys(assignment: Assignment, seed: int = 1) -> dict[str, str]:
    """Return the keys of an assignment."""
    return exercise_keys(Oracle(assignment, seed))


def touched(assignment: Assignment, edit: Edit) -> set[str]:
    """Return the exercises whose keys an edit changes."""
    before, after = keys(assignment), keys(edit(assignment))
    return {name for name in before if before[name] != after.get(name)}


def with_case(name: str, **changes: Any) -> Edit:
    """Return an edit of one case."""
    return lambda a: replace(a, cases=tuple(replace(c, **changes) if c.name == name else c for c in a.cases))


def other_calls(rng: np.random.Generator) -> Any:
    """Draw other inputs."""
    yield call(rng.normal(size=(7, 2)))


def functional_calls(rng: np.random.Generator) -> Any:
    """Call with a function and a dict."""
    yield call(Code("lambda x: x"), {"a": [1.0, None, rng.normal(size=2)]})


@dataclass(frozen=True)
class Own:
    """A check of a course's own."""

    sees_arguments: ClassVar[bool] = False
    limit: float = 1.0

    def judge(self, *_: Any) -> None:
        """Accept everything."""
        return {"a": {1, 2, 3}}.get("b")


@pytest.mark.parametrize(
    ("name", "edit", "expected"),
    [
        ("nothing", lambda a: a, set()),
        ("a hidden case's inputs", with_case("spreads_of_any_shape", generate=other_calls), {"spread"}),
        ("a check", with_case("two_spreads", check=close(names=("a",))), {"spread"}),
        ("a check of one's own", with_case("two_spreads", check=Own()), {"spread"}),
        ("a weight", with_case("two_spreads", weight=2.0), {"spread"}),
        ("a claim", with_case("two_spreads", claim="Otherwise."), {"spread"}),
        ("what center is judged by", with_case("centers_any_shape", generate=other_calls), {"center", "spread"}),
        ("what all is built on", with_case("means_of_any_shape", generate=other_calls), ALL),
        ("a case less", lambda a: replace(a, cases=tuple(c for c in a.cases if c.name != "two_spreads")), {"spread"}),
        ("its points", lambda a: replace(a, exercises=(*a.exercises[:2], replace(a.exercises[2], points=4.0))), {"spread"}),
        ("a misconception", lambda a: replace(a, misconceptions=a.misconceptions[:-1]), {"spread"}),
        ("the reference of one", lambda a: replace(a, reference=a.reference.replace("np.sqrt(m", "np.sqrt(1.0 * m")), {"spread"}),
        ("a comment", lambda a: replace(a, reference=a.reference.replace("# BEGIN", "# so\n    # BEGIN", 1)), set()),
        ("a helper", lambda a: replace(a, reference=a.reference.replace("[..., None]", "[..., None, :]")), {"center", "spread"}),
        ("a constant", lambda a: replace(a, reference=a.reference + "\nX = 1\n"), ALL),
        ("limits", lambda a: replace(a, limits=Limits(case_seconds=9.0)), ALL),
        ("the title", lambda a: replace(a, title="Other"), set()),
        ("another correct solution", lambda a: replace(a, correct=()), {"spread"}),
    ],
)  # fmt: skip
def test_what_touches_what(assignment: Assignment, name: str, edit: Edit, expected: set[str]) -> None:
    """An exercise is touched by what it is made of, and by what it builds on."""
    assert touched(assignment, edit) == expected, name


def test_the_seed_touches_everything(assignment: Assignment) -> None:
    """Other inputs are another grading."""
    assert not set(keys(assignment).values()) & set(keys(assignment, 2).values())


@pytest.mark.parametrize("what", ["python", "numpy", "torch"])
def test_other_versions_touch_everything(assignment: Assignment, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Other arithmetic may be another grade; torch's counts where the assignment uses it, and is not imported for that."""
    found = {"numpy": "2.0", "torch": "2.4", "python": "3.11.1"}
    monkeypatch.setattr("autograder.classroom.result_keys.version", found.__getitem__)
    monkeypatch.setattr("platform.python_version", lambda: found["python"])
    using = replace(assignment, torch=True)
    before = [keys(assignment), keys(using)]
    found[what] += "9"
    same = [bool(set(old.values()) & set(keys(a).values())) for old, a in zip(before, (assignment, using), strict=True)]
    assert same == [what == "torch", False]


def test_a_version_is_looked_up_without_an_import() -> None:
    """A class that is graded without torch does not wait for it; and a version that is not there is none."""
    code = "import sys; from autograder.classroom.result_keys import libraries, _version; print(libraries(torch=True), 'torch' in sys.modules, _version('x y'))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert f"'numpy {np.__version__}', 'torch 2" in said
    assert said.endswith("False not installed\n")


def test_other_code_of_the_engine_touches_everything(assignment: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    """A version has a checksum with it, since a checkout changes between versions."""
    assert engine().split("+")[0].count(".") == 2
    before = keys(assignment)
    monkeypatch.setattr("autograder.classroom.result_keys.engine", lambda: "0.0.0+other")
    assert not set(before.values()) & set(keys(assignment).values())


def test_functions_as_arguments_have_keys(assignment: Assignment) -> None:
    """Whatever a case may call with can be told apart."""
    edit = with_case("two_spreads", generate=functional_calls)
    assert touched(assignment, edit) == {"spread"}


def test_a_table_of_functions_leads_to_all_of_them(assignment: Assignment) -> None:
    """The definition of a function that is only reached through a constant counts all the same."""
    text = assignment.reference.replace("row_means(squares)", "TABLE[0](squares)") + "\nTABLE = [row_means]\n"
    changed = replace(assignment, reference=text.replace("as_columns(row_means(x))", "x.mean(-1, keepdims=True)"))
    edit = lambda a: replace(a, reference=a.reference.replace("total / x.shape", "1.0 * total / x.shape"))  # noqa: E731
    assert touched(changed, edit) == {"row_means", "spread"}


def test_what_builds_on_what(assignment: Assignment) -> None:
    """Also through others."""
    assert builds_on(assignment, ["spread"]) == {"spread"}
    assert builds_on(assignment, ["center"]) == {"center", "spread"}
    assert builds_on(assignment, []) == set()


def test_a_training_is_touched_by_what_it_uses(course: Path) -> None:
    """It depends on the code of the whole reference, but not on the cases of an exercise that it does not use."""
    line = load_assignment(course, "t3_learning")
    apart = replace(line, exercises=(*line.exercises[:2], replace(line.exercises[2], uses=("predict",))))
    (case,) = (c for c in line.cases_of("gradient") if c.visibility is Visibility.PUBLIC)
    edit = with_case(case.name, claim="Otherwise.")
    assert touched(line, edit) == {"gradient", "train_line"}
    assert touched(apart, edit) == {"gradient"}
    assert "train_line" in touched(apart, lambda a: replace(a, reference=a.reference.replace("x.T @", "1.0 * x.T @")))


def test_keys_are_the_same_in_every_process(course: Path) -> None:
    """Neither hashing nor the order in which anything is packed makes a difference."""
    code = """
import sys
from pathlib import Path
from dataclasses import replace
sys.path.insert(0, str(Path(sys.argv[1]).parent))
from test_keys import Own, functional_calls, keys, with_case
from autograder.course.catalog import load_assignment
a = load_assignment(Path(sys.argv[1]), "t1_means")
print(keys(with_case("two_spreads", check=Own(), generate=functional_calls)(a)))
"""
    said = {
        subprocess.run([sys.executable, "-c", code, str(course)], capture_output=True, text=True, check=True).stdout
        for _ in range(3)
    }
    assert len(said) == 1


def test_a_submission_is_its_code() -> None:
    """Its name and origin do not count; labels, which stand in messages, do."""

    def one(student: str = "a", label: str = "means.py", text: str = "x = 1", *, notebook: bool = False) -> str:
        return Submission(student, student, Source("means", (Chunk(label, text),), notebook)).key

    assert one() == one("b")
    assert len({one(), one(label="b.py"), one(text="x = 2"), one(notebook=True), one(text="\ud800")}) == 5
    unread = [Submission("a", "a", None, problem).key for problem in ("A PDF.", "A PDF.", "A zip.")]
    assert unread[0] == unread[1] != unread[2]
