"""Every way a class may be handed in, and every way an archive, a notebook or a file may be broken or hostile."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import pickle
import random
import re
import stat
import struct
import tarfile
import time
import tracemalloc
import unicodedata
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import nbformat
import pytest
from lms_exports import GRADESCOPE_ADA

from autograder.classroom.folded_source import FoldedSource, Folder
from autograder.classroom.roster import Person, Roster
from autograder.classroom.student_names import student_names
from autograder.classroom.submissions import Submission, SubmissionsError, read_submissions
from autograder.course.joined_files import join
from autograder.sandbox.job import Chunk, Source
from autograder.submission import which_file
from autograder.submission.archives import Member, UnreadableError, read_file
from autograder.submission.pictures import MOST_PICTURES, with_pictures
from autograder.submission.source import read_source
from autograder.submission.written_exercises import Stub

FILE = "attention.py"
STUB = Stub(FILE, exercises=frozenset({"attention"}))
CODE = b"import numpy as np\n\n\ndef attention(Q, K, V):\n    return Q\n"
GOOD = "ada.py"  # stands beside whatever is broken, and must be read


def zipped(*files: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Pack files; names may be given twice or lead anywhere."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return buffer.getvalue()


def special(name: str, mode: int) -> zipfile.ZipInfo:
    """Return an archive's entry that claims to be a link, a pipe or a device."""
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, (mode | 0o644) << 16
    return info


def notebook(*cells: str) -> bytes:
    """Return a notebook of the present format with these code cells."""
    new = nbformat.v4
    return nbformat.writes(new.new_notebook(cells=[new.new_code_cell(cell) for cell in cells])).encode()


def in_zip(tmp_path: Path, *files: tuple[str | zipfile.ZipInfo, bytes]) -> dict[str, Submission]:
    """Read a class archive with these files."""
    path = tmp_path / "class.zip"
    path.write_bytes(zipped(*files))
    return {submission.student: submission for submission in read_submissions(path, STUB)}


