"""A class on a cluster: a real scheduler and two worker processes on this machine, and what happens when workers die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import cloudpickle
import deadly_crew
import pytest
from conftest import COURSE, SEED, SLUG
from test_pipeline import Quiet

from autograder.classroom import cluster as cluster_module
from autograder.classroom.cluster import LEAST, MOST, MOST_BYTES, ClusterError, connected, cut, grade_on_cluster
from autograder.classroom.cluster_worker import Crew, Orders, course_files
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.gradebook_lock import open_gradebook
from autograder.classroom.result_keys import exercise_keys
from autograder.classroom.run import carry_out, write_down
from autograder.classroom.still_to_grade import Choices, make_plan
from autograder.classroom.submissions import Submission
from autograder.course.spec import Assignment, Status
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.pages.class_files import publish
from autograder.sandbox.job import Chunk, Sandbox, Source

cloudpickle.register_pickle_by_value(deadly_crew)  # workers do not have our tests
Json = dict[str, Any]


class Cluster:
    """A scheduler and worker processes; a worker that dies is started again by the process that minds it."""

    def __init__(
        self, folder: Path, options: Sequence[str] = (), environments: Sequence[Mapping[str, str]] = ({}, {})
    ) -> None:
        self._file = folder / "scheduler.json"
        self._folder = folder  # for what workers that are killed leave, too
        self._processes = [self._start("dask_scheduler", "--port", "0", "--no-dashboard")]
        for number, more in enumerate(environments, 1):
            place = ("--local-directory", folder / str(number))
            self._processes.append(self._start("dask_worker", *(options or _WORKER), *place, **more))

    def _start(self, module: str, *options: object, **more: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--scheduler-file", self._file, *options]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        environment = os.environ | {"TMPDIR": str(self._folder)} | more
        return subprocess.Popen([str(part) for part in command], env=environment, **quiet)

    def address(self) -> str:
        """Return the scheduler's address, as soon as it has one."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self._file.exists() and (text := self._file.read_text(encoding="utf-8")):
                return str(json.loads(text)["address"])
            time.sleep(0.1)
        raise AssertionError("the scheduler did not start")

    def stop_scheduler(self) -> None:
        """End the scheduler as a machine does that is switched off."""
        self._processes[0].kill()

    def close(self) -> None:
        """End every process."""
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            process.wait(30)


