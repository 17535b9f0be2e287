"""A handout works by itself, holds what it should and nothing else, and judges as we do."""

from __future__ import annotations

import ast
import io
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from handout_support import without_seconds

import autograder
from autograder.course.catalog import load_assignment
from autograder.course.places import slugs
from autograder.course.quiz_checks import answered
from autograder.course.spec import Assignment, Status, Visibility
from autograder.handout import handout_proofs as prove
from autograder.handout.handout import engine_files, handout_files, handout_zip, links
from autograder.handout.handout_proofs import formula_faults, text_faults
from autograder.handout.kit.hints import watched
from autograder.handout.kit.repro import repro
from autograder.handout.kit.self_check import check
from autograder.handout.kit.verdicts import Examples
from autograder.handout.public_data import public_bundle, public_oracle
from autograder.handout.repository import write_repository
from autograder.handout.tests_as_text import pytest_file
from autograder.judge.compare import difference
from autograder.judge.result_json import told_result
from autograder.judge.trials import Small
from autograder.sandbox.child.tree import Code, as_arrays
from autograder.sandbox.job import Chunk, Source

ROOT = Path(__file__).parents[1]
Files = dict[str, bytes]
OFFLINE = ("typer", "rich", "jinja2", "nbformat", "torch", "tomllib")


@pytest.fixture(scope="module")
def files(assignment: Assignment, course: Path) -> Files:
    """Return the tiny course's handout."""
    return handout_files(course, public_oracle(assignment))


@pytest.fixture
def folder(files: Files, tmp_path: Path) -> Path:
    """Return a handout as a student unzips it."""
    with zipfile.ZipFile(io.BytesIO(handout_zip(files, "t1_means"))) as archive:
        archive.extractall(tmp_path)
    return tmp_path / "t1_means"


