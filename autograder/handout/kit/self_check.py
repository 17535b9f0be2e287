"""The check that students run at home: `python check.py` in a handout, and `autograder check` in a course.

It needs only numpy, and torch where the assignment does. It runs the student's code in another process with time limits and
judges the results by a bundle.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from autograder.course.language import marked, say, speaking
from autograder.course.spec import Status
from autograder.handout.kit.asked import CheckError, trial_asked
from autograder.handout.kit.bundle import Bundle
from autograder.handout.kit.debug import case_line, debug
from autograder.handout.kit.device_at_home import device_at_home
from autograder.handout.kit.hints import next_hint
from autograder.handout.kit.html_page import NAME, Found, settle, write_page
from autograder.handout.kit.repro import repro
from autograder.handout.kit.saves import POLL_SECONDS, Saves
from autograder.handout.kit.train_at_home import train_at_home, training_as_text
from autograder.handout.kit.trainings import HomeTraining
from autograder.judge.grade import grade
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.judge.result_json import told_result
from autograder.judge.screen import Screen
from autograder.judge.smallest_failure import easiest_failure
from autograder.judge.terminal_text import result_as_text
from autograder.sandbox.bare import BareSandbox
from autograder.sandbox.job import Sandbox, Source
from autograder.sandbox.process import ProcessSandbox
from autograder.submission import several_files
from autograder.submission.archives import UnreadableError
from autograder.submission.which_file import worked_in
from autograder.submission.written_exercises import Stub

ROWS = 24  # lines of the smallest terminal that is written for


@dataclass(frozen=True)
class Options:
    """The options of a check."""

    exercise: str = ""
    hint: bool = False
    debug: str = ""  # the case to run in this process
    repro: str = ""  # the case to print as a program
    full: bool = False  # everything that fails as the first of it, and modules with all their parameters
    as_json: bool = False
    watch: bool = False
    train: tuple[HomeTraining, ...] = ()  # what to train afterwards
    long: bool = False  # to its end
    device: str = "auto"  # on which
    html: bool = False  # whether to write the result as a page, too
    page: Path | None = None  # where, if not beside the student's file
    trains: bool = False  # whether there is something to train


def check(source: Source, bundle: Bundle) -> Result:
    """Judge a student's code on the public cases, in a process of its own."""
    with ProcessSandbox() as sandbox:
        return check_in(sandbox, source, bundle)


def check_in(sandbox: Sandbox, source: Source, bundle: Bundle) -> Result:
    """Judge a student's code on the public cases."""
    with speaking(bundle.assignment.language):
        return _with_help(grade(source, bundle, sandbox, smallest=True, own_work=True), torch=bundle.assignment.torch)


def _with_help(result: Result, *, torch: bool) -> Result:
    """Add advice to every fault of ours; at home no grader sees it."""
    names = "numpy, torch" if torch else "numpy"
    python = f'"{sys.executable}"' if " " in sys.executable else sys.executable
    told = marked(
        'Try {python} -c "import {names}": if that fails, {python} -m pip install --force-reinstall {packages} mends it. '
        "If it works, show this message to your instructor. A check counts for nothing."
    )
    advice = say(told, python=python, names=names, packages=names.replace(",", ""))

    def helped(case: CaseResult) -> CaseResult:
        return replace(case, told=case.told.then(advice)) if case.status is Status.GRADER_ERROR else case

    exercises = tuple(replace(e, cases=tuple(map(helped, e.cases))) for e in result.exercises)
    failed = result.problem and any(c.status is Status.GRADER_ERROR for _, _, c in verdicts(result))
    return replace(result, exercises=exercises, problem=f"{result.problem}\n{advice}" if failed else result.problem)


