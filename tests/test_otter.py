"""Otter's bundle without otter: the master notebook, what goes into the zip, and the judge before the kernel.

What only otter itself can show, `make test-otter` does in an environment of its own.
"""

from __future__ import annotations

import importlib.util
import io
import json
import re
import runpy
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import COURSE, SLUG
from otter_support import EXPLOITS, WRONG, notebook
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course.catalog import load_assignment
from autograder.course.places import CourseError, slugs
from autograder.course.stub import StubError, render_stub
from autograder.handout.handout import engine_files, write_files
from autograder.handout.kit.verdicts import Examples
from autograder.handout.leaks import leaks, secrets_of
from autograder.handout.public_data import public_oracle
from autograder.integrations import otter, otter_run
from autograder.integrations.one_submission import Settings, desk_files
from autograder.integrations.otter import (
    graders_zip,
    make_otter,
    marked,
    master_notebook,
    otter_files,
    worth,
)
from autograder.integrations.otter_run import HANDED_IN, Judge, ask, verdicts
from autograder.integrations.wheel import NAME

ROOT = Path(__file__).parents[1]
SETTINGS = Settings(SLUG, 11)
PUBLIC = "row_means.two_rows"


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    """Return what `otter assign` would read."""
    return otter_files(COURSE, public_oracle(load_assignment(COURSE, SLUG)), SETTINGS)


@pytest.fixture(scope="module")
def cells(files) -> list[tuple[str, str]]:
    """Return the cells of the master notebook."""
    return [(c["cell_type"], "".join(c["source"])) for c in json.loads(files["means.ipynb"])["cells"]]


def stripped(text: str) -> str:
    """Remove solutions as otter does: what stands between its markers, and the quotes around prompts."""
    kept, inside = [], False
    for line in text.splitlines(keepends=True):
        inside = inside or line.strip() == "# BEGIN SOLUTION NO PROMPT"
        if not inside and not line.rstrip().endswith(("# BEGIN PROMPT", "# END PROMPT")):
            kept.append(line)
        inside = inside and line.strip() != "# END SOLUTION"
    return "".join(kept)


@pytest.mark.parametrize(("course", "slug"), [(course, slug) for course in (COURSE, ROOT) for slug in slugs(course)])
def test_what_otter_strips_is_our_stub(course, slug):
    """Otter's way with our markers comes to the stub that students get from us, to the character; cell by cell too."""
    assignment = load_assignment(course, slug)
    assert stripped(marked(assignment)) == render_stub(assignment)
    compile(marked(assignment), assignment.file, "exec")
    notebook = json.loads(master_notebook(course, assignment, Settings(slug, 0), []))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell.count("# BEGIN SOLUTION NO PROMPT") == cell.count("# END SOLUTION") for cell in cells)
    blanks = sum(len(exercise.blanks) for exercise in assignment.exercises)
    assert sum(cell.count("# BEGIN PROMPT") for cell in cells) == blanks


def test_a_stub_that_does_not_match_is_refused(assignment, monkeypatch):
    """Where lines outside of solutions differ, it is not certain what would ship."""
    monkeypatch.setattr(otter, "render_stub", lambda a: render_stub(a).replace("import numpy", "import nympy"))
    with pytest.raises(StubError, match="import numpy as np"):
        marked(assignment)


def test_every_exercise_is_a_question_whose_tests_are_its_points(assignment, cells):
    """Raw cells open and close what otter knows; points and visibility are those of the cases."""
    raw = [text for kind, text in cells if kind == "raw"]
    assert raw[0].startswith("# ASSIGNMENT CONFIG\n")
    for mark in ("QUESTION", "SOLUTION", "TESTS"):
        begun, ended = (sum(text.startswith(f"# {word} {mark}") for text in raw) for word in ("BEGIN", "END"))
        assert begun == ended == len(assignment.exercises)
    for exercise in assignment.exercises:
        start = next(i for i, (_, text) in enumerate(cells) if f"name: {exercise.name}\n" in text)
        stop = next(i for i, (_, text) in enumerate(cells) if i > start and text == "# END QUESTION")
        tests = [text for _, text in cells[start:stop] if "BEGIN TEST CONFIG" in text]
        assert sum(float(re.search(r"points: (\S+)", text)[1]) for text in tests) == pytest.approx(exercise.points)
        assert ["hidden: true" in text for text in tests] == [
            hidden for _, _, hidden in worth(assignment, exercise.name)
        ]
        assert len(tests) == len(assignment.cases_of(exercise.name))


