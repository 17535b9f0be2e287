"""What goes over the border and comes back: a job in parts, events read as hostile data."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from autograder.sandbox.child.job_parts import write_part
from autograder.sandbox.child.program import MAX_FRAMES, MAX_NAME, MAX_TEXT
from autograder.sandbox.child.raising_line import MAX_AXES, MAX_CALLED, MAX_PART, MAX_PARTS
from autograder.sandbox.child.wire_format import MAX_LEAVES, WireError, decode
from autograder.sandbox.endings import NO_DATA
from autograder.sandbox.job import Ending, Frame, Job, Outcome, Part, Request, Trouble
from autograder.sandbox.time_limits import EndedError

MAX_LABEL = 300  # characters of a file's or cell's name
MAX_STEP = 10**9
MAX_SIZE = 10**12  # of an axis
MAX_KNOWN, MOST_KNOWN = 1 << 13, 1 << 12  # bytes of an outcome that is recognised, and how many of them
PART_SIZE = 256  # requests in one encoded tree


def encode_program(job: Job, phases: list[int]) -> bytes:
    """Return the first part of a job: the submission, its limits and how many parts each phase has."""
    return write_part(
        {
            "module": job.source.module,
            "notebook": job.source.notebook,
            "chunks": [(chunk.label, chunk.text.encode(errors="replace").decode()) for chunk in job.source.chunks],
            "homes": job.source.homes,
            "torch": job.torch,
            "import_seconds": job.limits.import_seconds,
            "memory_mb": job.limits.memory_mb,
            "output_mb": job.limits.output_mb,
            "device_mb": job.device_mb,
            "shortcuts": [(name, rule.exercises) for rule in job.shortcuts for name in rule.names],
            "phases": phases,
            "more": job.more is not None,
        }
    )


@functools.lru_cache(maxsize=64)
def encode_requests(requests: tuple[Request, ...]) -> tuple[bytes, ...]:
    """Return requests encoded in parts of bounded size; the same bytes serve every submission of a run.

    Each says whether a case begins with it: a case may go on in the next part, and its random numbers with it.
    """
    groups = (None, *(request.group for request in requests))
    rows = [
        (r.function, r.args, dict(r.kwargs), r.module, r.keep_args, r.harness, r.group != before, r.seed)
        for r, before in zip(requests, groups, strict=False)
    ]
    starts = range(0, len(rows), PART_SIZE)
    return tuple(itertools.chain.from_iterable(_encoded(rows[start : start + PART_SIZE]) for start in starts))


def _encoded(rows: list[tuple[Any, ...]]) -> tuple[bytes, ...]:
    """Return rows as one part, or as more where one would hold too many values."""
    try:
        return (write_part(rows),)
    except WireError:
        if len(rows) == 1:
            raise
        half = len(rows) // 2
        return *_encoded(rows[:half]), *_encoded(rows[half:])


# Reading a malformed event raises one of these. Honest code never causes them: it does not write to the channel.
MALFORMED = (EndedError, ArithmeticError, LookupError, TypeError, ValueError)


def read_tree(data: bytes) -> Any:
    """Return the tree of a message's bytes. Raises EndedError where they are none."""
    try:
        return decode(data)
    except WireError as error:
        raise EndedError(Ending.DIED, NO_DATA.format(error)) from None


def read_items(tree: Any, most: int) -> Sequence[Any]:
    """Return what must be a list of 0 to `most` items; an array would be one too, of 2**60 empty rows for nothing."""
    if not isinstance(tree, list | tuple) or len(tree) > most:
        raise TypeError("not a list of the right length")
    return tree


def _text(tree: Any, most: int) -> str:
    """Return what must be a string, cut as an honest worker cuts it."""
    if not isinstance(tree, str):
        raise TypeError("not a string")
    return tree[:most]


_FROM_THE_CHILD = frozenset(
    {
        Ending.RETURNED, Ending.RAISED, Ending.ABSENT, Ending.UNWRITTEN, Ending.MEMORY, Ending.SHORTCUT, Ending.OUTPUT,
    }
)  # fmt: skip


