"""Grade a class on a Dask cluster: tasks of some dozens of submissions, on workers that each own a warm pool.

Theory of operation: the coordinator, the process that was started with `grade --cluster`, reads the submissions. It alone
writes to the gradebook. It sends a plugin (`cluster_worker.py`) to every worker, and then tasks, a few for each thread
and no more, so that its memory and the scheduler's stay flat however large the class is. A task that died with its worker
is run again by Dask, elsewhere. If it has outlived several workers, it is cut into single submissions; and one of these that
ends workers even when nothing else runs is told so as its result, and the others are graded.

Only the coordinator and the workers, which are trusted, speak Dask's protocol. Students' code crosses it as text and runs
in the workers' sandboxes.
"""

from __future__ import annotations

import contextlib
import queue
import socket
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from typing import Any

import distributed
from distributed.comm.core import CommClosedError

from autograder.classroom.cluster_worker import Crew, Done, LostGpuError, Task, run_task
from autograder.classroom.record import Graded
from autograder.classroom.stored_result import Finished, finished
from autograder.classroom.submissions import Submission
from autograder.course.language import say, speaking
from autograder.course.spec import Status
from autograder.judge.messages import our_fault
from autograder.judge.points import without_points
from autograder.oracle.nvidia_smi import check_one_kind
from autograder.oracle.training import Trainer
from autograder.sandbox.child.device import DeviceError
from autograder.sandbox.job import Isolation, Trouble

LEAST, MOST = 20, 50  # submissions in a task
MOST_BYTES = 4_000_000  # of code in a task
ROUNDS = 4  # tasks for each thread, if the class is large enough: then none is idle for long at the end
AHEAD = 3  # tasks under way for each thread
PATIENCE = 60.0  # seconds without any worker, after which there is nothing to wait for
_NOWHERE = Isolation("C", (), ("nothing came back from any worker",))
_GONE = "The scheduler is gone. Start it again; the same command goes on from there."
_LOOK = 2.0  # seconds between looks at who is there


class ClusterError(Exception):
    """The cluster cannot grade this class, or not any more; the message says why and what to do."""


@dataclass
class _Queues:
    """What waits: tasks, then the single submissions of those that died, then each that died again, with nothing beside it."""

    tasks: deque[tuple[Submission, ...]]
    singles: deque[Submission] = field(default_factory=deque)
    alone: deque[Submission] = field(default_factory=deque)
    again: deque[tuple[tuple[Submission, ...], bool]] = field(default_factory=deque)  # done, and lost with the worker
    running: dict[Any, tuple[tuple[Submission, ...], bool]] = field(default_factory=dict)  # and whether it is alone

    @property
    def waits(self) -> bool:
        """Whether anything is still to be submitted."""
        return bool(self.tasks or self.singles or self.alone or self.again)

    def next(self, most: int) -> tuple[tuple[Submission, ...], bool] | None:
        """Return what is to be submitted now, if anything is."""
        if self.again and len(self.running) < most:
            return self.again.popleft()
        if self.tasks or self.singles:
            if len(self.running) >= most:
                return None
            return (self.tasks.popleft() if self.tasks else (self.singles.popleft(),)), False
        return ((self.alone.popleft(),), True) if self.alone and not self.running else None


@contextlib.contextmanager
def connected(address: str, seconds: float = 10.0) -> Iterator[Any]:
    """Connect to a scheduler. Raises ClusterError where there is none."""
    dask: Any = distributed  # it has types for some of its functions only
    try:
        _reach(address, seconds)
        client = dask.Client(address, timeout=seconds, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"There is no Dask scheduler at {address}: {error}. Start one with dask scheduler."
        ) from None
    with client:
        yield client


def _reach(address: str, seconds: float) -> None:
    """Connect to an address once. Raises OSError or ValueError: a Dask client that finds no scheduler there delays the program's end."""
    protocol, _, place = address.rpartition("://")
    if protocol in ("", "tcp", "tls"):
        host, _, port = place.rpartition(":")
        if not host or not port.isdecimal():
            raise ValueError("an address is written HOST:PORT, such as tcp://scheduler:8786")
        socket.create_connection((host.strip("[]"), int(port)), seconds).close()


def grade_on_cluster(
    client: Any,
    crew: Crew,
    trainer: Trainer,
    submissions: Sequence[Submission],
    stale: Mapping[str, frozenset[str]],
    resources: Mapping[str, float] | None = None,
    say: Callable[[str], None] = lambda _: None,
    keep_kind: Callable[[str, str], None] = lambda _, __: None,
) -> Generator[tuple[Finished, ...]]:
    """Yield what the submissions of a task came to, as tasks come back. Raises ClusterError.

    `say` hears of workers that are given up, `keep_kind` of each GPU and its kind before what was trained there counts.
    """
    coordinator = _Coordinator(client, crew, trainer, stale, dict(resources or {}), say, keep_kind)
    try:
        client.register_plugin(crew)
        yield from coordinator.grade(submissions)
    except CommClosedError:
        raise ClusterError(_GONE) from None
    finally:
        if client.status == "running":  # a cluster that is gone has nothing to clean up
            client.unregister_worker_plugin(crew.name)


