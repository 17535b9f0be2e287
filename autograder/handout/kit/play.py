"""What the play.py of an assignment shares: the student's code as it would be graded, and a line that says how far it is."""

from __future__ import annotations

import functools
import os
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from autograder.course.language import say, speak
from autograder.handout.kit.asked import CheckError
from autograder.handout.kit.bundle import language_of, read_bundle
from autograder.handout.kit.self_check import Place
from autograder.sandbox.child.program import Program
from autograder.submission.archives import UnreadableError
from autograder.submission.several_files import read_work
from autograder.submission.written_exercises import Stub

T = TypeVar("T")
CELLS = "AUTOGRADER_CELLS"  # the variable that names a file with the cells of a running notebook


def student_module(folder: Path, file: str) -> types.ModuleType:
    """Return the student's code: a running notebook's, or that of the file or notebook of a folder that would be graded.

    Leave with a line if there is none.
    """
    speak(language_of(folder / "engine"))
    try:
        path, stub = (Path(os.environ[CELLS]), Stub(file)) if CELLS in os.environ else _graded(folder, file)
        source = read_work(path, stub)
        program = Program(source.module, source.notebook, dict(source.homes))
        program.load([(chunk.label, chunk.text) for chunk in source.chunks])
    except (CheckError, UnreadableError, OSError, SyntaxError) as error:
        sys.exit(f"play.py: {error}")
    sys.excepthook = functools.partial(_say_what_ended, program.module)
    of_cells = CELLS in os.environ
    print(
        say("Your code: the cells of this notebook") if of_cells else say("Your code: {file}", file=path.name),
        flush=True,
    )
    return program.module


def _say_what_ended(
    code: types.ModuleType, kind: type[BaseException], error: BaseException, trace: types.TracebackType | None
) -> None:
    """Say what is not written yet, or what no cell has defined; of anything else the traceback leads to the line."""
    if isinstance(error, NotImplementedError):
        told = f"{error}."
    elif isinstance(error, AttributeError) and error.obj is code:
        told = say("Your code has no {name}.", name=error.name)
    else:
        sys.__excepthook__(kind, error, trace)
        return
    print("play.py:", told, say("`python check.py` says what is left to write."), file=sys.stderr)


def _graded(folder: Path, file: str) -> tuple[Path, Stub]:
    """Return the file or notebook of a folder that would be graded, and its stub. Raises CheckError where there is none."""
    engine = folder / "engine"
    if not engine.is_dir():
        return folder / file, Stub(file)
    stub = Stub.of(read_bundle(engine).assignment)
    return Place(folder).find(stub)[0], stub


def kept_or_learned(
    path: Path, learn: Callable[[], T], load: Callable[[Path], T], save: Callable[[T, Path], object], *, fresh: bool
) -> T:
    """Return what a file keeps, or else learn it and keep it there; say which."""
    if path.is_file() and not fresh:
        print(say("Loaded {file}; --fresh trains again.", file=path.name), flush=True)
        return load(path)
    made = learn()
    try:
        save(made, path)
    except (
        OSError,
        RuntimeError,
    ) as error:  # a handout may lie where nothing can be written, as on Kaggle; torch raises its own
        told = say("{file} cannot be written ({error}), so this is not kept.", file=path.name, error=error)
        print(told, flush=True)
    else:
        print(say("Kept in {file}.", file=path.name), flush=True)
    return made


class Told:
    """Says now and then how far a training is and, once it has seen two steps after the first, how long it will take.

    The first step is no measure of the others: libraries load what they need, and a sample may be written before it.
    """

    def __init__(self, steps: int) -> None:
        self._steps, self._first_ended = steps, 0.0

    def __call__(self, step: int, loss: float) -> None:
        """Hear of a step's loss."""
        done, now = step + 1, time.monotonic()
        if done == 1:
            self._first_ended = now
        if done in (1, self._steps) or done % max(1, self._steps // 10) == 0:
            left = (now - self._first_ended) / (done - 1) * (self._steps - done) if done >= 3 else None
            told = say("  step {done} of {steps}   loss {loss:.3f}", done=done, steps=self._steps, loss=loss)
            estimate = say("   {seconds:.0f} s left", seconds=left) if left is not None else ""
            print(f"{told}{estimate}", flush=True)
