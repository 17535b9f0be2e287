"""A class of hostile hand-ins from the folder to the pages people read: none is lost, none wins, none is injected."""

from __future__ import annotations

import csv
import io
import json
import os
import unicodedata
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hostile_archives import (
    HAND_INS,
    Builder,
    HandIn,
    file_with_dict_of_markup,
    file_with_markup,
    file_with_markup_in_its_lines,
    hostile_names,
    write_class,
)
from hostile_support import HIDDEN_NUMBER, NUMPY, TrapHouse, oracle_of
from rich.console import Console

from autograder.classroom.exports import sheet_names
from autograder.classroom.gradebook_lock import open_gradebook
from autograder.classroom.gradebook_view import records as records_in
from autograder.classroom.record_json import told_record
from autograder.classroom.run import carry_out
from autograder.classroom.still_to_grade import Choices, make_plan
from autograder.classroom.submissions import read_submissions
from autograder.command.progress import Lines
from autograder.command.terminal import show_class
from autograder.judge.grade import grade
from autograder.judge.terminal_text import result_as_text
from autograder.pages.class_files import publish
from autograder.pages.report import SCRIPT
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.process import ProcessSandbox
from autograder.submission.source import read_source
from autograder.submission.written_exercises import Stub

Json = dict[str, Any]
LONGEST_PAGE = 20_000
ACTIVE = (
    "script",
    "img",
    "iframe",
    "object",
    "embed",
    "form",
    "input",
    "button",
    "base",
    "link",
    "video",
    "audio",
    "foreignobject",
)


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Json], str]:
    """Grade the hostile class; return the folder written, the records by what was handed in, and what was printed."""
    root = tmp_path_factory.mktemp("hostile")
    said = io.StringIO()
    console = Console(file=said, width=200, no_color=True)
    oracle = oracle_of(NUMPY)
    with TrapHouse() as house, open_sandbox(2) as sandbox:
        write_class(root / "class", house.tell)
        submissions = read_submissions(root / "class", Stub.of(oracle.assignment))
        with open_gradebook(root / "out", oracle.assignment) as book:
            watch = Lines(console.print)
            carry_out(book, make_plan(book, oracle.assignment, submissions, Choices(oracle.seed)), sandbox, 2, watch)
            publish(book)
            records = list(records_in(book))
        show_class(console, "A class", records)
        assert house.caught() == []
        entries = [told_record(record) for record in records]
        everything = "".join(path.read_text("utf-8", "replace") for path in (root / "out").rglob("*") if path.is_file())
        assert house.read_in(everything, said.getvalue()) == []
    assert sorted(path.name for path in root.iterdir()) == ["class", "out"]
    return root / "out", {entry["origin"].split(": ", 1)[1].split(": ")[0]: entry for entry in entries}, said.getvalue()


@pytest.mark.parametrize("hand_in", HAND_INS, ids=lambda hand_in: hand_in.name)
def test_hand_in(hand_in: HandIn, graded: tuple[Path, dict[str, Json], str]) -> None:
    """It ends as it should and earns what it deserves, and the student learns why."""
    entry = graded[1][hand_in.name]
    assert (entry["status"], entry["score"]) == (hand_in.status, hand_in.score), entry["problem"]
    assert bool(entry["problem"]) == (hand_in.status != "graded")
    assert "\n" not in entry["problem"] or hand_in.status != "unreadable"
    assert len(json.dumps(entry)) < 100_000
    assert "BREACH" not in json.dumps(entry)


def test_no_student_is_lost(graded: tuple[Path, dict[str, Json], str]) -> None:
    """Every name, whatever is in it, is a student with a page of their own and full points."""
    out, entries, _ = graded
    records = [json.loads(path.read_text()) for path in (out / "results").iterdir()]
    assert len(records) == len(HAND_INS) + len(hostile_names())
    assert len({entry["student"].casefold() for entry in records}) == len(records)
    honest = [
        entry for entry in records if entry["origin"].split(": ", 1)[1].split(": ")[0] not in {h.name for h in HAND_INS}
    ]
    assert [entry["score"] for entry in honest] == [12.0] * len(hostile_names())
    assert len(entries) == len(records)