class _Coordinator:
    """Keeps tasks under way and takes their results."""

    def __init__(
        self,
        client: Any,
        crew: Crew,
        trainer: Trainer,
        stale: Mapping[str, frozenset[str]],
        resources: dict[str, float],
        say: Callable[[str], None],
        keep_kind: Callable[[str, str], None],
    ) -> None:
        self._keep_kind = keep_kind
        self._say, self._lost, self._kinds = say, set[str](), dict[str, str]()
        self._client, self._crew, self._trainer, self._stale, self._resources = client, crew, trainer, stale, resources
        self._back: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._seen = time.monotonic()
        self._looked, self._threads = 0.0, 0
        self._isolation = _NOWHERE

    def grade(self, submissions: Sequence[Submission]) -> Iterator[tuple[Finished, ...]]:
        """Yield what the submissions of each task came to."""
        queues = _Queues(deque(cut(submissions, self._look())))
        try:
            while True:
                while self._may_send() and (found := queues.next(AHEAD * max(self._look(), 1))):
                    queues.running[self._submit(found[0])] = found
                if not queues.running and not queues.waits:
                    return
                with contextlib.suppress(queue.Empty):
                    future = self._back.get(timeout=_LOOK)
                    yield from self._landed(queues, future, *queues.running.pop(future))
        finally:
            if self._client.status == "running":
                self._client.cancel(list(queues.running), force=True)

    def _may_send(self) -> bool:
        """Whether a task would find a worker, or none that it would find is known to be of no use."""
        return self._look() > 0 or not self._lost

    def _look(self) -> int:
        """Return how many threads there are now that may take tasks. Raises ClusterError after a while without any."""
        if self._client.status != "running":  # it would forget what it was given, even if it came back
            raise ClusterError(_GONE)
        now = time.monotonic()
        if now - self._looked >= _LOOK:
            workers = self._client.scheduler_info()["workers"]
            able = (w for name, w in workers.items() if name not in self._lost)
            able = (w for w in able if all(w["resources"].get(k, 0) >= v for k, v in self._resources.items()))
            self._threads, self._looked = sum(worker["nthreads"] for worker in able), now
            self._others = [name for name in workers if name not in self._lost]
        if self._threads:
            self._seen = now
        elif now - self._seen > PATIENCE:
            what = " and ".join(f"{name}={amount:g}" for name, amount in self._resources.items())
            raise ClusterError(
                f"No worker{f' with {what}' if what else ''} has been there for {PATIENCE:.0f} s. Start some: dask worker "
                f"{self._client.scheduler.address}{f' --resources {what!r}' if what else ''}. The same command goes on."
            )
        return self._threads

    def _submit(self, some: tuple[Submission, ...]) -> Any:
        task = Task(self._crew.name, some, {s.student: self._stale[s.student] for s in some})
        # Where those that are left die, too, Dask may send it anywhere: a worker without its GPU sends it back at once.
        where = {"workers": self._others, "allow_other_workers": True} if self._lost else {}
        future = self._client.submit(run_task, task, pure=False, resources=self._resources or None, **where)
        future.add_done_callback(self._back.put)
        return future

    def _landed(
        self, queues: _Queues, future: Any, some: tuple[Submission, ...], alone: bool
    ) -> Iterator[tuple[Finished, ...]]:
        """Take a task's results, or cut it smaller where it ended its workers."""
        try:
            if future.status == "lost":  # with its worker, when it was done already
                raise CancelledError
            done: Done = future.result()
        except (distributed.scheduler.KilledWorker, LostGpuError) as error:
            if isinstance(error, LostGpuError):
                self._give_up(error)
            if isinstance(error, LostGpuError) and not error.begun:
                queues.again.append((some, alone))
            elif alone:
                yield (self._deadly(some[0]),)
            elif len(some) == 1:
                queues.alone.extend(some)
            else:
                queues.singles.extend(some)
        except CancelledError:
            queues.again.append((some, alone))
        except Exception as error:
            raise ClusterError(f"{error}") from error
        else:
            self._check_kind(done)
            self._isolation = done.isolation
            results = zip(some, done.results, strict=True)
            yield tuple(Finished(submission, result, done.isolation) for submission, result in results)

    def _give_up(self, error: LostGpuError) -> None:
        """Send nothing more to a worker that lost its GPU; say so once."""
        if error.address not in self._lost:
            self._lost.add(error.address)
            self._looked = 0.0
            self._say(f"The worker at {error.address} gets no more work, since {error.text} is lost.")

    def _check_kind(self, done: Done) -> None:
        """Raise ClusterError where another worker's GPU is of another kind."""
        if not done.gpu and not self._kinds:
            return
        name = f"the GPU at {done.worker}"
        self._kinds[name] = done.gpu
        try:
            check_one_kind(self._kinds)
        except DeviceError as error:
            raise ClusterError(str(error)) from None
        self._keep_kind(name, done.gpu)

    def _deadly(self, submission: Submission) -> Finished:
        """Return the result of a submission that ended every worker that graded it, alone as well."""
        with speaking(self._trainer.assignment.language):
            how = say("grading this submission ended every worker that tried")
            text = our_fault(Trouble("", how))
            result = without_points(self._trainer.oracle, Status.GRADER_ERROR, text)
        result = replace(self._trainer.without_run(result, Status.GRADER_ERROR, text), problem=text)
        return finished(Graded(submission, result, self._isolation, 0.0))


def cut(submissions: Iterable[Submission], threads: int) -> list[tuple[Submission, ...]]:
    """Cut a class into tasks: large enough to be worth sending, and enough of them for every thread to have some."""
    todo = list(submissions)
    size = min(max(LEAST, -(-len(todo) // (ROUNDS * max(threads, 1)))), MOST)
    tasks: list[tuple[Submission, ...]] = []
    some: list[Submission] = []
    weight = 0
    for submission in todo:
        source = submission.source
        more = sum(len(chunk.text) for chunk in source.chunks) if source else 0
        if some and (len(some) == size or weight + more > MOST_BYTES):
            tasks.append(tuple(some))
            some, weight = [], 0
        some.append(submission)
        weight += more
    return [*tasks, tuple(some)] if some else tasks