def test_the_settings_of_the_master_are_lines_of_yaml(cells):
    """Each is a key and JSON, which YAML takes: our judge as plugin, its desk for the grader alone, no PDF."""
    lines = cells[0][1].splitlines()[1:]
    settings = {key: json.loads(value) for key, value in (line.split(": ", 1) for line in lines)}
    assert settings["plugins"] == ["autograder.integrations.otter_run.Judge"]
    assert settings["autograder_files"] == ["desk", NAME]
    assert not set(settings["autograder_files"]) & set(settings["files"])
    assert settings["tests"] == {"files": True, "ok_format": False}


def test_a_training_is_a_question_without_code():
    """It has hidden tests only, worth its points, and no check for students; without training it is not there."""
    assignment = load_assignment(COURSE, "t3_learning")
    (training,) = assignment.trainings
    texts = {}
    for chosen in (True, False):
        made = otter_files(COURSE, public_oracle(assignment), Settings("t3_learning", 0, training=chosen))
        texts[chosen] = made[f"{Path(assignment.file).stem}.ipynb"].decode()
    assert f"name: {training.exercise}" in texts[True]
    assert f"name: {training.exercise}" not in texts[False]
    points = next(e.points for e in assignment.exercises if e.name == training.exercise)
    rows = worth(assignment, training.exercise)
    assert sum(points for _, points, _ in rows) == pytest.approx(points)
    assert all(hidden for _, _, hidden in rows)


def test_hidden_tests_do_not_fail_where_they_cannot_run(assignment, cells, capsys):
    """A solution notebook has them too: there they say what they are; at grading they read the verdict as all others do."""
    tests = [text for _, text in cells if "BEGIN TEST CONFIG" in text]
    assert {("hidden: true" in text, "examples.hidden_in_notebook(" in text) for text in tests} == {
        (False, False),
        (True, True),
    }
    Examples(Path("nowhere")).hidden_in_notebook({}, "center.any_shape")
    assert capsys.readouterr().out == "center.any_shape is hidden: it runs when the notebook is graded.\n"


def test_a_check_stands_below_all_that_its_exercise_uses():
    """So that the solution notebook passes from top to bottom; a5's second exercise uses its eighth."""
    assignment = load_assignment(ROOT, "a5_attention")
    cells = json.loads(master_notebook(ROOT, assignment, Settings("a5_attention", 0), []))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    questions = [match[1] for text in texts if (match := re.search(r"# BEGIN QUESTION\nname: (\w+)", text))]
    assert sorted(questions) == sorted(e.name for e in assignment.exercises)
    for name in questions:
        assert set(assignment.uses(name)) <= set(questions[: questions.index(name)])
    assert all("check_cell: true" in text for text in texts if text.startswith("# BEGIN QUESTION"))
    own = [text for text in texts[texts.index("# END QUESTION") :] if "def causal_mask(" in text]
    place = texts.index(own[0])
    assert texts[place - 2].startswith("# BEGIN QUESTION\nname: causal_mask\n")
    assert "Under each, or under\nthe last one that it builds on, stands a check" in "\n".join(texts)


def test_what_students_get_gives_nothing_away(assignment, files):
    """Everything but the desk, the wheel and the master itself; the command looks again at what otter made of that."""
    theirs = {n: data for n, data in files.items() if not n.startswith("desk/") and n not in (NAME, "means.ipynb")}
    readme = (COURSE / "assignments" / SLUG / "README.md").read_text()
    secrets = secrets_of(public_oracle(assignment), readme)
    assert list(leaks(theirs, secrets, engine_files())) == []
    assert list(leaks({"means.ipynb": files["means.ipynb"]}, secrets, {}))  # it does find what it looks for
    assert {"check.py", "engine/public.json", "README.md"} < theirs.keys()


