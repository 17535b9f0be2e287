"""How a grading shows that it goes on: a bar on a terminal, plain lines in a log, events for programs."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from autograder.classroom.watch import Mark, Watch

LINE_SECONDS = 10.0  # between lines in a log


@dataclass
class Pace:
    """How far a grading is and how fast it goes."""

    todo: int = 0
    done: int = 0
    failed: int = 0  # submissions that could not be graded as they are
    began: float = field(default_factory=time.monotonic)

    def count(self, status: str) -> None:
        """Count one more submission."""
        self.done += 1
        self.failed += status != "graded"

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
            BarColumn(),
            MofNCompleteColumn(),
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
        self._pace.count(one.status)
        self._bar.update(self._task, advance=1, description=self._pace.words)

    def training(self, exercise: str, step: int, steps: int, loss: float) -> None:
        """Show the one that was heard of last."""
        words = f"{self._pace.words}, {_reached(exercise, step, steps, loss)}"
        self._bar.update(self._task, description=words)


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
        pace.count(one.status)
        if pace.done == pace.todo or time.monotonic() - self._last >= self._seconds:
            self._last = time.monotonic()
            left = f", about {(pace.todo - pace.done) / pace.rate:.0f} s left" if pace.done < pace.todo else ""
            self._say(f"{pace.done} of {pace.todo} graded ({100 * pace.done // pace.todo} %), {pace.words}{left}")

    def training(self, exercise: str, step: int, steps: int, loss: float) -> None:
        """Say how far one is, if nothing was said for a while."""
        if time.monotonic() - self._last >= self._seconds:
            self._last = time.monotonic()
            self._say(_reached(exercise, step, steps, loss))


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
        pace.count(one.status)
        self.tell("graded", **asdict(one), done=pace.done, todo=pace.todo, failed=pace.failed)

    def training(self, exercise: str, step: int, steps: int, loss: float) -> None:
        """Say how far a training is, now and then."""
        if time.monotonic() - self._last >= self._seconds:
            self._last = time.monotonic()
            number = loss if math.isfinite(loss) else None  # JSON has no word for others
            self.tell("training", exercise=exercise, step=step, steps=steps, loss=number)


def _reached(exercise: str, step: int, steps: int, loss: float) -> str:
    return f"{exercise}: step {step} of {steps}, loss {loss:.3g}"


def watch_on(console: Console) -> Watch:
    """Return what suits where the output goes: a bar on a terminal, else lines."""
    return Bar(console) if console.is_terminal else Lines(lambda line: console.print(line, highlight=False))
