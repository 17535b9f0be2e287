"""Measure grading on a cluster: what a second worker brings, and when the coordinator has more than it can take.

Before that it measures what writing down a result takes in classes of three sizes.

The scheduler and the workers are processes of this machine, so what is measured is the cost of distribution, not a network.
For the second figure workers grade nothing and send back results of the usual size, as fast as they can.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import cloudpickle

from autograder.classroom.cluster import MOST, connected, grade_on_cluster
from autograder.classroom.cluster_worker import Crew, Done, Orders, Task, course_files
from autograder.classroom.gradebook_lock import open_gradebook
from autograder.classroom.record import Graded
from autograder.classroom.result_keys import exercise_keys
from autograder.classroom.run import grade_one, write_down
from autograder.classroom.still_to_grade import Choices, make_plan
from autograder.classroom.stored_result import Finished, finished, stored_result
from autograder.classroom.submissions import Submission, read_submissions
from autograder.classroom.watch import Mark
from autograder.command.demo import write_class
from autograder.course.catalog import load_assignment
from autograder.oracle.oracle import Oracle
from autograder.oracle.training import Trainer
from autograder.sandbox.job import Chunk, Source
from autograder.sandbox.levels import open_sandbox
from autograder.submission.written_exercises import Stub

COURSE, SLUG, SEED = Path(__file__).parents[1], "a5_attention", 0


class Idle(Crew):
    """Grades nothing, and sends back results as if it had: those of some submissions, again and again."""

    def __init__(self, orders: Orders, name: str, done: Sequence[Graded], seconds: float = 0.0) -> None:
        super().__init__(orders, name)
        self.done, self.seconds = done, seconds

    def grade(self, task: Task) -> Done:
        """Return as many results; they are made once."""
        if not hasattr(self, "copies"):
            self.copies = tuple(map(stored_result, itertools.islice(itertools.cycle(self.done), MOST)))
        time.sleep(self.seconds * len(task.submissions))
        return Done(self.copies[: len(task.submissions)], self.done[0].isolation)


@contextmanager
def cluster(workers: int) -> Iterator[Any]:
    """Start a scheduler and workers of one thread; yield a client."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        start = [sys.executable, "-m"]
        common = ["--scheduler-file", str(file), "--no-dashboard"]
        commands = [[*start, "distributed.cli.dask_scheduler", "--port", "0", *common]]
        options = ["--nworkers", "1", "--nthreads", "1", "--local-directory", folder]
        commands += [[*start, "distributed.cli.dask_worker", *common, *options]] * workers
        quiet = subprocess.DEVNULL
        processes = [subprocess.Popen(command, stdout=quiet, stderr=quiet) for command in commands]
        try:
            while not (file.exists() and file.read_text(encoding="utf-8")):
                time.sleep(0.1)
            with connected(json.loads(file.read_text(encoding="utf-8"))["address"], 60) as client:
                client.wait_for_workers(workers)
                yield client
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait()


def named(submissions: tuple[Submission, ...]) -> dict[str, frozenset[str]]:
    """Return everything as stale."""
    return {submission.student: frozenset({"attention"}) for submission in submissions}


def efficiency(orders: Orders, trainer: Trainer, submissions: tuple[Submission, ...]) -> None:
    """Grade a class with one worker and with two, twice each: the first also starts the pools."""
    seconds = {}
    for workers in (1, 2):
        with cluster(workers) as client:
            crew = Crew(orders, f"autograder-{secrets.token_hex(4)}")
            for some in (submissions[:40], submissions):
                began = time.monotonic()
                done = sum(map(len, grade_on_cluster(client, crew, trainer, some, named(some))))
                seconds[workers] = time.monotonic() - began
                print(f"{workers} worker(s): {done} submissions in {seconds[workers]:.1f} s", flush=True)
    print(f"grading, efficiency from 1 to 2 workers: {seconds[1] / (2 * seconds[2]):.2f}", flush=True)


def keeping_busy(
    orders: Orders, trainer: Trainer, done: Sequence[Graded], count: int = 1000, each: float = 0.03
) -> None:
    """The same with workers that wait as long as grading takes, so that what else this machine does counts for little."""
    submissions = tuple(Submission(f"s{i}", "class.zip", reference_of(trainer)) for i in range(count))
    seconds = {}
    for workers in (1, 2):
        with cluster(workers) as client:
            began = time.monotonic()
            for _ in grade_on_cluster(
                client, Idle(orders, "idle", done, each), trainer, submissions, named(submissions)
            ):
                pass
            seconds[workers] = time.monotonic() - began
        print(f"{workers} worker(s): {count} times {each:g} s of waiting in {seconds[workers]:.1f} s", flush=True)
    print(f"waiting, efficiency from 1 to 2 workers: {seconds[1] / (2 * seconds[2]):.2f}", flush=True)