def in_folder(tmp_path: Path, **files: bytes) -> dict[str, Submission]:
    """Read a class folder with these files; `__` in a name stands for a dot, `___` for a slash."""
    folder = tmp_path / "class"
    for name, data in files.items():
        path = folder / name.replace("___", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return {submission.student: submission for submission in read_submissions(folder, STUB)}


@contextlib.contextmanager
def at_most(megabytes: int) -> Iterator[None]:
    """Fail where Python's memory peaks above a bound."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes << 20
    finally:
        tracemalloc.stop()


def text_of(submission: Submission) -> str:
    """Return the code that would be graded."""
    assert submission.source is not None, submission.problem
    return "\n".join(chunk.text for chunk in submission.source.chunks)


def problem_of(tmp_path: Path, name: str | zipfile.ZipInfo, data: bytes) -> str:
    """Return the problem of one file in a class, after making sure that the file beside it was read."""
    found = in_zip(tmp_path, (GOOD, CODE), (name, data))
    assert text_of(found.pop("ada")) == CODE.decode()
    (other,) = found.values()
    assert other.source is None
    assert "\n" not in other.problem
    return other.problem


# ---------------------------------------------------------------------------------------------- who and what


def test_folder_of_every_kind(tmp_path: Path) -> None:
    """A folder may mix files, notebooks, zips and folders, each one student's; what computers add is ignored."""
    found = in_folder(
        tmp_path,
        ada__py=CODE,
        bob__ipynb=notebook("x = 1"),
        cyd__zip=zipped(("attention.py", CODE)),
        dan___attention__py=CODE,
        eve___work__zip=zipped(("attention.py", CODE)),
        __DS_Store=b"",
        __MACOSX___x__py=b"",
        roster__csv=b"id,name",
    )
    assert list(found) == ["ada", "bob", "cyd", "dan", "eve"]
    assert all(submission.source is not None for submission in found.values())
    assert found["dan"].origin == "class: dan: attention.py"
    assert found["eve"].origin == "class: eve: work.zip: attention.py"
    assert found["ada"].source is not None
    assert found["ada"].source.module == "attention"


def test_canvas_names(tmp_path: Path) -> None:
    """From a Canvas name come the student, the late mark and the file's own name; the number keeps namesakes apart."""
    found = in_zip(
        tmp_path,
        ("lovelaceada_late_12345_67890_attention.py", CODE),
        ("lovelaceada_12346_67891_my_work.py", CODE),
    )
    assert list(found) == ["lovelaceada_12345", "lovelaceada_12346"]
    assert found["lovelaceada_12345"].notes == ("handed in late, as the export marks it",)
    assert found["lovelaceada_12346"].notes == ("the file is named my_work.py, not attention.py",)
    assert found["lovelaceada_12345"].origin == "class.zip: lovelaceada_late_12345_67890_attention.py"


def test_latest_resubmission_counts(tmp_path: Path) -> None:
    """The highest resubmission number counts, 10 after 9, and the notes say so."""
    found = in_zip(
        tmp_path,
        ("a_1_100_attention-9.py", b"old = 9"),
        ("a_1_101_attention-10.py", b"new = 10"),
        ("a_1_102_attention.py", b"first = 0"),
    )
    assert text_of(found["a_1"]) == "new = 10"
    assert found["a_1"].notes == ("handed in 3 times; the latest (a_1_101_attention-10.py) counts",)


def test_helpers_and_pictures_stand_back(tmp_path: Path) -> None:
    """A later upload that is no solution does not push the solution aside, and is named."""
    found = in_zip(
        tmp_path, ("a_1_100_attention.py", CODE), ("a_1_101_helper.py", b"h = 1"), ("a_1_102_notes.pdf", b"%PDF")
    )
    assert text_of(found["a_1"]) == CODE.decode()
    told = "being named attention.py; not read: a_1_101_helper.py"
    assert any("2 files" in note and told in note for note in found["a_1"].notes)
    assert any("a_1_102_notes.pdf" in note for note in found["a_1"].notes)


def test_one_student_in_two_forms(tmp_path: Path) -> None:
    """Ada.zip and Ada.py are one student's; the newer counts, whichever comes first in the listing."""
    for older, newer in ((("Ada.py", b"old = 1"), "Ada.zip"), (("Ada.zip", zipped((FILE, b"old = 1"))), "Ada.py")):
        data = zipped((FILE, b"new = 1")) if newer.endswith("zip") else b"new = 1"
        found = in_zip(
            tmp_path,
            (zipfile.ZipInfo(older[0], (2025, 1, 1, 0, 0, 0)), older[1]),
            (zipfile.ZipInfo(newer, (2025, 1, 2, 0, 0, 0)), data),
        )
        assert text_of(found["Ada"]) == "new = 1"
        assert found["Ada"].notes == (f"handed in 2 times; the latest ({newer}) counts",)


@pytest.mark.parametrize(("other", "doubts"), [(b"return K", 1), (b"return Q  # again", 0)])
def test_of_two_uploads_of_one_time_none_is_called_the_latest(other: bytes, doubts: int, tmp_path: Path) -> None:
    """It is open which counts, where their work is not the same."""
    name = f"Ada Lovelace_31_assignsubmission_file/{FILE}"
    packed = (
        ("late.zip", zipped((name, CODE))),
        ("class.zip", zipped((name, CODE.replace(b"return Q", other)), (name.replace("Ada L", "Bob K"), CODE))),
    )
    found = in_zip(tmp_path, *packed)
    (ada,) = (one for one in found.values() if one.student.startswith("Ada"))
    assert len(ada.doubts) == doubts
    assert not any("the latest" in note for note in ada.notes)


def test_newer_file_in_a_folder_counts(tmp_path: Path) -> None:
    """In a folder the time of modification decides."""
    in_folder(tmp_path, Ada__py=b"old = 1", Ada__zip=zipped((FILE, b"new = 1")))
    os.utime(tmp_path / "class" / "Ada.py", (1, 1))
    (found,) = read_submissions(tmp_path / "class", STUB)
    assert text_of(found) == "new = 1"


def test_single_file(tmp_path: Path) -> None:
    """A single file is a class of one."""
    path = tmp_path / "ada.py"
    path.write_bytes(CODE)
    (found,) = read_submissions(path, STUB)
    assert (found.student, found.origin, text_of(found)) == ("ada", "ada.py", CODE.decode())


def test_wrapping_folder_is_stepped_into(tmp_path: Path) -> None:
    """An export that was unpacked and packed again has one folder around the class, which is not a student."""
    found = in_zip(tmp_path, ("export/a_1_2_attention.py", CODE), ("export/b_2_3_attention.py", CODE))
    assert list(found) == ["a_1", "b_2"]
    found = in_zip(tmp_path, ("x/", b""), ("x/ada/attention.py", CODE), ("x/bob.zip", zipped((FILE, CODE))))
    assert list(found) == ["ada", "bob"]
    assert list(in_zip(tmp_path, ("ada/attention.py", CODE), ("ada/data/x.txt", b""))) == ["ada"]


def test_names_are_safe_and_unique() -> None:
    """Whatever a student is called, the name is a safe file name, unique in any case, and the same every time."""
    owners = [
        "Ada",
        "ada",
        "Zoë Ñandú",
        "Zoe Nandu",
        "../..",
        "李雷",
        "\u202egnp.exe",
        "=1+1",
        ".hidden",
        "x" * 300,
        "a\nb",
        "",
    ]
    owners += [
        "\udcff",
        "con|aux",
        "-rf",
        "x" * 300 + "y",
        "CON",
        "aux.py",
        "\u0939\u093f\u0928\u094d\u0926\u0940" * 40,
        "名" * 99,
    ]
    names = student_names(owners)
    assert len({name.casefold() for name in names.values()}) == len(owners)
    for name in names.values():
        assert all(letter in "-_." or unicodedata.category(letter)[0] in "LMN" for letter in name)
        assert name[0] not in ".-=+@"
        assert len(name) <= 80
        assert len(name.encode()) <= 150
        assert name.casefold().partition(".")[0] not in ("con", "aux")  # which are no files' names on Windows
    assert student_names(reversed(owners)) == names


def test_names_are_told_in_their_own_letters() -> None:
    """A Latin letter has one from a to z; what has none stays as it is."""
    plain = {
        "Łukasz Wójcik": "Lukasz_Wojcik",
        "Øystein Ås": "Oystein_As",
        "Weiß": "Weiss",
        "Đặng Thị Ánh": "Dang_Thi_Anh",
        "Иван Петров": "Иван_Петров",
        "王伟_102": "王伟_102",
        "عبد الله": "عبد_الله",
    }
    assert student_names(plain) == plain


def test_latecomer_takes_nobodys_name() -> None:
    """Whoever needed no change keeps the plain name, and no new name makes an old one mean someone else."""
    assert student_names(["Zoe", "Zoë"])["Zoe"] == "Zoe"
    before, after = student_names(["Zoë"]), student_names(["Zoë", "Zoé"])
    assert before["Zoë"] not in after.values() or after["Zoë"] == before["Zoë"]
    both = student_names(["Ada", "ada"])
    assert both["Ada"].startswith("Ada-")
    assert both["ada"].startswith("ada-")


def test_case_collision_keeps_both(tmp_path: Path) -> None:
    """Ada.py and ada.py may be two people; both are read, under names no file system confuses."""
    found = in_zip(tmp_path, ("Ada.py", b"x = 1"), ("ada.py", b"x = 2"))
    assert sorted(text_of(s) for s in found.values()) == ["x = 1", "x = 2"]


def test_moodle_has_one_row_for_each_person(tmp_path: Path) -> None:
    """A folder with files and one with what was typed are one person's; the file counts and the other is named."""
    found = in_zip(
        tmp_path,
        ("Ada Lovelace_31_assignsubmission_onlinetext_/onlinetext.html", b"<p>see file</p>"),
        ("Ada Lovelace_31_assignsubmission_file_/attention.py", CODE),
        ("Bob Noether_32_assignsubmission_file_my work.py", CODE),
        ("Zoe Typed_33_assignsubmission_onlinetext_/onlinetext.html", b"def attention(): pass"),
    )
    assert list(found) == ["Ada_Lovelace_31", "Bob_Noether_32", "Zoe_Typed_33"]
    ada, bob, zoe = found.values()
    assert text_of(ada) == CODE.decode()
    assert ada.notes == ("also handed in, and not read: Ada Lovelace_31_assignsubmission_onlinetext_",)
    assert bob.notes == ("the file is named my work.py, not attention.py",)
    assert (bob.owner.system, bob.owner.name, bob.owner.number) == ("moodle", "Bob Noether", "32")
    assert "typed into a text box" in zoe.problem


def test_brightspace_latest_counts(tmp_path: Path) -> None:
    """By the time in the name, whatever the listing's order; the index page is nobody's."""
    found = in_zip(
        tmp_path,
        ("index.html", b"<html>"),
        ("39786-2 - Ada Lovelace - Oct 11, 2025 905 AM/attention.py", b"new = 1"),
        ("39786-1 - Ada Lovelace - Oct 10, 2025 1122 PM/attention.py", b"old = 1"),
        ("39787-3 - Bob Noether - Oct 9, 2025 105 PM - attention.py", CODE),
    )
    assert list(found) == ["Ada_Lovelace_39786", "Bob_Noether_39787"]
    ada, bob = found.values()
    assert text_of(ada) == "new = 1"
    assert "handed in 2 times; the latest" in ada.notes[0]
    assert ada.submitted is not None
    assert (ada.submitted.day, ada.submitted.hour) == (11, 9)
    assert bob.notes == ()


def test_gradescope_export(tmp_path: Path) -> None:
    """Folders by number, and a list that says whose: a group's submission is everyone's of the group."""
    listed = (
        f"---\n{GRADESCOPE_ADA}".encode()
        + b"""\
submission_102:
  :submitters:
  - :name: Bob
    :sid: '8'
  - :name: Cyd
    :sid: '9'
  :created_at: 2026-03-01 06:00:00.000000000 Z
"""
    )
    found = in_zip(
        tmp_path,
        ("assignment_5_export/submission_metadata.yml", listed),
        ("assignment_5_export/submission_101/attention.py", CODE),
        ("assignment_5_export/submission_102/attention.py", b"ours = 1"),
        ("assignment_5_export/submission_103/attention.py", b"nobody = 1"),
    )
    assert list(found) == ["Ada_Lovelace_007", "Bob_8", "Cyd_9", "submission_103"]
    assert text_of(found["Bob_8"]) == text_of(found["Cyd_9"]) == "ours = 1"
    assert found["Ada_Lovelace_007"].submitted is not None
    assert found["Ada_Lovelace_007"].submitted.astimezone(UTC).hour == 5
    assert found["submission_103"].submitted is None


def test_a_roster_names_and_joins(tmp_path: Path) -> None:
    """Who is on it goes by its id, and what came in under two names is one person's."""
    roster = Roster((Person("007", "Ada Lovelace", "ada@example.org"), Person("8", "Bob Noether")))
    path = tmp_path / "class.zip"
    older = zipfile.ZipInfo("ada.py", (2025, 1, 1, 0, 0, 0))
    newer = zipfile.ZipInfo("Lovelace Ada.zip", (2025, 1, 2, 0, 0, 0))
    path.write_bytes(zipped((older, b"old = 1"), (newer, zipped((FILE, b"new = 1"))), ("eve.py", CODE)))
    found = {s.student: s for s in read_submissions(path, STUB, roster)}
    assert list(found) == ["007", "eve"]
    assert text_of(found["007"]) == "new = 1"
    assert found["007"].person == roster.people[0]
    assert found["007"].notes == ("handed in 2 times; the latest (Lovelace Ada.zip) counts",)
    assert found["eve"].person is None


# ------------------------------------------------------------------------------------------------------- tars


def taped(path: Path, *files: tuple[tarfile.TarInfo | str, bytes], mode: str = "w") -> Path:
    """Pack a tar; names may be given twice or lead anywhere."""
    with tarfile.open(path, mode) as tape:  # type: ignore[call-overload]
        for name, data in files:
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            info.size = len(data)
            tape.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize(
    ("suffix", "mode"),
    [(".tar", "w"), (".tar.gz", "w:gz"), (".tgz", "w:gz"), (".tar.bz2", "w:bz2"), (".tar.xz", "w:xz")],
)
def test_a_tar_is_read_like_a_zip(tmp_path: Path, suffix: str, mode: str) -> None:
    """Files, folders and student zips, and the folder around them all."""
    path = taped(
        tmp_path / f"class{suffix}",
        ("./x/ada.py", CODE),
        ("./x/bob/attention.py", CODE),
        ("./x/cyd.zip", zipped((FILE, CODE))),
        ("./x/._ada.py", b"junk"),
        mode=mode,
    )
    found = read_submissions(path, STUB)
    assert [s.student for s in found] == ["x"]  # one plain file among them: the folder may be somebody's
    path = taped(
        tmp_path / f"class{suffix}", ("x/bob/attention.py", CODE), ("x/cyd.zip", zipped((FILE, CODE))), mode=mode
    )
    found = read_submissions(path, STUB)
    assert [s.student for s in found] == ["bob", "cyd"]
    assert all(text_of(s) == CODE.decode() for s in found)


def of_kind(name: str, kind: bytes, link: str = "") -> tarfile.TarInfo:
    """Return a tar's entry of some kind."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def test_what_a_tar_may_hide(tmp_path: Path) -> None:
    """Links, devices, paths that lead out and doubles are one student's problem each, and nothing is written anywhere."""
    path = taped(
        tmp_path / "class.tar",
        (GOOD, CODE),
        (of_kind("sym.py", tarfile.SYMTYPE, "/etc/passwd"), b""),
        (of_kind("hard.py", tarfile.LNKTYPE, GOOD), b""),
        (of_kind("pipe.py", tarfile.FIFOTYPE), b""),
        (of_kind("device.py", tarfile.CHRTYPE), b""),
        ("up/../../../evil.py", CODE),
        ("twice.py", b"x = 1"),
        ("twice.py", b"x = 2"),
        ("huge.py", b" " * (2 << 20)),
    )
    found = {s.student: s for s in read_submissions(path, STUB)}
    assert text_of(found.pop("ada")) == CODE.decode()
    problems = {student: s.problem for student, s in found.items()}
    assert not any(s.source for s in found.values())
    for student, words in (
        ("sym", "is a link"), ("hard", "is a link"), ("pipe", "not an ordinary file"), ("device", "not an ordinary file"),
        ("up", "leads out"), ("twice", "2 times"), ("huge", "too large"),
    ):  # fmt: skip
        assert words in problems[student], (student, problems)
    assert [path.name for path in tmp_path.iterdir()] == ["class.tar"]


def test_a_tar_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Damaged, cut off, or a bomb: one line, no traceback, and no more unpacked than is allowed."""
    whole = taped(tmp_path / "whole.tar.gz", ("ada.py", os.urandom(50_000)), mode="w:gz").read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "noise.tar").write_bytes(os.urandom(5000))
    (tmp_path / "text.tar.xz").write_bytes(b"no xz")
    for name in ("cut.tar.gz", "noise.tar", "text.tar.xz"):
        with pytest.raises(SubmissionsError, match="damaged or not a tar archive"):
            read_submissions(tmp_path / name, STUB)
    monkeypatch.setattr("autograder.classroom.tar_archives.MAX_TAPE", 1 << 20)
    taped(tmp_path / "bomb.tar.gz", ("ada.py", b"\0" * (8 << 20)), mode="w:gz")
    with pytest.raises(SubmissionsError, match="Is it the right file"):
        read_submissions(tmp_path / "bomb.tar.gz", STUB)


@pytest.mark.parametrize("name", ["notes.txt", "work.rar", "work.tar.gz", "page.html", "nothing", "a_1_2_data.csv"])
def test_nothing_vanishes(tmp_path: Path, name: str) -> None:
    """A file of the wrong kind is a submission with a problem that says what is accepted."""
    assert re.search(r"[Hh]and in attention\.py( itself)?, a notebook", problem_of(tmp_path, name, b"text"))


# ------------------------------------------------------------------------------------------- unusable input


def test_missing_empty_and_strange_inputs(tmp_path: Path) -> None:
    """Where there is nothing to read at all, one clear line says so."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "junk").mkdir()
    (tmp_path / "junk" / ".DS_Store").write_bytes(b"")
    (tmp_path / "junk" / "roster.csv").write_bytes(b"")
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 and then nothing")
    (tmp_path / "none.zip").write_bytes(zipped())
    (tmp_path / "class.tar.gz").write_bytes(b"\x1f\x8b")
    expected = {"gone": "There is no", "empty": "There are no submissions", "junk": "There are no submissions"}
    expected |= {"broken.zip": "damaged", "none.zip": "There are no submissions", "class.tar.gz": "not a tar archive"}
    for name, words in expected.items():
        with pytest.raises(SubmissionsError, match=words) as caught:
            read_submissions(tmp_path / name, STUB)
        assert "Give a folder, zip or tar of submissions" in str(caught.value)


def test_pipes_links_and_folders_named_like_code(tmp_path: Path) -> None:
    """In a folder, nothing but ordinary files is opened: a pipe would block for ever, a link lead anywhere."""
    secret = tmp_path / "secret.py"
    secret.write_bytes(b"secret = 1")
    in_folder(tmp_path, ada__py=CODE, bob___x__txt=b"")
    folder = tmp_path / "class"
    os.mkfifo(folder / "pipe.py")
    os.mkfifo(folder / "pipe.zip")
    (folder / "link.py").symlink_to(secret)
    (folder / "away").symlink_to(tmp_path)
    (folder / "bob" / "attention.py").symlink_to(secret)
    (folder / "dir.py").mkdir()
    found = {submission.student: submission for submission in read_submissions(folder, STUB)}
    problems = {student: submission.problem for student, submission in found.items() if not submission.source}
    assert "not an ordinary file" in found["pipe"].problem
    for student in ("link", "away", "bob"):
        assert "is a link" in problems[student]
    assert "is empty" in problems["dir.py"]
    assert text_of(found["ada"]) == CODE.decode()
    for name in ("pipe.py", "link.py"):  # nor where one was put in a file's place after the listing
        with pytest.raises(UnreadableError):
            read_file(folder / name, 100)


# ------------------------------------------------------------------------------ archives: choosing the file


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["attention.py", "helper.py", "numpy.py", "torch/__init__.py", "conftest.py"], "attention.py"),
        (["a5/attention.py", "a5/cases.py", "__MACOSX/a5/._attention.py"], "a5/attention.py"),
        (["attention.py", "old/attention.py"], "attention.py"),
        (["other.py", "attention.ipynb"], "attention.ipynb"),
        (["Attention.PY", "helper.py"], "Attention.PY"),
        (["mine.py", "data.txt", "__pycache__/x.py", ".ipynb_checkpoints/mine.ipynb"], "mine.py"),
        (["mine.py", "conftest.py"], "mine.py"),
    ],
)
def test_choice_inside_a_student_zip(tmp_path: Path, names: list[str], chosen: str) -> None:
    """The file of the right name is read, else its notebook, else the only one there is; nothing else is opened."""
    code = {".py": b"x = 1", ".ipynb": notebook("x = 1")}
    files = [(name, code.get(Path(name).suffix.lower(), b"") if name == chosen else b"bad = 0") for name in names]
    submission = in_zip(tmp_path, ("ada.zip", zipped(*files)))["ada"]
    assert text_of(submission) == "x = 1"
    assert submission.origin == f"class.zip: ada.zip: {chosen}"


