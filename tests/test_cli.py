"""The command line: what it prints, what it leaves, and how it exits. 0 done, 1 something did not pass, 2 wrong use."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder import __version__
from autograder.cli import app, main
from autograder.course import torch_needed
from autograder.course.spec import Assignment
from autograder.judge import calls_as_text

COMMANDS = sorted(c.name or c.callback.__name__ for c in app.registered_commands if c.callback)


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def run(course: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a command on the tiny course, or another one."""

    def of(*arguments: object, course: Path | None = course) -> Ended:
        command = [str(argument) for argument in arguments]
        if course is not None:
            command += ["--course", str(course)]
        monkeypatch.setattr("sys.argv", ["autograder", *command])
        monkeypatch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as caught:
            main()
        said = capsys.readouterr()
        return Ended(int(caught.value.code or 0), said.out, said.err)

    return of


@pytest.fixture
def works(tmp_path: Path, assignment: Assignment) -> Path:
    """Return a folder with three submissions: right, wrong and unwritten."""
    folder = tmp_path / "class"
    folder.mkdir()
    wrong = assignment.reference.replace("return x - means", "return x + means")
    for name, text in {"ann": assignment.reference, "bob": wrong, "eve": assignment.stub}.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def one_line(ended: Ended) -> str:
    """Check that a command was refused with a single line, and return it."""
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.startswith("autograder: ")
    assert ended.err.count("\n") == 1
    return ended.err


# In general


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(run: Run, command: str) -> None:
    """--help exits with 0 and says what the command is for."""
    ended = run(command, "--help", course=None)
    assert (ended.code, ended.err) == (0, "")
    assert f"autograder {command}" in ended.out


def test_the_commands_that_others_rely_on_are_there() -> None:
    """The contract of names."""
    assert {"check", "grade", "report", "override", "explain", "doctor", "new", "demo", "otter", "gradescope"} <= set(
        COMMANDS
    )


def test_without_a_command_there_is_help(run: Run) -> None:
    """Whoever types the bare name learns what there is."""
    ended = run(course=None)
    assert ended.code == 2
    assert "doctor" in ended.out + ended.err


def test_the_help_of_all_commands_cuts_no_sentence_off(run: Run) -> None:
    """What a command is for stands there whole."""
    told = run("--help", course=None).out
    assert "the tolerance" not in told  # which is the second sentence of one
    assert told.count("...") == 1  # in the line on how it is used


def test_the_version_is_printed(run: Run) -> None:
    """With what else decides about results, for a report of a mistake."""
    told = run("--version", course=None)
    names = re.fullmatch(r"autograder (\S+), Python (\S+), torch (.+), isolation ([ABC])\n", told.out)
    assert names
    assert (told.code, names[1]) == (0, __version__)


@pytest.mark.parametrize(
    "arguments",
    [
        ("chekc",),
        ("check",),
        ("grade", "t1_means"),
        ("check", "t1_means", "--fast"),
        ("grade", "t1_means", ".", "-o", "x", "--jobs", "-1"),
        ("grade", "t1_means", ".", "-o", "x", "--seed", str(2**63)),
    ],
)
def test_wrong_use_exits_with_2(run: Run, arguments: tuple[str, ...]) -> None:
    """Unknown commands and options, missing arguments, numbers out of range."""
    ended = run(*arguments, course=None)
    assert ended.code == 2
    assert "Traceback" not in ended.err


