"""What a worker of a cluster has for grading: the assignment, and one warm pool of sandboxes that outlives its tasks.

A crew is sent to every worker as a plugin, also to those that join later. It carries the assignment's own files, so that
nothing has to be installed there but the autograder; and the keys of the exercises as the coordinator has them, so that a
worker with another version, or other cases, gets no submissions.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import distributed

from autograder.classroom.result_keys import exercise_keys
from autograder.classroom.run import grade_one
from autograder.classroom.stored_result import StoredResult, stored_result
from autograder.classroom.submissions import Submission
from autograder.course.catalog import load_assignment
from autograder.course.course_file import FILE, written
from autograder.course.places import entry_of
from autograder.oracle.device_choice import device_trouble, on_device, open_for
from autograder.oracle.gpus import Gpus, open_gpus
from autograder.oracle.nvidia_smi import NvidiaSmi
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.sandbox.child.device import CPU, refusal
from autograder.sandbox.job import Isolation, Sandbox

_TREES = ("assignments", "solutions")


class CrewError(Exception):
    """This worker must not grade this class; the message says why and what to do."""


class LostGpuError(Exception):
    """A worker's GPU is lost; `begun` says whether that was during the task, so that the task may be why."""

    def __init__(self, text: str, address: str, begun: bool) -> None:
        super().__init__(text, address, begun)
        self.text, self.address, self.begun = text, address, begun


@dataclass(frozen=True)
class Task:
    """Some submissions, and by student the exercises whose results are wanted."""

    crew: str
    submissions: tuple[Submission, ...]
    stale: Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Done:
    """What a task came to: a result for each submission, as the gradebook stores it, and how student code was kept apart there.

    Where something is trained on a GPU, `worker` and `gpu` are the worker's address and what its GPU is called.
    """

    results: tuple[StoredResult, ...]
    isolation: Isolation
    worker: str = ""
    gpu: str = ""


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


@dataclass(frozen=True)
class _Ready:
    """What a worker grades with. Its threads are for trainings that share its GPU."""

    trainer: Trainer
    sandbox: Sandbox
    threads: ThreadPoolExecutor
    gpus: Gpus | None
    gpu: str


class Crew(distributed.WorkerPlugin):
    """Grades on one worker. What it needs is made for its first task, and ends with the worker or the class."""

    def __init__(self, orders: Orders, name: str) -> None:
        self.orders, self.name = orders, name

    def setup(self, worker: Any) -> None:
        """Join a worker."""
        self._lock = threading.Lock()
        self._ready: _Ready | None = None
        self._threads, self._address = worker.state.nthreads, worker.address
        self._folder = tempfile.mkdtemp(prefix="autograder-", dir=worker.local_directory)

    def teardown(self, worker: Any) -> None:  # noqa: ARG002 (as Dask calls it)
        """Leave it: end every sandbox and remove the files."""
        with self._lock:
            if self._ready:
                self._ready.sandbox.close()
                self._ready.threads.shutdown()
                self._ready = None
        shutil.rmtree(self._folder, ignore_errors=True)

    def grade(self, task: Task) -> Done:
        """Grade some submissions, one after the other; every thread of the worker has a slot of the pool.

        Where they train on a GPU, as many at a time as the worker has threads: a task has the GPU, and shares it. Raises
        LostGpuError where that is lost.
        """
        ready = self._get_ready()
        self._check_gpu(ready, begun=False)

        def one(submission: Submission) -> StoredResult:
            return stored_result(grade_one(ready.trainer, submission, ready.sandbox, task.stale[submission.student]))

        results = tuple((ready.threads.map if ready.gpus else map)(one, task.submissions))
        self._check_gpu(ready, begun=True)
        return Done(results, ready.sandbox.isolation, self._address, ready.gpu)

    def _check_gpu(self, ready: _Ready, *, begun: bool) -> None:
        if ready.gpus and ready.gpus.all_lost:
            raise LostGpuError(ready.gpus.all_lost, self._address, begun)

    def _get_ready(self) -> _Ready:
        with self._lock:
            if self._ready is None:
                self._ready = self._prepared()
            return self._ready

    def _prepared(self) -> _Ready:
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
        gpus = None if device == CPU else open_gpus((device,), self._threads, logging.getLogger(__name__).warning)
        gpu = "" if device == CPU else NvidiaSmi().kind(device)
        return _Ready(Trainer(oracle, gpus=gpus), sandbox, ThreadPoolExecutor(self._threads), gpus, gpu)


def course_files(course: Path, slug: str) -> tuple[tuple[str, bytes], ...]:
    """Return the files of one assignment, by their names in the course."""
    entry = entry_of(course, slug)
    paths = (path for tree in _TREES for path in sorted((entry.home / tree / slug).rglob("*")))
    files = (path for path in paths if path.is_file() and "__pycache__" not in path.parts)
    told = [(FILE, written(slug, entry).encode())] if entry.is_told else []
    return (*told, *((path.relative_to(entry.home).as_posix(), path.read_bytes()) for path in files))


def run_task(task: Task) -> Done:
    """Grade a task on the worker that it was sent to."""
    return cast("Crew", distributed.get_worker().plugins[task.crew]).grade(task)
