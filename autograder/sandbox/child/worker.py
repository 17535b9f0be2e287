"""The child's side: loads a submission, makes the calls it is handed, sends back what they gave as data.

Of ours only this file, `program.py`, `guards.py`, the codec and the reader of jobs sit beside student code, and what locked the
process in. None of them knows an expected value, a tolerance or a check. Student code may do anything to this process, so the
parent believes nothing that comes from here beyond "these are the values it returned".

Protocol. JOB is a file of parts, each an eight-byte length and a tree (`job_parts.py`): first the program, then one part per
phase. A byte on GO says that the next of these has been appended, so that inputs of hidden cases are not in this process
while public ones run, whose prints and outputs students see; in the first phase also, that what was printed so far has
been read. A job that has `more` goes on after its phases, each time with the number of parts before them. On RESULT go eight-byte lengths and encoded trees, one `ready` before any student code runs (a process that
ends before it is the sandbox's fault, after it the student's), one `loaded`, then outcomes in batches. MARKS is a file of
the request begun last and the place where a long call stays (`long_calls.py`): the grader looks there when it looks at the
clock, and no case has to wake it.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import struct
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from autograder.sandbox.child.guards import Shortcuts, imported_in
from autograder.sandbox.child.job_parts import read_part
from autograder.sandbox.child.limits import give_back_large_blocks
from autograder.sandbox.child.long_calls import PLACE, LongCalls
from autograder.sandbox.child.long_imports import ImportClock
from autograder.sandbox.child.program import MAX_NOTES, Invocation, Program, answer, describe, reseed
from autograder.sandbox.child.wire_format import WireError, encode

BATCH_SECONDS = 0.03
MARK = struct.Struct("<Q")  # what MARKS begins with
MARKS_SIZE = MARK.size + PLACE.size
NOWHERE = PLACE.pack(0, 0)
READY = encode({"event": "ready"})  # once for all children of a preloader


def main(job_fd: int, go_fd: int, result_fd: int, marks_fd: int, lock: Callable[[int, int], None]) -> None:
    """Run one job to its end and leave the process at once, without student exit handlers.

    `lock(memory_mb, file_mb)` closes the jail; the program is read before it and runs after it.
    """
    job = os.fdopen(job_fd, "rb", buffering=0)
    os.read(go_fd, 1)
    header = next_part(job)
    if header["torch"]:  # now, while what fails is the machine's fault, and nothing is limited
        importlib.import_module("torch").from_numpy(np.zeros(1))  # which torch 2.2 beside numpy 2 cannot
    elif "torch" in imported_in(text for _, text in header["chunks"]):
        # Before memory is limited: torch itself takes as much as some assignments allow.
        with contextlib.suppress(Exception):
            importlib.import_module("torch")
    if "torch" in sys.modules:
        give_back_large_blocks()
    lock(header["memory_mb"], header["output_mb"])
    count_prints()
    sys.breakpointhook = _pass_by
    channel = Channel(result_fd, marks_fd, header["output_mb"] << 20)
    channel.pass_on(READY)
    try:
        run(header, job, go_fd, channel)
    except BaseException:  # noqa: BLE001 (what is wrong here may be student code's doing: it ends like a death of its own)
        if not header["chunks"]:  # but an empty submission's is ours, and the grader reads it in the log
            traceback.print_exc()
            channel.printed()
        os._exit(70)
    os._exit(0)


def _pass_by(*_: Any, **__: Any) -> None:
    """Ignore a breakpoint() that was left in the code: no debugger can be answered here."""


def run(header: dict[str, Any], job: Any, go_fd: int, channel: Channel) -> None:
    """Load the submission and answer every request."""
    shortcuts = Shortcuts(header["shortcuts"])
    program = Program(header["module"], header["notebook"], dict(header["homes"]))
    program.device_mb = header["device_mb"]
    if not header["device_mb"]:  # signals would come in the middle of what a GPU's driver does
        channel.look_at_long_calls([label for label, _ in header["chunks"]])
        program.clock = ImportClock(header["import_seconds"])
    trouble = load(program, header["chunks"])
    shortcuts.guard(text for _, text in header["chunks"])
    channel.send({"event": "loaded", "trouble": trouble, "notes": program.notes[:MAX_NOTES]})
    phases = [] if trouble else header["phases"]
    position = 0
    for number, parts in enumerate(phases):
        os.read(go_fd, 1)
        for _ in range(parts):
            # In the first phase, of public cases, what each of them prints is told apart.
            position += serve(program, shortcuts, next_part(job), position, channel, None if number else go_fd)
    while header["more"] and not trouble and os.read(go_fd, 1):
        for _ in range(next_part(job)):
            position += serve(program, shortcuts, next_part(job), position, channel, None)


def next_part(job: Any) -> Any:
    """Return the next part of a job, which the grader has written and this process can only read."""
    (size,) = struct.unpack("<Q", job.read(8))
    return read_part(job.read(size))


def load(program: Program, chunks: list[Any]) -> dict[str, Any] | None:
    """Run the submission's source; return what went wrong, if anything did."""
    try:
        program.load([(label, text) for label, text in chunks])
    except BaseException as error:  # noqa: BLE001 (student code may raise anything, SystemExit included)
        return describe(error, program.texts)
    return None