def test_outside_a_course_every_command_says_so(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line, with what it looked for."""
    monkeypatch.chdir(tmp_path)
    for arguments in (
        ("check", "t1_means"),
        ("grade", "t1_means", ".", "-o", "out"),
        ("doctor",),
        ("new", "a1_first"),
        ("demo",),
    ):
        assert "holds assignments/ and solutions/" in one_line(run(*arguments, course=None))


def test_the_course_is_found_from_inside(run: Run, course_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--course is for those who stand elsewhere."""
    monkeypatch.chdir(course_copy / "solutions" / "t1_means")
    assert run("check", "t1_means", course=None).code == 0


@pytest.mark.parametrize("arguments", [("check",), ("grade", ".", "-o", "out"), ("doctor",)])
def test_an_unknown_assignment_gets_the_nearest_name(run: Run, arguments: tuple[str, ...]) -> None:
    """With all there are."""
    command, *rest = arguments
    assert "Did you mean t1_means? It holds: t1_means, t2_tensors, t3_learning." in one_line(
        run(command, "t1_meens", *rest)
    )


def test_as_a_program_of_its_own(course: Path) -> None:
    """The installed module runs as a process, with the same exit codes."""
    command = [sys.executable, "-m", "autograder.cli", "check", "t1_means", "--course", str(course)]
    stub = course / "assignments" / "t1_means"
    for cwd, code in ((stub, 1), (course / "solutions" / "t1_means", 0), (course, 2)):
        assert subprocess.run(command, cwd=cwd, capture_output=True, check=False).returncode == code


# check


def test_check_passes_the_reference(run: Run, course: Path) -> None:
    """Every exercise with its points, and exit code 0."""
    ended = run("check", "t1_means", course / "solutions/t1_means/means.py")
    assert ended.code == 0
    assert "row_means" in ended.out
    assert "7 of 7 points on the public cases." in ended.out


def test_check_explains_what_is_wrong(run: Run, works: Path) -> None:
    """The diagnosis, then the call that is the easiest to follow, with both arrays; then a line for each other exercise."""
    ended = run("check", "t1_means", works / "bob.py")
    assert ended.code == 1
    told = (
        "✗ center ",
        "→ You add the mean instead",
        "two_rows_centered",
        "The smallest call that fails is center(x) with",
        "yours  ",
    )
    places = [ended.out.index(words) for words in (*told, "✓ row_means ", "points on the public cases")]
    assert places == sorted(places)
    assert ended.out.splitlines()[2].startswith("    → ")
    assert "centers_any_shape" not in ended.out


def test_one_problem_is_one_screen(
    run: Run, works: Path, monkeypatch: pytest.MonkeyPatch, edited: Callable[..., str]
) -> None:
    """Of 80 columns: the exercise to mend first in full; what waits for it and what else fails in a line or two each."""
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_, **__: os.terminal_size((80, 24)))
    path = works / "many.py"
    path.write_text(
        edited(
            row_means="return x.sum(axis=-1) / x.shape[-2]",
            center="return x + as_columns(x.mean(axis=-1))",
            spread="return [][0]",
        ),
        encoding="utf-8",
    )
    out = run("check", "t1_means", path).out
    assert max(map(len, out.splitlines()[1:])) <= 80
    assert out.count("The smallest call that fails is") == 1
    assert out.index("→ You divide by the number of rows.") < out.index("✗ center ") < out.index("→ You add the mean")
    assert run("check", "t1_means", path, "--full").out.count("The smallest call that fails is") == 3


def test_the_shapes_on_the_way_are_told(run: Run, works: Path, edited: Callable[..., str]) -> None:
    """Of a wrong value: those of arguments, of what is named, and of what is returned; up to an exception, too."""
    assert "Shapes on the way: x (1,1), means (1,1), return (1,1)" in run("check", "t1_means", works / "bob.py").out
    path = works / "loop.py"
    body = "total = 0.0 * x[0]\nfor row in x:\n    total = total + row\nsys.settrace(None)\nreturn total"
    path.write_text("import sys\n" + edited(row_means=body), encoding="utf-8")
    assert "The shape is (3,); (2,) was expected." in run("check", "t1_means", path).out
    assert "x (2,3), total (3,), row (3,)" in run("check", "t1_means", path).out


def test_what_waits_for_another_exercise_has_one_line(run: Run, works: Path, edited: Callable[..., str]) -> None:
    """It says for which; and what is not written stands behind what is written and fails."""
    path = works / "waiting.py"
    path.write_text(edited(row_means="raise NotImplementedError", center="return x"), encoding="utf-8")
    lines = run("check", "t1_means", path).out.splitlines()
    assert lines[1].startswith("✗ center ")
    (row,) = [line for line in lines if line.startswith("· row_means")]
    assert "Not written yet: `raise` in line " in row
    (row,) = [line for line in lines if line.startswith("· spread")]
    assert row.endswith("SKIPPED, waits for row_means")


