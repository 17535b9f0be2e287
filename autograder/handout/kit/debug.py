"""Call a student's code in this process, where breakpoint(), pdb and an IDE's debugger stop in the student's own file."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Collection
from functools import partial
from pathlib import Path
from types import TracebackType

from autograder.course.spec import Status
from autograder.handout.kit.bundle import Bundle
from autograder.judge.blame import judge_trial
from autograder.judge.calls_as_text import show_call, side_by_side
from autograder.judge.messages import headline
from autograder.judge.result import CaseResult
from autograder.judge.terminal_text import plain
from autograder.judge.trials import Small, Trial
from autograder.sandbox.child.program import Invocation, Program, call_module, evaluate, reseed
from autograder.sandbox.child.wire_format import decode, encode
from autograder.sandbox.job import Ending, Outcome, Source


def debug(source: Source, path: Path, bundle: Bundle, small: Small, known: CaseResult) -> int:
    """Make the calls of a case and judge them; `known` is what a check says of it. Return 0 if it passes, else 1.

    There are no limits, and an exception of the student's code is not caught, so that a debugger sees it. Where it ends the
    program, the student's own lines of it are shown.
    """
    trial, exercise = small.trial, small.trial.case.exercise
    passed = known.status is Status.PASSED
    print(f"{exercise}, case {known.name}: {plain(known.claim)}")
    print("It passes." if passed else f"→ {plain(known.lead)}")
    for call in trial.calls:
        print(show_call(call, exercise, bundle.signatures))
    print("It runs in this process: breakpoint() and debuggers work, and no time limit stops it.", flush=True)
    program = _loaded(source, path)
    sys.excepthook = partial(_show_own_lines, tuple(program.texts))
    outcomes = tuple(
        _called(program, trial, number, torch=bundle.assignment.torch) for number in range(len(trial.calls))
    )
    finding = judge_trial(bundle, trial, outcomes, small.expected).finding
    if finding is None:
        print("\nThis call gives what is expected.")
        return 0 if passed else 1
    print(f"\n{plain(headline(finding))}", plain(side_by_side(finding)), sep="\n")
    return 1


def _show_own_lines(
    files: Collection[str], kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print an exception without the lines that are the grader's; all of it where none is the student's."""
    every = traceback.extract_tb(trace)
    own = [frame for frame in every if frame.filename in files] or every
    print(
        "".join([*traceback.format_list(own), *traceback.format_exception_only(kind, error)]), end="", file=sys.stderr
    )


def _loaded(source: Source, path: Path) -> Program:
    """Load a student's code; a file under its own path, by which debuggers know it, a notebook's cells under their labels."""
    program = Program(source.module, source.notebook)
    program.load([(chunk.label if source.notebook else str(path.resolve()), chunk.text) for chunk in source.chunks])
    return program


def _called(program: Program, trial: Trial, number: int, *, torch: bool) -> Outcome:
    request = trial.requests[number]
    library = importlib.import_module("torch") if torch else None
    packed = encode((list(request.args), dict(request.kwargs), request.module))
    args, kwargs, module = decode(packed, torch=library, evaluate=evaluate)
    if not number:
        reseed(request.seed)
    found = program.find(request.function)
    if module is None:
        value = found(*args, **kwargs)
    else:
        value = call_module(found, Invocation(request.function, args, kwargs, module, request.keep_args), module)
    value, args = decode(encode((value, args if request.keep_args else [])))
    return Outcome(Ending.RETURNED, value, tuple(args))