def test_choice_is_told(tmp_path: Path) -> None:
    """A renamed file, and a second place where the work might be, are noted."""
    mine = in_zip(tmp_path, ("ada.zip", zipped(("mine.py", CODE))))["ada"]
    assert mine.notes == ("the file is named mine.py, not attention.py",)
    both = in_zip(tmp_path, ("ada.zip", zipped(("attention.py", CODE), ("attention.ipynb", notebook("x = 1")))))["ada"]
    assert both.notes == ()  # nothing is written in the notebook
    copies = zipped(("attention.py", CODE), ("Attention (1).py", CODE), ("test_attention.py", CODE))
    same = in_zip(tmp_path, ("ada.zip", copies))["ada"]
    assert (same.notes, same.doubts) == (("attention.py counts; not read: Attention (1).py",), ())


OTHER = CODE.replace(b"return Q", b"return K")


@pytest.mark.parametrize(
    "files",
    [
        [("ada.zip", zipped((FILE, CODE), ("attention (1).py", OTHER), ("attention_helper.py", b"h = 1")))],
        [(f"Ada Lovelace_31_assignsubmission_file_/{name}", code) for name, code in ((FILE, CODE), ("attention (1).py", OTHER))],
        [(f"Means_ada_attempt_2026-03-02-10-22-00_{name}", code) for name, code in ((FILE, CODE), ("attention (1).py", OTHER))],
    ],
    ids=["zip", "folder", "uploads"],
)  # fmt: skip
def test_a_copy_that_differs_needs_a_look(tmp_path: Path, files: list[tuple[str, bytes]]) -> None:
    """A browser calls a later download `attention (1).py`: the file of the right name counts, and a person is told."""
    (ada,) = in_zip(tmp_path, *files).values()
    assert text_of(ada) == CODE.decode()
    assert len(ada.doubts) == 1
    assert "attention (1).py" in ada.doubts[0]
    assert ada.doubts[0] in ada.notes


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a.py", "b.py"], "several Python files and none is named attention.py: a.py, b.py"),
        (["a/attention.py", "b/attention.py"], "several files named attention.py: a/attention.py, b/attention.py"),
        (["numpy.py"], "only helper files"),
        (["notes.txt", "plot.png"], "no Python file or notebook, only notes.txt, plot.png"),
        (["__MACOSX/a.py"], "is empty"),
        ([], "is empty"),
        (["inner.zip", "other.zip"], "files named attention.py: inner.zip: attention.py, other.zip: attention.py"),
    ],
)
def test_no_choice_inside_a_student_zip(tmp_path: Path, names: list[str], words: str) -> None:
    """Where nobody can tell which file counts, the problem names what was found."""
    codes = {name: CODE.replace(b"Q\n", name.encode()) for name in names}
    files = ((name, zipped((FILE, code)) if "zip" in name else code) for name, code in codes.items())
    assert words in problem_of(tmp_path, "zed.zip", zipped(*files))


