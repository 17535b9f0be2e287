"""How a grading shows that it goes on: a bar on a terminal, plain lines in a log, events for programs."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Self, TextIO, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn, track
from rich.table import Column

from autograder.classroom.watch import Mark, Step, Watch

T = TypeVar("T")
LINE_SECONDS = 10.0  # between lines in a log
_SHOWN = 3  # trainings in a line


@dataclass
class Pace:
    """How far a grading is and how fast it goes."""

    todo: int = 0
    done: int = 0
    failed: int = 0  # submissions that could not be graded as they are
    began: float = field(default_factory=time.monotonic)
    running: dict[str, Step] = field(default_factory=dict)  # the trainings under way, by student

    def count(self, one: Mark) -> None:
        """Count one more submission."""
        self.done += 1
        self.failed += one.status != "graded"
        self.running.pop(one.student, None)

    def train(self, one: Step) -> str:
        """Note how far a training is; return how many are done and running, the one heard of last first."""
        self.running.pop(one.student, None)
        self.running[one.student] = one
        latest = list(self.running.values())[::-1]
        shown = ", ".join(
            f"{s.student} {s.exercise} {s.step} of {s.steps} (loss {s.loss:.3g})" for s in latest[:_SHOWN]
        )
        return f"{self.done} of {self.todo}, {len(latest)} running: {shown}" + ", ..." * (len(latest) > _SHOWN)

    @property
    def rate(self) -> float:
        """Submissions a second."""
        return self.done / max(time.monotonic() - self.began, 1e-9)

    @property
    def words(self) -> str:
        """The rate, and how many could not be graded."""
        return f"{self.rate:.1f}/s" + f", {self.failed} could not be graded" * bool(self.failed)


class Bar:
    """A bar on a terminal: done, how many, rate, time left, failures so far."""

    def __init__(self, console: Console) -> None:
        columns = (
            TextColumn("grading"),
            BarColumn(bar_width=16),
            MofNCompleteColumn(table_column=Column(no_wrap=True, min_width=9)),
            TextColumn("{task.description}"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=console, transient=True)
        self._task = self._bar.add_task("", total=None)
        self._pace = Pace()

    def __enter__(self) -> Self:
        """Draw."""
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Wipe it off."""
        self._bar.stop()

    def start(self, todo: int, kept: int) -> None:
        """Know where it ends."""
        self._pace = Pace(todo)
        self._bar.update(self._task, total=todo, description=f"{kept} unchanged" if kept else "")

    def graded(self, one: Mark) -> None:
        """Move on."""
        self._pace.count(one)
        self._bar.update(self._task, advance=1, description=self._pace.words)

    def training(self, one: Step) -> None:
        """Show how many there are, and the one that was heard of last."""
        self._pace.train(one)
        self._bar.update(self._task, description=f"{len(self._pace.running)} running: {one}")


class Lines:
    """A line every few seconds, and one at the end."""

    def __init__(self, say: Callable[[str], None], seconds: float = LINE_SECONDS) -> None:
        self._say, self._seconds, self._pace, self._last = say, seconds, Pace(), 0.0

    def __enter__(self) -> Self:
        """Say nothing yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Say nothing more."""

    def start(self, todo: int, kept: int) -> None:
        """Say what is to be done."""
        self._pace, self._last = Pace(todo), time.monotonic()
        self._say(f"{todo} to grade" + f", {kept} unchanged" * bool(kept))

    def graded(self, one: Mark) -> None:
        """Say how far it is, if that is due."""
        pace = self._pace
        pace.count(one)
        if pace.done == pace.todo or time.monotonic() - self._last >= self._seconds:
            self._last = time.monotonic()
            left = f", about {(pace.todo - pace.done) / pace.rate:.0f} s left" if pace.done < pace.todo else ""
            self._say(f"{pace.done} of {pace.todo} graded ({100 * pace.done // pace.todo} %), {pace.words}{left}")

    def training(self, one: Step) -> None:
        """Say how far the trainings are, if nothing was said for a while."""
        line = self._pace.train(one)
        if time.monotonic() - self._last >= self._seconds:
            self._last = time.monotonic()
            self._say(line)


class Events:
    """A line of JSON for each event: `start`, `graded` for each submission, `training` once a second; then comes `done`."""

    def __init__(self, stream: TextIO, seconds: float = 1.0) -> None:
        self._stream, self._pace, self._seconds, self._last = stream, Pace(), seconds, 0.0

    def __enter__(self) -> Self:
        """Say nothing yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Say nothing more."""

    def tell(self, event: str, **values: object) -> None:
        """Write one event, so that a reader has it at once."""
        self._stream.write(json.dumps({"event": event, **values}) + "\n")  # at once: several threads do
        self._stream.flush()

    def start(self, todo: int, kept: int) -> None:
        """Say what is to be done."""
        self._pace = Pace(todo)
        self.tell("start", todo=todo, kept=kept)

    def graded(self, one: Mark) -> None:
        """Say what one submission came to."""
        pace = self._pace
        pace.count(one)
        self.tell("graded", **asdict(one), done=pace.done, todo=pace.todo, failed=pace.failed)

    def training(self, one: Step) -> None:
        """Say how far a training is, now and then."""
        self._pace.train(one)
        if time.monotonic() - self._last >= self._seconds:
            self._last = time.monotonic()
            number = one.loss if math.isfinite(one.loss) else None  # JSON has no word for others
            self.tell("training", **asdict(one) | {"loss": number}, running=len(self._pace.running))


def tracked(things: Iterable[T], doing: str) -> Iterable[T]:
    """Go through things with a bar on stderr, where that is a terminal; it says what is done with them."""
    console = Console(stderr=True)
    return track(list(things), doing, console=console, transient=True, disable=not console.is_terminal)


def watch_on(console: Console) -> Watch:
    """Return what suits where the output goes: a bar on a terminal, else lines."""
    return (
        Bar(console)
        if console.is_terminal
        else Lines(lambda line: console.print(line, highlight=False, markup=False, soft_wrap=True))
    )
