"""Processes that grade the cases of submissions side by side: one process of Python computes on one core at a time.

They are forked, so what the oracle knows by then is there at once, and nothing of it has to be sent. What one of them finds out
later about known mistakes and correct solutions goes to the others with their next submission. Each has a sandbox of its own,
which starts its slot when the first submission comes.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import multiprocessing
import os
import queue
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Self

from autograder.judge.grade import grade
from autograder.judge.result import Result
from autograder.judge.trials import Found
from autograder.oracle.oracle import Oracle
from autograder.oracle.shared_findings import SharedFindings
from autograder.sandbox.job import ClosedError, Sandbox, Source
from autograder.sandbox.process import remove_folder
from autograder.sandbox.termination import terminate

END_SECONDS = 5.0  # for a process to end, before it is killed
_PR_SET_PDEATHSIG = 1  # of prctl: a signal for when the process that forked this one is gone


class JudgeError(RuntimeError):
    """A judging process failed, or is gone."""


class Judges:
    """A fixed number of judging processes. A context manager: closing it ends them, also what they are at.

    Make it before any thread starts, and while no slot of the sandbox has been used: both are copied.
    """

    def __init__(self, count: int, oracle: Oracle, sandbox: Sandbox) -> None:
        context = multiprocessing.get_context("fork")
        self._closed = False
        self._free: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self._processes: list[BaseProcess] = []
        self._folders: list[str] = []
        shared = SharedFindings(oracle)
        ours: list[Connection] = []
        for _ in range(count):
            mine, theirs = context.Pipe()
            ours.append(mine)
            folder = tempfile.mkdtemp(prefix="autograder-")
            os.chmod(folder, 0o711)  # noqa: S103 (student code that runs as another user has to reach what is inside)
            self._folders.append(folder)
            process = context.Process(
                target=_serve, args=(os.getpid(), folder, theirs, tuple(ours), oracle, sandbox, shared), daemon=True
            )
            process.start()
            theirs.close()
            self._processes.append(process)
            self._free.put(mine)
        self._untold: dict[Connection, queue.SimpleQueue[Sequence[Found]]] = {one: queue.SimpleQueue() for one in ours}

    def grade(self, source: Source) -> Result:
        """Grade a submission's cases in a process that is free. Raises JudgeError, and ClosedError where they are closed."""
        connection = self._free.get()
        try:
            connection.send((source, list(_waiting(self._untold[connection]))))
            answer, news = connection.recv()
        except (EOFError, OSError) as error:
            if self._closed:
                raise ClosedError("the judges are closed") from error
            raise JudgeError("the process that judged it has ended") from error
        finally:
            self._free.put(connection)
        for other in self._untold.keys() - {connection} if news else ():
            self._untold[other].put(news)
        if isinstance(answer, Result):
            return answer
        raise JudgeError(answer)

    def close(self) -> None:
        """End the processes."""
        self._closed = True
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(END_SECONDS)
            if process.is_alive():
                process.kill()
                process.join()
        for folder in self._folders:
            remove_folder(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """End the processes; those that have nothing to do end by themselves."""
        with contextlib.suppress(queue.Empty):
            while not self._closed:
                self._free.get_nowait().close()
        for process in self._processes if not self._closed else ():
            process.join(END_SECONDS)
        self.close()


def _waiting(told: queue.SimpleQueue[Sequence[Found]]) -> Iterator[Sequence[Found]]:
    """Yield what is in a queue by now."""
    with contextlib.suppress(queue.Empty):
        while True:
            yield told.get_nowait()


@contextlib.contextmanager
def judges_for(jobs: int, oracle: Oracle, sandbox: Sandbox) -> Iterator[Judges | None]:
    """Open judges for several jobs at a time; none where one is enough, or where processes cannot be forked safely."""
    if jobs < 2 or sys.platform != "linux":
        yield None
        return
    with Judges(jobs, oracle, sandbox) as judges:
        yield judges


def _serve(
    parent: int,
    folder: str,
    connection: Connection,
    others: tuple[Connection, ...],
    oracle: Oracle,
    sandbox: Sandbox,
    shared: SharedFindings,
) -> None:
    """Grade what comes until nothing more does. Ctrl-C is for the process that sends it, which ends this one."""
    signal.signal(signal.SIGINT, lambda *_: None)  # not SIG_IGN: what is started here would inherit that
    signal.signal(signal.SIGTERM, terminate)  # by way of closing the sandbox, which removes its folders
    ctypes.CDLL(None).prctl(
        _PR_SET_PDEATHSIG, signal.SIGTERM
    )  # it may be killed while this one waits for a student's code
    if os.getppid() != parent:
        remove_folder(folder)
        return
    tempfile.tempdir = folder  # whatever ends this process, the one that made the folder removes it
    for other in others:
        other.close()  # else this process would keep itself waiting when the one that sends is gone
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)  # as in every worker that torch itself forks: its threads are not copied
    shared.begin()
    gc.freeze()  # no collection need walk, and so copy, what was there before the fork
    with contextlib.ExitStack() as exit_stack, contextlib.suppress(EOFError, OSError):
        exit_stack.callback(remove_folder, folder)  # the one that made it may be gone
        exit_stack.enter_context(contextlib.closing(sandbox))
        while True:
            source, untold = connection.recv()
            for told in untold:
                shared.take(told)
            connection.send((_graded(source, oracle, sandbox), shared.told()))


def _graded(source: Source, oracle: Oracle, sandbox: Sandbox) -> Result | str:
    """Return the result, or what failed on our side."""
    try:
        return grade(source, oracle, sandbox)
    except Exception as error:  # noqa: BLE001 (it is told where the submission came from, and tried again)
        return f"{type(error).__name__}: {error}"
