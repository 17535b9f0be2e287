"""Gradescope's zip: built twice the same, installed and run as the platform does, with honest and hostile students."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import COURSE as TINY
from gradescope_support import MEMORY, NEEDED, Container
from hostile_support import ATTACKS, COURSE, NUMPY, Attack
from test_layers import imports
from typer.testing import CliRunner

from autograder.classroom.record import record
from autograder.classroom.run import grade_one
from autograder.classroom.submissions import Submission
from autograder.cli import app
from autograder.course.catalog import load_assignment
from autograder.integrations import one_submission as desks
from autograder.integrations.gradescope import VISIBILITIES, gradescope_files, gradescope_zip, nothing, results
from autograder.integrations.one_submission import Desk, Settings, desk_files, handed_in, open_desk, requirements
from autograder.integrations.wheel import NAME, wheel
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.sandbox.job import Chunk, Isolation, Source
from autograder.sandbox.process import ProcessSandbox
from autograder.submission.written_exercises import Stub

ROOT = Path(__file__).parents[1]
MAIN = "autograder.integrations.gradescope"
SETTINGS = Settings(NUMPY, 23)
# One attack of each kind that ends in each way: readers, forgers, exhausters, escapers, and odd sources.
HOSTILE = """
CRASHED/exhaust_c_stack CRASHED/exhaust_segfault CRASHED/forge_exit_zero CRASHED/forge_kill_itself CRASHED/forge_status
CRASHED/source_destroyed_builtins CRASHED/source_str_raises
FAILED/forge_equal_to_everything FAILED/forge_lying_array FAILED/forge_patched_comparisons FAILED/forge_pickle
FAILED/forge_printed_pass FAILED/forge_results_file
MEMORY/exhaust_arrays OUTPUT/forge_raw_bytes OUTPUT/exhaust_output MISSING/source_empty
PASSED/escape_exec PASSED/exhaust_stdout PASSED/read_disk_walk PASSED/read_secret_file PASSED/read_solution
TIMEOUT/exhaust_ignored_signals MISSING/forge_system_exit_at_import unreadable/source_nul
""".split()  # noqa: SIM905 (one name a line would be a page)
assert len(HOSTILE) == 25

TEXT, NUMBER = (str,), (int, float)
FORMATS = ("text", "html", "simple_format", "md", "ansi")
SPECIFIED = {  # as Gradescope documents results.json
    "score": NUMBER, "execution_time": NUMBER, "output": TEXT, "output_format": FORMATS, "test_output_format": FORMATS,
    "test_name_format": FORMATS, "visibility": VISIBILITIES, "stdout_visibility": VISIBILITIES, "extra_data": (dict,),
    "tests": (list,), "leaderboard": (list,),
}  # fmt: skip
SPECIFIED_TEST = {
    "score": NUMBER, "max_score": NUMBER, "status": ("passed", "failed"), "name": TEXT, "name_format": FORMATS,
    "number": TEXT, "output": TEXT, "output_format": FORMATS, "tags": (list,), "visibility": VISIBILITIES,
    "extra_data": (dict,),
}  # fmt: skip


def faults(answer: dict, specified: dict = SPECIFIED) -> list[str]:
    """Return where a results.json is not as Gradescope specifies it, field by field."""
    found = [f"{key} is no field" for key in answer if key not in specified]
    for key, value in answer.items():
        allowed = specified.get(key, (object,))
        if not (isinstance(value, allowed) if isinstance(allowed[0], type) else value in allowed):
            found.append(f"{key} = {value!r}")
    for test in answer.get("tests", []) if specified is SPECIFIED else []:
        found += faults(test, SPECIFIED_TEST)
        found += [f"{test['name']} earns {test['score']}"] if not 0 <= test["score"] <= test["max_score"] else []
    return found


@pytest.fixture(scope="module")
def container() -> Iterator[Container]:
    """Return a container built from the zip of the hostile course's first assignment.

    Not in pytest's own folders: those are closed to other users, and a container's root is open.
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        archive = gradescope_zip(COURSE, load_assignment(COURSE, NUMPY), SETTINGS)
        yield Container.build(Path(folder) / "autograder", archive)


def graded_in(container: Container, name: str, content: bytes) -> dict:
    """Run one submission and return a results.json that is as specified."""
    container.grade(name, content)
    answer = json.loads((container.root / "results" / "results.json").read_text(encoding="utf-8"))
    assert faults(answer) == []
    return answer


