"""What the play.py of an assignment shares: the student's code as it would be graded, and a line that says how far it is."""

from __future__ import annotations

import os
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from autograder.handout.kit.asked import CheckError
from autograder.handout.kit.bundle import read_bundle
from autograder.handout.kit.self_check import Place
from autograder.sandbox.child.program import Program
from autograder.submission.archives import UnreadableError
from autograder.submission.source import read_source
from autograder.submission.written_exercises import Stub

T = TypeVar("T")
CELLS = "AUTOGRADER_CELLS"  # the variable that names a file with the cells of a running notebook


def student_module(folder: Path, file: str) -> types.ModuleType:
    """Return the student's code: a running notebook's, or that of the file or notebook of a folder that would be graded.

    Leave with a line if there is none.
    """
    try:
        path = Path(os.environ[CELLS]) if CELLS in os.environ else _graded(folder, file)
        source = read_source(path, file)
        program = Program(Path(file).stem, source.notebook)
        program.load([(chunk.label, chunk.text) for chunk in source.chunks])
    except (CheckError, UnreadableError, OSError, SyntaxError) as error:
        sys.exit(f"play.py: {error}")
    print(f"Your code: {path.name if CELLS not in os.environ else 'the cells of this notebook'}", flush=True)
    return program.module


def _graded(folder: Path, file: str) -> Path:
    """Return the file or notebook of a folder that would be graded. Raises CheckError where there is none."""
    engine = folder / "engine"
    return Place(folder).find(Stub.of(read_bundle(engine).assignment))[0] if engine.is_dir() else folder / file


def kept_or_learned(
    path: Path, learn: Callable[[], T], load: Callable[[Path], T], save: Callable[[T, Path], object], *, fresh: bool
) -> T:
    """Return what a file keeps, or else learn it and keep it there; say which."""
    if path.is_file() and not fresh:
        print(f"Loaded {path.name}; --fresh trains again.", flush=True)
        return load(path)
    made = learn()
    try:
        save(made, path)
    except (
        OSError,
        RuntimeError,
    ) as error:  # a handout may lie where nothing can be written, as on Kaggle; torch raises its own
        print(f"{path.name} cannot be written ({error}), so this is not kept.", flush=True)
    else:
        print(f"Kept in {path.name}.", flush=True)
    return made


class Told:
    """Says now and then how far a training is and how long it will take."""

    def __init__(self, steps: int) -> None:
        self._steps, self._began = steps, time.monotonic()

    def __call__(self, step: int, loss: float) -> None:
        """Hear of a step's loss."""
        done = step + 1
        if done in (1, self._steps) or done % max(1, self._steps // 10) == 0:
            left = (time.monotonic() - self._began) / done * (self._steps - done)
            print(f"  step {done} of {self._steps}   loss {loss:.3f}   {left:.0f} s left", flush=True)
