"""`check.py next`: one exercise after another, on a terminal and without one."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from handout_support import Terminal

from autograder.course.sections import Section, section_of
from autograder.course.spec import Assignment, Exercise
from autograder.handout.handout import handout_files, handout_zip
from autograder.handout.kit.asked import CheckError
from autograder.handout.kit.progress import PASSED
from autograder.handout.kit.reset import reset, with_stub
from autograder.handout.kit.step_text import bar, section_text
from autograder.handout.kit.steps import Count, definition_of, next_exercise
from autograder.handout.public_data import public_oracle
from autograder.judge.result import ExerciseResult
from autograder.sandbox.job import Chunk, Source

README = """\
# Means

## One mean

Add up, then divide.

Exercise: `row_means`.

## More of them

Exercises: `center`, `spread`.

## Sources
"""
LEARNED = "A reduction removes the axis that it runs along."
NEXT = [sys.executable, "-B", "check.py", "next"]
ASKS = "q quit"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def archive(assignment: Assignment, course: Path) -> bytes:
    """Return the zip of the tiny course's handout, in which exercises name their sections."""
    exercises = tuple(
        replace(e, section="One mean" if e.name == "row_means" else "More of them") for e in assignment.exercises
    )
    return handout_zip(handout_files(course, public_oracle(replace(assignment, exercises=exercises))), "t1_means")


@pytest.fixture
def folder(archive: bytes, tmp_path: Path) -> Path:
    """Return a handout as a student unzips it, with a README that places the exercises."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        opened.extractall(tmp_path)
    (tmp_path / "t1_means" / "README.md").write_text(README)
    return tmp_path / "t1_means"


@pytest.fixture
def run(folder: Path) -> Run:
    """Return a function that runs `check.py next` without a terminal."""

    def now(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*NEXT, *words], cwd=folder, capture_output=True, text=True, check=False)

    return now


@pytest.fixture
def write(folder: Path, edited: Callable[..., str], assignment: Assignment) -> Callable[..., None]:
    """Return a function that saves the stub with some exercises written as in the reference, others as given."""

    def save(*right: str, **bodies: str) -> None:
        unwritten = {e.name: "raise NotImplementedError" for e in assignment.exercises if e.name not in right}
        (folder / "means.py").write_text(edited(**{**unwritten, **bodies}))

    return save


def test_without_a_terminal_it_shows_one_step(run: Run, folder: Path, write: Callable[..., None]) -> None:
    """The section, the stub's place, what fails and the count; then what was learned and the next exercise."""
    first = run()
    assert (first.returncode, first.stderr) == (1, "")
    assert "## One mean\n\nAdd up, then divide.\n\nExercise: `row_means`." in first.stdout
    assert "More of them" not in first.stdout
    assert "row_means, means.py:11\n· row_means                    0 / 2   MISSING   Not written yet" in first.stdout
    assert "t1 □□□□□□□□□□□□ 0 of 3\n" in first.stdout
    assert LEARNED not in first.stdout
    write("row_means", center="means = as_columns(row_means(x))\nreturn means - x")
    second = run()
    assert f"✓ row_means: {LEARNED}\n" in second.stdout
    assert "## More of them" in second.stdout
    assert "Your difference is the wrong way around" in second.stdout
    assert "t1 ■■■■□□□□□□□□ 1 of 3\n" in second.stdout
    assert LEARNED not in run().stdout
    write("row_means", "center", "spread")
    last = run()
    assert last.returncode == 0
    assert "All exercises of t1_means pass." in last.stdout
    assert "t1 ■■■■■■■■■■■■ 3 of 3\nAll public cases pass. Grading adds hidden cases.\n" in last.stdout


