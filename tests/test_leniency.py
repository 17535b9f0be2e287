"""What a person would read is graded, whatever it was saved and packed as: through the command, as classes come."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import nbformat
import pytest
from conftest import GradeFiles

from autograder.course.spec import Assignment
from autograder.submission.archives import UnreadableError
from autograder.submission.source import read_text

Grade = Callable[[Mapping[str, bytes]], tuple[Path, dict[str, float]]]


@pytest.fixture
def grade(grade_files: GradeFiles) -> Grade:
    """Return a function that grades a folder of files by the command; it returns the results and everybody's points."""

    def of(works: Mapping[str, bytes]) -> tuple[Path, dict[str, float]]:
        out, rows = grade_files(works)
        return out, {student: float(row["score"]) for student, row in rows.items()}

    return of


def zipped(name: str, data: bytes) -> bytes:
    """Pack one file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return buffer.getvalue()


def test_right_code_keeps_its_points_in_every_encoding_and_wrapping(grade: Grade, assignment: Assignment) -> None:
    """Everybody wrote the same, and saved, named and packed it otherwise."""
    new = nbformat.v4
    notebook = nbformat.writes(new.new_notebook(cells=[new.new_code_cell(assignment.reference)]))
    text = assignment.reference + "\n# \N{LEFT DOUBLE QUOTATION MARK}café\N{RIGHT DOUBLE QUOTATION MARK}\n"
    plain = (assignment.reference + "\n# café\n").encode()
    thrice = zipped("b.zip", zipped("a.zip", zipped("means.py", plain)))
    works = {
        "utf16.py": text.encode("utf-16"),
        "utf16_big.py": b"\xfe\xff" + text.encode("utf-16-be"),
        "utf16_unmarked.py": text.encode("utf-16-le"),
        "utf16_big_unmarked.py": text.encode("utf-16-be"),
        "utf32.py": text.encode("utf-32"),
        "latin1.py": b"# \xfcber alles\n" + plain.decode().encode("latin-1"),
        "windows.py": text.encode("cp1252"),
        "declared.py": b"# -*- coding: latin-1 -*-\n" + plain.decode().encode("latin-1"),
        "wrongly_declared.py": b"# coding: utf-8\n" + plain.decode().encode("latin-1"),
        "marked_and_declared.py": b"\xef\xbb\xbf# coding: latin-1\n" + plain,
        "mac.py": plain.replace(b"\n", b"\r"),
        "twice_named.py.txt": plain,
        "notebook.ipynb.json": notebook.encode(),
        "notebook_as_text.ipynb.txt": notebook.encode(),
        "notebook_as_python.py": notebook.encode(),
        "notebook_utf16.ipynb": notebook.encode("utf-16"),
        "python_as_notebook.ipynb": plain,
        "in_a_zip_in_a_zip.zip": thrice,
        "in_a_folder/work.zip": thrice,
        "named_as_text/means.py.txt": plain,
        "zip_of_text.zip": zipped("means.py.txt", plain),
    }
    _, points = grade(works)
    names = {name.partition("/")[0].partition(".")[0] for name in works}
    assert points == dict.fromkeys(names, 7.0)


def test_what_was_guessed_is_told(grade: Grade, assignment: Assignment) -> None:
    """The student reads that the encoding was guessed, and in which line that shows; nothing else is noted."""
    works = {
        "ann.py": b"x = 1\n# caf\xe9\n" + assignment.reference.encode(),
        "bob.py": assignment.reference.encode("utf-16"),
    }
    out, _ = grade(works)
    notes = {name: json.loads((out / "results" / f"{name}.json").read_text())["notes"] for name in ("ann", "bob")}
    assert notes["bob"] == []
    told = "ann.py is not UTF-8 (line 2) and was read as Windows-1252, so letters beyond English ones may be wrong."
    assert notes["ann"] == [f"{told} Save it as UTF-8."]


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("zed.7z", b"7z\xbc\xaf\x27\x1c", "zed.7z is a 7-Zip archive, which is not opened here. Unpack it and hand in means.py"),
        ("zed.rar", b"Rar!", "zed.rar is a RAR archive, which is not opened here. Unpack it and hand in means.py"),
        ("zed/work.7z", b"7z\xbc\xaf\x27\x1c", "work.7z is a 7-Zip archive"),
        ("zed.zip", zipped("work.rar", b"Rar!"), "work.rar is a RAR archive"),
        ("zed.py", b"7z\xbc\xaf\x27\x1c", "is a 7-Zip archive, whatever its name says"),
        ("zed.py", bytes(range(1, 256)) * 9, "is no text file"),
        ("zed.py", b"\xff\xfex\0=", "is damaged"),
        ("zed.zip", zipped("d.zip", zipped("c.zip", zipped("b.zip", zipped("means.py", b"")))), "more than 3 times"),
        ("zed.zip", zipped("b.zip", zipped("means.py", b"") + bytes(60 << 20)), "too large"),
    ],
)  # fmt: skip
def test_what_nobody_can_read_says_what_to_do(grade: Grade, name: str, data: bytes, words: str) -> None:
    """Other archives, pictures under a wrong name, and zips that never end."""
    out, points = grade({name: data, "ann.py": b""})
    assert points["zed"] == 0
    assert words in json.loads((out / "results" / "zed.json").read_text())["problem"]


def test_reading_a_text_never_fails_otherwise() -> None:
    """Whatever the bytes: a text, or one clear line."""
    for first in range(256):
        for rest in (b"", b"\0", b"\0\0", b"# coding: utf-16\n", b"\xff" * 9, bytes(range(256))):
            text = ""
            with contextlib.suppress(UnreadableError):
                text, _ = read_text(bytes([first]) + rest, "x.py")
            assert "\0" not in text
