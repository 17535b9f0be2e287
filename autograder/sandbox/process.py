"""The parent's side: a fresh process per attempt, watched from outside.

A job runs in one child, request by request. When the child hangs, dies or sends what is not data, the case it was in
gets that ending and a fresh child does the rest, so one bad exercise costs itself and no other. After
`MAX_STRIKES` such endings in one exercise its remaining requests are not run: three thousand submissions with an
endless loop in each must still end.
"""

from __future__ import annotations

import os
import selectors
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import IO, Any

import numpy as np

from autograder.course.spec import Limits
from autograder.sandbox.job import Ending, Frame, Isolation, Job, JobResult, Outcome, Request, Trouble
from autograder.sandbox.wire import WireError, decode, encode

MAX_STRIKES = 2
START_SECONDS = 30.0  # for Python and numpy to start on a busy machine; longer is our fault, not the student's
START_TRIES = 3

_ROOT = str(Path(__file__).resolve().parents[2])
# The root is on the path only while our own modules load, so that `import solutions` finds nothing.
_BOOT = (
    "import sys; root = sys.argv[1]; sys.path.insert(0, root)\n"
    "from autograder.sandbox.worker import main\n"
    "sys.path[:] = [p for p in sys.path if p != root]; job, result = map(int, sys.argv[2:]); sys.argv[:] = ['']\n"
    "main(job, result)"
)
_THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class ProcessSandbox:
    """One cold process per attempt, bounded in time, memory, output and log."""

    isolation = Isolation(
        level="C",
        mechanisms=("process", "rlimits"),
        residual_risks=("can read files of the grader's user", "can open network connections", "can start processes"),
    )

    def run(self, job: Job) -> JobResult:
        """Run a job in as many children as it takes."""
        outcomes: dict[int, Outcome] = {}
        strikes: Counter[str] = Counter()
        loading: tuple[Outcome, tuple[Trouble, ...]] | None = None
        while pending := [i for i in range(len(job.requests)) if i not in outcomes]:
            with _Child(job, [job.requests[i] for i in pending]) as child:
                loaded = child.load()
                loading = loading or loaded
                if loaded[0].ending is not Ending.RETURNED:
                    outcomes |= dict.fromkeys(pending, loaded[0])
                    break
                broken = child.answer_into(outcomes, pending)
            if broken is not None:
                request = job.requests[broken]
                strikes[request.family] += 1
                given_up = strikes[request.family] >= MAX_STRIKES
                for i in pending:
                    other = job.requests[i]
                    same = other.group == request.group or (given_up and other.family == request.family)
                    if i not in outcomes and same:
                        outcomes[i] = Outcome(Ending.NOT_RUN, trouble=outcomes[broken].trouble)
        if loading is None:
            loading = (Outcome(Ending.NOT_RUN), ())
        return JobResult(tuple(outcomes[i] for i in range(len(job.requests))), *loading)


class _EndedError(Exception):
    """The child sent nothing more; carries how the attempt ended."""

    def __init__(self, ending: Ending, text: str) -> None:
        super().__init__(text)
        self.ending = ending


