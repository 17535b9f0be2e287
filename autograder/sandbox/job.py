"""What crosses the border to untrusted code and back: frozen data, and the Protocol a sandbox fulfils."""

from __future__ import annotations

import functools
import io
import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Protocol

from autograder.course.joined_files import homes_of, split
from autograder.course.spec import Limits, Shortcut
from autograder.sandbox.child.device import CPU

_DEFINITION = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")
_LOOP = re.compile(r"(?:async\s+)?(?:for|while)\b")
_NEED_NOT_END = re.compile(r"while\b|(?:async\s+)?for\b.*\bin\s+(?:itertools\.)?(?:count|cycle|repeat|iter)\(")
# As tried with torch 2.13: what takes from half a second to five the first time that a process uses it.
_WITH_COMPILER = (
    *("optim", "checkpoint", "torch.func", "torch.compile", "torch.jit", "torch.cond", "profiler"),
    *('"meta"', "'meta'", "skip_init", "gradcheck", "nn.attention"),
)
_TOP = re.compile(r"^(?:async\s+)?(?:def|class)\s+(\w+)", re.MULTILINE)


class Ending(StrEnum):
    """How one call of student code ended, as the parent saw it."""

    RETURNED = "returned"
    RAISED = "raised"
    ABSENT = "absent"  # no such function in the submission
    UNWRITTEN = "unwritten"  # raised NotImplementedError
    TIMEOUT = "timeout"
    MEMORY = "memory"
    SHORTCUT = "shortcut"  # it used library code that the exercise may not
    OUTPUT = "output"  # too large, or not data
    DIED = "died"  # the process ended in the middle of the call
    NOT_RUN = "not_run"  # something before it ended the attempt
    FAULT = "fault"  # the sandbox's own failure


@dataclass(frozen=True)
class Chunk:
    """A piece of source with the name that tracebacks show: a file, or one cell of a notebook."""

    label: str
    text: str


@dataclass(frozen=True)
class Source:
    """A submission's code. Of a notebook only imports, definitions and constants run.

    `pictures` are checked PNGs that came with it, by the names to which the code assigns their files; no child gets them.
    Where students hand in several files, each chunk is a module of its own, and `homes` says in which the assignment has a name.
    """

    module: str
    chunks: tuple[Chunk, ...]
    notebook: bool = False
    pictures: tuple[tuple[str, bytes], ...] = ()
    homes: tuple[tuple[str, str], ...] = ()  # a name, and the label of the file

    @classmethod
    def of(cls, file: str, text: str) -> Source:
        """Return the code of one file, or of the files in a joined text."""
        chunks = tuple(itertools.starmap(Chunk, split(text).items())) or (Chunk(file, text),)
        return cls(file.rpartition(".")[0], chunks, homes=tuple(homes_of(text).items()))

    @property
    def several(self) -> bool:
        """Whether each chunk is a file and a module of its own."""
        return bool(self.homes)

    def line(self, label: str, number: int) -> str:
        """Return one line of a chunk, stripped, or nothing where there is none."""
        return self._lines(label)[number - 1].strip() if self.has_line(label, number) else ""

    def has_line(self, label: str, number: int) -> bool:
        """Whether there is such a line; a child can make up others, with numbers that tell something."""
        return 0 < number <= len(self._lines(label))

    def _lines(self, label: str) -> list[str]:
        return _lines(next((chunk.text for chunk in self.chunks if chunk.label == label), ""))

    def has_code(self, label: str, number: int) -> bool:
        """Whether code stands in a line, not only a comment or nothing."""
        return not self.line(label, number).startswith("#") and bool(self.line(label, number))

    def place(self, label: str, number: int) -> str:
        """Return the dotted name of the definition that a line is in, by the text alone."""
        found = (_DEFINITION.match(text) for _, text in self._around(label, number))
        return ".".join(reversed([match[1] for match in found if match]))

    def loops_around(self, label: str, number: int) -> tuple[int, ...]:
        """Return where the loops around a line begin that may never end, the innermost first, by the text alone.

        A `for` ends wherever it goes through something finite, so it counts only where no other loop is around it.
        """
        loops = []
        for line, text in self._around(label, number):
            if _DEFINITION.match(text):
                break
            if _LOOP.match(text):
                loops.append((line, text))
        endless = [line for line, text in loops if _NEED_NOT_END.match(text)]
        return tuple(endless or [line for line, _ in loops[:1]])

    def _around(self, label: str, number: int) -> Iterator[tuple[int, str]]:
        """Yield a line and those whose blocks it is in, by their indents: their numbers and texts, the innermost first."""
        indent = 1 << 30
        for line, whole in reversed([*enumerate(self._lines(label)[:number], 1)]):
            text = whole.lstrip()
            if text and not text.startswith("#") and len(whole) - len(text) < indent:
                indent = len(whole) - len(text)
                yield line, text

    def names(self) -> tuple[str, ...]:
        """Return what the code defines at its top level, by the text alone."""
        return tuple(dict.fromkeys(found[1] for chunk in self.chunks for found in _TOP.finditer(chunk.text)))

    def lines_of(self, name: str) -> tuple[int, ...]:
        """Return the lines in which one file defines a name at its top level, by the text alone; of a notebook none."""
        if self.notebook or len(self.chunks) != 1:
            return ()
        text = self.chunks[0].text
        return tuple(text.count("\n", 0, found.start()) + 1 for found in _TOP.finditer(text) if found[1] == name)

    def file_of(self, name: str) -> str:
        """Return which of several files defines a name at its top level, by the text alone; nothing where none does."""
        defining = (chunk.label for chunk in self.chunks if name in _TOP.findall(chunk.text))
        return next(defining, "") if self.several else ""

    def holds(self, text: str) -> bool:
        """Whether a text stands somewhere in the code as it was handed in."""
        return any(text in chunk.text for chunk in self.chunks)


