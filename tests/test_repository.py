"""`handout --repository` on a clone: what the handout owns is brought up to date, and nothing else is touched."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.course.places import CourseError
from autograder.course.spec import Assignment
from autograder.handout.handout import handout_files
from autograder.handout.public_data import public_oracle
from autograder.handout.repository import Update, write_repository

STALE = "engine/autograder/judge/of_another_version.py"


@pytest.fixture
def files(assignment: Assignment, course: Path) -> dict[str, bytes]:
    """Return a handout."""
    return handout_files(course, public_oracle(assignment))


@pytest.fixture
def clone(files: dict[str, bytes], tmp_path: Path) -> Path:
    """Return a clone of last year's repository, with a syllabus and a history of its own."""
    folder = tmp_path / "t1_means-repository"
    last_year = {**files, "README.md": b"# Last year's\n", STALE: b"x = 1\n"}
    del last_year["conftest.py"]
    assert write_repository(last_year, folder) is None
    (folder / "syllabus.md").write_text("Tuesdays at ten\n")
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files in a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_the_handout_owns_is_updated_and_the_rest_stays(files: dict[str, bytes], clone: Path) -> None:
    """It says what changed; a second time there is nothing to do."""
    assert write_repository(files, clone) == Update(new=("conftest.py",), changed=("README.md",), removed=(STALE,))
    now = contents(clone)
    assert now["README.md"].startswith(files["README.md"])
    assert {**files, "README.md": now["README.md"]}.items() <= now.items()
    assert STALE not in now
    assert now["syllabus.md"] == b"Tuesdays at ten\n"
    assert now[".git/HEAD"] == b"ref: refs/heads/main\n"
    assert write_repository(files, clone) == Update()
    assert contents(clone) == now


def test_an_unwritten_stub_follows_the_course(files: dict[str, bytes], clone: Path) -> None:
    """It is compared with the stub that it came with."""
    newer = {name: data.replace(b"def center(x", b"def center(rows") for name, data in files.items()}
    assert newer["means.py"] != files["means.py"]
    update = write_repository(newer, clone)
    assert update
    assert {"means.py", "means.ipynb", "engine/public.json"} <= set(update.changed)
    assert update.kept == ()


@pytest.mark.parametrize("name", ["means.py", "means.ipynb", "damaged means.ipynb"])
def test_what_a_student_has_written_is_never_overwritten(files: dict[str, bytes], clone: Path, name: str) -> None:
    """Neither an exercise in one of the two files, nor what can no longer be read."""
    newer = {name: data.replace(b"def center(x", b"def center(rows") for name, data in files.items()}
    file = name.rpartition(" ")[2]
    wrote = files[file].replace(b"raise NotImplementedError", b"return 1 # ") if file == name else b'{"cells": ['
    assert wrote != files[file]
    (clone / file).write_bytes(wrote)
    update = write_repository(newer, clone)
    assert update
    assert update.kept == (file,)
    assert (clone / file).read_bytes() == wrote
    assert (clone / "check.py").read_bytes() == newer["check.py"]


def others(clone: Path, kind: str) -> None:
    """Make another kind of folder of a clone."""
    shapes = clone / "engine" / "public.json"
    if kind == "no repository":
        (clone / ".github" / "workflows" / "check.yml").unlink()
    elif kind == "another assignment":
        shapes.write_text(json.dumps({**json.loads(shapes.read_text()), "slug": "t2_tensors"}))
    else:
        shapes.write_text("[]")


@pytest.mark.parametrize("kind", ["no repository", "another assignment", "no handout"])
def test_a_folder_that_is_no_such_repository_is_refused(files: dict[str, bytes], clone: Path, kind: str) -> None:
    """In one sentence, and with nothing written."""
    others(clone, kind)
    before = contents(clone)
    with pytest.raises(CourseError, match="is not empty, and no repository of t1_means's handout"):
        write_repository(files, clone)
    assert contents(clone) == before


@pytest.mark.parametrize("name", ["README.md", "engine/autograder/judge", "check.py"])
def test_nothing_is_written_through_a_link(files: dict[str, bytes], clone: Path, tmp_path: Path, name: str) -> None:
    """A clone of a student's might hold one that leads elsewhere."""
    aside = tmp_path / "aside"
    (clone / name).rename(aside)
    (clone / name).symlink_to(aside)
    before = contents(tmp_path)
    with pytest.raises(CourseError, match="is in the way of a file of the handout"):
        write_repository(files, clone)
    assert contents(tmp_path) == before


def test_the_command_says_what_changed(course: Path, clone: Path) -> None:
    """By name, and of the engine in numbers, with what to do next."""
    command = [sys.executable, "-m", "autograder.cli", "handout", "t1_means", "-o", str(clone.parent), "--repository"]

    def told() -> list[str]:
        done = subprocess.run([*command, "--course", str(course)], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[2:]

    (clone / "means.py").write_text("def center(x):\n    return x\n")
    assert told() == [
        "  changed: README.md",
        "  new: conftest.py",
        "  in engine/: 2 new, 1 removed",  # the clone was made before a handout held pairs of mistakes, and slips
        "  kept: means.py, in which something is written",
        "  Nothing else was touched. Look at the changes with git diff, then commit and push them.",
    ]
    assert told() == ["  kept: means.py, in which something is written", "  It is up to date; nothing was written."]