def read_outcomes(news: dict[str, Any], data: bytes, most: int) -> list[Outcome]:
    """Return the outcomes whose bytes follow an event. Raises one of MALFORMED where there are none, or more than `most`."""
    sizes, seconds = read_items(news["sizes"], most), read_items(news["seconds"], most)
    if not sizes or not all(type(size) is int and size > 0 for size in sizes) or sum(sizes) != len(data):
        raise ValueError("not as many bytes as announced")
    ends = itertools.accumulate(sizes)
    blobs = (data[end - size : end] for size, end in zip(sizes, ends, strict=True))
    return [_read_outcome(blob, float(took)) for blob, took in zip(blobs, seconds, strict=True)]


def _read_outcome(blob: bytes, seconds: float) -> Outcome:
    """Return one outcome; what has the bytes of an earlier one of its class is not read again."""
    if len(blob) > MAX_KNOWN:
        return Outcome(*_parts_of(blob), seconds)
    return Outcome(*_parts_of_known(blob), seconds).that_came_as(blob)


def _parts_of(blob: bytes) -> tuple[Ending, Any, tuple[Any, ...], Trouble | None]:
    """Return an outcome's ending, value, arguments and trouble. Raises one of MALFORMED, also for one that only the parent may give."""
    entry = read_tree(blob)
    if not isinstance(entry, dict):
        raise TypeError("not an outcome")
    ending = Ending(_text(entry["ending"], MAX_NAME))
    if ending not in _FROM_THE_CHILD:
        raise ValueError("an ending that only the parent may give")
    trouble = read_trouble(entry["trouble"]) if "trouble" in entry else None
    return ending, entry.get("value"), tuple(read_items(entry.get("args", ()), MAX_LEAVES)), trouble


_parts_of_known = functools.lru_cache(MOST_KNOWN)(_parts_of)


def timed(outcomes: Iterable[Outcome], measured: float) -> list[Outcome]:
    """Return outcomes whose seconds, the child's own word, come to no more than was measured here."""
    found = []
    for outcome in outcomes:
        seconds = min(outcome.seconds, measured) if outcome.seconds >= 0 else 0.0  # it may be NaN
        measured -= seconds
        found.append(outcome if seconds == outcome.seconds else outcome.told(seconds=seconds))
    return found


def read_progress(news: dict[str, Any]) -> tuple[int, float]:
    """Return the step and loss that a training run tells of; a loss that diverges may be infinite or NaN."""
    step, loss = int(news["step"]), float(news["loss"])
    if not 0 <= step < MAX_STEP:
        raise ValueError("no step of a training run")
    return step, loss


def read_trouble(tree: Any) -> Trouble:
    """Return one exception as the child tells it, cut to what an honest worker sends."""
    if not isinstance(tree, dict):
        raise TypeError("not an exception")
    frames = tuple(_frame(*read_items(frame, 4)) for frame in read_items(tree["frames"], MAX_FRAMES))
    parts = tuple(_part(*read_items(part, 4)) for part in read_items(tree.get("parts", ()), MAX_PARTS))
    return Trouble(_text(tree["type"], MAX_NAME), _text(tree["text"], MAX_TEXT), frames, parts)


def _frame(label: Any, line: Any, function: Any, calls: Any = "") -> Frame:
    if not isinstance(line, int):
        raise TypeError("not a line's number")
    return Frame(_text(label, MAX_LABEL), line, _text(function, MAX_NAME), _text(calls, MAX_CALLED))


def _part(text: Any, type_name: Any, shape: Any, dtype: Any) -> Part:
    sizes = read_items(shape, MAX_AXES)
    if not all(type(size) is int and 0 <= size < MAX_SIZE for size in sizes):
        raise TypeError("not a shape")
    return Part(_text(text, MAX_PART), _text(type_name, MAX_NAME), tuple(sizes), _text(dtype, MAX_NAME))