def test_as_data(run: Run, folder: Path, write: Callable[..., None]) -> None:
    """The same, for programs."""
    run()
    write("row_means")
    told = json.loads(run("--json").stdout)
    assert (told["assignment"], told["exercise"], told["section"]) == ("t1_means", "center", "More of them")
    assert (told["file"], told["cell"], told["line"]) == (str(folder / "means.py"), "", 19)
    assert told["learned"] == {"row_means": LEARNED}
    assert told["assignment_count"] == told["course_count"] == {"done": 1, "of": 3}
    assert [exercise["name"] for exercise in told["result"]["exercises"]] == ["center"]
    write("row_means", "center", "spread")
    done = run("--json")
    assert (done.returncode, json.loads(done.stdout)["exercise"]) == (0, "")


@pytest.mark.parametrize("kept", [None, "", "{", "[1]", '{"t1_means": 3}', '{"t1_means": [4, "row_means"]}'])
def test_what_is_kept_may_be_lost_or_broken(
    run: Run, folder: Path, write: Callable[..., None], kept: str | None
) -> None:
    """The next check writes it again, and says nothing of it."""
    write("row_means")
    if kept is not None:
        (folder / PASSED).write_text(kept)
    done = run()
    assert (done.returncode, done.stderr) == (1, "")
    assert "t1 ■■■■□□□□□□□□ 1 of 3\n" in done.stdout
    assert LEARNED not in done.stdout
    assert json.loads((folder / PASSED).read_text()) == {"t1_means": ["row_means"]}


def test_a_file_that_is_no_python_loses_nothing(run: Run, folder: Path, write: Callable[..., None]) -> None:
    """What passed before still counts, and the exercise is the same."""
    write("row_means")
    run()
    (folder / "means.py").write_text((folder / "means.py").read_text() + "\ndef f(:\n")
    done = run()
    assert "center, means.py:19" in done.stdout
    assert "SyntaxError" in done.stdout
    assert "1 of 3" in done.stdout


def test_a_course_is_what_lies_beside(run: Run, folder: Path, write: Callable[..., None]) -> None:
    """Its exercises count too, and it goes on there when all of the first pass; what is no handout is passed over."""
    other = folder.parent / "t9_means"
    shutil.copytree(folder, other)
    shapes = other / "engine" / "public.json"
    shapes.write_text(shapes.read_text().replace('"slug":"t1_means"', '"slug":"t9_means"'))
    broken = folder.parent / "t8_broken" / "engine" / "public.json"
    broken.parent.mkdir(parents=True)
    broken.write_text('{"slug": 8')
    assert "t1 □□□□□□□□□□□□ 0 of 3, course □□□□□□□□□□□□ 0 of 6\n" in run().stdout
    write("row_means", "center", "spread")
    done = run()
    assert "All exercises of t1_means pass." in done.stdout
    assert "t9 □□□□□□□□□□□□ 0 of 3, course ■■■■■■□□□□□□ 3 of 6\n" in done.stdout
    (other / "means.py").write_text((folder / "means.py").read_text())
    done = run()
    assert done.returncode == 0
    assert "course ■■■■■■■■■■■■ 6 of 6\n" in done.stdout


def test_a_course_goes_from_its_ninth_assignment_to_its_tenth(
    run: Run, folder: Path, write: Callable[..., None]
) -> None:
    """By the numbers in the names: as texts, t10 would come in front of t9, and a student would begin there."""
    for slug in ("t10_means", "t9_means"):
        shutil.copytree(folder, folder.parent / slug)
        shapes = folder.parent / slug / "engine" / "public.json"
        shapes.write_text(shapes.read_text().replace('"slug":"t1_means"', f'"slug":"{slug}"'))
    write("row_means", "center", "spread")
    assert "t9 □□□□□□□□□□□□ 0 of 3, course" in run().stdout
    (folder.parent / "t9_means" / "means.py").write_text((folder / "means.py").read_text())
    assert "t10 □□□□□□□□□□□□ 0 of 3, course" in run().stdout


def test_it_takes_no_other_option(run: Run) -> None:
    """One line says so."""
    done = run("--watch")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr == "check.py: next chooses the exercise itself; beside it only a file and --json are understood.\n"
    )


