"""Call a student's code in this process, where breakpoint(), pdb and an IDE's debugger stop in the student's own file."""

from __future__ import annotations

import contextlib
import importlib
import shutil
import sys
import textwrap
import traceback
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from types import TracebackType

from autograder.course.language import say
from autograder.course.spec import Status
from autograder.handout.kit.bundle import Bundle
from autograder.judge.blame import judge_trial
from autograder.judge.calls_as_text import show_call, side_by_side
from autograder.judge.messages import headline
from autograder.judge.result import CaseResult
from autograder.judge.terminal_text import plain
from autograder.judge.trials import Small, Trial
from autograder.sandbox.child.module_call import make_call
from autograder.sandbox.child.program import NotWritten, Program, evaluate, reseed
from autograder.sandbox.child.wire_format import decode, encode
from autograder.sandbox.job import Ending, Outcome, Source


def debug(source: Source, path: Path, bundle: Bundle, small: Small, known: CaseResult) -> int:
    """Make the calls of a case on a file's code and judge them, as `make_calls` does. Return 0 if it passes, else 1.

    Where an exception ends the program, the student's own lines of it are shown.
    """

    def load() -> Program:
        program = loaded(source, path)
        sys.excepthook = partial(_show_own_lines, tuple(program.texts))
        return program

    return 0 if make_calls(load, bundle, small, known) else 1


def make_calls(load: Callable[[], Program], bundle: Bundle, small: Small, known: CaseResult) -> bool:
    """Make the calls of a case and judge them; `known` is what a check says of it. Return whether it passes.

    There are no limits, and an exception of the student's code is not caught, so that a debugger sees it.
    """
    trial, exercise = small.trial, small.trial.case.exercise
    passed = known.status is Status.PASSED
    about, lead = plain(case_line(exercise, known)), f"→ {plain(known.lead)}"
    width = max(40, shutil.get_terminal_size().columns)
    print(*(textwrap.fill(text, width) for text in (about, say("It passes.") if passed else lead)), sep="\n")
    for call in trial.calls:
        print(show_call(call, exercise, bundle.signatures))
    print(say("It runs in this process: breakpoint() and debuggers work, and no time limit stops it."), flush=True)
    program = load()
    with contextlib.suppress(NotWritten):
        return _judged(program, bundle, small, passed=passed)
    return False  # what the check says of it stands above


def _judged(program: Program, bundle: Bundle, small: Small, *, passed: bool) -> bool:
    """Make the calls and judge them. Raises NotWritten where there is nothing to call."""
    trial, exercise = small.trial, small.trial.case.exercise
    outcomes = tuple(
        _called(program, trial, number, torch=bundle.assignment.torch) for number in range(len(trial.calls))
    )
    finding = judge_trial(bundle, trial, outcomes, small.expected).finding
    if finding is None:
        alone = say("This call gives what is expected.")
        if not passed:
            alone = say(
                "By itself this call gives what is expected. In a check other calls come before it: does your code keep something "
                "from one to the next?"
            )
        print("", alone, sep="\n")
        return passed
    parameters = bundle.signatures.get(trial.calls[finding.call].path(exercise), ())
    print(f"\n{plain(headline(finding, parameters))}", plain(side_by_side(finding)), sep="\n")
    return False


def case_line(exercise: str, known: CaseResult) -> str:
    """Return which case it is, and what it claims."""
    return say("{exercise}, case {case}: {claim}", exercise=exercise, case=known.name, claim=known.claim)


def _show_own_lines(
    files: Collection[str], kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print an exception without the lines that are the grader's; all of it where none is the student's."""
    every = traceback.extract_tb(trace)
    own = [frame for frame in every if frame.filename in files] or every
    print(
        "".join([*traceback.format_list(own), *traceback.format_exception_only(kind, error)]), end="", file=sys.stderr
    )


def loaded(source: Source, path: Path) -> Program:
    """Load a student's code; a file under its own path, by which debuggers know it, a notebook's cells under their labels."""
    program = Program(source.module, source.notebook, dict(source.homes))

    def label(own: str) -> str:
        if source.notebook:
            return own
        return str((path.with_name(own) if source.several else path).resolve())

    program.load([(label(chunk.label), chunk.text) for chunk in source.chunks])
    return program


def _called(program: Program, trial: Trial, number: int, *, torch: bool) -> Outcome:
    request = trial.requests[number]
    library = importlib.import_module("torch") if torch else None
    packed = encode((list(request.args), dict(request.kwargs), request.module))
    args, kwargs, module = decode(packed, torch=library, evaluate=evaluate)
    if not number:
        reseed(request.seed)
    found = program.find(request.function)
    value = make_call(found, module, args, kwargs)
    value, args = decode(encode((value, args if request.keep_args else [])))
    return Outcome(Ending.RETURNED, value, tuple(args))