@dataclass(frozen=True)
class Place:
    """Where a student works: a file, or a folder in which to find the file that would be graded."""

    path: Path
    deep: bool = True  # whether to look in its subfolders

    def find(self, stub: Stub) -> tuple[Path, tuple[str, ...]]:
        """Return the file, and notes on why it was chosen. Raises CheckError."""
        if not self.path.is_dir():
            return self.path, ()
        try:
            return worked_in(self.path, stub, deep=self.deep)
        except UnreadableError as error:
            raise CheckError(str(error)) from None


@dataclass(frozen=True)
class Work:
    """The file that would be graded, doubts about which it is, and the saves since it was chosen."""

    path: Path
    doubts: tuple[str, ...]
    saves: Saves


def find_work(bundle: Bundle, place: Place) -> Work:
    """Return the student's work. Raises CheckError."""
    stub = Stub.of(bundle.assignment)
    path, doubts = place.find(stub)
    if not path.is_file():
        told = marked("There is no file {path}. Give the path of your {file} or notebook.")
        if stub.files:
            told = marked("There is no file {path}. Give the path of your {file}.")
        raise CheckError(say(told, path=path, file=stub.any_wanted))
    folder = path.parent if stub.files else place.path
    others = [folder / name for name in stub.names] if folder.is_dir() else []
    return Work(path, doubts, Saves([path, *(other for other in others if other != path and other.is_file())]))


def read_work(bundle: Bundle, work: Work) -> Source:
    """Return the code of the student's work. Raises CheckError."""
    try:
        return several_files.read_work(work.path, Stub.of(bundle.assignment))
    except UnreadableError as error:
        raise CheckError(str(error)) from None


def say_doubts(work: Work) -> None:
    """Print the doubts about which file is the student's work."""
    for doubt in work.doubts:
        print(doubt, file=sys.stderr, flush=True)


def run_check(bundle: Bundle, place: Place, shown: Callable[[Path], str], options: Options) -> int:
    """Check a file, print the result and return the exit code; `shown` formats its path. Raises CheckError."""
    if options.as_json and (options.debug or options.repro):
        raise CheckError(say("--debug and --repro are for people, and --json is for programs. Say one of them."))
    if options.device != "auto" and not options.train:
        raise CheckError(say("--device says what --train trains on. Say --train, too."))
    if not options.watch:
        with ProcessSandbox() as sandbox:
            return _check_once(sandbox, bundle, find_work(bundle, place), shown, options)
    try:
        with BareSandbox(torch=bundle.assignment.torch) as sandbox:
            _watch(lambda: find_work(bundle, place), lambda w: _check_once(sandbox, bundle, w, shown, options))
    except KeyboardInterrupt:
        return 130
    finally:
        if options.html:
            settle(_page(options, place.find(Stub.of(bundle.assignment))[0]))


def _check_once(sandbox: Sandbox, bundle: Bundle, work: Work, shown: Callable[[Path], str], options: Options) -> int:
    path, source = work.path, read_work(bundle, work)
    say_doubts(work)
    told = bundle.assignment.named_files if source.several else shown(path)
    title = f"{bundle.assignment.slug}: {told}"
    result = check_in(sandbox, source, bundle)
    if (options.debug or options.repro) and not result.problem:
        return _one_case(source, path, bundle, result, options)
    shown_result = only(result, options.exercise) if options.exercise else result
    trained = _trained(source, bundle, result, options) if options.train and not result.problem else iter(())
    if options.as_json:
        shown_result = replace(shown_result, exercises=(*shown_result.exercises, *trained))
        print(json.dumps(told_result(shown_result), indent=1))
    elif options.hint and not result.problem:
        print(next_hint(path.parent, result, bundle.assignment, source, options.exercise, screen().width))
    else:
        taken = 2 * options.watch + options.html  # what stands below it
        print(result_as_text(title, shown_result, screen(taken), full=options.full, options=True))
    code = 0 if shown_result.all_passed else 1
    file = told if source.several else path.name
    if code == 0 and not (options.exercise or options.hint or options.as_json or options.train):
        if options.trains:
            print(say("Its training is not among these: --train makes the first steps."))
        print(say("All of it passes here: hand in {file}.", file=file))
    found = Found(bundle.assignment.title, file, shown_result)
    if options.html:
        page = _page(options, path)
        write_page(page, found, following=options.watch)
        where = say("Pictures of it: {page}", page=page.resolve().as_uri())
        print(where, file=sys.stderr if options.as_json else sys.stdout)
    for home, exercise in zip(options.train, trained, strict=False):  # nothing is left of what JSON has told
        print("", training_as_text(exercise, home, screen().width), sep="\n", flush=True)
        code = max(code, 0 if exercise.status is Status.PASSED else 1)
        found = replace(found, result=replace(found.result, exercises=(*found.result.exercises, exercise)))
        if options.html:
            write_page(_page(options, path), found, following=options.watch)
    return code


