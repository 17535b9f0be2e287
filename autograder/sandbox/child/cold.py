"""The entry of a cold child: the worker behind resource limits, and nothing more."""

from __future__ import annotations

import contextlib
import os

from autograder.sandbox.child import worker
from autograder.sandbox.child.limits import set_limits


def main(job: str, marks: str) -> None:
    """Run one job and leave. Standard input says when to go on, standard output takes the results."""
    binary = getattr(os, "O_BINARY", 0)
    job_fd = os.open(job, os.O_RDONLY | binary)
    marks_fd = os.open(marks, os.O_WRONLY | binary)
    for path in (job, marks):
        with contextlib.suppress(OSError):  # Windows keeps what is open; there the parent removes it
            os.unlink(path)
    go, result = _moved(0, os.O_RDONLY, binary), _moved(1, os.O_WRONLY, binary)
    os.dup2(2, 1)
    worker.main(job_fd, go, result, marks_fd, set_limits)


def _moved(descriptor: int, mode: int, binary: int) -> int:
    """Return another number for a standard stream, whose own leads nowhere from then on."""
    kept = os.dup(descriptor)
    if binary:
        import msvcrt

        msvcrt.setmode(kept, binary)  # type: ignore[attr-defined]
    nowhere = os.open(os.devnull, mode)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return kept