def test_the_graders_zip_holds_the_desk_and_nothing_of_the_students():
    """Otter copies files/ over what was handed in; a stub among them would be graded in its place."""
    found = {
        "tests/center.py": b"t",
        "files/means.py": b"stub",
        "files/engine/x.py": b"e",
        "files/desk/desk.json": b"d",
    }
    found |= {f"files/{NAME}": b"w", "run_otter.py": b"theirs", "otter_config.json": b"{}"}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in found.items():
            archive.writestr(name, data)
    data = graders_zip(file.getvalue())
    assert data == graders_zip(file.getvalue())
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert set(archive.namelist()) == found.keys() - {"files/means.py", "files/engine/x.py"}
        assert b"grade_in" in archive.read("run_otter.py")


@pytest.mark.parametrize("there", [True, False])
def test_otters_set_up_installs_bubblewrap_where_it_can(tmp_path, there):
    """What otter wrote comes first and stays as it is; a container that has no such package is set up all the same."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("setup.sh", "#!/usr/bin/env bash\nset -e\necho otter\n")
    with zipfile.ZipFile(io.BytesIO(graders_zip(file.getvalue()))) as archive:
        script = archive.read("setup.sh").decode()
    apt = tmp_path / "apt-get"
    apt.write_text(f'#!/bin/sh\necho "$*"\nexit {0 if there else 100}\n')
    apt.chmod(0o755)
    command = [shutil.which("bash"), "-c", script]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=True)
    told = [] if there else ["bubblewrap could not be installed; student code is isolated without it"]
    assert done.stdout.splitlines() == ["otter", "install -y bubblewrap", *told]


def test_without_otter_the_command_says_what_to_install(assignment, tmp_path, monkeypatch):
    """One line that can be pasted, and exit code 2 on the command line."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(CourseError, match=r"-m pip install 'otter-grader\[grading\]'"):
        make_otter(COURSE, public_oracle(assignment), SETTINGS, tmp_path / "out")
    done = CliRunner().invoke(app, ["otter", SLUG, "--course", str(COURSE), "-o", str(tmp_path / "out")])
    assert isinstance(done.exception, CourseError)


@pytest.fixture
def assigned(monkeypatch):
    """Stand in for `otter assign`: leave what it would, with a student's notebook of our making."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object())

    def assign(text: str) -> None:  # the code of its only cell
        def make(master: Path, made: Path) -> None:
            assert master.is_file()
            for name in ("student/means.ipynb", "autograder/means.ipynb"):
                (made / name).parent.mkdir(parents=True)
                (made / name).write_text(notebook(text))
            with zipfile.ZipFile(made / "autograder" / "means-autograder_2026.zip", "w") as archive:
                archive.writestr("tests/center.py", "")

        monkeypatch.setattr(otter, "_assign", make)

    return assign


def test_the_command_leaves_four_things(assigned, tmp_path):
    """The master to look at, the students' folder, the solution, the zip; and does not write over an older one."""
    assigned("\n")
    run = ["otter", SLUG, "--course", str(COURSE), "-o", str(tmp_path)]
    done = CliRunner().invoke(app, run)
    assert done.exit_code == 0, done.output
    out = tmp_path / f"{SLUG}-otter"
    assert {path.name for path in out.iterdir()} == {"master", "student", "solution", "autograder.zip"}
    assert json.loads((out / "master" / "desk" / "desk.json").read_text())["slug"] == SLUG
    assert json.loads((out / "student" / "means.ipynb").read_text())["cells"] == []  # one that says nothing is left out
    with pytest.raises(CourseError, match="not empty"):
        CliRunner().invoke(app, run, catch_exceptions=False)