def test_many_parameters_are_shown_only_when_asked_for(
    run: Run, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a torch module; the call says how many arrays they are, --full shows them."""
    monkeypatch.setattr(calls_as_text, "FEW", 2)
    path = tmp_path / "tensors.py"
    text = (course / "solutions/t2_tensors/tensors.py").read_text(encoding="utf-8")
    path.write_text(text.replace("self.second(", "2 * self.second("), encoding="utf-8")
    brief, full = (run("check", "t2_tensors", path, *more).out for more in ((), ("--full",)))
    assert "arrays of parameters" in brief
    assert "'second.weight': torch.tensor(" not in brief
    assert "'second.weight': torch.tensor(" in full


def test_check_names_files_of_libraries_without_their_folders(run: Run, tmp_path: Path, assignment: Assignment) -> None:
    """Of a warning, a printed traceback and an exception, wherever Python and its libraries are installed."""
    noisy = """np.mean([])
    try:
        np.linalg.inv(np.zeros((2, 2)))
    except np.linalg.LinAlgError:
        import traceback; traceback.print_exc()
    return x + means"""
    path = tmp_path / "means.py"
    path.write_text(assignment.reference.replace("return x - means", noisy), encoding="utf-8")
    warned = run("check", "t1_means", path).out
    assert "numpy/_core/fromnumeric.py:" in warned
    assert "numpy/linalg/" in warned
    path.write_text(assignment.reference.replace("return x - means", "from numpy import no_such"), encoding="utf-8")
    raised = run("check", "t1_means", path).out
    assert "cannot import name 'no_such' from 'numpy' (numpy/__init__.py)" in raised
    assert "site-packages" not in warned + raised


def test_check_takes_the_file_in_this_folder(run: Run, works: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stands beside their file need not name it."""
    shutil.copy(works / "ann.py", works / "means.py")
    monkeypatch.chdir(works)
    assert run("check", "t1_means").code == 0


def test_check_as_json(run: Run, works: Path) -> None:
    """The same as data."""
    ended = run("check", "t1_means", works / "bob.py", "--json")
    found = json.loads(ended.out)
    assert ended.code == 1
    assert [e["score"] for e in found["exercises"]] == [2.0, 0.0, 3.0]
    assert found["exercises"][1]["cases"][0]["diagnosis"] == "adds_the_mean"


def test_check_takes_a_notebook(run: Run, tmp_path: Path, assignment: Assignment) -> None:
    """Its definitions are run, its experiments are not."""
    cells = [{"cell_type": "code", "source": [source]} for source in (assignment.reference, "print(row_means(3))")]
    path = tmp_path / "work.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}), encoding="utf-8")
    assert run("check", "t1_means", path).code == 0


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("missing.py", None, "There is no file"),
        ("work.docx", b"PK\x03\x04", "work.docx"),
        ("work.py", "def f(): pass".encode("utf-16"), "UTF-8"),
        ("work.ipynb", b"{", "work.ipynb"),
    ],
)
def test_check_refuses_what_it_cannot_read(run: Run, tmp_path: Path, name: str, data: bytes | None, words: str) -> None:
    """A file that is not there, of another kind, or in another encoding: a line each; UTF-16 may as well be read."""
    if data is not None:
        (tmp_path / name).write_bytes(data)
    ended = run("check", "t1_means", tmp_path / name)
    if name == "work.py" and ended.code == 1:
        assert "MISSING" in ended.out
    else:
        assert words in one_line(ended)


def test_what_a_submission_prints_cannot_draw_on_the_terminal(run: Run, tmp_path: Path) -> None:
    """Escape sequences and markup are shown, not obeyed."""
    path = tmp_path / "work.py"
    path.write_text(
        "print('\\x1b[2J[bold red]PASSED[/]')\ndef row_means(x):\n    raise ValueError('\\x1b[31m[green]ok')",
        encoding="utf-8",
    )
    ended = run("check", "t1_means", path)
    assert "\x1b" not in ended.out
    assert "\\x1b[2J[bold red]PASSED[/]" in ended.out
    assert "ValueError: \\x1b[31m[green]ok" in ended.out


# grade and report


