"""A new assignment keeps every promise as it stands, and nothing is ever overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.command.scaffold import ScaffoldError, scaffold
from autograder.course.catalog import load_assignment
from autograder.course.places import slugs
from autograder.proof.doctor import examine
from autograder.sandbox.job import Sandbox


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """Return a course without assignments."""
    for folder in ("assignments", "solutions"):
        (tmp_path / folder).mkdir()
    return tmp_path


def files(course: Path) -> set[str]:
    """Return every file of a course."""
    return {str(path.relative_to(course)) for path in course.rglob("*") if path.is_file()}


@pytest.mark.parametrize("slug", ["a9_diffusion", "a10_state_space", "warmup"])
def test_a_new_assignment_keeps_every_promise(empty: Path, sandbox: Sandbox, slug: str) -> None:
    """Doctor finds nothing to complain about before the author has written a line."""
    written = scaffold(empty, slug)
    assert {str(path.relative_to(empty)) for path in written} == files(empty)
    proofs = list(examine(load_assignment(empty, slug), sandbox, 2))
    assert len(proofs) == 15
    assert [proof for proof in proofs if not proof.holds] == []


def test_the_numbers_of_a_new_readme_are_computed(empty: Path, sandbox: Sandbox) -> None:
    """Its worked example is in a form that doctor reads, so what an author puts in its place is checked, too."""
    scaffold(empty, "a9_diffusion")
    readme = empty / "assignments/a9_diffusion/README.md"
    readme.write_text(
        readme.read_text(encoding="utf-8").replace("array([2., 6.])", "array([2., 7.])"), encoding="utf-8"
    )
    found = {
        proof.promise: proof.broken for proof in examine(load_assignment(empty, "a9_diffusion"), sandbox, 2, empty)
    }
    (line,) = found["its worked examples come to what is written"]
    assert "array([2., 7.]) is not right; right is array([2, 6])" in line
    assert [promise for promise, broken in found.items() if broken] == ["its worked examples come to what is written"]


def test_it_has_everything_an_assignment_has(empty: Path) -> None:
    """Both folders, with the files their authors have to fill."""
    scaffold(empty, "a9_state_space")
    assert files(empty) == {
        "assignments/a9_state_space/README.md",
        "assignments/a9_state_space/assignment.toml",
        "assignments/a9_state_space/cases.py",
        "assignments/a9_state_space/state_space.py",
        "solutions/a9_state_space/correct/loops.py",
        "solutions/a9_state_space/cases.py",
        "solutions/a9_state_space/misconceptions.py",
        "solutions/a9_state_space/state_space.py",
    }
    assert load_assignment(empty, "a9_state_space").title == "State space"


def test_it_comes_last(course_copy: Path) -> None:
    """The next number in the course's order."""
    scaffold(course_copy, "a0_first_in_the_alphabet")
    assert slugs(course_copy) == ("t1_means", "t2_tensors", "t3_learning", "a0_first_in_the_alphabet")


@pytest.mark.parametrize(
    "slug",
    [
        "",
        "A9_Diffusion",
        "a9-diffusion",
        "a9 diffusion",
        "9_lives",
        "../a9",
        "a9/b",
        "a9_",
        "_a9",
        "a9__b",
        "é",
        "a9_b.py",
        "a\n",
    ],
)
def test_bad_names_are_refused(empty: Path, slug: str) -> None:
    """A name is a folder, a module and a word on the command line, so it is kept plain."""
    with pytest.raises(ScaffoldError, match="will not do as a name; use lower-case words"):
        scaffold(empty, slug)
    assert files(empty) == set()


@pytest.mark.parametrize(
    "slug", ["a1_random", "a2_copy", "a3_numpy", "a4_torch", "a5_cases", "a6_misconceptions", "string", "a7_class"]
)
def test_names_that_hide_modules_are_refused(empty: Path, slug: str) -> None:
    """A student's random.py would be what everybody gets who imports random."""
    with pytest.raises(ScaffoldError, match="would hide a module"):
        scaffold(empty, slug)
    assert files(empty) == set()


@pytest.mark.parametrize("slug", ["a9_training", "a9_check", "a9_conftest", "a9_setup", "a9_autograder", "a9_pytest"])
def test_names_of_files_beside_a_students_are_refused(empty: Path, slug: str) -> None:
    """A student's training.py would be the course's own, and one named as a helper is never read as work."""
    with pytest.raises(ScaffoldError, match="Add a word"):
        scaffold(empty, slug)
    assert files(empty) == set()


@pytest.mark.parametrize("folder", ["assignments", "solutions"])
def test_an_existing_folder_is_left_alone(empty: Path, folder: str) -> None:
    """Either half is enough to refuse."""
    (empty / folder / "a9_diffusion").mkdir()
    with pytest.raises(ScaffoldError, match="exists already; nothing was written"):
        scaffold(empty, "a9_diffusion")
    assert files(empty) == set()