def test_a_solution_that_otter_let_through_stops_everything(assigned, tmp_path, assignment):
    """Otter's stripper has let answers through before; then nothing is written."""
    assigned("return total / x.shape[-1]")
    with pytest.raises(CourseError, match="a line of the solution"):
        make_otter(COURSE, public_oracle(assignment), SETTINGS, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_failing_otter_assign_is_told(tmp_path, monkeypatch):
    """What otter said last is in the message."""
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(CourseError, match="otter assign failed"):
        otter._assign(tmp_path / "means.ipynb", tmp_path / "made")


def lay_out(root: Path, name: str, content: str) -> Path:
    """Lay out what otter has when it calls the judge, and return the submission."""
    write_files({f"files/desk/{n}": data for n, data in desk_files(COURSE, SETTINGS).items()}, root / "source")
    for folder in ("source/tests", "submission/tests"):
        (root / folder).mkdir(parents=True)
        (root / folder / "center.py").write_text("# hidden: matches_the_reference\n")
    (root / "submission" / name).write_text(content)
    return root / "submission" / name


def judged(root: Path, name: str, content: str) -> dict[str, tuple[str, str]]:
    """Let the judge at a submission and return what it found."""
    path = lay_out(root, name, content)
    Judge(str(path), {}, {}).before_grading(None)
    return {case: tuple(found) for case, found in json.loads((path.parent / "verdicts.json").read_text()).items()}


def test_the_reference_passes_and_the_stub_does_not(assignment, tmp_path):
    """All cases of the one, as a file or a notebook, and none of the other."""
    for number, name in enumerate(("means.py", "means.ipynb")):
        text = assignment.reference if name.endswith(".py") else notebook(assignment.reference)
        found = judged(tmp_path / str(number), name, text)
        assert {status for status, _ in found.values()} == {"PASSED"}
        assert found.keys() == {f"{case.exercise}.{case.name}" for case in assignment.cases}
    stub = judged(tmp_path / "stub", "means.ipynb", notebook(assignment.stub))
    assert "PASSED" not in {status for status, _ in stub.values()}


def test_the_kernel_finds_nothing_of_the_students(assignment, tmp_path):
    """An empty notebook, otter's tests and the verdicts: no code, no log to unpickle, no module to be imported."""
    path = lay_out(tmp_path, "means.ipynb", notebook(assignment.reference))
    for name in (".OTTER_LOG", "dill.py", "check.py", "verdicts.json"):
        (path.parent / name).write_text("theirs")
    (path.parent / "otter").mkdir()
    (path.parent / "otter" / "__init__.py").write_text("theirs")
    (path.parent / "link").symlink_to(tmp_path / "source")
    (path.parent / "tests" / "center.py").write_text("theirs")
    Judge(str(path), {}, {}).before_grading(None)
    left = {p.relative_to(path.parent).as_posix() for p in path.parent.rglob("*") if p.is_file()}
    assert left == {"means.ipynb", "check.py", "verdicts.json", "tests/center.py"}
    assert json.loads(path.read_text())["cells"] == []
    assert not any("theirs" in (path.parent / name).read_text() for name in left)
    assert (tmp_path / "source" / "tests" / "center.py").exists()


def test_tests_in_the_kernel_say_what_the_judge_found(tmp_path):
    """check.py passes a passed case, and raises what there is to read of another, or of one that nobody knows."""
    judged(tmp_path, "means.ipynb", notebook("def row_means(x):\n    return x.mean(-1)\n"))
    examples = runpy.run_path(str(tmp_path / "submission" / "check.py"))["examples"]
    examples.in_notebook({}, PUBLIC)
    with pytest.raises(AssertionError, match="MISSING"):
        examples.in_notebook({}, "center.two_rows_centered")
    with pytest.raises(AssertionError, match="GRADER_ERROR"):
        examples.in_notebook({}, "center.no_such_case")


@pytest.mark.parametrize("name", EXPLOITS)
@pytest.mark.parametrize("suffix", [".ipynb", ".py"])
def test_what_works_against_otter_earns_nothing_here(name, suffix, tmp_path):
    """Each gets points or loses the results where hidden tests run in the student's kernel; here it gets a zero."""
    marker = tmp_path / "marker"
    code = WRONG + EXPLOITS[name].replace("@MARKER@", repr(str(marker)))
    found = judged(tmp_path, f"means{suffix}", notebook(code) if suffix == ".ipynb" else code)
    assert len(found) == len(load_assignment(COURSE, SLUG).cases)
    assert "PASSED" not in {status for status, _ in found.values()}
    assert "GRADER_ERROR" not in {status for status, _ in found.values()}
    assert "BREACH" not in str(found)
    assert not marker.exists()


def test_a_grader_that_takes_too_long_is_stopped(tmp_path, monkeypatch):
    """There are verdicts all the same: none of them a pass, and the student reads whose fault it is."""
    monkeypatch.setattr(Settings, "seconds", 0.01)
    path = lay_out(tmp_path, "means.py", "")
    judge = Judge(str(path), {}, {})
    judge.before_grading(None)
    assert json.loads((path.parent / "verdicts.json").read_text()) == {}

    class Results:
        output = ""

        def set_output(self, text: str) -> None:
            self.output = text

    results = Results()
    judge.after_grading(results)
    assert "was stopped after 0.01 s" in results.output
    assert "Nothing is wrong with what you handed in" in results.output


def test_a_grader_that_fails_is_told_to_staff(tmp_path, capsys):
    """Its last words go to the log that students do not see."""
    lay_out(tmp_path, "means.py", "")
    (tmp_path / "source/files/desk/assignments" / SLUG / "assignment.toml").write_text("title =")
    entry = ask(tmp_path / "source" / "files" / "desk", tmp_path / "submission" / "means.py")
    assert verdicts(entry) == {}
    assert "The autograder failed" in entry["problem"]
    assert "assignment.toml" in capsys.readouterr().err


def container(root: Path, name: str, content: str) -> dict:
    """Grade a submission as the zip's run_otter.py does, and return the results file."""
    lay_out(root, name, content)
    shutil.rmtree(root / "submission" / "tests")
    otter_run.grade_in(str(root))
    return json.loads((root / "results" / "results.json").read_text())


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("means.ipynb", '{"cells": [', "damaged"),
        ("means.py", "x = 1  # all is well but \0", "NUL"),
        ("essay.txt", "Dear Sir or Madam", "Hand in means.py"),
    ],
)
def test_what_otter_cannot_read_has_a_results_file(name, content, says, tmp_path):
    """It is not shown to otter, which would leave none; the student reads what to do."""
    answer = container(tmp_path, name, content)
    assert answer["score"] == 0
    assert says in answer["output"]


