"""What `pip install` gives without any extra: numpy courses are graded, and what is missing for others is said."""

from __future__ import annotations

import ast
import fnmatch
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from debian_support import instructions_of
from environment_support import (
    ROOT,
    Environment,
    base_python,
    built_wheel,
    check,
    course_copy,
    grade,
    install,
    link_libraries,
    solution,
    virtual,
)

from autograder import __version__

COURSE = Path(__file__).parent / "course"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return this package, built."""
    return built_wheel(tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Environment:
    """Return an environment with the wheel and what it requires, without any extra."""
    environment = virtual(base_python(), tmp_path_factory.mktemp("light"))
    link_libraries(environment.site, "sequence-autograder")
    install(environment, wheel)
    return environment


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return somebody else's course, away from this project."""
    return course_copy(tmp_path_factory.mktemp("theirs"), COURSE)


def run(environment: Environment, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    return environment.run("-m", "autograder", *arguments, cwd=folder)


def test_torch_and_the_cluster_are_extras() -> None:
    """A course in numpy needs none of what takes gigabytes."""
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in PYPROJECT["dependencies"]}
    assert names == {"numpy", "pyseccomp", "nbformat", "typer", "rich", "jinja2", "markupsafe"}
    assert {"torch", "otter", "cluster", "canvas", "gpu"} < PYPROJECT["optional-dependencies"].keys()


OTHER_NAMES = {"pynvml": "nvidia-ml-py", "yaml": "pyyaml"}  # of modules that are not called as what brings them


def imported() -> set[str]:
    """Return what the package's files import from outside, also for types alone and inside functions."""
    nodes = [
        node
        for path in (ROOT / "autograder").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    ]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names} - {"autograder", *sys.stdlib_module_names}


def test_what_is_imported_is_declared() -> None:
    """A library that only comes along with another one is gone when that one no longer needs it, as typer and click."""
    extras = PYPROJECT["optional-dependencies"].values()
    asked = [*PYPROJECT["dependencies"], *(text for extra in extras for text in extra)]
    declared = {re.match(r"[\w-]+", text)[0] for text in asked}
    assert {OTHER_NAMES.get(name, name) for name in imported()} <= declared


