"""What a worker of a cluster has for grading: the assignment, and one warm pool of sandboxes that outlives its tasks.

A crew is sent to every worker as a plugin, also to those that join later. It carries the assignment's own files, so that
nothing has to be installed there but the autograder; and the keys of the exercises as the coordinator has them, so that a
worker with another version, or other cases, grades nobody.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import distributed

from autograder.classroom.result_keys import exercise_keys
from autograder.classroom.run import grade_one
from autograder.classroom.submissions import Submission
from autograder.course.catalog import load_assignment
from autograder.judge.result import Result
from autograder.oracle.device import device_trouble, on_device, open_for
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.sandbox.child.device import CPU, refusal
from autograder.sandbox.job import Isolation, Sandbox

_TREES = ("assignments", "solutions")


class CrewError(Exception):
    """This worker must not grade this class; the message says why and what to do."""


@dataclass(frozen=True)
class Task:
    """Some submissions, and by student the exercises whose results are wanted."""

    crew: str
    submissions: tuple[Submission, ...]
    stale: Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Done:
    """What a task came to: a result and seconds for each submission, and how student code was kept apart there."""

    results: tuple[tuple[Result, float], ...]
    isolation: Isolation


@dataclass(frozen=True)
class Orders:
    """All that grading rests on, as the coordinator has it."""

    slug: str
    files: tuple[tuple[str, bytes], ...]
    seed: int
    training: bool
    keys: Mapping[str, str]
    accept_unsandboxed: bool = False
    device: str = CPU


class Crew(distributed.WorkerPlugin):
    """Grades on one worker. What it needs is made for its first task, and ends with the worker or the class."""

    def __init__(self, orders: Orders, name: str) -> None:
        self.orders, self.name = orders, name

    def setup(self, worker: Any) -> None:
        """Join a worker."""
        self._lock = threading.Lock()
        self._ready: tuple[Trainer, Sandbox] | None = None
        self._threads, self._address = worker.state.nthreads, worker.address
        self._folder = tempfile.mkdtemp(prefix="autograder-", dir=worker.local_directory)

    def teardown(self, worker: Any) -> None:  # noqa: ARG002 (as Dask calls it)
        """Leave it: end every sandbox and remove the files."""
        with self._lock:
            if self._ready:
                self._ready[1].close()
                self._ready = None
        shutil.rmtree(self._folder, ignore_errors=True)

    def grade(self, task: Task) -> Done:
        """Grade some submissions, one after the other; every thread of the worker has a slot of the pool."""
        trainer, sandbox = self._get_ready()
        graded = (grade_one(trainer, one, sandbox, task.stale[one.student]) for one in task.submissions)
        return Done(tuple((one.result, one.seconds) for one in graded), sandbox.isolation)

    def _get_ready(self) -> tuple[Trainer, Sandbox]:
        with self._lock:
            if self._ready is None:
                self._ready = self._prepared()
            return self._ready

    def _prepared(self) -> tuple[Trainer, Sandbox]:
        orders, course = self.orders, Path(self._folder)
        for name, data in orders.files:
            path = course / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        assignment = load_assignment(course, orders.slug)
        assignment = assignment if orders.training else assignment.without_training()
        assignment = on_device(assignment, orders.device)
        oracle = Oracle(assignment, orders.seed)
        if exercise_keys(oracle) != orders.keys:
            raise CrewError(
                f"The worker at {self._address} would grade otherwise than this machine: it has another version of the "
                "autograder, of Python, of numpy or of torch. Install the same there, restart it, and run the same command again."
            )
        for trial in oracle.trials:
            oracle.expected(trial)
        device = assignment.device
        sandbox = open_for(assignment, self._threads, course / "solutions")
        if sandbox.isolation.level == "C" and not orders.accept_unsandboxed:
            sandbox.close()
            raise CrewError(
                f"The worker at {self._address} cannot isolate student code ({'; '.join(sandbox.isolation.missing)}). "
                "If you trust every submission, add --accept-unsandboxed."
            )
        if device != CPU and (reason := device_trouble(assignment, device, sandbox)):
            sandbox.close()
            raise CrewError(refusal(device, f"on the worker at {self._address}", reason))
        return Trainer(oracle), sandbox


def course_files(course: Path, slug: str) -> tuple[tuple[str, bytes], ...]:
    """Return the files of one assignment, by their names in the course."""
    paths = (path for tree in _TREES for path in sorted((course / tree / slug).rglob("*")))
    return tuple(
        (path.relative_to(course).as_posix(), path.read_bytes())
        for path in paths
        if path.is_file() and "__pycache__" not in path.parts
    )


def run_task(task: Task) -> Done:
    """Grade a task on the worker that it was sent to."""
    plugins: Mapping[str, Any] = distributed.get_worker().plugins
    done: Done = plugins[task.crew].grade(task)
    return done