def test_only_expected_files_are_written(graded: tuple[Path, dict[str, Json], str]) -> None:
    """The folder holds one result and one page a student, the sheet, the summary and the report, and no links."""
    out, entries, _ = graded
    students = sorted(entry["student"] for entry in entries.values())
    assert sorted(path.name for path in out.iterdir()) == [
        "changes.csv",
        "exports",
        "feedback",
        "gradebook.sqlite",
        "grades.csv",
        "report.html",
        "results",
        "staff",
        "summary.json",
    ]
    assert sorted(path.name for path in (out / "results").iterdir()) == sorted(f"{name}.json" for name in students)
    pages = sorted(f"{name}.html" for name in students)
    assert sorted(path.name for path in (out / "feedback").iterdir()) == pages
    assert sorted(path.name for path in (out / "staff").glob("*.html")) == pages
    expected = ["gradescope", *(f"{name}.csv" for name in sheet_names())]
    assert sorted(path.name for path in (out / "exports").iterdir()) == sorted(expected)
    assert not [path for path in out.rglob("*") if path.is_symlink()]


class _Page(HTMLParser):
    """Collects what a page holds."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_pages_are_inert(graded: tuple[Path, dict[str, Json], str]) -> None:
    """No page has an element that acts, a handler, a foreign address or a character that turns text around.

    The report has one script, ours, and inputs for it, at the end and where students' rows are narrowed.
    """
    pages = [graded[0] / "report.html", *(graded[0] / "feedback").iterdir(), *(graded[0] / "staff").glob("*.html")]
    for path in pages:
        text = path.read_text(encoding="utf-8")
        if path == pages[0]:
            text, ours, end = text.rpartition("\n<script>")
            assert end == f"{SCRIPT}</script>\n</body>\n</html>"
            before, narrowing, rest = text.partition('<div class="filter" id="filter" hidden>')
            text = before + rest.partition("</div>")[2]
            assert ours
            assert narrowing
        page = _Page(text)
        for tag, attributes in page.tags:
            assert tag not in ACTIVE, path
            assert not [name for name in attributes if name.startswith("on")], path
            for name in ("href", "src", "action", "xlink:href"):
                value = attributes.get(name) or "#"
                beside = path.parent.name == "staff" and "/" not in value
                assert beside or value.startswith(("#", "staff/", "../feedback/", "../report.html")), path
                assert "/.." not in value, path
        odd = {c for c in page.text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co") and c not in "\n\t\u00ad"}
        assert not odd, path
        assert HIDDEN_NUMBER not in page.text


def test_sheet_is_inert(graded: tuple[Path, dict[str, Json], str]) -> None:
    """No cell of the grade sheet is a formula, and every row has the columns of the first."""
    with (graded[0] / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    assert len({len(row) for row in rows}) == 1
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_results_are_plain_json(graded: tuple[Path, dict[str, Json], str]) -> None:
    """Every result is JSON that strict readers take, too: no NaN, no broken characters."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    for path in [graded[0] / "summary.json", *(graded[0] / "results").iterdir()]:
        json.loads(path.read_bytes().decode("utf-8"), parse_constant=refuse).items()


def test_terminal_is_safe(graded: tuple[Path, dict[str, Json], str]) -> None:
    """What the command line prints of a class holds no terminal codes and no characters that turn text around."""
    assert not {c for c in graded[2] if not c.isprintable() and c != "\n"}


@pytest.mark.parametrize("build", [file_with_markup, file_with_markup_in_its_lines, file_with_dict_of_markup])
def test_check_is_safe_on_a_terminal(build: Builder, tmp_path: Path) -> None:
    """What `check` prints of a file that prints, raises and returns terminal codes holds none of them."""
    build(tmp_path / "scale.py")
    with ProcessSandbox() as sandbox:
        result = grade(read_source(tmp_path / "scale.py", "scale.py"), oracle_of(NUMPY), sandbox)
    said = result_as_text("scale.py", result)
    assert not {c for c in said if not c.isprintable() and c != "\n"}
    assert len(said) < LONGEST_PAGE


def test_class_in_one_archive(tmp_path: Path) -> None:
    """The class as an archive of archives is read like the folder, and what leads out of it is one student's problem."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("../scale.py", "x = 1")
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr("mallory.zip", inner.getvalue())
        archive.writestr("alice.py", "x = 1")
        archive.writestr("../../outside.py", "x = 1")
        archive.writestr("/absolute.py", "x = 1")
    found = {
        submission.student: submission for submission in read_submissions(tmp_path / "class.zip", Stub("scale.py"))
    }
    assert found["alice"].source
    assert len(found) == 4
    assert [name for name, submission in found.items() if submission.source] == ["alice"]
    assert os.listdir(tmp_path) == ["class.zip"]
