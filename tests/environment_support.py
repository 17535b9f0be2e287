"""Make environments as people have them, out of what is installed here, and do in them what people do.

Libraries are linked, not copied, where the file system can, so that an environment with torch takes a second.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

from gradescope_support import TOOLS
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autograder.course.catalog import load_assignment
from autograder.handout.handout import handout_files
from autograder.handout.public_data import public_oracle
from autograder.integrations.gradescope import gradescope_zip
from autograder.integrations.one_submission import Settings, desk_files

ROOT = Path(__file__).parents[1]
PACKAGE = "sequence-autograder"
# What a CUDA build does to the address space, without being one: it reserves 4 GB and touches none of it.
RESERVES = (
    "import mmap as _mmap\n_reserved = _mmap.mmap(-1, 4 << 30, flags=_mmap.MAP_PRIVATE | _mmap.MAP_ANONYMOUS, prot=0)\n"
)


class NotHereError(Exception):
    """What an environment takes is not to be had on this machine; the message says what."""


@dataclass(frozen=True)
class Environment:
    """A Python, the variables it runs with, and the folder its packages are in."""

    python: tuple[str, ...]
    site: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    def run(self, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run this Python as from a shell, in which nothing of the tests' own environment is set."""
        variables = {"PATH": "/nowhere", "HOME": str(cwd), "COLUMNS": "160", **self.variables}
        command = [*self.python, *arguments]
        return subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, check=False, timeout=900)


def virtual(python: str, folder: Path, *options: str) -> Environment:
    """Return a new virtual environment without anything in it."""
    subprocess.run([python, "-m", "venv", "--without-pip", *options, str(folder)], check=True)
    executable = folder / "bin" / "python"
    found = subprocess.run(
        [executable, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return Environment((str(executable),), Path(found.stdout.strip()))


def base_python() -> str:
    """Return the Python that this environment was made with, which has no libraries of its own."""
    return str(Path(sys._base_executable))


def other_python(version: str) -> str:
    """Return a Python of another version, from the path or from pyenv."""
    places = (os.environ["PATH"], *map(str, Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin")))
    found = shutil.which(f"python{version}", path=os.pathsep.join(reversed(places)))
    if not found:
        raise NotHereError(f"there is no python{version}")
    return found


def user_site(home: Path) -> Environment:
    """Return the base Python of a user who installs with `pip install --user`."""
    variables = {"HOME": str(home)}
    command = [base_python(), "-m", "site", "--user-site"]
    found = subprocess.run(command, env=variables, capture_output=True, text=True, check=False).stdout.strip()
    return Environment((base_python(),), Path(found), variables)


def required(*names: str) -> list[str]:
    """Return distributions and all that they require."""
    found: dict[str, None] = {}
    waiting = list(names)
    while waiting:
        name = canonicalize_name(waiting.pop())  # one and the same is required as markupsafe and as MarkupSafe
        if name not in found:
            found[name] = None
            wanted = [Requirement(text) for text in distribution(name).requires or ()]
            waiting += [r.name for r in wanted if r.marker is None or r.marker.evaluate({"extra": ""})]
    return list(found)


def link_libraries(folder: Path, *names: str) -> None:
    """Put distributions that are installed here, and all that they require, into a folder of packages."""
    for name in required(*names):
        if name == PACKAGE:
            continue
        for file in distribution(name).files or ():
            if ".." in file.parts or not file.locate().exists():
                continue  # a command, which is made for another Python, or bytecode that was not kept
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(file.locate(), target)
            except OSError:
                shutil.copy(file.locate(), target)


def change_torch(folder: Path, code: str, *, at_once: bool = False) -> None:
    """Have torch do something more when it is imported: when all else is, or before any of it."""
    path = folder / "torch" / "__init__.py"
    text = path.read_text(encoding="utf-8")
    path.unlink()  # a link: the file itself is somebody else's
    path.write_text(f"{code}\n{text}" if at_once else f"{text}\n{code}", encoding="utf-8")


@cache
def built_wheel(folder: Path) -> Path:
    """Build the package's wheel from its sources, as `pip install .` does."""
    source = folder / "source"
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "autograder", source / "autograder", ignore=leave)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder))
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(source)], check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(environment: Environment, wheel: Path) -> None:
    """Install a wheel as pip does, its command included."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(environment.site)


def pip(environment: Environment, *arguments: str) -> None:
    """Run pip for an environment."""
    command = [sys.executable, "-m", "pip", "--python", environment.python[0], "--disable-pip-version-check", "--quiet"]
    fetch(*command, *arguments)


def fetch(*command: str) -> None:
    """Run a command that takes what may not be within reach: an index, an archive. Raises NotHereError."""
    variables = {
        name: value for name, value in os.environ.items() if name != "PYTHONPATH"
    }  # pip finds us there already
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        told = done.stderr.strip().rpartition("\n")[2]
        raise NotHereError(f"{' '.join(command[:4])} ... failed: {told[:200]}")


def course_copy(folder: Path, course: Path = ROOT) -> Path:
    """Copy a course to a place away from all that is read to run Python."""
    for part in ("assignments", "solutions"):
        shutil.copytree(course / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@cache
def handout(course: Path, slug: str) -> Mapping[str, bytes]:
    """Return what students get of an assignment."""
    return handout_files(course, public_oracle(load_assignment(course, slug)))


def solution(course: Path, slug: str) -> bytes:
    """Return the reference as a student hands it in."""
    file = load_assignment(course, slug).file
    return (course / "solutions" / slug / file).read_bytes()


def unpacked(files: Mapping[str, bytes], folder: Path) -> Path:
    """Write files into a folder."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