@pytest.fixture
def python(folder: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs Python in a handout, where of all libraries only numpy and pytest can be imported."""
    for name in OFFLINE:
        path = tmp_path / "blocked" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"raise ImportError('{name} is not installed')\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "blocked"), "COLUMNS": "100", "PYTHONUTF8": "1"}

    def run(*arguments: str, answers: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-B", *arguments]
        return subprocess.run(command, cwd=folder, env=env, input=answers, capture_output=True, text=True, check=False)

    return run


Python = Callable[..., subprocess.CompletedProcess[str]]


def test_a_handout_is_a_list_of_files(files: Files) -> None:
    """Nothing gets in by lying in the right folder."""
    assert {name for name in files if not name.startswith("engine/autograder/")} == {
        "README.md",
        "means.py",
        "means.ipynb",
        "check.py",
        "conftest.py",
        "test_means.py",
        "requirements.txt",
        "engine/LICENSE",
        "engine/public.json",
        "engine/public.arrays",
    }
    assert engine_files().items() <= files.items()


def test_licences_travel_along(assignment: Assignment, course_copy: Path) -> None:
    """The engine's own, which is the repository's, and that of the course's texts where it has one."""
    root = Path(autograder.__file__).parents[1]
    assert engine_files()["engine/LICENSE"] == (root / "LICENSE").read_bytes()
    oracle = public_oracle(assignment)
    assert "LICENSE-CONTENT" not in handout_files(course_copy, oracle)
    (course_copy / "LICENSE-CONTENT").write_text("Ours.")
    assert handout_files(course_copy, oracle)["LICENSE-CONTENT"] == b"Ours."


def test_the_engine_in_it_is_whole() -> None:
    """What its modules import of ours is in it; of others they need numpy, torch where a student's code does, Jinja for pages."""
    places = {name.removeprefix("engine/").removesuffix(".py") for name in engine_files() if name.endswith(".py")}
    shipped = {place.replace("/", ".").removesuffix(".__init__") for place in places}
    root = Path(autograder.__file__).parents[1]
    for name in places:
        for node in ast.walk(ast.parse((root / f"{name}.py").read_text(encoding="utf-8"))):
            found = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            found += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for module in found:
                if module.startswith("autograder"):
                    assert module in shipped, f"{name} imports {module}"
                else:
                    known = {*sys.stdlib_module_names, "numpy", "torch", "rich", "pyseccomp", "pynvml"}
                    known |= {"jinja2", "markupsafe"} if "/feedback/" in name else set()
                    assert module.partition(".")[0] in known, f"{name} imports {module}"


def test_the_same_course_makes_the_same_zip(files: Files, assignment: Assignment, course: Path) -> None:
    """To the byte, and small."""
    again = handout_files(course, public_oracle(assignment))
    assert handout_zip(again, "t1_means") == handout_zip(files, "t1_means")
    assert len(handout_zip(files, "t1_means")) < 1 << 20


def test_the_readme_says_how_to_install_where_it_first_says_what_to_run() -> None:
    """In two lines, which a notebook does not need."""
    files = handout_files(ROOT, public_oracle(load_assignment(ROOT, "a5_attention")))
    before, run, after = files["README.md"].decode().partition("\n    python check.py\n")
    assert run
    assert "pip install" not in before
    lines = [line.strip() for line in after.partition("## Conventions")[0].splitlines() if line.startswith("    ")]
    assert lines == [
        "python3 -m venv .venv && source .venv/bin/activate",
        "python -m pip install -r requirements.txt",
    ]
    assert b"venv" not in files["attention.ipynb"]


def statuses(output: str) -> dict[str, str]:
    """Return what pytest -rA says of each test."""
    return {
        name: status for status, name in re.findall(r"^(PASSED|FAILED|SKIPPED) \S+::test_(\w+)", output, re.MULTILINE)
    }


def test_the_text_to_learn_from_ships_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an assignment keeps in data/ is there for its training, of which nothing has to be computed for that."""
    monkeypatch.setattr(f"{handout_files.__module__}.home_file", lambda _: b"")
    path = ROOT / "assignments" / "a8_language_model" / "data" / "shakespeare.txt"
    assignment = load_assignment(ROOT, "a8_language_model")
    public = next(case for case in assignment.cases if case.visibility is Visibility.PUBLIC)
    assignment = replace(assignment, misconceptions=(), cases=(public,))  # data has nothing to do with them
    files = handout_files(ROOT, public_oracle(assignment))
    assert files["data/shakespeare.txt"] == path.read_bytes()


def test_check_py_says_what_autograder_check_says(
    folder: Path, python: Python, assignment: Assignment, edited: Callable[..., str]
) -> None:
    """On the stub, the reference, a known mistake, a crash and an endless loop, all by the same code and data."""
    bundle = public_bundle(public_oracle(assignment))
    texts = {
        "stub": assignment.stub,
        "reference": assignment.reference,
        "mistake": assignment.reference.replace("return x - means", "return means - x"),
        "crash": edited(center="return [][0]"),
        "loop": edited(row_means="while True:\n    pass"),
    }
    for what, text in texts.items():
        (folder / "means.py").write_text(text)
        done = python("check.py", "--json")
        told = json.loads(done.stdout)
        ours = told_result(check(Source("means", (Chunk("means.py", text),)), bundle))
        assert without_seconds(told) == without_seconds(ours)
        assert done.returncode == (0 if what == "reference" else 1)
    assert "Does it ever end?" in done.stdout


def test_pytest_gives_the_same_verdicts(folder: Path, python: Python, assignment: Assignment) -> None:
    """One test a case, with its message; what only waits for another exercise is skipped."""
    (folder / "means.py").write_text(assignment.reference.replace("return x - means", "return means - x"))
    done = python("-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider")
    told = json.loads(python("check.py", "--json").stdout)
    for exercise in told["exercises"]:
        for case in exercise["cases"]:
            assert statuses(done.stdout)[f"{exercise['name']}_{case['name']}"] == case["status"]
            assert case["says"] in done.stdout
            assert all(line in done.stdout for line in case["message"].splitlines() if case["status"] != "PASSED")


def test_tests_show_the_numbers_that_are_judged(folder: Path, python: Python, assignment: Assignment) -> None:
    """A student reads literal arrays; where one is changed, the test says that it is not what is judged."""
    path = folder / "test_means.py"
    assert "np.array([[1.0, 2.0, 6.0], [4.0, 5.0, 9.0]])" in path.read_text()
    (folder / "means.py").write_text(assignment.reference)
    path.write_text(path.read_text().replace("6.0]", "7.0]", 1))
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert "1 failed, 2 passed" in done.stdout
    assert "no longer those of the handout" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("slug", slugs(ROOT))
def test_every_literal_of_the_course_is_what_is_judged(slug: str, tmp_path: Path) -> None:
    """The tests of a handout are Python, and make exactly the calls and results of the public cases."""
    oracle = public_oracle(load_assignment(ROOT, slug))
    bundle = public_bundle(oracle)
    examples = Examples(tmp_path)
    examples._bundle = bundle
    text = pytest_file(bundle).replace(
        "from check import", "from autograder.course.spec import Call, Module, call, call_module #"
    )
    members: dict[str, Any] = {"Code": Code}
    exec(compile(text, slug, "exec"), members)
    asked = [test for name, test in members.items() if name.startswith("test_")]
    shown = []
    for test in asked:
        test(lambda name, calls, expected: shown.append((name, examples._shows(name, calls, expected))))
    assert sorted(name for name, _ in shown) == sorted(trial.name for trial in bundle.trials)
    assert [name for name, same in shown if not same] == []


@pytest.mark.slow
@pytest.mark.parametrize("slug", slugs(ROOT))
def test_every_public_case_runs_as_a_program_of_its_own(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reference beside it, both answers that it prints are alike."""
    loaded = load_assignment(ROOT, slug)
    bundle = public_bundle(public_oracle(loaded))
    source = Source.of(loaded.file, loaded.reference)
    module = ModuleType(source.module)
    exec(loaded.reference, vars(module))
    monkeypatch.setitem(sys.modules, source.module, module)
    for trial in bundle.trials:
        if isinstance(trial.case.check, answered):
            continue
        text = repro(source, Small(trial, bundle.expected(trial)), bundle.signatures, "A case.")
        printed: dict[str, list[Any]] = {"yours": [], "expected": []}
        exec(text, {"print": lambda label, *values, told=printed, **_: told.setdefault(label, []).extend(values)})
        pairs = zip(printed["yours"], printed["expected"], strict=True)
        found = [difference(as_arrays(mine), as_arrays(right)) for mine, right in pairs]
        assert len(found) == len(trial.calls)
        assert not any(found), (trial.case.exercise, trial.case.name, found)


def test_an_exercise_is_named_as_it_is(folder: Path, python: Python, assignment: Assignment) -> None:
    """Alone or with a file, in any order; a slip is answered by what may be meant."""
    (folder / "means.py").write_text(assignment.reference)
    for words in (("center",), ("center", "means.py"), ("means.py", "center"), ("--exercise", "center")):
        done = python("check.py", *words)
        assert done.returncode == 0
        assert "center" in done.stdout
        assert "spread" not in done.stdout
    for words in (("centre",), ("--exercise", "centre"), ("means.py", "Center")):
        done = python("check.py", *words)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "There is no exercise" in done.stderr
        assert "Did you mean center?" in done.stderr
    done = python("check.py", "--debug", "two_row")
    assert done.returncode == 2
    assert "Did you mean two_rows?" in done.stderr
    done = python("check.py", "--debug", "NONSENSE")
    assert done.stderr.endswith("no public case NONSENSE, and no such exercise. There are row_means, center, spread.\n")


def test_a_case_as_a_program_of_its_own(folder: Path, python: Python, assignment: Assignment) -> None:
    """`--repro` prints the smallest call that fails, with every digit; it runs beside the student's file and prints both answers."""
    (folder / "means.py").write_text(assignment.reference.replace("return x - means", "return means - x"))
    for name in ("two_rows_centered", "center.two_rows_centered", "center"):
        done = python("check.py", "--repro", name)
        assert done.returncode == 0
        assert done.stdout.startswith("# Save this beside means.py to run it.\n")
        (folder / "repro.py").write_text(done.stdout)
        ran = python("repro.py")
        assert ran.stderr == ""
        assert ran.stdout.splitlines() == ["yours", "[[ 0.5 -0.5]]", "expected", "[[-0.5  0.5]]"]
    assert "It passes" in python("check.py", "--repro", "two_rows").stdout


def test_a_debugger_stops_in_the_students_own_file(folder: Path, python: Python, assignment: Assignment) -> None:
    """`--debug` calls the code in its own process, so that breakpoint(), pdb and an IDE find the file; then it is judged."""
    path = folder / "means.py"
    path.write_text(assignment.reference.replace("return x - means", "breakpoint()\n    return means - x"))
    done = python("check.py", "--debug", "center", answers="p x.shape\np 6 * 7\nc\n")
    assert f"> {path}(" in done.stdout
    assert "center()" in done.stdout
    assert "\n(Pdb) (1, 2)" in done.stdout.replace("\r", "")  # the smallest call that fails
    assert "42" in done.stdout
    assert "→ " in done.stdout
    assert "instead of -0.5" in done.stdout
    assert done.returncode == 1
    path.write_text(assignment.reference)
    done = python("check.py", "--debug", "center")
    assert "It passes" in done.stdout
    assert done.returncode == 0
    path.write_text(assignment.reference.replace("return x - means", "return [][0]"))
    done = python("-m", "pdb", "-c", "continue", "check.py", "--debug", "center", answers="p x.shape\nq\n")
    assert "IndexError" in done.stdout + done.stderr
    assert "(1, 1)" in done.stdout
    path.write_text(assignment.reference.replace("def center(x: np.ndarray) -> np.ndarray:", "def center(x"))
    done = python("check.py", "--debug", "center")
    assert "Your `center` was left out" in done.stdout
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)