# ---------------------------------------------------------------------------------- archives: hostile shapes


@pytest.mark.parametrize("name", ["../evil.py", "/etc/evil.py", "C:/evil.py", "..\\evil.py", "a/../../evil.py"])
def test_paths_that_lead_outside(tmp_path: Path, name: str) -> None:
    """A path out of the archive is its own problem at the top, and spoils a student's zip whole."""
    assert "leads out of its archive" in problem_of(tmp_path, name, CODE)
    assert "leads out of its archive" in problem_of(tmp_path, "zed.zip", zipped((FILE, CODE), (name, CODE)))
    assert not (tmp_path.parent / "evil.py").exists()


def test_special_files_in_archives(tmp_path: Path) -> None:
    """Links, pipes and devices in an archive are not read, at the top or inside."""
    for mode, words in (
        (stat.S_IFLNK, "is a link"),
        (stat.S_IFIFO, "not an ordinary"),
        (stat.S_IFBLK, "not an ordinary"),
    ):
        assert words in problem_of(tmp_path, special("zed.py", mode), b"/etc/passwd")
        assert words in problem_of(tmp_path, "zed.zip", zipped((special(FILE, mode), b"/etc/passwd")))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_one_name_twice(tmp_path: Path) -> None:
    """Two files of one name in one archive: programs disagree on which counts, so neither does."""
    assert "2 times" in problem_of(tmp_path, "zed.zip", zipped((FILE, CODE), (FILE, b"x = 1")))
    found = in_zip(tmp_path, ("bob.py", b"x = 1"), (GOOD, CODE), ("bob.py", b"x = 2"))
    assert "2 times" in found["bob"].problem
    assert found["ada"].source is not None