def _page(options: Options, file: Path) -> Path:
    """Return where the page of a check of a file is written."""
    return options.page or file.with_name(NAME)


def _trained(source: Source, bundle: Bundle, result: Result, options: Options) -> Iterator[ExerciseResult]:
    """Yield what each training comes to. Raises CheckError at once where the device is not there."""
    device, told = device_at_home(options.device, bundle.assignment.slug, options.train)
    if told:
        print(told, file=sys.stderr)
    return train_at_home(source, bundle.assignment, result, options.train, device, long=options.long)


def _one_case(source: Source, path: Path, bundle: Bundle, result: Result, options: Options) -> int:
    """Run a case in this process, or print it as a program, by the smallest call that fails in the same way."""
    trial = trial_asked(bundle, options.debug or options.repro, result)
    known = next(c for e, _, c in verdicts(result) if (e, c.name) == (trial.case.exercise, trial.case.name))
    with ProcessSandbox() as sandbox:
        small = easiest_failure(source, bundle, sandbox, trial)
    if options.debug:
        return debug(source, path, bundle, small, known)
    told = say("It passes.") if known.status is Status.PASSED else known.lead
    print(repro(source, small, bundle.signatures, f"{case_line(trial.case.exercise, known)}\n{told}"))
    return 0


def some_trainings(found: tuple[HomeTraining, ...], bundle: Bundle) -> tuple[HomeTraining, ...]:
    """Return the trainings of an assignment. Raises CheckError where there is none."""
    if not found:
        raise CheckError(say("Nothing is trained here: {slug} has no training.", slug=bundle.assignment.slug))
    return found


def only(result: Result, exercise: str) -> Result:
    """Return a result with one exercise alone."""
    return replace(result, exercises=tuple(e for e in result.exercises if e.name == exercise))


def screen(taken: int = 0) -> Screen:
    """Return the terminal to write for, less the lines that are taken."""
    size = shutil.get_terminal_size()
    return Screen(size.columns, max(ROWS, size.lines) - taken, colorful())


def colorful() -> bool:
    """Whether standard output is a terminal that shows colors."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and (os.name != "nt" or "WT_SESSION" in os.environ)


def clear_screen() -> None:
    """Begin a new screen, where there is one."""
    print("\x1b[2J\x1b[H" if colorful() else "", end="")


def _watch(find: Callable[[], Work], run: Callable[[Work], int]) -> NoReturn:
    """Run again whenever the file or the notebook is saved, until Ctrl-C."""
    while True:
        work = find()
        clear_screen()
        done = say("Everything shown passes.") + " " if run(work) == 0 else ""
        now = say("Watching {file}; save it to check again, Ctrl-C to stop.", file=work.path.name)
        print(f"\n{done}{now}", flush=True)
        while not work.saves.happened():
            time.sleep(POLL_SECONDS)


def verdicts(result: Result) -> Iterator[tuple[str, str, CaseResult]]:
    """Yield every case of a result with its exercise's name."""
    for exercise in result.exercises:
        for case in exercise.cases:
            yield exercise.name, case.name, case