def test_a_forgotten_breakpoint_costs_nothing(folder: Path, python: Python, assignment: Assignment) -> None:
    """It cannot be answered where code is checked or graded; pdb by its own name is told as what it is."""
    path = folder / "means.py"
    path.write_text(assignment.reference.replace("    return x - means", "    breakpoint()\n    return x - means"))
    assert python("check.py").returncode == 0
    path.write_text(
        assignment.reference.replace("    return x - means", "    import pdb; pdb.set_trace()\n    return x - means")
    )
    assert "stops in the debugger" in python("check.py").stdout


def test_pytest_takes_a_folder_of_several_handouts(course_copy: Path, tmp_path: Path) -> None:
    """Each is judged by its own check.py, and its conftest asks that one."""
    for name in ("assignments", "solutions"):
        home = course_copy / name / "t9_medians"
        shutil.copytree(course_copy / name / "t1_means", home)
        for path in (*home.glob("means.py"), home / "assignment.toml"):
            if path.exists():
                path.write_text(path.read_text().replace("means.py", "medians.py").replace("t1_means", "t9_medians"))
        (home / "means.py").rename(home / "medians.py")
    for slug in ("t1_means", "t9_medians"):
        loaded = load_assignment(course_copy, slug)
        for name, data in handout_files(course_copy, public_oracle(loaded)).items():
            path = tmp_path / "term" / slug / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = loaded.reference.replace(
                "return x - means", "return means - x" if slug == "t9_medians" else "return x - means"
            )
            path.write_bytes(text.encode() if name == loaded.file else data)
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider"]
    for words in ((), ("t1_means", "t9_medians"), ("t9_medians", "t1_means")):
        done = subprocess.run([*command, *words], cwd=tmp_path / "term", capture_output=True, text=True, check=False)
        assert "1 failed, 5 passed" in done.stdout
        assert "FAILED t9_medians/test_medians.py::test_center_two_rows_centered" in done.stdout