@dataclass(frozen=True)
class Came:
    """What a submission earned of what, and all that was said."""

    score: float
    most: float
    said: str

    @property
    def full(self) -> bool:
        """Whether nothing was lost."""
        return self.score == self.most > 0


def students_folder(course: Path, slug: str, folder: Path, code: bytes) -> None:
    """Make the folder that a student works in, with the code written."""
    unpacked(handout(course, slug), folder)
    (folder / load_assignment(course, slug).file).write_bytes(code)


def check_py(environment: Environment, course: Path, slug: str, folder: Path, code: bytes) -> Came:
    """Do what a student does: unzip the handout, write the code, run `python check.py`."""
    students_folder(course, slug, folder, code)
    return told(environment.run("check.py", "--json", cwd=folder))


def check(environment: Environment, course: Path, slug: str, folder: Path, code: bytes) -> Came:
    """Run `autograder check` on some code."""
    file = _written(course, slug, folder, code)
    arguments = ("-m", "autograder.cli", "check", slug, str(file), "--json", "--course", str(course))
    return told(environment.run(*arguments, cwd=folder))


def grade(environment: Environment, course: Path, slug: str, folder: Path, code: bytes) -> Came:
    """Run `autograder grade` on a class of one."""
    file = _written(course, slug, folder, code)
    out = folder / "graded"
    arguments = (
        "grade",
        slug,
        str(file.parent),
        "-o",
        str(out),
        "--course",
        str(course),
        "--seed",
        "7",
        "--no-training",
    )
    done = environment.run("-m", "autograder.cli", *arguments, cwd=folder)
    return graded(out, done.stdout + done.stderr)


def graded(out: Path, said: str) -> Came:
    """Return what came of a class of one that `grade` wrote to a folder."""
    if not (out / "grades.csv").exists():
        return Came(0, 0, said)
    (row,) = csv.DictReader(io.StringIO((out / "grades.csv").read_text(encoding="utf-8-sig")))
    results = "".join(path.read_text(encoding="utf-8") for path in (out / "results").glob("*.json"))
    return Came(float(row["score"]), float(row["max_score"]), said + results)


def run_autograder(environment: Environment, course: Path, slug: str, folder: Path, code: bytes) -> Came:
    """Do what Gradescope's container does with a submission; the environment is the one in its folder python/."""
    root = Path(environment.python[-1]).parents[2]
    for part in ("source", "submission", "results"):  # an earlier assignment's
        shutil.rmtree(root / part, ignore_errors=True)
    archive = gradescope_zip(course, load_assignment(course, slug), Settings(slug, seed=7))
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        opened.extractall(root / "source")
    for part in ("submission", "results"):
        (root / part).mkdir()
    for tool in TOOLS:
        (folder / tool).symlink_to(shutil.which(tool))
    (root / "submission" / load_assignment(course, slug).file).write_bytes(code)
    script = root / "source" / "run_autograder"
    script.chmod(0o755)
    variables = {"PATH": str(folder), "HOME": "/"}
    done = subprocess.run([script], cwd="/", env=variables, capture_output=True, text=True, check=True, timeout=900)
    answer = json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))
    most = sum(test["max_score"] for test in answer["tests"])
    return Came(answer["score"], most, done.stdout + done.stderr + json.dumps(answer))


ASK = """\
import json, sys
from pathlib import Path
from autograder.integrations.otter_run import ask
print(json.dumps(ask(Path(sys.argv[1]), Path(sys.argv[2]))))
"""


def otter_judge(environment: Environment, course: Path, slug: str, folder: Path, code: bytes) -> Came:
    """Do what `otter run` does with a submission before it starts its kernel."""
    desk = unpacked(desk_files(course, Settings(slug, seed=7)), folder / "desk")
    file = _written(course, slug, folder, code)
    done = environment.run("-c", ASK, str(desk), str(file), cwd=folder)
    exercises = json.loads(done.stdout)["exercises"]
    earned, most = (sum(e[key] for e in exercises) for key in ("score", "max_score"))
    return Came(earned, most, done.stderr + done.stdout)


def _written(course: Path, slug: str, folder: Path, code: bytes) -> Path:
    file = folder / "class" / "ada" / load_assignment(course, slug).file
    file.parent.mkdir(parents=True)
    file.write_bytes(code)
    return file


def told(done: subprocess.CompletedProcess[str]) -> Came:
    """Return what came of a check that printed JSON."""
    said = done.stdout + done.stderr
    if not done.stdout.startswith("{"):
        return Came(0, 0, said)
    answer = json.loads(done.stdout)
    exercises = answer["exercises"]
    return Came(sum(e["score"] for e in exercises), sum(e["max_score"] for e in exercises), said)