def serve(
    program: Program, shortcuts: Shortcuts, requests: list[Any], position: int, channel: Channel, go_fd: int | None
) -> int:
    """Answer every request of a phase in order, in batches that are never long in coming, and return how many those were.

    With `go_fd` a case that printed ends its batch, and the next begins when the grader has read what it printed.
    """
    batch: list[tuple[bytes, float]] = []  # outcomes, and the seconds they took
    sent, printed = time.monotonic(), channel.printed()
    for offset, (function, args, kwargs, module, keep, harness, begins, seed) in enumerate(requests):
        if begins:
            talked = go_fd is not None and channel.printed() != printed
            if batch and (talked or time.monotonic() - sent > BATCH_SECONDS):
                events = channel.send_outcomes(batch)
                await_go(go_fd, events)
                batch, sent, printed = [], time.monotonic(), channel.printed()
            reseed(seed)
            np.seterr(
                all="warn", under="ignore"
            )  # as numpy begins: what a file sets for everything is no part of a call
            channel.mark(position + offset)
        shortcuts.exercise = function.partition(".")[0]
        started = time.perf_counter()
        outcome = answer(program, Invocation(function, list(args), kwargs, module, keep, harness), channel.report)
        seconds = time.perf_counter() - started
        batch.append((channel.as_it_is(outcome), seconds))
    await_go(go_fd, channel.send_outcomes(batch))
    return len(requests)


def await_go(go_fd: int | None, times: int) -> None:
    """Wait until the grader has read that many events, and what was printed before them."""
    if go_fd is not None:
        for _ in range(times):
            os.read(go_fd, 1)


class Log(io.FileIO):
    """Standard output or error, counting what passes."""

    total = 0

    def write(self, data: Any, /) -> int:
        """Write bytes and count them."""
        Log.total += memoryview(data).nbytes
        return super().write(data) or 0


def count_prints() -> None:
    """Have standard output and error counted, in all else as they were."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = io.BufferedWriter(Log(number, "w", closefd=False))
        setattr(sys, name, io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace"))


def _unsendable(error: BaseException) -> dict[str, Any]:
    """Return the outcome of a call whose value is too large or no data."""
    reason = "more than memory holds" if isinstance(error, MemoryError) else "reading it fails"
    reason = str(error) if type(error) is WireError else reason
    return {"ending": "output", "trouble": {"type": "", "text": reason, "frames": []}}


class Channel:
    """Sends events as data. A value that is too large or not data is reported as such."""

    def __init__(self, fd: int, marks: int, limit: int) -> None:
        self._fd, self._marks = fd, marks
        self._limit = limit

    def send(self, event: dict[str, Any]) -> None:
        """Send one event. Raises WireError where it is no data or too large."""
        self.printed()
        self.pass_on(encode(event, limit=self._limit))

    def pass_on(self, blob: bytes) -> None:
        """Send an event that is encoded already. Raises WireError where it is too large."""
        if len(blob) > self._limit:
            raise WireError(f"{len(blob) >> 20} MB")
        self._write(struct.pack("<Q", len(blob)) + blob)

    def printed(self) -> int:
        """Flush what was printed and return how many bytes that were so far, those written past Python not counted."""
        for name in ("stdout", "stderr"):
            with contextlib.suppress(Exception):  # student code may have closed, replaced or deleted them
                getattr(sys, name).flush()
        return Log.total

    def as_it_is(self, outcome: dict[str, Any]) -> bytes:
        """Return an outcome's bytes, which later calls cannot change, or those of one that says why it cannot be sent."""
        try:
            return encode(outcome, limit=self._limit)
        except BaseException as error:  # noqa: BLE001 (reading what students return may run their code)
            return encode(_unsendable(error))

    def send_outcomes(self, batch: list[tuple[bytes, float]]) -> int:
        """Send a batch, an event and the bytes that belong to it, and return in how many events.

        Where it does not pass, halves of it go one by one, and in place of an outcome that does not, why.
        """
        blobs, seconds = [blob for blob, _ in batch], [seconds for _, seconds in batch]
        size = sum(map(len, blobs))
        if size > self._limit and len(batch) > 1:
            half = len(batch) // 2
            return self.send_outcomes(batch[:half]) + self.send_outcomes(batch[half:])
        if size > self._limit:
            blobs = [encode(_unsendable(WireError(f"{size >> 20} MB")))]
        self.send({"event": "outcomes", "sizes": list(map(len, blobs)), "seconds": seconds})
        self.pass_on(b"".join(blobs))
        return 1

    def report(self, step: int, loss: float) -> None:
        """Tell how far a training has come."""
        self.send({"event": "progress", "step": int(step), "loss": float(loss)})

    def mark(self, position: int) -> None:
        """Say which request begins next, so that a hang is charged to the right one."""
        os.lseek(self._marks, 0, os.SEEK_SET)  # Windows has no pwrite
        os.write(self._marks, MARK.pack(position) + NOWHERE)

    def look_at_long_calls(self, labels: list[str]) -> None:
        """Have the place noted where a call of this code stays that takes long."""
        LongCalls(labels, self._marks, MARK.size).watch()

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._fd, view) :]