def test_hints_come_one_at_a_time(folder: Path, python: Python, assignment: Assignment) -> None:
    """Under the diagnosis, those that the author wrote, one more each time; then what else there is to do."""
    (folder / "means.py").write_text(assignment.reference.replace("return x - means", "return means - x"))
    told = [python("check.py", "--hint").stdout for _ in range(3)]
    first, second = "What shape has a mean of each row, and what shape has `x`?", "`as_columns` is given:"
    for text in told:
        lines = text.splitlines()
        assert lines[0].startswith("center, hint ")
        assert lines[1].startswith("→ ")
        assert "Your difference is the wrong way around." in text
        assert first in text
    assert second not in told[0]
    assert "hint 1 of 2" in told[0]
    assert second in told[1]
    assert "These are all" in told[1]
    assert told[2] == told[1]
    assert json.loads((folder / ".hints.json").read_text()) == {"center": [0, 1]}
    (folder / "means.py").write_text(assignment.reference)
    assert "no case fails" in python("check.py", "--hint").stdout


def test_hints_begin_at_the_root(
    folder: Path, python: Python, assignment: Assignment, edited: Callable[..., str]
) -> None:
    """What waits for another exercise gets that one's hints; what was written and fails comes before what is not written."""
    (folder / "means.py").write_text(edited(row_means="raise NotImplementedError"))
    for words in (["--hint"], ["--exercise", "spread", "--hint"]):
        told = python("check.py", *words).stdout
        assert told.startswith("row_means, hint ")
        assert "Which axis holds the numbers of one row?" in told
    assert "`spread` waits for it" in told
    (folder / "means.py").write_text(edited(row_means="raise NotImplementedError", center="return x"))
    assert python("check.py", "--hint").stdout.startswith("center, hint ")


