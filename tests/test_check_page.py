"""The page of a check at home: whole in one file, written again while a check watches, and plain text without Jinja."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import dom_of, look_at, site

from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment, Status, Visibility
from autograder.handout.handout import handout_files, handout_zip
from autograder.handout.kit.html_page import Found, settle, write_page
from autograder.handout.kit.loss_chart import losses_picture
from autograder.handout.kit.self_check import check
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.judge.result import CaseResult, ExerciseResult
from autograder.sandbox.job import Source

ROOT = Path(__file__).parents[1]
WRONG = ("return x - means", "return means - x")
Check = Callable[..., subprocess.CompletedProcess[str]]


class Turns(dict[str, Any]):
    """Pages that change: of each path a list of texts, one for each time that it is asked for."""

    def get(self, path: str, _: object = None) -> str | None:
        """Return the next text, and at last always the same."""
        texts = dict.get(self, path.partition("?")[0], [""])
        return texts.pop(0) if len(texts) > 1 else texts[0]


@pytest.fixture
def folder(assignment: Assignment, course: Path, tmp_path: Path) -> Path:
    """Return a handout as a student unzips it, with a known mistake in it."""
    files = handout_files(course, public_oracle(assignment))
    with zipfile.ZipFile(io.BytesIO(handout_zip(files, "t1_means"))) as archive:
        archive.extractall(tmp_path)
    (tmp_path / "t1_means" / "means.py").write_text(assignment.reference.replace(*WRONG))
    return tmp_path / "t1_means"


@pytest.fixture
def run(folder: Path) -> Check:
    """Return a function that runs check.py in the handout."""

    def of(*words: str, blocked: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-B", "check.py", *words]
        env = {**os.environ, "PYTHONUTF8": "1", "PYTHONPATH": blocked}
        return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)

    return of


CENTERS_LONG_ROWS = """

def center(x):
    return x + 1 if x.size > 5 else x - as_columns(row_means(x))
