"""What several test modules share: the tiny course under tests/course, loaded once, and the sandbox it is graded in."""

from __future__ import annotations

import compileall
import csv
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from kept_proofs import OPTION, KeptProofs
from nursery import Nursery, changes

from autograder.cli import main
from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment
from autograder.judge.grade import grade
from autograder.judge.result import CaseResult, Result
from autograder.oracle.oracle import Oracle
from autograder.sandbox.job import Chunk, Sandbox, Source
from autograder.sandbox.levels import open_sandbox
from autograder.sandbox.machine import cores

# As the command line does: torch's threads and the suite's would stand in each other's way.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Two machines that run the suite must see the same examples, and a busy one may take its time.
# How long it takes to draw examples says how busy the machine is, and nothing of the code.
settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

COURSE = Path(__file__).parent / "course"
SLUG = "t1_means"
SEED = 11


REPOSITORY = Path(__file__).parents[1]
CACHES = {".pytest_cache", ".hypothesis", ".mypy_cache", ".ruff_cache", "__pycache__", "core"}
LONGEST = 1500.0  # seconds for one test; the longest take 500 beside another
FIRST_SEEN: dict[str, str] = {}  # what is in the suite's temporary folder, by the test after which it was there


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that runs every proof."""
    parser.addoption(
        OPTION, action="store_true", help="also run proofs that passed before and for which nothing has changed"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Leave out proofs for which nothing has changed, and heed Ctrl-C.

    A run in the background ignores it, and so would all that tests start there, those for which Ctrl-C is the end.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Hundreds of processes import it, and containers often keep Python from noting what it compiled.
    if not hasattr(config, "workerinput"):
        compileall.compile_dir(REPOSITORY / "autograder", quiet=1)
    config.pluginmanager.register(KeptProofs(config))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Leave bytes out of a test's name: archives hold the time at which they were made, and workers must agree on names."""
    return argname if isinstance(val, bytes) else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test that hangs, with the line where it hangs, so that the run goes on."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"{item.nodeid} has not ended within {LONGEST} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def pytest_xdist_auto_num_workers() -> int:
    """Run a worker more than there are cores: many tests wait, for a limit or for a process to start."""
    return cores() + 1


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run slow tests first, each in whichever worker is free; all others of a file run in one worker, for their fixtures.

    Tests that say themselves with which they run stay as they are.
    """
    items.sort(key=lambda item: "slow" not in item.keywords)
    for number, item in enumerate(items):
        group = f"slow-{number}" if "slow" in item.keywords else item.path.name
        if not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(group))


def pytest_collection_finish() -> None:
    """Spare what all tests and their modules hold from each collection of garbage: a walk through it takes tenths of a second."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_left_behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give the tests a temporary folder of their own, and fail where they leave anything there or in the repository.

    Other processes of the machine write into the real one meanwhile, other workers of the suite among them.
    """
    kept = tmp_path_factory.getbasetemp()  # pytest's own is made elsewhere, and pytest takes it away
    before = set(os.listdir(REPOSITORY)) | CACHES
    folder = tempfile.mkdtemp(prefix="suite-")
    os.chmod(folder, 0o711)  # noqa: S103 (student code that runs as another user has to reach what is inside)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TMPDIR", folder)
            patch.setattr(tempfile, "tempdir", None)
            patch.setenv("TORCHINDUCTOR_CACHE_DIR", str(kept / "torchinductor"))  # torch makes it beside its first step
            yield Path(folder)
        left = [*os.listdir(folder), *(set(os.listdir(REPOSITORY)) - before)]
        made_by = {name: FIRST_SEEN.get(name, "after all tests") for name in left}
        assert made_by == {}, "tests left these behind, in their temporary folder or in the repository"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def _what_it_made(request: pytest.FixtureRequest, _nothing_is_left_behind: Path) -> Iterator[None]:
    """Note which test made what, so that what is left behind can be told from what a session's fixture takes away later."""
    yield
    for name in os.listdir(_nothing_is_left_behind):
        FIRST_SEEN.setdefault(name, request.node.nodeid)


@pytest.fixture(scope="session")
def course() -> Path:
    """Return the tiny course."""
    return COURSE


