"""The course itself: whatever assignments there are, each one is whole; and, slowly, keeps every promise."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment
from autograder.course.places import slugs
from autograder.course.spec import Assignment, Visibility
from autograder.course.stub import render_stub, solution_lines
from autograder.proof.doctor import examine
from autograder.sandbox.child.tree import Code
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.machine import cores

ROOT = Path(__file__).parents[1]
SLUGS = slugs(ROOT)


@pytest.fixture(params=SLUGS)
def each(request: pytest.FixtureRequest) -> Assignment:
    """Return every assignment of the course in turn."""
    return load_assignment(ROOT, request.param)


def test_there_is_a_course() -> None:
    """The scan finds something."""
    assert SLUGS


def test_both_folders_mirror_each_other() -> None:
    """Nothing lies in solutions/ that students have no assignment for."""
    folders = {path.name for path in (ROOT / "solutions").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= set(SLUGS)


def test_the_stub_is_fresh(each: Assignment) -> None:
    """What students get is what the reference renders to."""
    assert each.stub == render_stub(each)


def test_no_solution_ships(each: Assignment) -> None:
    """No line that stands only in a solution stands in any file students get."""
    inside = Counter(solution_lines(each.reference))
    outside = Counter(line.strip() for line in each.reference.splitlines()) - inside  # such as formulas in docstrings
    secret = {line for line in inside if len(line) > len("return weights")} - set(outside)
    folder = ROOT / "assignments" / each.slug
    for path in [path for path in folder.rglob("*") if path.suffix in (".py", ".toml")]:
        assert not secret & {line.strip() for line in path.read_text(encoding="utf-8").splitlines()}, path


def test_the_text_names_every_exercise(each: Assignment) -> None:
    """The README says what is to be done and how to check it."""
    text = (ROOT / "assignments" / each.slug / "README.md").read_text(encoding="utf-8")
    assert [exercise.name for exercise in each.exercises if exercise.name not in text] == []
    assert f"autograder check {each.slug}" in text


def test_every_exercise_has_public_and_hidden_cases(each: Assignment) -> None:
    """A worked example to learn from, and inputs nobody has seen."""
    for exercise in each.without_training().exercises:
        assert {case.visibility for case in each.cases_of(exercise.name)} == set(Visibility)


def test_arguments_that_grading_wants_left_alone_are_watched_at_home(each: Assignment) -> None:
    """Who changes an argument in place learns it from a public case, before points are lost by hidden ones."""
    watching = {v: {c.exercise for c in each.cases if c.visibility is v and c.check.sees_arguments} for v in Visibility}
    assert watching[Visibility.HIDDEN] - watching[Visibility.PUBLIC] == set()


def test_long_functions_that_are_handed_in_say_in_words_what_they_do(each: Assignment) -> None:
    """What stands in the call that a student reads is a sentence, not a line of our code."""
    calls = [c for case in each.cases if case.visibility is Visibility.PUBLIC for c in case.calls(0)]
    functions = [arg for c in calls for arg in (*c.args, *c.kwargs.values()) if isinstance(arg, Code)]
    assert [function.expression for function in functions if not function.label and len(function.expression) > 60] == []


def test_the_text_does_not_send_for_files_that_are_there(each: Assignment) -> None:
    """The handout has everything in one folder."""
    text = (ROOT / "assignments" / each.slug / "README.md").read_text(encoding="utf-8")
    assert "Put the file next to" not in " ".join(text.split())


@pytest.mark.slow
def test_every_promise_is_kept(each: Assignment) -> None:
    """What `autograder doctor` proves, in one place with all other tests."""
    slots = cores()
    with open_sandbox(slots, torch=each.torch) as sandbox:
        assert [proof for proof in examine(each, sandbox, slots, ROOT) if not proof.holds] == []