def test_the_container_grades_at_level_b_within_its_memory(container):
    """The reference earns everything, in 768 MB and half a core, as another user where the platform is root."""
    ran = container.grade("scale.py", (COURSE / "solutions" / NUMPY / "scale.py").read_bytes())
    answer = json.loads((container.root / "results" / "results.json").read_text(encoding="utf-8"))
    assert faults(answer) == []
    assert answer["score"] == 12, ran.printed
    assert sum(test["score"] for test in answer["tests"]) == pytest.approx(12)
    assert answer["extra_data"]["isolation"] == ("B" if os.geteuid() == 0 else "B-"), ran.printed
    assert ran.caged in ("control groups", "limits")
    assert ran.peak is None or ran.peak < MEMORY / 2


def test_the_stub_earns_nothing(container):
    """What is handed in unchanged is worth zero, in every test."""
    answer = graded_in(container, "scale.py", (COURSE / "assignments" / NUMPY / "scale.py").read_bytes())
    assert answer["score"] == 0
    assert {test["score"] for test in answer["tests"]} == {0}


def test_hidden_cases_are_hidden_and_public_ones_are_not(container):
    """The default keeps them back; the points are split as the cases weigh."""
    answer = graded_in(container, "scale.py", (COURSE / "solutions" / NUMPY / "scale.py").read_bytes())
    assert {t["visibility"] for t in answer["tests"] if "hidden" in t["name"]} == {"hidden"}
    assert {t["visibility"] for t in answer["tests"] if "public" in t["name"]} == {"visible"}


PRYING = """\
import os

FOUND = []
for folder in @FOLDERS@:
    try:
        FOUND.append(f"BREACH {folder} {os.listdir(folder)}")
    except OSError as error:
        FOUND.append(type(error).__name__)
for path in @FILES@:
    for mode in ("r", "a"):
        try:
            with open(path, mode) as file:
                FOUND.append(f"BREACH {path} {mode} {file.read()[:40]}")
        except OSError as error:
            FOUND.append(type(error).__name__)


def scale(x, factor):
    raise RuntimeError(f"uid {os.getuid()}: {FOUND}")
"""


def test_student_code_reads_neither_source_nor_results(container):
    """Another user, and rules of the kernel besides: nothing in them can be listed, read or written."""
    root = container.root
    folders = [str(root / part) for part in ("source", "source/desk", "results", "submission")]
    names = ("source/desk/solutions/h1_scale/scale.py", "source/desk/desk.json", "results/results.json")
    files = [str(root / name) for name in names]
    text = PRYING.replace("@FOLDERS@", repr(folders)).replace("@FILES@", repr(files))
    answer = graded_in(container, "scale.py", text.encode())
    (public,) = [test for test in answer["tests"] if test["name"] == "scale: public cases"]
    assert "PermissionError" in public["output"]
    assert "BREACH" not in json.dumps(answer)
    assert ("uid 65534" in public["output"]) == (os.geteuid() == 0)
    for part in ("source", "results", "submission"):
        assert stat.S_IMODE((root / part).stat().st_mode) == 0o700


@pytest.mark.parametrize("name", HOSTILE)
def test_the_hostile_leave_a_valid_file_with_an_honest_score(container, name):
    """Each earns in its first exercise what it earns anywhere, and says nothing that it should not know."""
    attack = Attack(ATTACKS / f"{name}.py")
    root = container.root
    places = {
        "SOLUTION": root / "source/desk/solutions/h1_scale/scale.py",
        "SECRET": root / "results/results.json",
        "OTHER": root / "submission/scale.py",
        "FOLDER": root,
        "MARKER": root / "results",
        "PYTHON": sys.executable,
        "GRADER": os.getpid(),
    }
    content = attack.path.read_bytes()
    for word, place in places.items():
        content = content.replace(f"@{word}@".encode(), str(place).encode())
    assert attack.slug == NUMPY
    answer = graded_in(container, "scale.py", content)
    earned = sum(test["score"] for test in answer["tests"] if test["name"].startswith("scale: "))
    assert earned == pytest.approx(attack.earns)
    assert answer["score"] == pytest.approx(sum(test["score"] for test in answer["tests"]))
    assert attack.total is None or answer["score"] == attack.total
    assert "8128" not in json.dumps(answer)


def test_a_grader_that_is_killed_leaves_a_file_too(container):
    """What run_autograder writes first stands until there is something better."""
    settings = container.root / "source" / "desk" / "desk.json"
    text = settings.read_text()
    settings.write_text("{")
    try:
        answer = graded_in(container, "scale.py", b"")
    finally:
        settings.write_text(text)
    assert answer["score"] == 0
    assert "did not come to an end" in answer["output"]


