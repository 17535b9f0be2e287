"""The reference has full marks wherever Python and its libraries are installed, and no environment's fault is a student's.

What takes seconds runs here; `make test-environments` runs the whole matrix.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from environment_support import (
    RESERVES,
    Came,
    Environment,
    base_python,
    built_wheel,
    change_torch,
    check,
    check_py,
    course_copy,
    grade,
    install,
    link_libraries,
    otter_judge,
    run_autograder,
    solution,
    students_folder,
    user_site,
    virtual,
)
from gradescope_support import readable_python

COURSE = Path(__file__).parent / "course"
TORCH = "t2_tensors"
Deed = Callable[[Environment, Path, str, Path, bytes], Came]


@pytest.fixture(scope="module")
def open_folder() -> Iterator[Path]:
    """Return a folder that other users may read; pytest's own are closed to them."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(scope="module")
def course(open_folder: Path) -> Path:
    """Return the tiny course, away from everything that is read to run Python."""
    return course_copy(open_folder / "course", COURSE)


@pytest.fixture(scope="module")
def wheel(open_folder: Path) -> Path:
    """Return this package, built."""
    (open_folder / "built").mkdir()
    return built_wheel(open_folder / "built")


@pytest.fixture(scope="module")
def installed(open_folder: Path, wheel: Path) -> Environment:
    """Return a virtual environment with the package in it as `pip install` leaves it; bubblewrap cannot be found."""
    environment = virtual(readable_python(open_folder / "base"), open_folder / "autograder" / "python")
    link_libraries(environment.site, "sequence-autograder", "torch")
    install(environment, wheel)
    return environment


def made(deed: Deed, environment: Environment, course: Path, folder: Path) -> Came:
    """Return what the reference of the torch assignment earns."""
    return deed(environment, course, TORCH, folder, solution(course, TORCH))


@pytest.mark.parametrize("deed", [check_py, check, grade, run_autograder, otter_judge])
def test_from_a_wheel_without_bubblewrap(deed: Deed, installed: Environment, course: Path, open_folder: Path) -> None:
    """Where the package lies beside torch, in site-packages, and nothing but Landlock and seccomp locks it in."""
    folder = open_folder / deed.__name__
    folder.mkdir()
    came = made(deed, installed, course, folder)
    assert came.full, came.said


@pytest.fixture(scope="module")
def users_own(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Environment:
    """Return a Python whose packages are a user's own."""
    environment = user_site(tmp_path_factory.mktemp("home"))
    link_libraries(environment.site, "sequence-autograder", "torch")
    install(environment, wheel)
    return environment


@pytest.mark.parametrize("deed", [check_py, check, grade, otter_judge])
def test_from_a_users_own_packages(deed: Deed, users_own: Environment, course: Path, tmp_path: Path) -> None:
    """As `pip install --user`, Python of Microsoft's store and JupyterHub have them."""
    came = made(deed, users_own, course, tmp_path)
    assert came.full, came.said


@pytest.mark.parametrize("deed", [check_py, check, grade])
def test_from_a_folder_on_the_path(deed: Deed, users_own: Environment, course: Path, tmp_path: Path) -> None:
    """As `pip install --target` and the modules of a cluster do it."""
    environment = Environment((base_python(),), users_own.site, {"PYTHONPATH": f"{tmp_path}:{users_own.site}"})
    came = made(deed, environment, course, tmp_path)
    assert came.full, came.said


LEVEL = """\
from autograder.sandbox.levels import open_sandbox
with open_sandbox(1) as sandbox:
    print(sandbox.isolation.level)
"""


def test_a_python_behind_a_link_isolates_as_well(tmp_path: Path) -> None:
    """As homes on a file server are, which have another name there."""
    (tmp_path / "link").symlink_to(sys.prefix)
    pythons = (sys.executable, str(tmp_path / "link" / "bin" / "python"))
    variables = {"PATH": os.environ["PATH"]}
    levels = [Environment((python,), tmp_path, variables).run("-c", LEVEL, cwd=tmp_path) for python in pythons]
    assert levels[0].stdout == levels[1].stdout != ""


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return a virtual environment with what a handout asks for; torch has 15,000 files, which are linked once."""
    environment = virtual(base_python(), tmp_path_factory.mktemp("linked") / "bare")
    link_libraries(environment.site, "torch", "numpy")
    return environment


@pytest.fixture
def bare(linked: Environment) -> Iterator[Environment]:
    """Return that environment, in which torch is whole again afterwards."""
    path = linked.site / "torch" / "__init__.py"
    whole = path.read_text(encoding="utf-8")
    yield linked
    path.unlink()
    path.write_text(whole, encoding="utf-8")


def test_where_importing_torch_reserves_gigabytes(bare: Environment, course: Path, tmp_path: Path) -> None:
    """As its CUDA builds do, with a GPU or without; what is reserved and not touched is not memory."""
    change_torch(bare.site, RESERVES)
    came = made(check_py, bare, course, tmp_path / "handout")
    assert came.full, came.said


# What is wrong with torch, and whether it shows as soon as it is imported, as what it is linked with does.
BROKEN = {
    "libcudart.so.12: cannot open shared object file": ("raise ImportError('@')\n", True),
    # This is what torch 2.2 says beside numpy 2.
    "Numpy is not available": ("def from_numpy(*_):\n    raise RuntimeError('@')\n", False),
    "'NoneType' object has no attribute 'manual_seed'": ("default_generator = None", False),
    "signal SIGSEGV": ("import ctypes\nctypes.string_at(0)\n", True),
}


@pytest.mark.parametrize("reason", BROKEN)
def test_libraries_that_do_not_work_are_not_the_students_fault(
    reason: str, bare: Environment, course: Path, tmp_path: Path
) -> None:
    """What fails without a line of theirs is told as what it is, and what to do about it."""
    code, at_once = BROKEN[reason]
    change_torch(bare.site, code.replace("@", reason), at_once=at_once)
    students_folder(course, TORCH, tmp_path / "handout", solution(course, TORCH))
    told = " ".join(bare.run("check.py", cwd=tmp_path / "handout").stdout.split())  # a path may be longer than a line
    assert reason in told
    assert "not your doing" in told
    assert f"{bare.python[0]} -m pip install" in told
    for wrong in ("Your code", "Your file", "Traceback", "worker.py", "graded again", "CRASHED", "FAILED"):
        assert wrong not in told
