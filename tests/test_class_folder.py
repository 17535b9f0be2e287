"""One student's folder, whatever is in it, costs classmates nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder.classroom import class_folder
from autograder.classroom.submissions import Submission, SubmissionsError, read_submissions
from autograder.submission import archives
from autograder.submission.written_exercises import Stub

FILE = "attention.py"
STUB = Stub(FILE, exercises=frozenset({"attention"}))
CODE = "def attention(Q, K, V):\n    return Q\n"


def folder_of(place: Path, *students: str) -> Path:
    """Make a class of students' folders, each with right code, and return the last student's."""
    for student in students:
        (place / student).mkdir(parents=True)
        (place / student / FILE).write_text(CODE)
    return place / students[-1]


def fill(folder: Path, n: int) -> None:
    """Put empty files into a folder."""
    folder.mkdir(exist_ok=True, parents=True)
    for i in range(n):
        os.close(os.open(folder / f"{i}.csv", os.O_CREAT | os.O_WRONLY))


def read(place: Path) -> dict[str, Submission]:
    """Read a class by its students."""
    return {submission.student: submission for submission in read_submissions(place, STUB)}


def test_what_a_grading_wrote_and_what_is_about_the_class_is_no_students(tmp_path: Path) -> None:
    """The folder of results, a README and a page of a check are no submissions."""
    folder_of(tmp_path, "ada", "bob", "out")
    (tmp_path / "out/gradebook.sqlite").touch()
    for name in ("README.txt", "readme.md", "README", "check.html", "index.html"):
        (tmp_path / name).write_text("about the class")
    assert read(tmp_path).keys() == {"ada", "bob"}
    (tmp_path / "readme.py").write_text(CODE)
    assert read(tmp_path).keys() == {"ada", "bob", "readme"}  # readme.py holds code, so a student handed it in


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every limit small."""
    monkeypatch.setattr(archives, "MAX_CLASS_ENTRIES", 300)
    monkeypatch.setattr(class_folder, "MAX_CLASS_ENTRIES", 300)
    monkeypatch.setattr(class_folder, "MAX_LISTED", 150)


def flat(folder: Path) -> None:
    """Put all files into one folder."""
    fill(folder / "data", 400)


def spread(folder: Path) -> None:
    """Put the files into many folders, none of which is large."""
    for i in range(40):
        fill(folder / "node_modules" / str(i), 10)


def at_top(folder: Path) -> None:
    """Put the files beside the code."""
    fill(folder, 400)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("much", [flat, spread, at_top])
@pytest.mark.parametrize("around", ["", "lab5"])
def test_a_folder_that_is_too_large_is_one_students_problem(
    tmp_path: Path, much: Callable[[Path], None], around: str
) -> None:
    """The student reads what happened and what to do, whatever the class is wrapped in; all others are read."""
    place = tmp_path / "class"
    much(folder_of(place / around, "ada", "bob", "cy"))
    found = read(place)
    assert sorted(found) == ["ada", "bob", "cy"]
    assert not found["ada"].problem
    assert not found["bob"].problem
    where = "lab5/cy" if around else "cy"
    assert found["cy"].problem == f"{where} holds more than 150 files. Hand in only attention.py."


@pytest.mark.usefixtures("small")
def test_a_platform_still_knows_whose_the_folder_is(tmp_path: Path) -> None:
    """Teams keeps versions two folders below the student's: the student is known by the beginning of the listing."""
    place = tmp_path / "Submitted files"
    flat(folder_of(place, *(f"{name}/Homework 1/Version 1" for name in ("Ada", "Bob", "Cy"))))
    found = read(place)
    assert sorted(found) == ["Ada", "Bob", "Cy"]
    assert {one.owner.system for one in found.values()} == {"teams"}
    assert [name for name, one in found.items() if one.problem] == ["Cy"]


@pytest.mark.usefixtures("small")
def test_many_large_folders_take_nothing_from_the_others(tmp_path: Path) -> None:
    """What is too large does not count for the class's own limit, which still stops a wrong folder."""
    place = tmp_path / "class"
    folder_of(place, *(f"s{i}" for i in range(9)))
    for i in range(1, 3):
        fill(place / f"s{i}", 300)
    assert [name for name, one in read(place).items() if one.problem] == ["s1", "s2"]
    for i in range(3, 6):
        fill(place / f"s{i}", 120)
    with pytest.raises(SubmissionsError, match="holds more than 300 files"):
        read(place)


def test_a_folder_past_every_limit_is_left_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more of it is looked at than tells that it is too large."""
    seen = []
    look = archives._listed
    monkeypatch.setattr(archives, "_listed", lambda entry, parts: seen.append(parts) or look(entry, parts))
    data = folder_of(tmp_path / "class", "ada", "cy") / "data"
    for i in range(25):
        fill(data / str(i), 1)
        for j in range(1000):  # a hard link is an entry as a file is, and made faster
            os.link(data / str(i) / "0.csv", data / str(i) / f"{j}.txt")
    found = read(tmp_path / "class")
    assert not found["ada"].problem
    assert "holds more than 20,000 files" in found["cy"].problem
    assert len(seen) < 20_010


def test_deep_folders_and_loops_of_links(tmp_path: Path) -> None:
    """A path deeper than is looked into, a link to the folder around it, and a pipe are one student's problem."""
    place = tmp_path / "class"
    deep = folder_of(place, "ada", "bob", "cy", "deep", "loop")
    (deep / "up").symlink_to(deep.parent)
    (deep / "self").symlink_to(deep / "self")
    os.mkfifo(place / "cy" / "pipe.py")
    inside = os.open(place / "deep", os.O_RDONLY)
    for _ in range(200):
        os.mkdir("d", dir_fd=inside)
        below = os.open("d", os.O_RDONLY, dir_fd=inside)
        os.close(inside)
        inside = below
    os.close(inside)
    found = read(place)
    assert "lies too deep in other folders" in found.pop("deep").problem
    assert not any(one.problem for one in found.values())


def test_a_folder_that_may_not_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the permissions of one student's folder are, the others are read."""
    place = tmp_path / "class"
    folder_of(place, "ada", "cy")
    (place / "cy" / "private").mkdir()
    scan = os.scandir

    def scandir(folder: Path) -> Iterator[os.DirEntry[str]]:
        if Path(folder).name == "private":
            raise PermissionError(13, "Permission denied")
        return scan(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    found = read(place)
    assert not found["ada"].problem
    assert found["cy"].problem == "private cannot be listed: Permission denied. Check its permissions."