class _Child:
    """One process, its descriptors and scratch folder; a context manager that leaves nothing behind."""

    def __init__(self, job: Job, requests: list[Request]) -> None:
        self.limits = job.limits
        self._requests = requests
        self._blob = _encode_job(job, requests)
        self._log = bytearray()
        self._buffer = bytearray()

    def __enter__(self) -> _Child:
        self._scratch = tempfile.TemporaryDirectory(prefix="autograder-")
        result_read, result_write = os.pipe()
        log_read, log_write = os.pipe()
        with tempfile.TemporaryFile() as job_file:
            job_file.write(self._blob)
            job_file.seek(0)
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-B", "-c", _BOOT, _ROOT, str(job_file.fileno()), str(result_write)],
                stdin=subprocess.DEVNULL,
                stdout=log_write,
                stderr=log_write,
                cwd=self._scratch.name,
                env={"PATH": os.defpath, "HOME": self._scratch.name, "TMPDIR": self._scratch.name, **_THREADS},
                pass_fds=(job_file.fileno(), result_write),
                start_new_session=True,
            )
        os.close(result_write)
        os.close(log_write)
        self._result: IO[bytes] = os.fdopen(result_read, "rb", buffering=0)
        self._printed: IO[bytes] = os.fdopen(log_read, "rb", buffering=0)
        os.set_blocking(log_read, False)
        os.set_blocking(result_read, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._result, selectors.EVENT_READ)
        self._selector.register(self._printed, selectors.EVENT_READ)
        return self

    def __exit__(self, *exception: object) -> None:
        self._kill()
        self._selector.close()
        self._result.close()
        self._printed.close()
        self._scratch.cleanup()

    def load(self) -> tuple[Outcome, tuple[Trouble, ...]]:
        """Wait until the submission is imported, and say what that came to."""
        try:
            self._event("ready", time.monotonic() + START_SECONDS)
        except _EndedError as end:
            return Outcome(Ending.FAULT, trouble=Trouble("", f"the worker did not start: {end}; {self._said()}")), ()
        started = time.monotonic()
        try:
            event = self._event("loaded", started + self.limits.import_seconds)
            notes = tuple(_trouble(note) for note in event["notes"])
            trouble = _trouble(event["trouble"]) if event["trouble"] else None
        except (_EndedError, KeyError, TypeError, ValueError) as error:
            return self._failure(error, started), ()
        ending = Ending.RAISED if trouble else Ending.RETURNED
        return Outcome(ending, trouble=trouble, seconds=time.monotonic() - started, printed=self._said()), notes

    def answer_into(self, outcomes: dict[int, Outcome], indices: list[int]) -> int | None:
        """Collect an outcome for each request; return the index at which the child failed, if it did."""
        group, deadline = None, 0.0
        for index, (position, request) in zip(indices, enumerate(self._requests), strict=True):
            started = time.monotonic()
            if request.group != group:
                group, deadline = request.group, started + self.limits.case_seconds
            try:
                event = self._event("outcome", deadline)
                outcomes[index] = self._outcome(event, position, started)
            except (_EndedError, KeyError, TypeError, ValueError) as error:
                outcomes[index] = self._failure(error, started)
                return index
        return None

    def _outcome(self, event: dict[str, Any], position: int, started: float) -> Outcome:
        if event["index"] != position:
            raise ValueError("an outcome out of order")
        ending = Ending(event["ending"])
        if ending not in (Ending.RETURNED, Ending.RAISED, Ending.ABSENT, Ending.UNWRITTEN, Ending.MEMORY, Ending.OUTPUT):
            raise ValueError("an ending that only the parent may give")
        trouble = _trouble(event["trouble"]) if event.get("trouble") else None
        seconds = time.monotonic() - started
        return Outcome(ending, event.get("value"), tuple(event.get("args", ())), trouble, seconds, self._said())

    def _failure(self, error: Exception, started: float) -> Outcome:
        if isinstance(error, _EndedError):
            ending, text = error.ending, str(error)
        else:
            ending, text = Ending.DIED, "it wrote something that is not a result to the result channel"
        return Outcome(ending, trouble=Trouble("", text), seconds=time.monotonic() - started, printed=self._said())

    def _event(self, name: str, deadline: float) -> dict[str, Any]:
        size = struct.unpack("<Q", self._read(8, deadline))[0]
        if size > (self.limits.output_mb << 20) + (1 << 16):
            raise _EndedError(Ending.OUTPUT, f"it sent more than {self.limits.output_mb} MB")
        try:
            event = decode(self._read(size, deadline))
        except WireError as error:
            raise _EndedError(Ending.DIED, f"it sent bytes that are not data ({error})") from None
        if not isinstance(event, dict) or event.get("event") != name:
            raise _EndedError(Ending.DIED, "it sent something other than the next result")
        return event

    def _read(self, size: int, deadline: float) -> bytes:
        while len(self._buffer) < size:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise _EndedError(Ending.TIMEOUT, "")
            for key, _ in self._selector.select(remaining):
                if key.fileobj is self._printed:
                    self._drain_log()
                    continue
                data = self._result.read(1 << 20)
                if data == b"":
                    raise _EndedError(Ending.DIED, self._obituary())
                self._buffer += data or b""
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    def _drain_log(self) -> None:
        """Keep what fits the log limit and throw the rest away; a flood must not block or fill anything."""
        data = self._printed.read(1 << 20)
        if data == b"":
            self._selector.unregister(self._printed)
        elif data:
            self._log += data[: max(0, (self.limits.log_kb << 10) - len(self._log))]

    def _said(self) -> str:
        """Return and forget what was printed since the last call."""
        if self._printed in {key.fileobj for key in self._selector.get_map().values()}:
            self._drain_log()
        text = self._log.decode(errors="replace")
        self._log.clear()
        return text

    def _obituary(self) -> str:
        self._process.wait(timeout=START_SECONDS)
        code = self._process.returncode
        return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"

    def _kill(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self._process.kill()
        self._process.wait()


def _encode_job(job: Job, requests: list[Request]) -> bytes:
    return encode(
        {
            "module": job.source.module,
            "notebook": job.source.notebook,
            "chunks": [(chunk.label, _bytes(chunk.text.encode())) for chunk in job.source.chunks],
            "memory_mb": job.limits.memory_mb,
            "output_mb": job.limits.output_mb,
            "requests": [
                {"function": r.function, "arguments": _bytes(r.arguments), "seed": r.seed, "torch": r.torch}
                for r in requests
            ],
        }
    )


def _bytes(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.uint8)


def _trouble(tree: Any) -> Trouble:
    frames = tuple(Frame(str(label), int(line), str(function)) for label, line, function in tree["frames"])
    return Trouble(str(tree["type"]), str(tree["text"]), frames)


__all__ = ["Limits", "ProcessSandbox"]