def test_nothing_handed_in_is_said_clearly(container):
    """A file of another kind is the student's matter, and says what to do."""
    answer = graded_in(container, "essay.txt", b"Dear Sir or Madam")
    assert answer["score"] == 0
    assert "Hand in scale.py" in answer["output"]


def test_the_same_course_makes_the_same_zip():
    """Bytes depend on course, settings and engine alone."""
    assignment = load_assignment(COURSE, NUMPY)
    assert gradescope_zip(COURSE, assignment, SETTINGS) == gradescope_zip(COURSE, assignment, SETTINGS)
    files = gradescope_files(COURSE, assignment, SETTINGS)
    assert {"setup.sh", "run_autograder", "requirements.txt", NAME} < files.keys()
    assert "desk/solutions/h1_scale/cases.py" in files


def test_the_command_writes_the_zip_and_draws_a_seed(tmp_path):
    """`autograder gradescope` with its options; a word that Gradescope does not know is refused."""
    run = ["gradescope", "t1_means", "--course", str(TINY), "-o", str(tmp_path)]
    done = CliRunner().invoke(app, [*run, "--hidden-visibility", "after_published"])
    assert done.exit_code == 0, done.output
    with zipfile.ZipFile(tmp_path / "t1_means-gradescope.zip") as archive:
        settings = json.loads(archive.read("desk/desk.json"))
    assert settings["hidden"] == "after_published"
    assert not settings["training"]
    assert settings["seed"] > 0
    assert CliRunner().invoke(app, [*run, "--hidden-visibility", "never"]).exit_code == 2


def test_a_broken_reference_is_refused(course_copy, tmp_path):
    """Better to hear of it now than from students."""
    path = course_copy / "solutions" / "t1_means" / "means.py"
    path.write_text(path.read_text().replace("return total / x.shape[-1]", "return undefined"))
    run = ["gradescope", "t1_means", "--course", str(course_copy), "-o", str(tmp_path)]
    assert CliRunner().invoke(app, run).exit_code == 2


@pytest.mark.parametrize("hidden", VISIBILITIES)
def test_hidden_cases_can_be_shown_when_the_course_wants(hidden, sandbox):
    """Each word of Gradescope's, on the tests of hidden cases alone, and what they say is fit for students."""
    assignment = load_assignment(TINY, "t1_means")
    text = assignment.reference.replace("return x - means", "return means - x")
    submission = Submission("s", "s", Source("means", (Chunk("means.py", text),)))
    oracle = Oracle(assignment, 11)
    graded = grade_one(Trainer(oracle), submission, sandbox)
    entry = record(assignment, submission, graded.result, graded.isolation, 11, graded.seconds)
    answer = results(entry, Desk(Path(), SETTINGS, assignment).weights(), hidden)
    assert faults(answer) == []
    assert {t["visibility"] for t in answer["tests"] if t["name"].endswith("hidden cases")} == {hidden}
    assert sum(t["max_score"] for t in answer["tests"]) == pytest.approx(entry.max_score, abs=1e-3)
    assert sum(t["score"] for t in answer["tests"]) == pytest.approx(entry.score, abs=1e-3)


def test_what_stands_before_there_are_results_is_valid():
    """Also this is shown to a student."""
    assert faults(nothing()) == []


def test_where_nothing_isolates_nothing_runs(monkeypatch, tmp_path):
    """Level C refuses hidden cases; the student reads that it is not their fault."""
    for name, data in desk_files(TINY, Settings("t1_means", 11)).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    monkeypatch.setattr(desks, "open_sandbox", lambda *_, **__: ProcessSandbox(("everything: a test",)))
    marker = tmp_path / "ran"
    (tmp_path / "means.py").write_text(f"open({str(marker)!r}, 'w')\n")
    desk = open_desk(tmp_path)
    entry = desk.judge(handed_in(tmp_path / "means.py", Stub("means.py")))
    assert entry.status == "grader_error"
    assert "cannot isolate" in entry.problem
    assert isinstance(entry.isolation, Isolation)
    assert not marker.exists()


def test_a_desk_judges_a_file_from_the_command_line(tmp_path):
    """As otter's judge calls it: the record lands in a file."""
    for name, data in desk_files(TINY, Settings("t1_means", 11)).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "means.py").write_bytes((TINY / "solutions" / "t1_means" / "means.py").read_bytes())
    command = [
        sys.executable,
        "-m",
        "autograder.integrations.one_submission",
        *map(str, (tmp_path, tmp_path / "means.py")),
    ]
    subprocess.run([*command, str(tmp_path / "record.json")], check=True)
    entry = json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))
    assert (entry["score"], entry["max_score"]) == (7, 7)