def test_the_help_names_readers_and_loads_no_rich(light: Environment, tmp_path: Path) -> None:
    """Rich takes longer to load than all else that the help needs."""
    script = "import sys, autograder.cli as cli\ntry: cli.main()\nfinally: print('rich' in sys.modules)"
    told = light.run("-c", script, "--help", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert [line for line in told.stdout.splitlines() if re.fullmatch(r"\w+:", line)] == [
        *("Options:", "Students:", "Graders:", "Instructors:", "Authors:")
    ]
    assert told.stdout.endswith("False\n")


@pytest.mark.parametrize("deed", [check, grade])
def test_a_wheel_grades_somebody_elses_course(deed, light: Environment, theirs: Path, tmp_path: Path) -> None:
    """The package needs nothing of its own course, and an assignment in numpy no torch."""
    assert not (light.site / "torch").exists()
    came = deed(light, theirs, "t1_means", tmp_path, solution(COURSE, "t1_means"))
    assert came.full, came.said


@pytest.mark.parametrize(
    "arguments", [("check", "t2_tensors"), ("grade", "t2_tensors", ".", "-o", "graded"), ("doctor", "t2_tensors")]
)
def test_a_torch_assignment_says_how_to_install_torch(
    arguments: tuple[str, ...], light: Environment, theirs: Path, tmp_path: Path
) -> None:
    """One line that can be pasted, and no traceback."""
    told = run(light, tmp_path, *arguments, "--course", str(theirs))
    index = "--extra-index-url https://download.pytorch.org/whl/cpu"
    line = f"{light.python[0]} -m pip install 'torch>=2.4' {index}"
    expected = f"autograder: t2_tensors needs torch, which is not installed here. Run: {line}\n"
    assert (told.returncode, told.stdout, told.stderr) == (2, "", expected)
    assert not (tmp_path / "graded").exists()


def test_without_a_course_demo_and_new_say_what_to_do(light: Environment, tmp_path: Path) -> None:
    """A wheel holds the engine alone; the command that `demo` and `new` name begins a course."""
    demo, new = run(light, tmp_path, "demo"), run(light, tmp_path, "new", "means")
    assert (demo.returncode, new.returncode) == (2, 2)
    assert "An installed package holds no course." in demo.stderr
    (begin,) = {re.search(r"autograder (new means --course my-course)", told.stderr)[1] for told in (demo, new)}
    assert run(light, tmp_path, *begin.split()).returncode == 0
    course = tmp_path / "my-course"
    came = grade(light, course, "means", tmp_path, solution(course, "means"))
    assert came.full, came.said


@pytest.fixture
def crowded(tmp_path: Path, wheel: Path) -> Environment:
    """Return an environment in which the other project called autograder was installed as well."""
    environment = virtual(base_python(), tmp_path / "crowded")
    link_libraries(environment.site, "sequence-autograder")
    install(environment, wheel)
    (environment.site / "autograder-3.7.7.dist-info").mkdir()
    return environment


def test_the_other_project_of_this_name_is_noticed(crowded: Environment, tmp_path: Path) -> None:
    """Both write into one folder, so the command warns and goes on."""
    told = run(crowded, tmp_path, "--help")
    assert told.returncode == 0
    assert "Another project, autograder 3.7.7, is installed here, and both write into one folder." in told.stderr
    assert f"{crowded.python[0]} -m pip uninstall autograder sequence-autograder" in told.stderr


def test_nothing_is_graded_with_files_of_the_other_project(crowded: Environment, tmp_path: Path) -> None:
    """Its __init__.py would give results a version that is not ours."""
    (crowded.site / "autograder" / "__init__.py").unlink()
    (crowded.site / "autograder" / "__init__.py").write_text('__version__ = "3.7.7"\n', encoding="utf-8")
    told = run(crowded, tmp_path, "--help")
    assert (told.returncode, told.stdout) == (2, "")
    assert "its files replace some of this one's" in told.stderr


def test_the_citation_is_of_this_version() -> None:
    """Who cites it names what they used."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in text
    assert f'name: "{PYPROJECT["authors"][0]["name"]}"' in text


def test_the_image_copies_only_what_its_context_holds() -> None:
    """What .dockerignore leaves out, COPY does not find; a course in it would be a course in an image."""
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"}
    steps = instructions_of((ROOT / "Dockerfile").read_text(encoding="utf-8"))
    copied = {source for name, text in steps if name == "COPY" for source in text.split()[:-1]}
    assert copied == kept
    assert all((ROOT / name).exists() for name in kept)
    (installs,) = [text for _, text in steps if "/opt/source[" in text]
    extras = re.search(r"/opt/source\[(.*?)\]", installs)[1].split(",")
    assert set(extras) <= PYPROJECT["optional-dependencies"].keys()


def test_the_devcontainer_runs_a_target_of_the_makefile() -> None:
    """Staff have what `make test` takes."""
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    target = container["postCreateCommand"].rpartition("make ")[2]
    assert f"\n{target}: $(VENV)/.installed-dev\n" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_workflow_for_instructors_proves_a_course(light: Environment, wheel: Path, tmp_path: Path) -> None:
    """Its commands, run as they stand there in a course that was just begun, but for those that install."""
    assert run(light, tmp_path, "new", "means", "--course", ".").returncode == 0
    shutil.copy(wheel, tmp_path)
    page = (ROOT / "docs" / "instructor.md").read_text(encoding="utf-8")
    (text,) = [block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "runs-on" in block]
    steps = [step["run"] for step in yaml.safe_load(text)["jobs"]["doctor"]["steps"] if "run" in step]
    assert fnmatch.filter([wheel.name], re.search(r"ls (\S+)\)", steps[1])[1])
    commands = [shlex.split(step)[1:] for step in steps if step.startswith("autograder ")]
    assert [command[0] for command in commands] == ["doctor", "handout"]
    for command in commands:
        told = run(light, tmp_path, *command)
        assert told.returncode == 0, told.stdout + told.stderr
    assert (tmp_path / "dist" / "means.zip").exists()


def test_every_python_that_is_named_is_tried() -> None:
    """By a row of tests/environments.py, the oldest one included."""
    named = {line.rpartition(" ")[2] for line in PYPROJECT["classifiers"] if re.search(r"Python :: 3\.", line)}
    tried = set(re.findall(r'"(3\.\d+)"', (ROOT / "tests" / "environments.py").read_text(encoding="utf-8")))
    assert named == tried
    assert PYPROJECT["requires-python"].removeprefix(">=") in named