def test_the_installed_command_has_it_too(folder: Path, course: Path, write: Callable[..., None]) -> None:
    """With the course's own text, in the folder of the student's file."""
    write("row_means")
    command = [sys.executable, "-m", "autograder", "check", "t1_means", "next", "--course", str(course)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "center, means.py:19" in done.stdout
    assert "1 of 3" in done.stdout


def test_on_a_terminal(folder: Path, write: Callable[..., None]) -> None:
    """A mistake is named at once, a right exercise leads to the next one, and q leaves the terminal as it was."""
    with Terminal(NEXT, folder) as terminal:
        assert "row_means, means.py:11" in terminal.until(ASKS)
        assert not terminal.left()
        write(row_means="return x.sum(axis=-1)")
        assert "✗ row_means" in terminal.until(ASKS)
        write("row_means")
        shown = terminal.until(ASKS)
        assert shown.index("## More of them") < shown.index(f"✓ row_means: {LEARNED}") < shown.index("center, means")
        terminal.press("q")
        assert terminal.process.wait(30) == 0
        assert terminal.left()


def test_its_keys(folder: Path, write: Callable[..., None]) -> None:
    """Each does what its word says; an arrow is none of them."""
    write("row_means", center="means = as_columns(row_means(x))\nreturn means - x")
    mine = (folder / "means.py").read_text()
    with Terminal(NEXT, folder) as terminal:
        terminal.until(ASKS)
        for key, text in {
            "h": "center, hint 1 of 2",
            "H": "center, hint 2 of 2",
            "l": "    ✗ center   ← you are here\n    · spread",
            "t": "## More of them",
            "d": "It runs in this process",
        }.items():
            terminal.press(key)
            terminal.until(text)
            terminal.until(ASKS)
        terminal.press("\x1b[D")
        terminal.press("r")
        terminal.until("y or n\n")
        terminal.press("n")
        terminal.until("Nothing is changed.")
        assert (folder / "means.py").read_text() == mine
        terminal.press("r")
        terminal.until("y or n\n")
        terminal.press("y")
        terminal.until("center is the stub again; your version is in means.py.bak.")
        assert "MISSING" in terminal.until("0 of 2 points")
        assert (folder / "means.py.bak").read_text() == mine
        os.kill(terminal.process.pid, signal.SIGINT)
        assert terminal.process.wait(30) == 130
        assert terminal.left()


def test_what_an_exercise_builds_on_comes_first(assignment: Assignment) -> None:
    """Then the order of the file; where all that is open waits, the first of it."""
    a, b, c = (Exercise(name, 1, (name,), uses=uses) for name, uses in (("a", ("c",)), ("b", ()), ("c", ())))
    results = [ExerciseResult(name, 0, 1, ()) for name in "abc"]
    assignment = replace(assignment, exercises=(a, b, c))
    order, passing = [], frozenset[str]()
    while found := next_exercise(assignment, results, passing):
        order.append(found.name)
        passing |= {found.name}
    assert order == ["b", "c", "a"]
    circle = replace(assignment, exercises=(a, replace(c, uses=("a",))))
    assert next_exercise(circle, results, frozenset()) == a


def test_where_a_definition_is() -> None:
    """Of a method, the one in its class; of a notebook, the cell."""
    text = "class A:\n    def f(self): ...\n\n\nclass B:\n    async def f(self): ...\n"
    assert definition_of(Source("m", (Chunk("m.py", text),)), "B.f") == ("m.py", 6)
    cells = Source("m", (Chunk("cell 1", "import math"), Chunk("cell 2", text)), notebook=True)
    assert definition_of(cells, "A") == ("cell 2", 1)
    assert definition_of(cells, "C") == ("", 0)


def test_a_section_is_found_by_its_heading() -> None:
    """With its subsections; without such a heading there is none."""
    below = "### More of them\n\nExercises: `center`, `spread`."
    whole = f"## One mean\n\nAdd up, then divide.\n\n{below}"
    readme = f"# Means\n\n{whole}\n\n## Sources\n"
    found = [section_of(readme, heading) for heading in ("One mean", "More of them", "Means", "")]
    assert found == [Section("One mean", whole), Section("More of them", below), None, None]


def test_formulas_are_text() -> None:
    """Markdown takes none of their underscores and asterisks for its own; code is left alone."""
    section = Section("S", "## S\n\nThe $a_i * b_i * \\{c\\}$ and\n\n$$y_1 = \\frac{x_1}{2}$$\n\n    cost = $5 * $6")
    shown = section_text(section, 80, color=True)
    assert all(text in shown for text in ("a_i * b_i * {c}", "y_1 = x_1/2", "cost = $5 * $6"))
    plainly = "## S\n\nThe a_i * b_i * {c} and\n\ny_1 = x_1/2\n\n    cost = $5 * $6"
    assert section_text(section, 80, color=False) == plainly


def test_a_picture_is_told_with_its_file() -> None:
    """By name in colors too, where rich shows an icon and the description."""
    picture = "![Two maps: $a_1$ and b.](figures/two_maps_b.svg)"
    section = Section("S", f"## S\n\n{picture}\n\n    {picture}")
    shown = section_text(section, 80, color=True)
    assert ("Two maps: " in shown, shown.count("figures/two_maps_b.svg")) == (True, 2)
    assert section_text(section, 80, color=False) == section.text.replace("$a_1$", "a_1", 1)


def test_a_bar_is_full_at_the_end_alone() -> None:
    """And nothing is divided by zero."""
    assert [bar(Count(done, 90)).count("■") for done in (0, 1, 89, 90)] == [0, 0, 11, 12]
    assert bar(Count(0, 0)).endswith("0 of 0")


STUB = 'import x\n\n\ndef f(a):\n    """Do it."""\n    raise NotImplementedError("f")\n\n\n@dec\nclass K:\n    def g(self): ...\n'


@pytest.mark.parametrize(
    ("name", "mine", "after"),
    [
        ("f", "def f(a):\n    return 1\n\n\nZ = 3\n", "{f}\n\nZ = 3\n"),
        ("f", "def f(a):\n    return (1\n\n\nZ = 3\n", "{f}\n\nZ = 3\n"),
        ("f", "@dec\ndef f(a): return (1\n", "{f}"),
        ("f", "Z = 3", "Z = 3\n\n\n{f}"),
        ("f", "def f(a): ...\ndef f(a):\n    return 2\n", "def f(a): ...\n{f}"),
        ("K.g", "class K:\n    x = 1\n", "@dec\nclass K:\n    def g(self): ...\n"),
    ],
)
def test_an_exercise_is_reset(name: str, mine: str, after: str) -> None:
    """Alone, also in a file that is no Python, and in files of Windows."""
    f = 'def f(a):\n    """Do it."""\n    raise NotImplementedError("f")\n'
    exercise = Exercise(name, 1, (name,))
    assert with_stub(mine, STUB, exercise) == after.format(f=f)
    windows = with_stub(mine.replace("\n", "\r\n"), STUB, exercise)
    if "\n" in mine:
        assert windows == after.format(f=f).replace("\n", "\r\n")


def test_a_reset_keeps_every_old_version(tmp_path: Path) -> None:
    """Under names that nothing else has; what cannot be reset is left as it is."""
    path, exercise = tmp_path / "m.py", Exercise("f", 1, ("f",))
    for number, name in enumerate(["m.py.bak", "m.py.2.bak", "m.py.3.bak"]):
        path.write_text(f"def f(a): return {number}\n")
        assert reset(path, STUB, exercise).name == name
        assert (tmp_path / name).read_text() == f"def f(a): return {number}\n"
    path.write_bytes(b"# \xff\n")
    with pytest.raises(CheckError, match=r"m\.py is not UTF-8"):
        reset(path, STUB, exercise)
    assert path.read_bytes() == b"# \xff\n"
    with pytest.raises(CheckError, match=r"Only a \.py file can be reset"):
        reset(tmp_path / "m.ipynb", STUB, exercise)
