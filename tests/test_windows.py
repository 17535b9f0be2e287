"""What can be known of Windows on another system: keys, line ends, and the names and lengths of paths."""

from __future__ import annotations

import sys
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace

import pytest

from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment
from autograder.handout.handout import handout_files
from autograder.handout.kit import keys
from autograder.handout.kit.asked import file_and_exercise, page_asked
from autograder.handout.kit.keys import Keys
from autograder.handout.kit.reset import reset
from autograder.handout.kit.self_check import check, verdicts
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.submission.source import read_source

ROOT = Path(__file__).parents[1]
RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
LONGEST = 260 - 120  # of what Windows takes by default, without C:\\Users\\NAME\\Downloads\\SLUG\\SLUG and the like


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the characters that a stand-in for Windows' own console has still to give."""
    waiting: list[str] = []
    console = SimpleNamespace(kbhit=lambda: bool(waiting), getwch=lambda: waiting.pop(0))
    monkeypatch.setitem(sys.modules, "msvcrt", console)
    monkeypatch.setattr(keys, "termios", None)
    return waiting


def test_single_keys_are_read_from_the_console(typed: list[str]) -> None:
    """In small letters; no key gives nothing, and the console needs no mode that would have to be put back."""
    with Keys() as pressed:
        assert pressed.pressed(0.01) == ""
        typed += ["H", "q"]
        with pressed.lent():
            pass
        assert [pressed.pressed(0.01) for _ in range(3)] == ["h", "q", ""]


def test_arrows_are_no_letters(typed: list[str]) -> None:
    """An arrow up is two characters, of which the second is an H, which would ask for a hint; an à is one."""
    typed += ["\xe0", "H", "\0", "S", "t", "\xe0"]
    assert [Keys().pressed(0.01) for _ in range(5)] == ["", "", "t", "à", ""]


def test_a_file_with_windows_line_ends_is_judged_alike(assignment: Assignment, tmp_path: Path) -> None:
    """With the mark that Notepad sets as well: the same verdicts, and the lines of errors have the same numbers."""
    wrong = assignment.reference.replace("return x - means", "return x.nothing")
    told = []
    for data in (wrong.encode(), wrong.replace("\n", "\r\n").encode("utf-8-sig")):
        path = tmp_path / "means.py"
        path.write_bytes(data)
        result = check(read_source(path, "means.py"), public_bundle(public_oracle(assignment)))
        told.append([(case.name, case.status, case.message) for _, _, case in verdicts(result)])
    assert told[0] == told[1]
    assert "x.nothing" in str(told[0])


def test_a_reset_keeps_windows_line_ends(assignment: Assignment, tmp_path: Path) -> None:
    """Those of the stub, too."""
    path = tmp_path / "means.py"
    path.write_bytes(assignment.reference.replace("\n", "\r\n").encode())
    center = next(exercise for exercise in assignment.exercises if exercise.name == "center")
    backup = reset(path, assignment.stub, center)
    after = path.read_bytes()
    assert after.count(b"\n") == after.count(b"\r\n") > 0
    assert b"center is not written yet" in after
    assert backup.read_bytes() == assignment.reference.replace("\n", "\r\n").encode()


def test_a_windows_path_is_a_file_and_no_exercise() -> None:
    """As a terminal there completes it; a page is found by its ending, in capitals too."""
    mine = "C:\\Users\\Ada Lovelace\\a5\\attention.py"
    file, exercise = file_and_exercise([mine, "causal_mask"], ["attention", "causal_mask"])
    assert (str(file), exercise) == (mine, "causal_mask")
    words, page = page_asked(["D:\\mine.HTML", "attention"])
    assert (words, str(page)) == (["attention"], "D:\\mine.HTML")


@pytest.mark.parametrize("slug", ["t1_means", "a5_attention"])
def test_a_handout_can_be_unzipped_on_windows(course: Path, slug: str) -> None:
    """No name is reserved, none holds a sign that is not allowed, no two differ in case alone, and no path is too long."""
    home = course if slug == "t1_means" else ROOT
    names = list(handout_files(home, public_oracle(load_assignment(home, slug))))
    assert len({name.casefold() for name in names}) == len(names)
    for name in names:
        path = PureWindowsPath(name)
        assert (path.as_posix(), path.is_absolute(), path.drive) == (name, False, "")
        assert len(name) <= LONGEST
        for part in path.parts:
            assert part.partition(".")[0].casefold() not in RESERVED
            assert not set(part) & set('<>:"|?*')
            assert part == part.rstrip(". ")