def reference_of(trainer: Trainer) -> Source:
    """Return code of the usual size."""
    return Source("attention", (Chunk("attention.py", trainer.assignment.reference),))


def saturation(orders: Orders, trainer: Trainer, done: Sequence[Graded], count: int, limit: float) -> None:
    """Send a huge class through workers that grade nothing, without and with a gradebook, for so many seconds each.

    The gradebook is one in which all students wait to be graded, as at the beginning of any grading.
    """
    source = reference_of(trainer)
    for with_book in (False, True):
        submissions = tuple(Submission(f"s{i:06}", "class.zip", source) for i in range(count))
        with cluster(2) as client, tempfile.TemporaryDirectory() as folder:
            crew = Idle(orders, "idle", done)
            with open_gradebook(Path(folder) / "out", trainer.assignment) as book:
                plan = make_plan(book, trainer.assignment, submissions, Choices(seed=SEED))
                coming = grade_on_cluster(client, crew, trainer, plan.tasks, plan.stale)
                before, watch = clocks(client), Count()
                if with_book:
                    write_down(book, plan, until(coming, before[0] + limit), watch)
                else:
                    watch.number = sum(map(len, until(coming, before[0] + limit)))
                wall, mine, scheduler = (now - then for now, then in zip(clocks(client), before, strict=True))
                number = watch.number
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        what = "written into the gradebook" if with_book else "taken and forgotten"
        print(
            f"{number} of {count} {what}: {number / wall:.0f}/s; CPU of each: coordinator {1000 * mine / number:.2f} ms, "
            f"scheduler {1000 * scheduler / number:.2f} ms; coordinator's memory {memory} MB",
            flush=True,
        )


def saving(trainer: Trainer, done: Sequence[Graded], sizes: tuple[int, ...], count: int = 100) -> None:
    """Write some results of a class of each size into its gradebook, as a grading does, here and without a cluster."""
    for size in sizes:
        submissions = tuple(Submission(f"s{i:06}", "class.zip", reference_of(trainer)) for i in range(size))
        with tempfile.TemporaryDirectory() as folder, open_gradebook(Path(folder) / "out", trainer.assignment) as book:
            plan = make_plan(book, trainer.assignment, submissions, Choices(seed=SEED))
            coming = [replace(one, submission=two) for one, two in zip(itertools.cycle(done), plan.tasks[:count])]
            began = time.process_time()
            write_down(book, plan, ((finished(one),) for one in coming), Count())
            each = 1000 * (time.process_time() - began) / count
        print(f"{size} who wait: writing down a result takes {each:.2f} ms of CPU", flush=True)


class Count:
    """Watches a grading and counts."""

    number = 0

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """End."""

    def start(self, todo: int, kept: int) -> None:
        """Nothing is known yet."""

    def training(self, *_: object) -> None:
        """Say nothing."""

    def graded(self, _: Mark) -> None:
        """Count one more."""
        self.number += 1


def until(coming: Generator[tuple[Finished, ...]], end: float) -> Iterator[tuple[Finished, ...]]:
    """Yield what comes until a moment, and stop the rest then."""
    for some in coming:
        yield some
        if time.monotonic() > end:
            coming.close()
            return


def clocks(client: Any) -> tuple[float, float, float]:
    """Return the wall's clock, this process's CPU and the scheduler's."""
    return time.monotonic(), time.process_time(), client.run_on_scheduler(time.process_time)


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="submissions of the class that is not graded")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each of its two rounds")
    given = parser.parse_args()
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    assignment = load_assignment(COURSE, SLUG)
    oracle = Oracle(assignment, SEED)
    trainer = Trainer(oracle)
    orders = Orders(SLUG, course_files(COURSE, SLUG), SEED, True, exercise_keys(oracle), accept_unsandboxed=True)
    with tempfile.TemporaryDirectory() as folder:
        submissions = read_submissions(write_class(assignment, Path(folder)), Stub.of(assignment))
    with open_sandbox(1) as sandbox:
        done = [grade_one(trainer, one, sandbox) for one in itertools.islice(submissions, MOST)]
    saving(trainer, done, (300, 3000, 30_000))
    saturation(orders, trainer, done, given.count, given.limit)
    keeping_busy(orders, trainer, done)
    efficiency(orders, trainer, submissions)


if __name__ == "__main__":
    main()
