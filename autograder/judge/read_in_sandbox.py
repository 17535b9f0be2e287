"""Read a submission's source in the sandbox: one that crashes the parser, or keeps it busy, harms its own child alone."""

from __future__ import annotations

import functools
import warnings
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from autograder.course.spec import Limits
from autograder.sandbox.job import Chunk, Ending, Job, Request, Sandbox, Source
from autograder.sandbox.time_limits import WALL

READ_SECONDS = 5.0  # for reading a source; the longest accepted one takes a tenth of a second
TRIES = 2


class ReadingError(RuntimeError):
    """The sandbox failed while it read a source: our fault."""


def read_in_sandbox(
    reader: ModuleType, source: Source, arguments: tuple[Any, ...], sandbox: Sandbox, limits: Limits
) -> Any:
    """Return what `reader.read(chunks, *arguments)` gives in a child; a chunk is (label, bytes of the text).

    The module is one of `sandbox/child/`, which a preloader has imported. Return None where the source stops it: twice, unless it computed to the limit,
    since a machine may have stood still. Raises ReadingError.
    """
    request = Request("read", (_chunks(source), *arguments), {}, None, group="reading", family="reading")
    limits = replace(limits, case_seconds=READ_SECONDS, total_seconds=WALL * READ_SECONDS)
    job = Job(_program(reader), (request,), limits)
    for _ in range(TRIES):
        ran = sandbox.run(job)
        outcome = ran.outcomes[0]
        if ran.loading.ending is not Ending.RETURNED:
            raise ReadingError(f"{ran.loading.ending}: {ran.loading.trouble}")
        if outcome.ending is Ending.RETURNED:
            return outcome.value
        if outcome.ending not in (Ending.TIMEOUT, Ending.MEMORY, Ending.OUTPUT, Ending.DIED):
            raise ReadingError(f"{outcome.ending}: {outcome.trouble}")
        if outcome.ending is Ending.TIMEOUT and outcome.seconds >= READ_SECONDS:
            break
    return None


def read_here(reader: ModuleType, source: Source, arguments: tuple[Any, ...]) -> Any:
    """Return the same, read in this process, for those who read what they wrote themselves and have run; may raise anything."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Python says of an odd string in the source
        return reader.read(_chunks(source), *arguments)


def _chunks(source: Source) -> list[tuple[str, np.ndarray]]:
    return [(chunk.label, np.frombuffer(chunk.text.encode(errors="replace"), np.uint8)) for chunk in source.chunks]


@functools.cache
def _program(reader: ModuleType) -> Source:
    return Source("reading", (Chunk("reading.py", f"from {reader.__name__} import read"),))