@pytest.fixture
def course_copy(tmp_path: Path) -> Path:
    """Return a copy of the tiny course that a test may tamper with."""
    return shutil.copytree(COURSE, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__"))


Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Return a function that runs a command in this process and returns its exit code, output and errors."""

    def of(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["autograder", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            main()
        said = capsys.readouterr()
        return int(caught.value.code or 0), said.out, said.err

    return of


@pytest.fixture(scope="session")
def assignment() -> Assignment:
    """Return the tiny course's first assignment: row_means, center (builds on it), spread (builds on both)."""
    return load_assignment(COURSE, SLUG)


@pytest.fixture(scope="session")
def oracle(assignment: Assignment) -> Oracle:
    """Return its oracle."""
    return Oracle(assignment, SEED)


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """Return the strongest sandbox of this machine."""
    with open_sandbox(2) as opened:
        yield opened


@pytest.fixture(scope="session")
def torch_sandbox() -> Iterator[Sandbox]:
    """Return the strongest sandbox of this machine with torch ready, which takes seconds; for one submission at a time."""
    with open_sandbox(1, torch=True) as opened:
        yield opened


LostBy = Callable[..., set[str]]


@cache
def _oracle_without_mistakes(slug: str) -> Oracle:
    return Oracle(replace(load_assignment(REPOSITORY, slug).without_training(), misconceptions=()), 5)


@pytest.fixture
def lost_by(torch_sandbox: Sandbox) -> LostBy:
    """Return a function that returns the exercises that lose points in an assignment's reference with some edits.

    No mistake is known, so that none excuses what follows from it.
    """

    def of(slug: str, *edits: tuple[str, str]) -> set[str]:
        oracle = _oracle_without_mistakes(slug)
        text = oracle.assignment.reference
        for old, new in edits:
            assert old in text
            text = text.replace(old, new, 1)
        result = grade(Source.of(oracle.assignment.file, text), oracle, torch_sandbox)
        return {e.name for e in result.exercises if e.score < e.max_score}

    return of


@pytest.fixture(scope="session")
def _nursery() -> Iterator[Nursery]:
    with Nursery() as opened:
        yield opened


@pytest.fixture
def forked_preloaders(_nursery: Nursery, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have preloaders forked from one that has torch."""
    for module, name, value in changes(_nursery):
        monkeypatch.setattr(module, name, value)


@pytest.fixture(scope="session")
def graded(assignment: Assignment, oracle: Oracle, sandbox: Sandbox) -> Callable[[str], Result]:
    """Return a function that grades the text of a .py file."""

    def grade_text(text: str) -> Result:
        return grade(Source("means", (Chunk(assignment.file, text),)), oracle, sandbox)

    return grade_text


@pytest.fixture(scope="session")
def edited(assignment: Assignment) -> Callable[..., str]:
    """Return a function that replaces bodies in the reference, as in `edited(center="return 0")`."""

    def edit(**bodies: str) -> str:
        text = assignment.reference
        for name, body in bodies.items():
            lines = "".join(f"    {line}\n" for line in body.splitlines())
            start = text.index("    # BEGIN SOLUTION\n", text.index(f"def {name}("))
            stop = text.index("    # END SOLUTION\n", start)
            text = text[:start] + lines + text[stop + len("    # END SOLUTION\n") :]
        return text

    return edit


@pytest.fixture(scope="session")
def cases() -> Callable[[Result, str], dict[str, CaseResult]]:
    """Return a function that looks up an exercise's cases by name."""

    def of(result: Result, exercise: str) -> dict[str, CaseResult]:
        return {case.name: case for e in result.exercises if e.name == exercise for case in e.cases}

    return of


GradeFiles = Callable[..., tuple[Path, dict[str, dict[str, str]]]]


@pytest.fixture
def grade_files(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> GradeFiles:
    """Return a function that grades a class of files by the command; it returns the results and the rows of grades.csv."""

    def of(
        works: Mapping[str, bytes], slug: str = SLUG, course: Path = COURSE
    ) -> tuple[Path, dict[str, dict[str, str]]]:
        out, folder = tmp_path / "graded", tmp_path / "class"
        for name, data in works.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        command = ["grade", slug, folder, "-o", out, "--seed", 5, "--course", course, "--accept-unsandboxed"]
        monkeypatch.setattr("sys.argv", ["autograder", *map(str, command)])
        with pytest.raises(SystemExit):
            main()
        capsys.readouterr()
        with (out / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
            return out, {row["student"]: row for row in csv.DictReader(file)}

    return of