def test_locked_and_unusual_archives(tmp_path: Path) -> None:
    """A password, and ways of packing that unpack without a bound on memory, are refused by name."""
    data = bytearray(zipped((FILE, CODE)))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    assert "password" in problem_of(tmp_path, "zed.zip", bytes(data))
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert "unusual way" in problem_of(tmp_path, "zed.zip", zipped((FILE, CODE), method=method))


def test_bombs(tmp_path: Path) -> None:
    """A file that unpacks to 300 MB costs next to nothing, whether its archive admits its size or lies."""
    honest = zipped((FILE, bytes(300 << 20)))
    lying = bytearray(honest)
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", lying, lying.index(signature) + offset, 1000)
    with at_most(16):
        assert "too large: 300.0 MB" in problem_of(tmp_path, "zed.zip", honest)
        assert "damaged" in problem_of(tmp_path, "zed.zip", bytes(lying))


def test_size_of_a_file_on_disk(tmp_path: Path) -> None:
    """A file in a folder is read up to its limit, in memory no further than that."""
    with at_most(8):
        found = in_folder(tmp_path, ada__py=CODE, zed__py=b"x" * ((1 << 20) + 1))
    assert "zed.py is too large" in found["zed"].problem
    assert text_of(found["ada"]) == CODE.decode()


def test_too_many_files(tmp_path: Path) -> None:
    """An archive of more files than any student has is refused before its list is built."""
    entry = struct.Struct("<4s6H3I5H2I")  # an entry of the list at an archive's end: no name, no content
    listing = entry.pack(b"PK\x01\x02", 20, 20, 0, 0, 0, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) * 200_000
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, len(listing), 0, 0)
    with at_most(60):
        assert "more than 10,000 files" in problem_of(tmp_path, "zed.zip", listing + end)


