"""Our ends of what connects us with a child: its job, the word to go on, its results, and what it prints.

`Pipes` waits on descriptors, for children that a preloader forks. `Streams` has threads read for it and works on every
system, for children that are processes of their own.

A child can reopen any pipe it holds through /proc/self/fd, in the other direction as well: it can fill what it should only
read, and empty what it should only write. So no call here waits for a pipe without a deadline.
"""

from __future__ import annotations

import contextlib
import os
import queue
import secrets
import selectors
import subprocess
import threading
import time
from typing import IO, Protocol

try:
    import fcntl
except ImportError:  # Windows, where pipes are as large as they are
    fcntl = None  # type: ignore[assignment]

from autograder.sandbox.child.long_calls import PLACE
from autograder.sandbox.child.worker import MARK

CHUNK = 1 << 16
MOST_WAITING = 1 << 22  # bytes of results that are read ahead
SETTLE_SECONDS = 1.0  # for what a child has printed to be read
FLOOD_SECONDS = 0.005  # between two readings of a log that holds more than is kept: a flood is to cost us little
FLOOD_SIZE = 1 << 20  # of the log's pipe, where the system allows it, so that honest prints seldom wait for that


class Ends(Protocol):
    """What an attempt does with a child's connections."""

    log_limit: int  # bytes of print that are kept between two calls of `said`

    def give(self, data: bytes) -> None:
        """Append to the job, which the child can only read."""

    def say_go(self) -> None:
        """Say that the next of what the child waits for is there."""

    def receive(self, seconds: float) -> bytes | None:
        """Return more of the results: nothing where they have ended, None where none came in that time."""

    def begun(self) -> int:
        """Return the number of the request that the child says it began last; whatever it likes, where it is hostile."""

    def stays(self) -> tuple[int, int]:
        """Return where a long call stays, as the child says: the number of a file or cell from 1 on and a line, or zeros."""

    def said(self) -> str:
        """Return and forget what the child printed since the last call."""


class Pipes:
    """Descriptors of two files and of pipes. The caller opened them and closes them."""

    def __init__(self, job: int, go: int, result: int, marks: int, log: int) -> None:
        self.log_limit = 0
        self._job, self._go, self._result, self._marks, self._log_fd = job, go, result, marks, log
        self._written = 0
        self._log = bytearray()
        self._log_open = True
        self._selector = selectors.DefaultSelector()
        for descriptor in (go, result, log):
            os.set_blocking(descriptor, False)
        for descriptor in (result, log):
            self._selector.register(descriptor, selectors.EVENT_READ)
        _widen(log)

    def close(self) -> None:
        """Release the selector."""
        self._selector.close()

    def give(self, data: bytes) -> None:
        """Append to the job."""
        os.pwrite(self._job, data, self._written)
        self._written += len(data)

    def say_go(self) -> None:
        """Say that the next part is there. A full pipe says so already: only the child itself can have filled it."""
        with contextlib.suppress(BrokenPipeError, BlockingIOError):
            os.write(self._go, b"g")

    def receive(self, seconds: float) -> bytes | None:
        """Return more of the results, and keep the log from filling up meanwhile."""
        end = time.monotonic() + seconds
        while (remaining := end - time.monotonic()) > 0:
            ready = [key.fd for key, _ in self._selector.select(remaining)]
            if self._result in ready:
                with contextlib.suppress(BlockingIOError):  # the child was quicker to read it back
                    return os.read(self._result, 1 << 20)
            if self._log_fd in ready:
                self._drain_log()
                if len(self._log) >= self.log_limit:
                    time.sleep(FLOOD_SECONDS)
        return None

    def begun(self) -> int:
        """Read what the child has marked."""
        return int.from_bytes(os.pread(self._marks, MARK.size, 0), "little")

    def stays(self) -> tuple[int, int]:
        """Read where the child stays."""
        return _place_in(os.pread(self._marks, PLACE.size, MARK.size))

    def _drain_log(self) -> None:
        """Keep what fits the log limit and throw the rest away; a flood must not block or fill anything."""
        try:
            data = os.read(self._log_fd, FLOOD_SIZE)
        except BlockingIOError:
            return
        if not data:
            self._selector.unregister(self._log_fd)
            self._log_open = False
        self._log += data[: max(0, self.log_limit - len(self._log))]

    def said(self) -> str:
        """Return and forget what was printed since the last call."""
        if self._log_open:
            self._drain_log()
        text = self._log.decode(errors="replace")
        self._log.clear()
        return text


