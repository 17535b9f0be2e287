"""Exercises that a person grades, from assignment.toml to the student's page: a text, and a plot."""

from __future__ import annotations

import csv
import json
import re
import struct
import zlib
from base64 import b64encode
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import look_at, site, tab
from class_records import HOSTILE
from test_desk import desk, rows

from autograder.classroom.gradebook_lock import open_beside, open_gradebook
from autograder.classroom.record import Ticked
from autograder.classroom.submissions import read_submissions
from autograder.course.catalog import CourseError, load_assignment
from autograder.desk.saving import ChangedError, Form, decide, state_of
from autograder.handout.write_notebook import notebook_cells
from autograder.proof.soundness import names_and_points, stub_is_fresh
from autograder.sandbox.child import answers_read
from autograder.submission.pictures import checked_png
from autograder.submission.written_exercises import Stub

TOML = """
[[exercise]]
name = "why_divide"
points = 2
manual = true
rubric = [{ item = "says that the mean is a sum", points = 1.5 }, { item = "says what is divided by", points = 0.5 }]

[[exercise]]
name = "row_plot"
points = 1
manual = true
answer = "plot"
"""
STUB = """

# Why is a mean divided by the number of columns?
why_divide = r\"\"\"
\"\"\"

# Draw the mean of each row, and save it beside this file.
row_plot = "row_plot.png"
"""
ANSWER = "A mean is a sum\nof $\\nabla$ parts, <script>document.documentElement.dataset.ran = 1</script> divided."