def test_broken_archives(tmp_path: Path) -> None:
    """What is no archive, or half of one, is said to be so."""
    whole = zipped((FILE, os.urandom(2000)), method=zipfile.ZIP_STORED)
    flipped = bytearray(whole)
    flipped[100] ^= 0xFF
    assert "damaged" in problem_of(tmp_path, "zed.zip", b"not a zip")
    assert "damaged" in problem_of(tmp_path, "zed.zip", b"")
    assert "damaged" in problem_of(tmp_path, "zed.zip", whole[: len(whole) // 2])
    assert "damaged" in problem_of(tmp_path, "zed.zip", bytes(flipped))


def test_hostile_names_are_printable(tmp_path: Path) -> None:
    """Names with control or direction-changing characters reach no report as they are."""
    found = in_zip(
        tmp_path, ("a\u202eyp\x1b[31m<b>\n.py", CODE), ("bob/x\u202e\x07.py", CODE), ("c_1_2_\u2066x.py", CODE)
    )
    for submission in found.values():
        assert submission.source is not None
        shown = [submission.origin, *submission.notes, *(chunk.label for chunk in submission.source.chunks)]
        assert all(text.isprintable() for text in shown)
        assert submission.student.isascii()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_damaged_archives_never_raise(tmp_path: Path) -> None:
    """Random damage to a student's archive ends as a problem or as code; to that of the class, in one clear error."""
    rng = random.Random(0)
    whole = zipped(("a5/attention.py", CODE), ("a5/b.ipynb", notebook("x = 1")), ("../x", b""), ("é/y.zip", b"PK"))
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        found = in_zip(tmp_path, (GOOD, CODE), ("zed.zip", bytes(data[: rng.choice((None, rng.randrange(len(data))))])))
        assert (found["zed"].source is None) == bool(found["zed"].problem)
        (tmp_path / "damaged.zip").write_bytes(data)
        with contextlib.suppress(SubmissionsError):
            read_submissions(tmp_path / "damaged.zip", STUB)


# ----------------------------------------------------------------------------------------------- source text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"x = 1\r\ny = 2\rz = 3\n", "x = 1\ny = 2\nz = 3\n"),
        (b"\xef\xbb\xbfx = 'caf\xc3\xa9'", "x = 'café'"),
        (b"# -*- coding: latin-1 -*-\nx = 'caf\xe9'", "# -*- coding: latin-1 -*-\nx = 'café'"),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'", None),
        (b"def f(:\n", "def f(:\n"),
    ],
)
def test_readable_text(tmp_path: Path, data: bytes, text: str | None) -> None:
    """UTF-8 with or without mark, other encodings that are declared, any line ends, empty and wrong code: all text."""
    found = in_zip(tmp_path, (GOOD, data))["ada"]
    assert text_of(found) == text if text is not None else "€" in text_of(found)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (CODE.decode().encode("utf-16")[:-1], "begins as UTF-16 text and is damaged"),
        (CODE + b"\0", "NUL byte in line 6"),
        (b"# coding: rot13\nk = 1\n", "encoding is rot13"),
        (b"# coding: utf-7\nk = 1\n", "encoding is utf-7"),
        (b"# coding: zlib_codec\nk = 1\n", "encoding is zlib_codec"),
        (b"# coding: klingon\nk = 1\n", "encoding is unclear"),
        (b"x" * ((1 << 20) + 1), "too large"),
        (zipped((FILE, CODE)), "is a zip archive"),
        (b"%PDF-1.4 ...", "is a PDF"),
    ],
)
def test_unreadable_text(tmp_path: Path, data: bytes, words: str) -> None:
    """What is not Python source text is told by name, with what to do about it."""
    assert words in problem_of(tmp_path, "zed.py", data)


# ------------------------------------------------------------------------------------------------- notebooks


def test_cells_are_numbered_as_the_student_sees_them(tmp_path: Path) -> None:
    """Code cells count from 1, empty ones and dropped ones included; prose does not count."""
    new = nbformat.v4
    cells = [new.new_markdown_cell("# Hello"), new.new_code_cell("x = 1"), new.new_code_cell("")]
    cells += [new.new_code_cell("%%bash\nrm -rf /"), new.new_code_cell("y = 2")]
    (found,) = in_zip(tmp_path, ("ada.ipynb", nbformat.writes(new.new_notebook(cells=cells)).encode())).values()
    assert found.source is not None
    assert found.source.notebook
    assert [(chunk.label, chunk.text) for chunk in found.source.chunks] == [("cell 1", "x = 1"), ("cell 4", "y = 2")]


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("%matplotlib inline\nimport numpy as np", "\nimport numpy as np"),
        ("!pip install numpy \\\n  torch\nx = 1", "\n\nx = 1"),
        ("%%time\nx = 1", "\nx = 1"),
        ("\n%%capture out\nx = 1", "\n\nx = 1"),
        ("%%writefile a.py\nx = 1", ""),
        ("%%html\n" + "x" * 300_000, ""),
        ("np.where?\n?np.where\nnp.where??\nx = 1", "\n\n\nx = 1"),
        ("files = !ls\nt = %timeit -o f()\nx = 1", "\n\nx = 1"),
        ("if True:\n    %matplotlib inline\nx = 1", "if True:\n    pass\nx = 1"),
        ('import otter\ngrader = otter.Notebook("a.ipynb")\nx = 1', "\n\nx = 1"),
        ("from otter import Notebook\ngrader = Notebook()\nx = 1", "\n\nx = 1"),
        ('grader.check("q1")\ngrader.check_all()  # all\ngrader.export(run_tests=True);\nx = 1', "\n\n\nx = 1"),
        ("x = (10\n     % width)\ny = (a\n!= b)", "x = (10\n     % width)\ny = (a\n!= b)"),
        ("y = (a\n   %b)\n%pwd\nx = 1", "y = (a\n   %b)\n\nx = 1"),
        ("y = a \\\n  %b\n# C:\\\n%pwd\nx = 1", "y = a \\\n  %b\n# C:\\\n\nx = 1"),
        ("t = '''\n%pwd (\n'''\n!ls (\n%pwd\nx = 1", "t = '''\n%pwd (\n'''\n\n\nx = 1"),
        ('t = \'(\' + "[\\"" # {\n%pwd\nx = 1', 't = \'(\' + "[\\"" # {\n\nx = 1'),
        ("ok = a % b  # why?\nwhy = 'really?'", "ok = a % b  # why?\nwhy = 'really?'"),
        ("import otters\ngrader.checked(1)", "import otters\ngrader.checked(1)"),
        ("x = 1\r\n%time y\r\nz = 2", "x = 1\n\nz = 2"),
    ],
)
def test_what_is_not_python_goes(tmp_path: Path, cell: str, code: str) -> None:
    """Magics, shell lines, help and grader calls go, line numbers stay, and Python that looks alike survives."""
    (found,) = in_zip(tmp_path, ("ada.ipynb", notebook(cell))).values()
    assert text_of(found) == code