class Streams:
    """A process's standard input and output, and a pipe for what it prints, served by threads.

    Each thread closes its own descriptor when it ends, and not before: where something that the process has started keeps
    a pipe open, the thread outlives this object, and no other pipe may get its number meanwhile.
    """

    def __init__(self, process: subprocess.Popen[bytes], job: IO[bytes], marks: int, log: tuple[int, int]) -> None:
        self.log_limit = 0
        self._process, self._job, self._marks = process, job, marks
        self._log_read, self._log_write = log
        self._change = threading.Condition()
        self._results, self._ended = bytearray(), False
        self._log, self._recent, self._token = bytearray(), b"", b""
        self._tokens: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._closed = False
        _widen(self._log_read)
        if process.stdin and os.name != "nt":
            os.set_blocking(process.stdin.fileno(), False)
        works = (self._pump_results, self._pump_log, self._pass_tokens)
        self._threads = [threading.Thread(target=work, daemon=True) for work in works]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop reading, once the process is gone, and close every end."""
        with self._change:
            self._closed = True
            self._change.notify_all()
        self._tokens.put(b"")
        os.close(self._marks)
        for stream in (self._process.stdin, self._job):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()
        end = time.monotonic() + SETTLE_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def give(self, data: bytes) -> None:
        """Append to the job."""
        self._job.write(data)
        self._job.flush()

    def say_go(self) -> None:
        """Say that the next part is there; as in `Pipes`, a full pipe says so already."""
        if self._process.stdin:
            with contextlib.suppress(OSError):
                self._process.stdin.write(b"g")

    def receive(self, seconds: float) -> bytes | None:
        """Return more of the results."""
        if seconds <= 0:
            return None
        with self._change:
            self._change.wait_for(lambda: self._results or self._ended, seconds)
            data = bytes(self._results)
            self._results.clear()
            self._change.notify_all()
            return data if data or self._ended else None

    def begun(self) -> int:
        """Read what the child has marked."""
        os.lseek(self._marks, 0, os.SEEK_SET)
        return int.from_bytes(os.read(self._marks, MARK.size), "little")

    def stays(self) -> tuple[int, int]:
        """Read where the child stays."""
        os.lseek(self._marks, MARK.size, os.SEEK_SET)
        return _place_in(os.read(self._marks, PLACE.size))

    def said(self) -> str:
        """Return what was printed: everything in the pipe before a secret word that we send through it now."""
        with self._change:
            self._token = secrets.token_bytes(16)
            self._tokens.put(self._token)
            self._change.wait_for(lambda: self._token in self._recent or self._closed, SETTLE_SECONDS)
            before, _, after = bytes(self._log).partition(self._token)
            self._log = bytearray(after)
            return before[: self.log_limit].decode(errors="replace")

    def _pass_tokens(self) -> None:
        """Write our words into the log, whenever there is room: the child may have filled it."""
        with open(self._log_write, "wb", buffering=0) as log, contextlib.suppress(OSError):
            while token := self._tokens.get():
                log.write(token)

    def _pump_results(self) -> None:
        with self._process.stdout or contextlib.nullcontext() as stream:
            while stream and (data := os.read(stream.fileno(), CHUNK)):
                with self._change:
                    self._results += data
                    self._change.notify_all()
                    self._change.wait_for(lambda: len(self._results) < MOST_WAITING or self._closed)
                if self._closed:
                    break
        with self._change:
            self._ended = True
            self._change.notify_all()

    def _pump_log(self) -> None:
        with open(self._log_read, "rb", buffering=0) as log:
            while data := log.read(FLOOD_SIZE):
                with self._change:
                    if self._closed:
                        break
                    # Room for the word itself, so that it is found where less than the limit was printed.
                    room = self.log_limit + len(self._token) - len(self._log)
                    self._log += data[: max(0, room)]
                    self._recent = (self._recent + data)[-len(data) - 15 :]
                    self._change.notify_all()
                if len(data) > room:
                    time.sleep(FLOOD_SECONDS)


def _place_in(data: bytes) -> tuple[int, int]:
    """Return the place that a child has written, or zeros where it wrote none."""
    number, line = PLACE.unpack(data.ljust(PLACE.size, b"\0"))
    return int(number), int(line)


def _widen(log: int) -> None:
    """Make a log's pipe hold more, where the system allows it: a user may have only so much in pipes."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(OSError):
            fcntl.fcntl(log, fcntl.F_SETPIPE_SZ, FLOOD_SIZE)