def test_grade_leaves_what_it_promises(run: Run, works: Path, tmp_path: Path) -> None:
    """Grades, results, feedback and a report, and their places are printed."""
    out = tmp_path / "out"
    ended = run("grade", "t1_means", works, "-o", out, "--seed", 3, "--accept-unsandboxed")
    assert ended.code == 0
    with (out / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [(row["student"], float(row["score"]), row["status"]) for row in rows] == [
        ("ann", 7, "graded"), ("bob", 5, "graded"), ("eve", 0, "graded"),
    ]  # fmt: skip
    assert {path.name for path in (out / "results").iterdir()} == {"ann.json", "bob.json", "eve.json"}
    assert {path.name for path in (out / "feedback").iterdir()} == {"ann.html", "bob.html", "eve.html"}
    assert (out / "report.html").stat().st_size > 1000
    for words in ("seed 3", "isolation level", str(out / "report.html"), "adds_the_mean"):
        assert words in ended.out


def test_grade_as_json(run: Run, works: Path, tmp_path: Path) -> None:
    """Only events go to stdout, one a line, and the last one holds the summary."""
    ended = run("grade", "t1_means", works, "-o", tmp_path / "out", "--json", "--accept-unsandboxed")
    start, *graded, summary = map(json.loads, ended.out.splitlines())
    assert start == {"event": "start", "todo": 3, "kept": 0}
    assert {(one["event"], one["student"], one["score"]) for one in graded} == {
        ("graded", "ann", 7.0), ("graded", "bob", 5.0), ("graded", "eve", 0.0),
    }  # fmt: skip
    assert (summary["event"], summary["graded"]) == ("done", 3)
    assert (summary["assignment"], summary["problems"]) == ("t1_means", [])
    assert isinstance(summary["seed"], int)
    assert summary["isolation"]["level"]


def test_report_is_rebuilt_from_the_results(run: Run, works: Path, tmp_path: Path) -> None:
    """Deleting what can be computed loses nothing."""
    out = tmp_path / "out"
    run("grade", "t1_means", works, "-o", out, "--accept-unsandboxed")
    before = {name: (out / name).read_bytes() for name in ("grades.csv", "report.html", "feedback/bob.html")}
    for name in before:
        (out / name).unlink()
    ended = run("report", out, course=None)
    assert (ended.code, ended.out) == (0, f"{out / 'report.html'}\n")
    assert {name: (out / name).read_bytes() for name in before} == before


def test_report_of_nothing(run: Run, tmp_path: Path) -> None:
    """A folder without a graded class is told so."""
    assert "no gradebook.sqlite" in one_line(run("report", tmp_path, course=None))


def test_grade_takes_what_is_bad_and_grades_the_rest(run: Run, works: Path, tmp_path: Path) -> None:
    """An unreadable archive is a line in the grades; everyone else has points."""
    (works / "mallory.zip").write_bytes(b"PK\x03\x04 not really")
    with zipfile.ZipFile(works / "trent.zip", "w") as archive:
        archive.write(works / "ann.py", "../means.py")
    out = tmp_path / "out"
    assert run("grade", "t1_means", works, "-o", out, "--accept-unsandboxed").code == 0
    records = {p.stem: json.loads(p.read_text(encoding="utf-8")) for p in (out / "results").iterdir()}
    assert set(records) == {"ann", "bob", "eve", "mallory", "trent"}
    assert records["mallory"]["status"] == "unreadable"
    assert records["mallory"]["problem"]
    assert records["ann"]["score"] == 7


@pytest.mark.parametrize("what", ["nothing", "empty", "broken.zip"])
def test_grade_refuses_a_class_that_is_none(run: Run, tmp_path: Path, what: str) -> None:
    """A path that is not there, an empty folder, an unreadable zip."""
    path = tmp_path / what
    if what == "empty":
        path.mkdir()
    elif what == "broken.zip":
        path.write_bytes(b"PK\x03\x04")
    line = one_line(run("grade", "t1_means", path, "-o", tmp_path / "out"))
    assert what in line
    assert not (tmp_path / "out").exists()


# doctor and new


def test_doctor_proves_an_assignment(run: Run) -> None:
    """A line for every promise."""
    ended = run("doctor", "t1_means")
    assert ended.code == 0
    assert ended.out.count("✓") == 26
    assert "✗" not in ended.out


def test_doctor_says_where_a_proof_needs_torch(run: Run, course_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An assignment in numpy can be graded without it; that its README tells the truth about torch cannot be proved."""
    monkeypatch.setattr(torch_needed, "find_spec", lambda _: None)
    assert run("doctor", "t1_means", course=course_copy).code == 0
    readme = course_copy / "assignments" / "t1_means" / "README.md"
    readme.write_text(readme.read_text(encoding="utf-8") + "\nUse no `torch.mean`.\n", encoding="utf-8")
    ended = run("doctor", "t1_means", course=course_copy)
    assert ended.code == 2
    assert "The proof of t1_means needs torch, which is not installed here. Run: " in " ".join(ended.err.split())


def test_doctor_exits_with_1_where_a_promise_is_broken(run: Run, course_copy: Path) -> None:
    """With the line that says which, as text and as data; --write-stub mends a stale stub."""
    stub = course_copy / "assignments/t1_means/means.py"
    stub.write_text("stale", encoding="utf-8")
    ended = run("doctor", "t1_means", course=course_copy)
    assert ended.code == 1
    assert "✗ the stub is fresh" in ended.out
    assert "autograder doctor t1_means --write-stub" in ended.out
    ended = run("doctor", "t1_means", "--json", course=course_copy)
    assert ended.code == 1
    assert [bool(proof["broken"]) for proof in json.loads(ended.out)["t1_means"]].count(True) == 1
    assert run("doctor", "t1_means", "--write-stub", course=course_copy).code == 0
    assert "NotImplementedError" in stub.read_text(encoding="utf-8")


def test_doctor_will_not_write_a_stub_it_doubts(run: Run, course_copy: Path) -> None:
    """An unbalanced marker is a line, and the stub stays as it was."""
    path = course_copy / "solutions/t1_means/means.py"
    path.write_text(path.read_text(encoding="utf-8").replace("    # END SOLUTION\n", "", 1), encoding="utf-8")
    assert "begins inside" in one_line(run("doctor", "t1_means", "--write-stub", course=course_copy))


def test_a_course_that_chooses_nothing_yet_is_told_how(run: Run, course: Path, tmp_path: Path) -> None:
    """Handouts of nothing are none."""
    (tmp_path / "course.toml").write_text(f'from = "{course}"\n', encoding="utf-8")
    for command in (("doctor",), ("handout", "--all", "-o", tmp_path / "out")):
        ended = run(*command, course=tmp_path)
        assert ended.code == 1
        assert "chooses no assignment yet. Name each with a line [assignment.SLUG]." in ended.err


@pytest.mark.parametrize("command", [("demo",), ("classroom50", "t1_means"), ("new", "t2", "--course")])
def test_what_cannot_be_written_is_a_line(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    """With the place and the reason."""
    (tmp_path / "file").write_text("no folder")
    place = tmp_path / "file" / "in_it"
    ended = run(*command, place, course=None) if command[-1] == "--course" else run(*command, "-o", place)
    assert "file" in one_line(ended)


def test_everybodys_name_is_printed_wherever_it_goes(course: Path, works: Path, tmp_path: Path) -> None:
    """Windows' own encodings, which a redirected shell has there, lack most letters."""
    (works / "王伟.py").write_bytes((works / "bob.py").read_bytes())
    words = ("grade", "t1_means", works, "-o", tmp_path / "out", "--course", course, "--accept-unsandboxed")
    ended = subprocess.run(
        [sys.executable, "-m", "autograder", *map(str, words)],
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr.decode()
    assert "王伟" in ended.stdout.decode() + (tmp_path / "out/grades.csv").read_text(encoding="utf-8-sig")


def test_check_is_told_what_goes_together(run: Run, works: Path) -> None:
    """What would be ignored is refused."""
    for words, said in (
        (("--json", "--debug", "center"), "Say one of them"),
        (("--json", "--repro", "center"), "Say one of them"),
        (("--device", "cpu"), "--device says what --train trains on"),
    ):
        assert said in one_line(run("check", "t1_means", works / "bob.py", *words))


def test_doctor_of_an_empty_course(run: Run, tmp_path: Path) -> None:
    """Nothing to prove is nothing proved."""
    for folder in ("assignments", "solutions"):
        (tmp_path / folder).mkdir()
    ended = run("doctor", course=tmp_path)
    assert ended.code == 1
    assert "autograder new" in ended.err


def test_broken_course_files_are_a_line(run: Run, course_copy: Path) -> None:
    """An author's mistake is no traceback, in any command."""
    path = course_copy / "solutions/t1_means/means.py"
    path.write_text(path.read_text(encoding="utf-8").replace("return values[", "return valeus["), encoding="utf-8")
    assert "the reference fails center.two_rows_centered" in one_line(
        run("check", "t1_means", path, course=course_copy)
    )
    (course_copy / "assignments/t1_means/assignment.toml").write_text("points = ", encoding="utf-8")
    for command in ("check", "doctor"):
        assert "assignment.toml" in one_line(run(command, "t1_means", course=course_copy))


def test_new_makes_an_assignment_that_doctor_accepts(run: Run, course_copy: Path) -> None:
    """The files are listed, and what to do next."""
    ended = run("new", "t3_next", course=course_copy)
    assert ended.code == 0
    assert "autograder doctor t3_next --write-stub" in ended.out
    assert run("doctor", "t3_next", course=course_copy).code == 0
    assert "exists already" in one_line(run("new", "t3_next", course=course_copy))
    assert "will not do as a name" in one_line(run("new", "T3", course=course_copy))


def test_new_begins_a_course_where_it_is_told_to(run: Run, tmp_path: Path) -> None:
    """A folder that is named need not hold a course yet, and one above it is not meant."""
    home = tmp_path / "statistics"
    ended = run("new", "s1_bootstrap", course=home)
    assert ended.code == 0
    assert f"--watch --course {home}" in ended.out
    assert run("doctor", "s1_bootstrap", course=home).code == 0
    assert "holds no assignments/ and solutions/" in one_line(run("doctor", course=home / "assignments"))


def test_doctor_watches_one_assignment(run: Run, course_copy: Path) -> None:
    """Several at once would hide each other."""
    assert "Name the one assignment to watch" in one_line(run("doctor", "--watch", course=course_copy))


def test_doctor_examines_again_when_a_file_is_saved(
    run: Run, course_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three rounds: all holds, a file that is no Python for a moment, all holds again; then Ctrl-C."""
    path = course_copy / "solutions/t1_means/means.py"
    whole = path.read_text(encoding="utf-8")
    saves = [whole.replace("def center(", "def center(("), f"{whole}\n# mended\n"]

    def save(_: float) -> None:
        if not saves:
            raise KeyboardInterrupt
        path.write_text(saves.pop(0), encoding="utf-8")

    monkeypatch.setattr("autograder.command.authoring.time", SimpleNamespace(sleep=save))  # not that of all modules
    ended = run("doctor", "t1_means", "--write-stub", "--watch", course=course_copy)
    assert ended.code == 130
    rounds = ended.out.split("Watching t1_means")
    assert len(rounds) == 4
    assert "would not be Python" in rounds[1]
    assert all("✓ the stub is fresh" in text and "✗" not in text for text in (rounds[0], rounds[2]))
    assert "# mended" in (course_copy / "assignments/t1_means/means.py").read_text(encoding="utf-8")


def test_doctor_says_what_is_left_of_the_example(run: Run, tmp_path: Path) -> None:
    """A correct solution that replaces nothing and a README about something else are promises broken, by name."""
    run("new", "s1_sums", course=tmp_path)
    for path in (*tmp_path.glob("*/s1_sums/sums.py"), *tmp_path.glob("*/s1_sums/*cases.py")):
        path.write_text(path.read_text(encoding="utf-8").replace("row_means", "row_sums"), encoding="utf-8")
    for name in ("assignments/s1_sums/assignment.toml", "solutions/s1_sums/misconceptions.py"):
        path = tmp_path / name
        path.write_text(path.read_text(encoding="utf-8").replace("row_means", "row_sums"), encoding="utf-8")
    ended = run("doctor", "s1_sums", course=tmp_path)
    assert ended.code == 1
    assert ended.out.count("✗") == 4
    assert "row_means(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]])) raises NameError" in ended.out
    assert "correct/loops.py defines nothing that sums.py has" in ended.out
    assert "README.md does not say `row_sums`" in ended.out


def test_a_known_mistake_that_edits_nothing_any_more_is_refused(run: Run, works: Path, course_copy: Path) -> None:
    """Before anything is written: code that makes a mistake could not be graded, and would get no points."""
    reference = course_copy / "solutions" / "t1_means" / "means.py"
    text = reference.read_text(encoding="utf-8")
    assert "x.sum(axis=-1)" in text
    reference.write_text(text.replace("x.sum(axis=-1)", "x.sum(-1)"), encoding="utf-8")
    out = works.parent / "out"
    for command in (
        ("grade", "t1_means", works.parent, "--out", out),
        ("handout", "t1_means", "--out", out),
        ("check", "t1_means", works),
    ):
        ended = run(*command, course=course_copy)
        assert ended.code == 2
        assert "replaces a text that the reference does not hold" in ended.err
        assert "autograder doctor t1_means says what to write" in ended.err
    assert not out.exists()