_WORKER = ("--nworkers", "1", "--nthreads", "1", "--no-dashboard", "--death-timeout", "60", "--resources", "CHIP=1")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster of two workers."""
    found = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield found
    finally:
        found.close()


@pytest.fixture(scope="module")
def client(running: Cluster) -> Iterator[Any]:
    """Return a client of it."""
    with connected(running.address(), 60) as found:
        found.wait_for_workers(2, timeout=60)
        yield found


@pytest.fixture(scope="module")
def orders(oracle: Oracle) -> Orders:
    """Return what grading the tiny assignment takes."""
    return Orders(SLUG, course_files(COURSE, SLUG), SEED, True, exercise_keys(oracle), accept_unsandboxed=True)


@pytest.fixture
def works(assignment: Assignment) -> list[Submission]:
    """Return a class of ninety: right, wrong, unwritten, broken and unreadable."""
    wrong = assignment.reference.replace("return x - means", "return x + means")
    texts = [assignment.reference, wrong, assignment.stub, "1 / 0", assignment.reference + "\n# mine"]
    made = [Submission(f"s{i:02}", "f", Source("means", (Chunk("means.py", texts[i % 5]),))) for i in range(88)]
    return [*made, Submission("s88", "s88.pdf", None, "A PDF."), Submission("s89", "s89.pdf", None, "A PDF.")]


def graded(book: Gradebook) -> Json:
    """Publish a class and return its results without what differs from run to run, and its grades."""
    publish(book)
    found: Json = {"grades": (book.folder / "grades.csv").read_text(encoding="utf-8-sig")}
    for path in (book.folder / "results").iterdir():
        entry = json.loads(path.read_text(encoding="utf-8"))
        entry["seconds"] = 0
        for case in (case for exercise in entry["exercises"] for case in exercise["cases"]):
            case["seconds"] = 0
        found[path.stem] = entry
    return found


@pytest.fixture
def here(tmp_path: Path, assignment: Assignment, works: list[Submission], sandbox: Sandbox) -> Json:
    """Return what the class comes to on this machine."""
    with open_gradebook(tmp_path / "here", assignment) as book:
        carry_out(book, make_plan(book, assignment, works, Choices(SEED)), sandbox, 2, Quiet())
        return graded(book)


class Killer(Quiet):
    """Ends a process as soon as something is graded."""

    def __init__(self, pids: Callable[[], list[int]]) -> None:
        super().__init__()
        self._pids, self.killed = pids, 0

    def graded(self, one: Any) -> None:
        """Do it once."""
        if not self.marks:
            self.killed = self._pids()[0]
            os.kill(self.killed, signal.SIGKILL)
        super().graded(one)


def on_cluster(
    out: Path, assignment: Assignment, works: list[Submission], client: Any, crew: Crew, watch: Quiet, **more: Any
) -> Json:
    """Grade a class on the cluster and return what it came to."""
    with open_gradebook(out, assignment) as book:
        plan = make_plan(book, assignment, works, Choices(SEED))
        coming = grade_on_cluster(client, crew, Trainer(plan.oracle), plan.tasks, plan.stale, **more)
        write_down(book, plan, coming, watch)
        assert len(watch.marks) == len(works)
        return graded(book)


def test_the_cluster_grades_as_this_machine_does(
    tmp_path: Path, assignment: Assignment, works: list[Submission], here: Json, client: Any, orders: Orders
) -> None:
    """Every result is the same; the plugin is gone from the workers afterwards, and its files are too."""
    crew = Crew(orders, "plain")
    assert on_cluster(tmp_path / "out", assignment, works, client, crew, Quiet(), resources={"CHIP": 1}) == here
    left = client.run(lambda dask_worker: (list(dask_worker.plugins), os.listdir(dask_worker.local_directory)))
    for plugins, files in left.values():
        assert "plain" not in plugins
        assert not [name for name in files if name.startswith("autograder-")]


def test_a_killed_worker_changes_no_grade(
    tmp_path: Path, assignment: Assignment, works: list[Submission], here: Json, client: Any, orders: Orders
) -> None:
    """Its tasks run elsewhere, or on the one that takes its place, and nothing is graded twice into the book."""
    watch = Killer(lambda: list(client.run(os.getpid).values()))
    assert on_cluster(tmp_path / "out", assignment, works, client, Crew(orders, "killed"), watch) == here
    client.wait_for_workers(2, timeout=60)
    assert watch.killed not in client.run(os.getpid).values()
    assert len({mark.student for mark in watch.marks}) == len(watch.marks)


def test_what_keeps_killing_workers_is_its_own_result(
    tmp_path: Path, assignment: Assignment, works: list[Submission], here: Json, client: Any, orders: Orders
) -> None:
    """Two submissions end every worker that grades them; they are told so, and everybody else is graded."""
    deadly = [Submission(name, name, Source("means", (Chunk("means.py", "DEADLY"),))) for name in ("kim", "zoe")]
    crew = deadly_crew.DeadlyCrew(orders, "deadly")
    found = on_cluster(tmp_path / "out", assignment, [*works, *deadly], client, crew, Quiet())
    for name in ("kim", "zoe"):
        entry = found.pop(name)
        assert entry["status"] == "grader_error"
        assert "ended every worker that tried" in entry["problem"]
        assert {c["status"] for e in entry["exercises"] for c in e["cases"]} == {Status.GRADER_ERROR}
    found.pop("grades")
    assert found == {student: entry for student, entry in here.items() if student != "grades"}


def test_a_worker_that_would_grade_otherwise_grades_nobody(
    tmp_path: Path, assignment: Assignment, works: list[Submission], client: Any, orders: Orders
) -> None:
    """Another version there has other keys, and the run ends with a sentence that says where."""
    strange = Orders(SLUG, orders.files, SEED, True, {**orders.keys, "center": "other"}, accept_unsandboxed=True)
    with pytest.raises(ClusterError, match=r"The worker at tcp://.* would grade otherwise .* of numpy or of torch"):
        on_cluster(tmp_path / "out", assignment, works, client, Crew(strange, "strange"), Quiet())


def test_nobody_to_grade_is_said(
    assignment: Assignment, works: list[Submission], client: Any, orders: Orders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no worker has what is asked for, the wait has an end."""
    monkeypatch.setattr(cluster_module, "PATIENCE", 1.0)
    trainer = Trainer(Oracle(assignment, SEED))
    with pytest.raises(ClusterError, match=r"No worker with GPU=1 has been there for 1 s.*--resources 'GPU=1'"):
        list(
            grade_on_cluster(
                client,
                Crew(orders, "none"),
                trainer,
                works,
                dict.fromkeys((w.student for w in works), frozenset()),
                {"GPU": 1},
            )
        )


def test_no_scheduler_is_said() -> None:
    """An address at which nobody answers is one sentence."""
    with (
        pytest.raises(ClusterError, match="There is no Dask scheduler at tcp://"),
        connected("tcp://127.0.0.1:9", 0.5),
    ):
        raise AssertionError("connected")
    with pytest.raises(ClusterError, match="an address is written HOST:PORT"), connected("nowhere"):
        raise AssertionError("connected")


def test_tasks_are_neither_small_nor_large() -> None:
    """Of 20 to 50 submissions, fewer where they are huge, and all of them in order."""

    def of(count: int, size: int = 10) -> list[Submission]:
        return [Submission(f"s{i}", "f", Source("m", (Chunk("m.py", "x" * size),))) for i in range(count)]

    for count, threads in ((0, 2), (7, 2), (90, 2), (3000, 2), (3000, 100), (10_000, 64)):
        works = of(count)
        tasks = cut(works, threads)
        assert [one for task in tasks for one in task] == works
        assert all(LEAST <= len(task) <= MOST for task in tasks[:-1])
    assert [len(task) for task in cut(of(6, MOST_BYTES // 2), 1)] == [2, 2, 2]


def test_a_scheduler_that_dies_is_said(
    tmp_path: Path, assignment: Assignment, works: list[Submission], running: Cluster, client: Any, orders: Orders
) -> None:
    """What was graded is written down, and the run ends. The last test of this cluster."""
    watch = Quiet()
    stop = threading.Timer(0.3, running.stop_scheduler)
    with open_gradebook(tmp_path / "out", assignment) as book:
        plan = make_plan(book, assignment, works, Choices(SEED))
        stop.start()
        with pytest.raises(ClusterError, match="The scheduler is gone"):
            write_down(
                book,
                plan,
                grade_on_cluster(client, Crew(orders, "last"), Trainer(plan.oracle), works, plan.stale),
                watch,
            )
        assert len(book.students()) == len(watch.marks) < len(works)