"""


def test_what_is_to_be_mended_stands_first(run: Check, folder: Path) -> None:
    """Above exercises that are right, whatever their place in the file."""
    run("--html")
    page = (folder / "check.html").read_text(encoding="utf-8")
    names = re.findall(r"<h3><code>(\w+)</code>", page)
    assert (names[0], set(names)) == ("center", {"row_means", "center", "spread"})


def test_a_page_shows_what_the_terminal_says_with_pictures(run: Check, folder: Path) -> None:
    """The diagnosis comes first, heat maps mark the wrong cells, and nothing is asked for or runs."""
    told = run("--html")
    assert told.returncode == 1
    page = (folder / "check.html").read_text(encoding="utf-8")
    assert (folder / "check.html").as_uri() in told.stdout
    assert page.index("What seems to have happened") < page.index("two_rows_centered") < page.index('class="heat"')
    assert page.count('class="minus off"') + page.count('class="plus off"') == 6
    assert "Mend <code>center</code> first." in page
    assert "<script" not in page
    assert not re.search(r"https?:|url\(|@import", page)


def test_a_picture_of_another_call_than_the_text_says_so(run: Check, folder: Path) -> None:
    """The text is of the smallest call that fails, and the picture of the case, as is everything where no smaller one is."""
    told = "The call above is a smaller one that fails as well. The picture is of the whole case:"
    run("--html")
    page = (folder / "check.html").read_text(encoding="utf-8")
    assert (
        page.index("The smallest call that fails is center(x)") < page.index(told) < page.index("6 of 6 numbers differ")
    )
    file = folder / "means.py"
    file.write_text(file.read_text(encoding="utf-8") + CENTERS_LONG_ROWS, encoding="utf-8")
    run("--html")
    page = (folder / "check.html").read_text(encoding="utf-8")
    assert 'class="heat"' in page
    assert told not in page


def test_the_page_is_named_among_the_words_and_overwrites_no_work(run: Check, folder: Path) -> None:
    """What does not end in .html is the file to check, wherever it stands."""
    mine = (folder / "means.py").read_text()
    assert run("--html", "means.py", "center").returncode == 1
    assert (folder / "means.py").read_text() == mine
    assert "spread" not in (folder / "check.html").read_text()
    assert run("mine.html", "--html").returncode == 1
    assert "spread" in (folder / "mine.html").read_text()
    told = run("--html", "none/mine.html")
    assert (told.returncode, "cannot be written" in told.stderr) == (2, True)
    assert sorted(path.name for path in folder.glob("*.html")) == ["check.html", "mine.html"]


def test_without_jinja_the_check_is_plain(run: Check, folder: Path, tmp_path: Path) -> None:
    """The text is there all the same, and one line says what to install."""
    (tmp_path / "blocked").mkdir()
    (tmp_path / "blocked" / "jinja2.py").write_text("raise ImportError('jinja2 is not installed')\n")
    told = run("--html", blocked=str(tmp_path / "blocked"))
    assert told.returncode == 2
    assert "Your difference is the wrong way around." in told.stdout
    assert "python -m pip install -r requirements.txt" in told.stderr
    assert told.stderr.count("\n") == 1
    assert "jinja2" in (folder / "requirements.txt").read_text()


@pytest.mark.parametrize("ending", ["everything passes", "something fails"])
def test_a_watched_page_is_written_again_and_ends_final(folder: Path, assignment: Assignment, ending: str) -> None:
    """While it is watched it follows, also where everything passes; the last one holds no script."""
    command = [sys.executable, "-B", "-u", "check.py", "--watch", "--html"]
    page = folder / "check.html"
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout
        assert any("Watching means.py" in line for line in process.stdout)
        first = page.read_text(encoding="utf-8")
        assert first.count("<script>") == 1
        time.sleep(0.05)
        if ending == "everything passes":
            (folder / "means.py").write_text(assignment.reference)
            assert any("Everything shown passes" in line for line in process.stdout)
            assert "<script>" in page.read_text(encoding="utf-8")
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait(30) == 130
    last = page.read_text(encoding="utf-8")
    assert "script" not in last
    assert ("All 3 exercises are right" in last) == (ending == "everything passes")
    assert sorted(path.name for path in folder.glob(".*draft")) == []


@pytest.mark.browser
def test_an_open_page_follows_and_stops_at_the_final_one(folder: Path, assignment: Assignment, tmp_path: Path) -> None:
    """A browser that has the first page open shows the last one, which asks for nothing any more."""
    bundle, page = public_bundle(public_oracle(assignment)), folder / "check.html"
    texts = []
    for text in (assignment.reference.replace(*WRONG), assignment.reference):
        result = check(Source.of("means.py", text), bundle)
        write_page(page, Found(assignment.title, "means.py", result), following=True)
        texts.append(page.read_text(encoding="utf-8"))
        time.sleep(0.01)
    settle(page)
    final = page.read_text(encoding="utf-8")
    opened, other = texts
    turns = [opened, opened, other, other, final, final]  # opened, asked twice, opened again, asked, opened again
    with site() as served:
        served.pages = Turns({"/check.html": turns})
        seen = dom_of(f"{served.address}/check.html", tmp_path / "profile")
    assert "All 3 exercises are right" in seen
    assert "<script" not in seen


@pytest.mark.browser
@pytest.mark.parametrize(("width", "dark"), [(360, False), (1100, True)], ids=["phone-light", "wide-dark"])
def test_the_page_of_a_check_can_be_read(tmp_path: Path, width: int, dark: bool) -> None:
    """On a phone as on a screen: nothing is wider, nothing too faint, and what scrolls takes the focus."""
    assignment = load_assignment(ROOT, "a5_attention")
    wrong = assignment.reference.replace(" / np.sqrt(d_k)", "")
    result = check(Source.of("attention.py", wrong), public_bundle(public_oracle(assignment)))
    losses = losses_picture(np.array([3.0, 2.9, 2.5]), np.array([3.0, 1.0, 0.1]))
    case = CaseResult("first_steps", "The first losses.", Visibility.PUBLIC, Status.FAILED, picture=losses)
    trained = ExerciseResult("train_line", 0, 1, (case,))
    result = replace(result, exercises=(*result.exercises, trained))
    write_page(tmp_path / "check.html", Found(assignment.title, "attention.py", result), following=False)
    with site() as served:
        pages = {"/check.html": (tmp_path / "check.html").read_text(encoding="utf-8")}
        (page,) = look_at(served, pages, tmp_path / "profile", width=width, dark=dark)
    html = (tmp_path / "check.html").read_text(encoding="utf-8")
    assert '\n<span class="prose">Shapes on the way: Q ' in html  # it wraps, and arrays do not
    assert "\n  Q = np.array([[2., 2.]])\n" in html
    assert (page["wider"] <= 0, page["faint"], page["stuck"]) == (True, [], [])
    assert page["text"] > 1000