def test_a_desk_needs_what_the_package_needs_and_torch_only_where_it_is_used():
    """Its requirements are the project's own, word for word."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for slug, torch in (("t1_means", False), ("t2_tensors", True)):
        lines = requirements(load_assignment(TINY, slug)).splitlines()
        names = [line for line in lines if not line.startswith("--")]
        assert set(names) <= {*project["dependencies"], *project["optional-dependencies"]["torch"]}
        assert any(name.startswith("torch") for name in names) == torch
        assert {name.partition(">")[0] for name in names} - {"torch"} == set(NEEDED)


def test_the_wheel_lists_what_it_holds():
    """With a record of it; the same bytes every time."""
    data = wheel(MAIN)
    assert data == wheel(MAIN)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = set(archive.namelist())
        (listed,) = [archive.read(name).decode() for name in names if name.endswith("RECORD")]
    assert {line.partition(",")[0] for line in listed.splitlines()} == names
    assert {"autograder/integrations/one_submission.py", "autograder/course/languages/de.po"} < names


@pytest.mark.parametrize("main", [MAIN, "autograder.integrations.otter_run"])
def test_the_wheel_holds_what_grading_needs_and_no_more(main, tmp_path):
    """No desk, proofs, pages or platforms; its modules import nothing of ours that is not there, wherever they do it."""
    with zipfile.ZipFile(io.BytesIO(wheel(main))) as archive:
        archive.extractall(tmp_path)
    files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    parts = {name.split("/")[1] for name in files if name.startswith("autograder/")}
    assert not parts & {"cli.py", "command", "desk", "feedback", "pages", "proof"}
    assert {name for name in files if name.startswith("autograder/lms/")} == {
        f"autograder/lms/{name}.py" for name in ("__init__", "dates", "platform", "recognition", "worksheet")
    }
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import {main} as m; print(m.__file__)"
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(tmp_path))
    ours = {name for path in tmp_path.rglob("*.py") for name in imports(path) if name.startswith("autograder")}
    places = [Path(*name.split(".")) for name in ours if (ROOT / Path(*name.split("."))).with_suffix(".py").exists()]
    assert [place for place in places if not (tmp_path / place).with_suffix(".py").exists()] == []


def test_a_desk_holds_what_grading_needs_and_no_more():
    """No pictures, texts, programs to play with, reasons of mutants or labs; data and trainings stay."""
    files = desk_files(ROOT, Settings("a8_language_model", 11)).keys()
    names = {"assignment.toml", "language_model.py", "cases.py", "training.py", "data/shakespeare.txt"}
    secret = {"misconceptions.py", "language_model.py", "cases.py", "training.py", "quiz.toml", "data/held_out.txt"}
    assert files == {
        "desk.json",
        *(f"assignments/a8_language_model/{name}" for name in names),
        *(f"solutions/a8_language_model/{name}" for name in secret),
    }


def test_a_desk_of_a_course_that_leaves_a_program_out_can_be_opened(course_copy, tmp_path):
    """A program that stays at home can no longer be left out there."""
    (course_copy / "assignments" / "t1_means" / "play.py").write_text("print()\n")
    (course_copy / "course.toml").write_text('[assignment.t1_means]\nwithout = ["play.py"]\n')
    for name, data in desk_files(course_copy, Settings("t1_means", 11)).items():
        (tmp_path / "desk" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "desk" / name).write_bytes(data)
    assert open_desk(tmp_path / "desk").assignment.exercises == load_assignment(course_copy, "t1_means").exercises


BROKEN_PYTHON = """\
#!/bin/sh
# Stands for a Python in which everything can be installed and numpy does not load, as without libstdc++.
if [ "$1 $2" = "-m venv" ]; then mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; fi
if [ "$1" = -I ]; then echo "ImportError: libstdc++.so.6: cannot open shared object file" >&2; exit 1; fi
"""


def test_an_image_in_which_a_library_does_not_load_is_not_built(tmp_path):
    """Who uploads the zip reads it in the image's log, before any student's submission comes to nothing."""
    source = tmp_path / "source"
    for name, data in gradescope_files(COURSE, load_assignment(COURSE, NUMPY), SETTINGS).items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(data)
    python = tmp_path / "python3"
    python.write_text(BROKEN_PYTHON, encoding="utf-8")
    python.chmod(0o755)
    env = {"PATH": os.environ["PATH"], "AUTOGRADER_PYTHON": str(python)}
    done = subprocess.run(
        ["bash", str(source / "setup.sh")], env=env, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode != 0
    assert "libstdc++.so.6" in done.stderr