def png(width: int = 2, note: bytes = b"") -> bytes:
    """Return a PNG of one row, with a comment in it that the grader drops."""

    def part(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = part(b"IHDR", struct.pack(">IIBBBBB", width, 1, 8, 0, 0, 0, 0))
    noted = part(b"tEXt", b"Comment\0" + note) if note else b""
    return b"\x89PNG\r\n\x1a\n" + header + noted + part(b"IDAT", zlib.compress(bytes(width + 1))) + part(b"IEND", b"")


@pytest.fixture
def course(course_copy: Path) -> Path:
    """Return the tiny course, in whose first assignment a person grades two more exercises."""
    public, secret = (course_copy / side / "t1_means" for side in ("assignments", "solutions"))
    toml = (public / "assignment.toml").read_text().replace("points = 7\n", "points = 10\n", 1)
    (public / "assignment.toml").write_text(toml + TOML)
    for path in (public / "means.py", secret / "means.py"):
        path.write_text(path.read_text() + STUB)
    with (public / "README.md").open("a") as readme:
        readme.write("\nSay in words why and draw it.\n\n| 1 | `why_divide` | 2 |\n| 1 | `row_plot` | 1 |\n")
    return course_copy


def works(course: Path, answer: str = ANSWER) -> str:
    """Return a right solution with an answer in words."""
    text = (course / "solutions" / "t1_means" / "means.py").read_text()
    return text.replace('why_divide = r"""\n"""', f'why_divide = r"""\n{answer}\n"""')


@pytest.fixture
def out(cli: Any, course: Path, tmp_path: Path) -> Path:
    """Return a graded class: a file with a picture beside it, a notebook that shows one, one without answers, one that is no Python."""
    folder = tmp_path / "class"
    (folder / "ada").mkdir(parents=True)
    (folder / "ada" / "means.py").write_text(works(course))
    (folder / "ada" / "row_plot.png").write_bytes(png(note=b"<script>"))
    code, shown = works(course, "From a notebook.").split("# Draw the mean"), b64encode(png(3)).decode()
    cells = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": []} for text in code]
    cells[1] |= {"source": f"# {cells[1]['source']}", "outputs": [{"data": {"image/png": shown}}]}
    (folder / "bob.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}))
    (folder / "eve.py").write_text(works(course, ""))
    (folder / "fay.py").write_text(works(course, "My words.").replace("def ", "dfe "))
    run = ("-o", tmp_path / "out", "--course", course, "--accept-unsandboxed")
    code, table, said = cli("grade", "t1_means", folder, *run)
    assert re.search(
        r"why_divide +0 / 2 +0 of 1 +2 not graded yet", table
    )  # fay, whose file is no Python, is listed apart
    assert (code, "8 points not graded yet, which a person gives, in the answers of 3 students." in said) == (
        0,
        True,
    ), said
    return tmp_path / "out"


def sheet(out: Path, name: str = "grades.csv") -> dict[str, dict[str, str]]:
    """Return a sheet by student."""
    with (out / name).open(newline="", encoding="utf-8-sig") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def told(out: Path, student: str, name: str) -> dict[str, Any]:
    """Return what results/STUDENT.json says of an exercise."""
    result = json.loads((out / "results" / f"{student}.json").read_text())
    return next(exercise for exercise in result["exercises"] if exercise["name"] == name)


def test_an_author_is_told_what_to_write(course: Path) -> None:
    """A rubric elsewhere or with other points, cases, an answer that would ship; as it stands all is well."""
    toml, secret = (
        course / "assignments" / "t1_means" / "assignment.toml",
        course / "solutions" / "t1_means" / "means.py",
    )
    sound = load_assignment(course, "t1_means")
    assert (names_and_points(sound).broken, stub_is_fresh(sound).broken) == ((), ())
    manual = "manual = true\nrubric"
    for wrong, words in (
        (("manual = true\nrubric", "rubric"), "why_divide has a rubric, which only exercises with manual = true have"),
        ((manual, f'uses = ["center"]\n{manual}'), "why_divide has manual = true, so uses says nothing about it"),
        (("points = 1.5 }", 'points = "1.5" }'), "is no item of a rubric; write"),
    ):
        text = toml.read_text()
        toml.write_text(text.replace(*wrong))
        with pytest.raises(CourseError, match=words):
            load_assignment(course, "t1_means")
        toml.write_text(text)
    toml.write_text(toml.read_text().replace("points = 1.5 }", "points = 2.5 }"))
    secret.write_text(works(course, "Since it is right."))
    broken = load_assignment(course, "t1_means")
    assert names_and_points(broken).broken == ("the rubric of why_divide adds up to 3 points, not the declared 2",)
    assert "without an answer: it ships" in stub_is_fresh(broken).broken[0]


def test_a_student_checks_them_at_home(course: Path, cli: Any, tmp_path: Path) -> None:
    """They are open or answered, and give no points there; the notebook has a cell for each."""
    (tmp_path / "means.py").write_text(works(course))
    code, said, _ = cli("check", "t1_means", tmp_path / "means.py", "--course", course)
    assert re.search(r"why_divide +answered +graded by a person, 2 points", said)
    assert re.search(r"row_plot +open +graded by a person, 1 point\n7 of 7 points", said)
    assert code == 1
    (tmp_path / "row_plot.png").write_bytes(png())
    assert cli("check", "t1_means", tmp_path / "means.py", "--course", course)[0] == 0
    assignment = load_assignment(course, "t1_means")
    cells = [text for _, text in notebook_cells("# Means", assignment.stub, assignment.exercises, "", "")]
    assert cells[cells.index('grader.check("row_plot")') - 1].endswith('row_plot = "row_plot.png"')


def test_only_sound_pictures_are_shown(course: Path, tmp_path: Path) -> None:
    """What is no PNG, too large or cut off counts as none; one that was uploaded beside the file counts."""
    assert checked_png(png(note=b"<script>")) == png()
    huge = png().replace(struct.pack(">II", 2, 1), struct.pack(">II", 1 << 20, 1 << 20))
    for wrong in (
        b"",
        b"<svg onload=alert(1)>",
        b"\xff\xd8\xff\xe0",
        png()[:-1],
        png()[:40],
        huge,
        png()[:-5] + b"x" * 5,
    ):
        assert checked_png(wrong) is None
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "doejane_38974_4500000_means.py").write_text(works(course))
    (tmp_path / "class" / "doejane_38974_4500001_row_plot.png").write_bytes(png())
    (tmp_path / "class" / "roerichard_38975_4500002_means.py").write_text(works(course))
    read = read_submissions(tmp_path / "class", Stub.of(load_assignment(course, "t1_means")))
    assert [one.source and one.source.pictures for one in read] == [(("row_plot", png()),), ()]
    assert read[0].notes == ()


def test_code_that_a_person_grades_is_found_in_a_file_that_is_no_python() -> None:
    """Up to the next line at its margin, whichever that is; a stub is no answer."""
    text = """import numpy as np

def broken(x:
    return x

@cached
def slope(x, y):
    \"\"\"Fit.

    Lines.
    \"\"\"
    return (
        x @ y
)

class Stub:
    def step(self):
        raise NotImplementedError("Write it.")

WHY = "because"
"""
    code = [("work.py", np.frombuffer(text.encode(), np.uint8))]
    found = answers_read.read(code, ["slope", "Stub", "WHY", "slop"], 1000)
    assert found.keys() == {"slope", "Stub", "WHY"}
    assert found["slope"].startswith("def slope(x, y):")
    assert found["slope"].endswith("        x @ y\n)")
    assert (found["Stub"], found["WHY"]) == ("", "because")


def test_answers_wait_for_a_person(out: Path) -> None:
    """From a file, a notebook and a file that is no Python; what is empty has no points, what waits is not zero."""
    given = {
        who: (told(out, who, "why_divide")["answer"], told(out, who, "why_divide")["score"])
        for who in ["ada", "bob", "eve", "fay"]
    }
    assert given == {
        "ada": (ANSWER, None),
        "bob": ("From a notebook.", None),
        "eve": ("", 0),
        "fay": ("My words.", None),
    }
    grades = sheet(out)
    assert [grades["ada"][key] for key in ("score", "max_score", "status", "why_divide", "row_plot", "waiting")] == [
        "7.0", "10.0", "partly_graded", "not graded yet", "not graded yet", "3.0",
    ]  # fmt: skip
    assert [grades["eve"][key] for key in ("score", "status", "why_divide", "row_plot", "waiting")] == [
        "7.0",
        "graded",
        "0.0",
        "0.0",
        "0",
    ]
    page = (out / "feedback" / "ada.html").read_text()
    assert "3 of them not graded yet" in page
    assert f"data:image/png;base64,{b64encode(png()).decode()}" in page
    assert b64encode(png(3)).decode() in (out / "feedback" / "bob.html").read_text()
    assert "My words." in (out / "feedback" / "fay.html").read_text()


def test_the_desk_grades_them(out: Path, cli: Any, course: Path) -> None:
    """By items, by points, and back; a changed rubric changes no decision; the student reads what was ticked."""
    with desk(out) as (client, _):
        client.come_in("Lee")
        first = re.sub(r"<[^>]+>|\s+", " ", client.ask("GET", "/")[2])
        assert re.search(r"why_divide +Answers to grade +3 +3", first)
        assert re.search(r"row_plot +Answers to grade +2 +2", first)
        page = client.page("ada", "why_divide", "manual")
        assert "&lt;script&gt;document" in page
        assert page.count("says what is divided by") == 1
        status, _, text = client.save(page, "decide", points="", because="")
        assert (status, "Tick what the answer does" in text) == (409, True)
        status, headers, _ = client.save(page, "decide", points="", because="Nearly.", item="0")
        assert (status, headers["Location"].partition("&")[0]) == (303, "/student?name=bob")
        assert (
            client.save(client.page("bob", "why_divide"), "decide", points="2", because="More than I asked.", item="1")[
                0
            ]
            == 303
        )
        plot = client.page("ada", "row_plot", "manual")
        assert "data:image/png;base64," in plot
        assert client.save(plot, "decide", points="1", because="")[0] == 409  # there is no rubric that would say why
        assert client.save(plot, "decide", points="1", because="Good axes.")[0] == 303
        again = client.page("ada", "why_divide")
        assert re.findall(r'value="(\d)" data-worth="[\d.]+" (checked)?', again) == [("0", "checked"), ("1", "")]
        assert client.save(again, "withdraw")[0] == 303
        assert "not graded yet" in client.ask("GET", "/read?name=ada")[2]
        assert client.save(client.page("ada", "why_divide"), "decide", points="", because="Nearly.", item="0")[0] == 303
    decision = told(out, "ada", "why_divide")["override"]
    assert [item["ticked"] for item in decision["rubric"]] == [True, False]
    assert rows(out, "SELECT student, old, new, who FROM history WHERE exercise = 'why_divide'") == [
        ("ada", None, 1.5, "Lee"), ("bob", None, 2.0, "Lee"), ("ada", 1.5, None, "Lee"), ("ada", None, 1.5, "Lee"),
    ]  # fmt: skip
    assert (sheet(out)["ada"]["score"], sheet(out)["ada"]["status"], sheet(out)["bob"]["waiting"]) == (
        "9.5",
        "graded",
        "1.0",
    )
    toml = course / "assignments" / "t1_means" / "assignment.toml"
    toml.write_text(toml.read_text().replace("says that the mean is a sum", "names the sum"))
    run = ("-o", out, "--course", course, "--accept-unsandboxed")
    code, said, _ = cli("grade", "t1_means", out.parent / "class", *run)
    assert (code, "0 graded, 4 unchanged" in said) == (0, True)
    page = " ".join(re.sub(r"<[^>]+>", " ", (out / "feedback" / "ada.html").read_text()).split())
    assert "✓ says that the mean is a sum 1.5 of 1.5 ✗ says what is divided by 0 of 0.5" in page
    assert re.search(r"Graded by a person, [-\d]+ [:\d]+ UTC Nearly\.", page)
    with open_beside(out) as book:
        assert [item.item for item in book.facts.rubrics["why_divide"]] == ["names the sum", "says what is divided by"]
    with (out.parent / "class" / "bob.ipynb").open("r+") as notebook:
        text = notebook.read().replace("From a notebook.", "A second thought.")
        notebook.seek(0)
        notebook.write(text)
    assert "resubmitted after a manual override" in cli("grade", "t1_means", out.parent / "class", *run)[2]
    with desk(out) as (client, _):
        client.come_in()
        assert "It was handed in again since a person graded it" in client.page("bob", "why_divide", "manual")
        first = re.sub(r"<[^>]+>|\s+", " ", client.ask("GET", "/")[2])
        assert re.search(r"why_divide +Answers to grade +2 +3", first)  # bob's again, and fay's
    assert cli("override", "fay", "why_divide", "1", "--because", "Mend the rest.", "-o", out)[0] == 0
    assert sheet(out)["fay"]["why_divide"] == "1.0"


def tick(out: Path, who: str, count: int) -> list[str]:
    """Decide on one answer so many times, each time by other items, and again where another was faster."""
    taken = []
    while len(taken) < count:
        with open_beside(out) as book:
            book.who, words = who, f"{who} {len(taken)}"
            form = Form("ada", "why_divide", state_of(book, "ada", "why_divide"), "", words, (str(len(taken) % 2),))
            try:
                decide(book, form)
            except ChangedError:
                continue
            taken.append(words)
    return taken


def test_two_processes_at_once_lose_no_tick(out: Path) -> None:
    """All that was taken is there in order, each with its items, and the history is a chain."""
    with ProcessPoolExecutor(2) as pool:
        said = dict(zip("kl", pool.map(tick, [out] * 2, "kl", [15] * 2), strict=True))
    with open_gradebook(out) as book:
        kept = book.db.execute("SELECT because, who, points, rubric FROM override ORDER BY id").fetchall()
        chain = book.db.execute("SELECT old, new FROM history ORDER BY id").fetchall()
    assert {who: [words for words, by, _, _ in kept if by == who] for who in "kl"} == said
    for words, _, points, rubric in kept:
        ticked = [Ticked(**item).ticked for item in json.loads(rubric)]
        assert (ticked, points) == (([True, False], 1.5) if int(words[2:]) % 2 == 0 else ([False, True], 0.5))
    assert all(before[1] == after[0] for before, after in pairwise(chain))


@pytest.mark.browser
def test_graders_tick_in_a_browser(out: Path, tmp_path: Path) -> None:
    """By keys, on a desktop and a phone; the sum is told; what a student wrote runs nowhere."""
    with desk(out) as (client, _), tab(tmp_path / "profile") as page:
        page.size(390, 844)
        page.open(f"{client.address}/?token={client.token}")
        page.open(f"{client.address}/student?name=ada&exercise=why_divide&queue=manual")
        assert page.run("document.documentElement.scrollWidth") == 390
        assert page.run("document.documentElement.dataset.ran") is None
        page.press("1")
        page.press("2")
        assert "2 now" in page.run("document.getElementById('sum').textContent")
        page.press("2")
        page.leave("document.querySelector('[value=decide]').click()")
        assert page.run("document.querySelector('h1').innerText.trim()") == "bob"
        client.come_in()
        client.save(client.page("ada", "row_plot"), "decide", points="0.5", because=f"Half. {HOSTILE[:40]}")
        with site() as served:
            found = {
                "/bob.html": client.page("bob", "why_divide", "manual"),
                "/ada.html": client.page("ada", "row_plot"),
            }
            found |= {"/read.html": client.ask("GET", "/read?name=ada")[2], "/first.html": client.ask("GET", "/")[2]}
            for width, dark in ((390, False), (1280, True)):
                for seen in look_at(served, found, tmp_path / str(width), width=width, dark=dark):
                    assert (seen["wider"] <= 0, seen["faint"], seen["stuck"], seen["ran"]) == (True, [], [], False)
    assert rows(out, "SELECT student, points FROM override ORDER BY id") == [("ada", 1.5), ("ada", 0.5)]