def test_old_notebooks(tmp_path: Path) -> None:
    """Notebooks of format 3 keep their cells in worksheets; they are read as they are."""
    old = nbformat.v3
    sheet = old.new_worksheet(cells=[old.new_code_cell("x = 1"), old.new_text_cell("html", "<b>")])
    data = json.dumps(old.new_notebook(worksheets=[sheet])).encode()
    (found,) = in_zip(tmp_path, ("ada.ipynb", data)).values()
    assert text_of(found) == "x = 1"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not a readable notebook"),
        (b"{", "not a readable notebook"),
        (notebook("x = 1")[:-9], "not a readable notebook"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"cells": ' + b"[" * 200_000, "nested too deeply"),
        (b'{"cells": ' + b"9" * 10_000 + b"}", "not a readable notebook"),
        (b"[]", "no cells"),
        (b"3", "no cells"),
        (b'{"cells": {}}', "no cells"),
        (b'{"worksheets": [1, []]}', "no cells"),
        (b'{"cells": [{"cell_type": "code", "source": "\\ud800"}]}', "broken character"),
        (b'{"cells": [{"cell_type": "code", "source": "\\u0000"}]}', "NUL character"),
        (notebook("x" * (1 << 20), "y = 1"), "more than 256 KB of code"),
        (notebook("%%html\n" + "x" * (1 << 20), "y = 1"), "more than 256 KB of code"),
        (b'{"cells": [' + b"[]," * 1_000_000 + b"0]}", "far more data than a notebook"),
        (b" " * ((20 << 20) + 1), "too large"),
    ],
)
def test_unreadable_notebooks(tmp_path: Path, data: bytes, words: str) -> None:
    """A notebook that is none, is cut off or was built to do harm ends as a problem."""
    assert words in problem_of(tmp_path, "zed.ipynb", data)


def test_odd_cells_are_passed_over(tmp_path: Path) -> None:
    """Cells of the wrong shape hide no others."""
    cells: list[object] = [1, None, [], {"cell_type": "code"}, {"cell_type": "code", "source": 3}]
    cells += [{"cell_type": "code", "source": ["x = 1\n", 5, "y = 2"]}, {"cell_type": ["code"], "source": "z"}]
    (found,) = in_zip(tmp_path, ("ada.ipynb", json.dumps({"cells": cells}).encode())).values()
    assert text_of(found) == "x = 1\ny = 2"


def test_hostile_notebooks_are_quick(tmp_path: Path) -> None:
    """Millions of objects beside the code, and lines built to keep a pattern busy, do not hold the grader up."""
    texts = [
        "grader.check(" + ")" * 300 + " " * 200_000 + "x\n" + "a, " * 10_000,
        "\n" + " " * 200_000 + "!",
        ("from otter import a" + " " * 460 + "!\n") * 500,
        ("grader.check(" + ") " * 240 + "!\n") * 500,
    ]
    started = time.monotonic()
    for text in texts:
        hostile = {"cells": [{"cell_type": "code", "source": text}], "metadata": {"x": [{}] * 900_000}}
        (found,) = in_zip(tmp_path, ("ada.ipynb", json.dumps(hostile).encode())).values()
        assert text_of(found).strip()
    assert time.monotonic() - started < 20  # it is for ever where a guard is missing


def test_what_is_read_to_choose_a_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many large notebooks those nearest the top are read, up to a size together."""
    monkeypatch.setattr(which_file, "MAX_TOGETHER", 3000)
    read, source_of = list[str](), which_file.source_of

    def noted(member: Member, name: str, file: str) -> tuple[Source, tuple[str, ...]]:
        found = source_of(member, name, file)
        read.append(member.name)
        return found

    monkeypatch.setattr(which_file, "source_of", noted)
    large = [(f"{place}/attention.ipynb", notebook(f"x = {place}" + " " * 2000)) for place in range(5)]
    assert "several files named attention.ipynb" in problem_of(tmp_path, "zed.zip", zipped(*large))
    assert [name for name in read if name != GOOD] == ["0/attention.ipynb", "1/attention.ipynb"]


def test_a_picture_that_is_none_is_looked_at_once() -> None:
    """Also where thousands of lines name it; and of many names only the first few are looked up."""
    lines = [f'a{number} = "b.png"\n' for number in range(1000)] + [f'a = "b{number}.png"\n' for number in range(1000)]
    asked: list[str] = []
    source = Source.of("m.py", "".join(lines))
    assert with_pictures(source, lambda name: asked.append(name) or b"none") == source  # type: ignore[func-returns-value]
    assert asked == ["b.png", *(f"b{number}.png" for number in range(MOST_PICTURES - 1))]


# ----------------------------------------------------------------------------------------------- read_source


def test_read_source(tmp_path: Path) -> None:
    """One file is read from disk under the module's name, with the student's own file name in tracebacks."""
    path = tmp_path / "mine.py"
    path.write_bytes(CODE)
    source = read_source(path, FILE)
    assert (source.module, source.notebook) == ("attention", False)
    assert [(chunk.label, chunk.text) for chunk in source.chunks] == [("mine.py", CODE.decode())]
    (tmp_path / "link.py").symlink_to(path)
    assert read_source(tmp_path / "link.py", FILE).chunks[0].text == CODE.decode()


def test_read_source_refuses_clearly(tmp_path: Path) -> None:
    """A missing path, a folder, another kind of file and a broken one each get a line of their own."""
    (tmp_path / "a.txt").write_bytes(b"")
    (tmp_path / "b.py").write_bytes(b"%PDF")
    for name, words in {"gone.py": "no file", ".": "is a folder", "a.txt": "neither", "b.py": "a PDF"}.items():
        with pytest.raises(UnreadableError, match=words):
            read_source(tmp_path / name, FILE)


def test_a_folder_of_classes_is_no_class(tmp_path: Path) -> None:
    """Each class would be taken for a student with three files. A class by itself is read, and so is a student's `old`."""
    classes = [(f"{term}/{who}/{FILE}", CODE) for term in ("2025", "2026") for who in ("ada", "bob", "eve")]
    with pytest.raises(
        SubmissionsError, match=r"holds whole classes: 2025, 2026\. In 2025 lie folders of ada, bob, eve\."
    ):
        in_zip(tmp_path, *classes)
    assert set(in_zip(tmp_path, *classes[:3])) == {"ada", "bob", "eve"}
    tries = [(f"{who}/{folder}/{FILE}", CODE) for who in ("ada", "bob") for folder in ("old", "new")]
    assert set(in_zip(tmp_path, *tries)) == {"ada", "bob"}