def test_without_hints_of_the_author_the_docstrings_warning_is_one() -> None:
    """Word by word as the stub says it, of functions and of methods; where there is no name, none is made up."""
    text = (
        'def one(x):\n    """Do it.\n\n    Watch: two\n    lines.\n\n    Not this.\n    """\n'
        'class Two:\n    def run(self):\n        """Watch: a method."""\n'
    )
    source = Source("means", (Chunk("broken", "def"), Chunk("means.py", text)))
    assert watched(source, "one") == ("Watch: two lines.",)
    assert watched(source, "Two") == ("Watch: a method.",)
    assert watched(source, "three") == ()


def test_the_readme_lists_what_is_in_the_folder(assignment: Assignment, course_copy: Path) -> None:
    """Also a harness, data and pictures, where there are any."""
    home = course_copy / "assignments" / "t1_means"
    told = handout_files(course_copy, public_oracle(assignment))["README.md"].decode()
    assert not [name for name in ("training.py", "data/", "figures/") if f"| `{name}` |" in told]
    for name in ("data/text.txt", "figures/a.svg"):
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text("x")
    with (home / "README.md").open("a") as readme:
        readme.write("\n![a picture](figures/a.svg)\n")
    files = handout_files(course_copy, public_oracle(replace(assignment, harness="")))
    files |= handout_files(course_copy, public_oracle(replace(assignment, harness="pass\n")))
    told = files["README.md"].decode()
    for name in ("training.py", "data/", "figures/"):
        assert f"\n| `{name}` |" in told
        assert any(path.startswith(name) for path in files)
    assert "\n\n| `" not in told.partition("What is in this folder")[2].partition("| `requirements.txt`")[0][10:]