@functools.lru_cache(maxsize=64)
def _lines(text: str) -> list[str]:
    # Python's lines: str.splitlines also ends them at form feeds and others.
    return io.StringIO(text, newline=None).readlines()


@dataclass(frozen=True, eq=False)
class Request:
    """One call to make; compared by identity. `group` ties the calls of one case, `family` the cases of one exercise.

    Requests of a later phase reach the child only when those of earlier ones are answered: hidden inputs come after
    public cases, whose prints and outputs students may read.
    """

    function: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    module: Mapping[str, Any] | None  # how to make the module whose method is called, as in spec.Module
    group: str
    family: str
    phase: int = 0
    seed: int = 0
    keep_args: bool = False  # send the arguments back as they are afterwards
    harness: str = ""  # source of which `function` is to be called, with the submission's module


More = Callable[[tuple["Outcome", ...]], tuple[Request, ...]]


@dataclass(frozen=True)
class Job:
    """A submission and everything to call in it, in order."""

    source: Source
    requests: tuple[Request, ...]
    limits: Limits
    shortcuts: tuple[Shortcut, ...] = ()
    torch: bool = (
        False  # whether torch is imported before any of the submission runs; where it is missing is no fault of it
    )
    watch: Callable[[int, float], bool] | None = None  # hears of a training's steps and losses, and whether to stop it
    device: str = CPU  # where its calls compute
    device_mb: int = 0  # of that device's own memory which it may take
    more: More | None = None  # given all outcomes, what the same child is to answer next; nothing where that was all

    @property
    def uses_compiler(self) -> bool:
        """Whether its code names a part of torch that imports torch's compiler the first time it is used."""
        texts = (*(chunk.text for chunk in self.source.chunks), *{request.harness for request in self.requests})
        return self.torch and any(name in text for text in texts for name in _WITH_COMPILER)


@dataclass(frozen=True)
class Frame:
    """One line of a traceback inside the student's own code."""

    label: str
    line: int
    function: str
    calls: str = ""  # what the expression that raised calls, as a dotted name, or an operator


@dataclass(frozen=True)
class Part:
    """An expression in the line that raised: its text, and the type and shape of its value, as the child tells them."""

    text: str
    type_name: (
        str  # array, tensor, None, the name of a container or scalar, function, object, unknown, or given: by the case
    )
    shape: tuple[int, ...] = ()  # of a container its length
    dtype: str = ""

    @property
    def is_array(self) -> bool:
        """Whether it is an array or a tensor."""
        return self.type_name in ("array", "tensor")


@dataclass(frozen=True)
class Trouble:
    """An exception: its type's name, its text, where in the student's code it passed, and what met where it was raised."""

    type_name: str
    text: str
    frames: tuple[Frame, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def calls(self) -> str:
        """What the raising expression calls."""
        return self.frames[-1].calls if self.frames else ""

    @property
    def in_given(self) -> bool:
        """Whether a function or model raised it that the case hands to the student's code."""
        return any(part.type_name == "given" for part in self.parts[:1])


@dataclass(frozen=True)
class Outcome:
    """What one request came to. `printed` is what the code wrote while it ran, cut to the log limit."""

    ending: Ending
    value: Any = None
    args: tuple[Any, ...] = ()
    trouble: Trouble | None = None
    seconds: float = 0.0
    printed: str = ""
    curve: tuple[tuple[int, float], ...] = ()  # steps and losses, as a training run told them, one by one
    # The bytes that the answer came as, if it is to be recognised by them. A copy with anything changed has none.
    data: bytes = field(default=b"", init=False, compare=False, repr=False)

    def that_came_as(self, data: bytes) -> Outcome:
        """Note the bytes that the answer came as, and return the outcome."""
        object.__setattr__(self, "data", data)
        return self

    def told(self, **beside: Any) -> Outcome:
        """Return the same answer with something else told beside it: seconds, prints, a curve, an exception in other words."""
        return replace(self, **beside).that_came_as(self.data)


@dataclass(frozen=True)
class JobResult:
    """All outcomes, one per request, those that `more` added included, and what importing the submission came to."""

    outcomes: tuple[Outcome, ...]
    loading: Outcome
    notes: tuple[Trouble, ...] = ()  # cells of a notebook that could not be used
    seconds: float = 0.0  # in a slot, on the wall
    delayed: float = 0.0  # those of them in which it was ready to run and others had the processors


@dataclass(frozen=True)
class Isolation:
    """How strongly student code is kept apart; stands in every report."""

    level: str
    mechanisms: tuple[str, ...]
    residual_risks: tuple[str, ...]
    missing: tuple[str, ...] = ()  # mechanisms this machine does not have, and why


class ClosedError(Exception):
    """The sandbox was closed while, or before, a job ran; the job is to be forgotten."""


class Sandbox(Protocol):
    """Runs jobs. Implementations may be used from several threads at once."""

    @property
    def isolation(self) -> Isolation:
        """What this sandbox holds, as tried on this machine."""

    def run(self, job: Job) -> JobResult:
        """Run every request of a job and return one outcome for each; never raises for what student code does.

        Raises ClosedError where the sandbox is closed meanwhile.
        """

    def close(self) -> None:
        """End everything, also what is running."""