def test_where_otter_ends_without_results_a_file_stands(tmp_path, monkeypatch, assignment):
    """Killed or broken, what was written first stays; the submission waits apart, out of reach of its kernel."""
    monkeypatch.setattr(otter_run, "_OTTER", "import os; os._exit(9)")
    answer = container(tmp_path, "means.ipynb", notebook(assignment.reference))
    assert "did not come to an end" in answer["output"]
    assert (tmp_path / HANDED_IN / "means.ipynb").exists()
    assert [path.name for path in (tmp_path / "submission").iterdir()] == ["means.py"]


def test_an_otter_that_hangs_is_stopped(tmp_path, monkeypatch, assignment):
    """The time is bounded from outside as well."""
    monkeypatch.setattr(otter_run, "_OTTER", "import time; time.sleep(60)")
    monkeypatch.setattr(otter_run, "_MARGIN", 0)
    monkeypatch.setattr(Settings, "seconds", 0.2)
    answer = container(tmp_path, "means.ipynb", notebook(assignment.reference))
    assert answer["score"] == 0


def test_the_runner_copies_the_results_out(tmp_path, monkeypatch, assignment):
    """`python -m autograder.integrations.otter_run ZIP SUBMISSION OUT`; the judge reads what was put apart."""
    with zipfile.ZipFile(tmp_path / "autograder.zip", "w") as archive:
        archive.writestr("tests/center.py", "")
        for name, data in desk_files(COURSE, SETTINGS).items():
            archive.writestr(f"files/desk/{name}", data)
    (tmp_path / "means.py").write_text(assignment.reference)
    script = """
import json, os, sys
from autograder.integrations.otter_run import Judge
os.chdir(os.path.join(sys.argv[1], "submission"))
Judge(os.path.abspath("means.py"), {}, {}).before_grading(None)
json.dump({"found": json.load(open("verdicts.json"))}, open("../results/results.json", "w"))
"""
    monkeypatch.setattr(otter_run, "_OTTER", script)
    monkeypatch.setattr(
        sys, "argv", ["otter_run", *map(str, (tmp_path / "autograder.zip", tmp_path / "means.py", tmp_path))]
    )
    otter_run.main()
    found = json.loads((tmp_path / "results.json").read_text())["found"]
    assert {status for status, _ in found.values()} == {"PASSED"}