def test_a_class_in_an_unknown_wrapping_is_not_one_student(tmp_path: Path) -> None:
    """One student would be graded, and all others would be missing."""
    inside = [(f"HW 1/[1] Unit 2/{who}/{FILE}", f"{CODE}# {who}\n") for who in ("ada", "bob")]
    with pytest.raises(
        SubmissionsError, match=r"holds HW 1 alone, and in it lie folders with work of their own: ada, bob\."
    ):
        in_zip(tmp_path, *inside)
    assert set(in_zip(tmp_path, inside[0])) == {"HW_1"}
    called = [(f"HW 1/{who} - {FILE}", CODE) for who in ("Ada Lovelace", "Bo B")]
    assert len(in_zip(tmp_path, *called)) == len(called)


# In waiting


def test_code_waits_folded_and_comes_out_as_it_was(tmp_path: Path) -> None:
    """Whatever is in it: pictures, surrogates, several files. Beside the stub, what a student added is all that takes room."""
    stub = "".join(f"# {hashlib.sha256(bytes([number])).hexdigest()}\n" for number in range(200))
    for text in (stub + "x = 1\n", "", "a = '\ud800 \x00 ü'\n"):
        source = Source("m", (Chunk("m.py", text),), notebook=True, pictures=(("plot.png", b"\x89PNG\x00"),))
        assert Folder(stub).fold(source).unfolded() == source
    several = replace(Source.of("m.py", join({"a.py": "x = 1\n", "b.py": "y = 2\n"})), homes=(("x", "a.py"),))
    folder = Folder("")
    waiting = [folder.fold(several), folder.fold(Source.of("m.py", "x = 1\n"))]
    assert [one.unfolded() for one in reversed(waiting)] == [Source.of("m.py", "x = 1\n"), several]
    assert pickle.loads(pickle.dumps(waiting[0])) == several  # as it goes to another machine
    (tmp_path / "ada.py").write_text(stub + "x = 1\n")
    (ada,) = read_submissions(tmp_path, replace(STUB, text=stub))
    assert isinstance(ada.code, FoldedSource)
    assert ada.source is not None
    assert ada.code.end - ada.code.begin < folder.fold(ada.source).end / 10
    assert ada.source.chunks[0].text == stub + "x = 1\n"
    assert ada.key == replace(ada, code=ada.source).key


def test_the_file_of_those_in_waiting_is_gone_with_them() -> None:
    """No descriptor is left open, and no name for what students wrote."""

    def waiting_files() -> list[str]:
        links = (file for file in Path("/proc/self/fd").iterdir() if file.is_symlink())
        return [name for link in links if (name := os.path.realpath(link)).endswith(" (deleted)")]

    others = waiting_files()
    waiting = Folder("").fold(Source.of("m.py", "x = 1\n"))
    (file,) = (name for name in waiting_files() if name not in others)
    assert not Path(file).exists()
    del waiting
    assert waiting_files() == others


def test_an_export_of_one_late_student_lies_beside_the_classs(tmp_path: Path) -> None:
    """Of the same platform; a student's own archives beside each other are no exports, whatever a file in one is called."""
    late = zipped(("lovelaceada_LATE_11_78_attention.py", b"new = 1"))
    class_ = zipped(("lovelaceada_11_70_attention.py", b"old = 1"), ("babbagecharles_12_71_attention.py", CODE))
    found = in_zip(tmp_path, ("submissions.zip", class_), ("late.zip", late))
    assert set(found) == {"lovelaceada_11", "babbagecharles_12"}
    assert text_of(found["lovelaceada_11"]) == "new = 1"
    assert found["lovelaceada_11"].late
    assert set(in_zip(tmp_path, ("ada.zip", late), ("bob.zip", zipped((FILE, CODE))))) == {"ada", "bob"}


def test_an_ilias_export_of_one_late_student_lies_beside_the_classs(tmp_path: Path) -> None:
    """In the folder that ILIAS packs every export in, which alone would be a student's."""
    late = zipped(("Abgaben/Lovelace_Ada_ada_271/attention.py", b"new = 1"))
    class_ = zipped(
        *((f"Abgaben/{name}/attention.py", CODE) for name in ("Lovelace_Ada_ada_271", "Babbage_Charles_bob_272"))
    )
    for packed in (("class.zip", class_), ("late.zip", late)), (("late.zip", late), ("upload.zip", class_)):
        assert set(in_zip(tmp_path, *packed)) == {"ada", "bob"}
    assert set(in_zip(tmp_path, ("late.zip", late))) == {"late"}


def test_archives_in_an_archive_are_bounded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are all held at once, and may be a student's: zeros pack well."""
    monkeypatch.setattr("autograder.classroom.export_contents.MAX_INNER", 150_000)

    def export(name: str) -> bytes:
        files = [(f"{name}_{n}_assignsubmission_file/{FILE}", CODE + bytes(50_000)) for n in (31, 32)]
        return zipped(*files, method=zipfile.ZIP_STORED)

    one, both = (zipped(*((f"{name}.zip", export(name)) for name in names)) for names in (["Ada"], ["Ada", "Bob"]))
    assert len(in_zip(tmp_path, ("all.zip", one))) == 2
    with pytest.raises(SubmissionsError, match=r"Bob\.zip"):
        in_zip(tmp_path, ("all.zip", both))