def test_the_notebook_is_checked_where_only_that_is_changed(folder: Path, python: Python) -> None:
    """Whoever works in the notebook need not say so."""
    assert "means.py" in python("check.py").stdout
    path = folder / "means.ipynb"
    path.write_text(path.read_text().replace("raise NotImplementedError", "return 1 #"))
    assert "means.ipynb" in python("check.py").stdout


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [("none.py", None, "There is no file"), ("a.txt", "x", "neither a .py file"), ("b.ipynb", "{", "not a readable")],
)
def test_wrong_use_is_one_line(folder: Path, python: Python, name: str, text: str | None, says: str) -> None:
    """And exit code 2."""
    if text is not None:
        (folder / name).write_text(text)
    done = python("check.py", name)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_torch_it_says_what_to_install(course: Path, tmp_path: Path) -> None:
    """Where the assignment needs torch and it is not there, that is one line, and no exercise is blamed."""
    for name, data in handout_files(course, public_oracle(load_assignment(course, "t2_tensors"))).items():
        path = tmp_path / "handout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    libraries = tmp_path / "libraries"
    libraries.mkdir()
    for found in Path(np.__file__).parents[1].glob("numpy*"):
        (libraries / found.name).symlink_to(found)
    ran = subprocess.run(
        [sys.executable, "-S", "-B", "check.py"],
        cwd=tmp_path / "handout",
        env={**os.environ, "PYTHONPATH": str(libraries)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("check.py cannot start (No module named 'torch'). Run: ")


def test_watching_checks_again_when_the_file_is_saved(folder: Path, assignment: Assignment) -> None:
    """And goes on when everything passes, which it says."""
    command = [sys.executable, "-B", "-u", "check.py", "--watch"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout
        assert any("Watching means.py" in line for line in process.stdout)
        for text in (assignment.reference, assignment.reference.replace("return x - means", "return x")):
            time.sleep(0.05)
            (folder / "means.py").write_text(text)
            told = "".join(itertools.takewhile(lambda line: "Watching means.py" not in line, process.stdout))
            assert ("7 of 7 points" in told) == (text == assignment.reference)
        (folder / "means.py").write_text(assignment.reference)
        assert any(line.startswith("Everything shown passes. Watching means.py") for line in process.stdout)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130


def test_a_repository_checks_itself_on_push(files: Files, tmp_path: Path, assignment: Assignment) -> None:
    """The steps of its workflow, run as they stand there, but for those that install."""
    folder = tmp_path / "repository"
    write_repository(files, folder)
    workflow = (folder / ".github/workflows/check.yml").read_text()
    steps = re.findall(r"- name: (\w+)\n\s+shell: bash\n\s+run: (?:\|\n((?: {10}.*\n?)+)|(.*))", workflow)
    assert [name for name, _, _ in steps] == ["Install", "Check"]
    assert steps[0][2] == "python -m pip install -r requirements.txt"
    container = json.loads((folder / ".devcontainer/devcontainer.json").read_text())
    assert "-r requirements.txt" in container["postCreateCommand"]
    script = "\n".join(line.strip() for line in steps[1][1].splitlines())
    summary = tmp_path / "summary.md"
    env = {
        **os.environ,
        "GITHUB_STEP_SUMMARY": str(summary),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }

    def push() -> int:
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
        return subprocess.run(command, cwd=folder, env=env, check=False, capture_output=True).returncode

    assert push() == 1
    assert "0 of 7 points" in summary.read_text()
    assert summary.read_text().startswith(
        "This run is red until every public case passes, so it is red before anything is"
    )
    assert (
        "**The mark is red until every public case\npasses, so the first one is red:**"
        in (folder / "README.md").read_text()
    )
    (folder / "means.py").write_text(assignment.reference)
    assert push() == 0
    assert "7 of 7 points" in summary.read_text()
    assert summary.read_text().count("```") == 4


def test_the_proof_notices_another_verdict(files: Files, assignment: Assignment) -> None:
    """Where the data in a handout is not what we judge by, doctor says so."""
    oracle = public_oracle(assignment)
    assert list(prove.other_verdicts(oracle, files)) == []
    worse = {
        **files,
        "engine/public.json": files["engine/public.json"]
        .replace(b"TOLERANCE", b"")
        .replace(b'"says":"', b'"says":"Perhaps '),
    }
    assert any("gets another verdict" in line for line in prove.other_verdicts(oracle, worse))
    broken = {**files, "check.py": b"raise SystemExit('no')"}
    assert "the stub gets another verdict from check.py: no" in list(prove.other_verdicts(oracle, broken))


def test_doctor_proves_the_handout(assignment: Assignment, course: Path) -> None:
    """Three promises, all kept; a fourth is for trainings, which this assignment has none of."""
    proofs = {promise: list(broken) for promise, broken in prove.handout_proofs(course, assignment)}
    assert len(proofs) == 3
    assert not any(proofs.values())


def test_a_text_that_keeps_a_limit_to_itself_is_told(course_copy: Path) -> None:
    """Who writes slow code should not hear of it from grading."""
    said = "its README says how long trainings may take"
    line = load_assignment(course_copy, "t3_learning")
    assert list(dict(prove.handout_proofs(course_copy, line))[said]) == []
    readme = course_copy / "assignments/t3_learning/README.md"
    readme.write_text(readme.read_text(encoding="utf-8").replace("5 seconds", "no time"), encoding="utf-8")
    (told,) = dict(prove.handout_proofs(course_copy, line))[said]
    assert told == "README.md does not say `5 seconds`, which `train_line` may take"


def test_what_keeps_a_handout_from_being_made_is_said(course_copy: Path, assignment: Assignment) -> None:
    """Such as a picture that is not there."""
    with (course_copy / "assignments/t1_means/README.md").open("a") as readme:
        readme.write("\n![a picture](figures/none.svg)\n")
    ((promise, broken),) = prove.handout_proofs(course_copy, assignment)
    assert promise == "a handout can be made"
    assert "figures/none.svg, which cannot be read" in next(iter(broken))


def test_pictures_travel(course_copy: Path, assignment: Assignment) -> None:
    """What the README shows lies where it says; other links are told by doctor."""
    home = course_copy / "assignments/t1_means"
    (home / "figures").mkdir()
    (home / "figures/one.svg").write_text("<svg/>")
    (home / "figures/unused.svg").write_text("<svg/>")
    with (home / "README.md").open("a") as readme:
        readme.write("\n![a picture](figures/one.svg) and [a file](../secret.md)\n")
    made = handout_files(course_copy, public_oracle(assignment))
    assert made["figures/one.svg"] == b"<svg/>"
    assert "figures/unused.svg" not in made
    assert [line for line in text_faults(made) if "README" in line] == [
        "README.md links to ../secret.md, which is not in it"
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Let $x$ be $\\{1\\}$, and $5 \\cdot y$.", ""),
        ("It costs \\$5.", ""),
        ("`$` and\n\n    $ echo\n\n```\n$x\n```", ""),
        ("$$\\left( \\frac{a}{b} \\right)$$", ""),
        ("| $a$ | $b$ |\n| $c$ | $d$ |", ""),
        ("Let $x be.", "opens or closes nothing"),
        ("Let $ x$ be.", "does not take"),
        ("the $k$th", "does not take"),
        ("$\\frac{a}{b$", "{ without }"),
        ("$$\\left( a$$", "\\left without \\right"),
        ("$$a\n\nb$$", "an empty line"),
        ("$x \\leftarrow y$", ""),
    ],
)
def test_formulas_that_would_not_render_are_found(text: str, fault: str) -> None:
    """In a notebook or on GitHub."""
    found = list(formula_faults(text))
    assert (fault in found[0]) if fault else found == []


def test_links_are_found_in_every_form() -> None:
    """Links, pictures and HTML; not those that lead elsewhere."""
    text = '[a](b.md#part) ![c](d.svg "title") <img src="e.png"> [f](https://g) [h](#i) [j](mailto:k@l) ![m](data:image/svg+xml;base64,n)'
    assert links(text) == ["b.md", "d.svg", "e.png"]


@pytest.fixture
def command(course: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs `autograder handout`."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "autograder.cli", "handout", *map(str, arguments), "--course", str(course)]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    return run


def test_the_command_makes_zips_and_repositories(command: Callable[..., Any], tmp_path: Path, course: Path) -> None:
    """One assignment, or all of them."""
    assert command("t1_means", "-o", tmp_path / "one", "--repository").returncode == 0
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == ["t1_means-repository", "t1_means.zip"]
    assert command("--all", "-o", tmp_path / "all").returncode == 0
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == [
        f"{slug}.zip" for slug in sorted(slugs(course))
    ]
    assert (tmp_path / "all/t1_means.zip").read_bytes() == (tmp_path / "one/t1_means.zip").read_bytes()


def test_the_command_says_what_it_needs(command: Callable[..., Any], tmp_path: Path) -> None:
    """One assignment or all, and not both."""
    for arguments in ((), ("t1_means", "--all"), ("t9",)):
        done = command(*arguments, "-o", tmp_path)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_named(command: Callable[..., Any], tmp_path: Path) -> None:
    """A file's name after `-o` is a slip, and the message says what to do."""
    (tmp_path / "taken").write_text("", encoding="utf-8")
    done = command("t1_means", "-o", tmp_path / "taken")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "t1_means.zip cannot be written" in done.stderr
    done = command("t1_means", "-o", tmp_path / "handed_out.zip")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"say -o {tmp_path} for it" in done.stderr
    assert not (tmp_path / "handed_out.zip").exists()


def test_statuses_are_pytests_own() -> None:
    """A status is shown by its own name, so that what pytest says can be looked up."""
    assert {"PASSED", "FAILED", "SKIPPED"} <= set(Status)
    assert shutil.which("bash")
