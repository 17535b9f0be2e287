"""The check that students run at home: `python check.py` in a handout, and `autograder check` in a course.

It needs only numpy, and torch where the assignment does. It runs the student's code in another process with time limits and
judges the results by a bundle.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.course.spec import Status
from autograder.handout.kit.asked import CheckError, file_and_exercise, trial_asked
from autograder.handout.kit.bundle import Bundle, BundleError, read_bundle
from autograder.handout.kit.debug import debug
from autograder.handout.kit.hints import next_hint
from autograder.handout.kit.repro import repro
from autograder.handout.kit.train_at_home import device_at_home, train_at_home, training_as_text
from autograder.handout.kit.trainings import HomeTraining, read_trainings
from autograder.judge.grade import grade
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.judge.result_json import told_result
from autograder.judge.smallest_failure import easiest_failure
from autograder.judge.terminal_text import result_as_text
from autograder.sandbox.child.device import CHOICES
from autograder.sandbox.job import Source
from autograder.sandbox.process import ProcessSandbox
from autograder.submission.archives import UnreadableError
from autograder.submission.source import read_source
from autograder.submission.which_file import worked_in
from autograder.submission.written_exercises import Stub

POLL_SECONDS = 0.5


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


def check(source: Source, bundle: Bundle) -> Result:
    """Judge a student's code on the public cases."""
    with ProcessSandbox() as sandbox:
        return _with_help(grade(source, bundle, sandbox, smallest=True), torch=bundle.assignment.torch)


def _with_help(result: Result, *, torch: bool) -> Result:
    """Add advice to every fault of ours; at home no grader sees it."""
    names = "numpy, torch" if torch else "numpy"
    python = f'"{sys.executable}"' if " " in sys.executable else sys.executable
    advice = (
        f'Try {python} -c "import {names}": if that fails, {python} -m pip install --force-reinstall '
        f"{names.replace(',', '')} mends it. If it works, show this message to your instructor. A check counts for nothing."
    )

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


def run_check(bundle: Bundle, place: Place, shown: Callable[[Path], str], options: Options) -> int:
    """Check a file, print the result and return the exit code; `shown` formats its path. Raises CheckError."""
    if not options.watch:
        return _check_once(bundle, place, shown, options)
    try:
        return _watch(bundle, place, lambda: _check_once(bundle, place, shown, options))
    except KeyboardInterrupt:
        return 130


def _check_once(bundle: Bundle, place: Place, shown: Callable[[Path], str], options: Options) -> int:
    path, doubts = place.find(Stub.of(bundle.assignment))
    if not path.is_file():
        raise CheckError(f"There is no file {path}. Give the path of your {bundle.assignment.file} or notebook.")
    try:
        source = read_source(path, bundle.assignment.file)
    except UnreadableError as error:
        raise CheckError(str(error)) from None
    for doubt in doubts:
        print(doubt, file=sys.stderr)
    title = f"{bundle.assignment.slug}: {shown(path)}"
    result = check(source, bundle)
    if (options.debug or options.repro) and not result.problem:
        return _one_case(source, path, bundle, result, options)
    shown_result = only(result, options.exercise) if options.exercise else result
    width = shutil.get_terminal_size().columns
    trained = _trained(source, bundle, result, options) if options.train and not result.problem else iter(())
    if options.as_json:
        shown_result = replace(shown_result, exercises=(*shown_result.exercises, *trained))
        print(json.dumps(told_result(shown_result), indent=1))
    elif options.hint and not result.problem:
        print(next_hint(path.parent, result, bundle.assignment, source, options.exercise, width))
    else:
        print(result_as_text(title, shown_result, width=width, color=_colorful(), full=options.full))
    code = 0 if shown_result.all_passed else 1
    for home, exercise in zip(options.train, trained, strict=False):  # nothing is left of what JSON has told
        print("", training_as_text(exercise, home, width), sep="\n", flush=True)
        code = max(code, 0 if exercise.status is Status.PASSED else 1)
    return code


def _trained(source: Source, bundle: Bundle, result: Result, options: Options) -> Iterator[ExerciseResult]:
    """Yield what each training comes to. Raises CheckError at once where the device is not there."""
    device = device_at_home(options.device)
    return train_at_home(source, bundle.assignment, result, options.train, device, long=options.long)


def _one_case(source: Source, path: Path, bundle: Bundle, result: Result, options: Options) -> int:
    """Run a case in this process, or print it as a program, by the smallest call that fails in the same way."""
    trial = trial_asked(bundle, options.debug or options.repro, result)
    known = next(c for e, _, c in verdicts(result) if (e, c.name) == (trial.case.exercise, trial.case.name))
    with ProcessSandbox() as sandbox:
        small = easiest_failure(source, bundle, sandbox, trial)
    if options.debug:
        return debug(source, path, bundle, small, known)
    told = "It passes." if known.status is Status.PASSED else known.lead
    print(repro(source, small, bundle.signatures, f"{trial.case.exercise}, case {known.name}: {known.claim}\n{told}"))
    return 0


def some_trainings(found: tuple[HomeTraining, ...], bundle: Bundle) -> tuple[HomeTraining, ...]:
    """Return the trainings of an assignment. Raises CheckError where there is none."""
    if not found:
        raise CheckError(f"Nothing is trained here: {bundle.assignment.slug} has no training.")
    return found


def only(result: Result, exercise: str) -> Result:
    """Return a result with one exercise alone."""
    return replace(result, exercises=tuple(e for e in result.exercises if e.name == exercise))


def _colorful() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and (os.name != "nt" or "WT_SESSION" in os.environ)


def _watch(bundle: Bundle, place: Place, run: Callable[[], int]) -> int:
    """Run again whenever the file or the notebook is saved, until Ctrl-C or until everything passes."""
    stub = Stub.of(bundle.assignment)
    while True:
        path, _ = place.find(stub)
        others = [place.path / name for name in (stub.file, stub.notebook)] if place.path.is_dir() else []
        watched = [path, *(other for other in others if other != path and other.is_file())]
        seen = [*map(_saved, watched)]
        print("\x1b[2J\x1b[H" if _colorful() else "", end="")
        code = run()
        if code == 0:
            return 0
        print(f"\nWatching {path.name}; save it to check again, Ctrl-C to stop.", flush=True)
        while [*map(_saved, watched)] == seen:
            time.sleep(POLL_SECONDS)


def _saved(path: Path) -> tuple[int, int]:
    """Return a file's time and size. Some editors remove a file before they write it, so this waits for it."""
    for _ in range(10):
        try:
            status = path.stat()
        except OSError:
            time.sleep(POLL_SECONDS)
        else:
            return status.st_mtime_ns, status.st_size
    raise CheckError(f"{path} is gone.")


def main(folder: Path, arguments: Sequence[str]) -> int:
    """Run `python check.py` in a handout's folder and return the exit code: 0 all passed, 1 not yet, 2 wrong use."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")  # Windows' own encodings have no check mark
    try:
        bundle = read_bundle(folder / "engine")
        chosen = _parser(bundle).parse_args(arguments)
        names = [exercise.name for exercise in bundle.assignment.exercises]
        file, exercise = file_and_exercise(chosen.words, names, chosen.exercise)
        wanted = chosen.train or chosen.long
        trainings = some_trainings(read_trainings(folder / "engine"), bundle) if wanted else ()
        options = Options(
            exercise=exercise,
            hint=chosen.hint,
            debug=chosen.debug,
            repro=chosen.repro,
            full=chosen.full,
            as_json=chosen.json,
            watch=chosen.watch,
            train=trainings,
            long=chosen.long,
            device=chosen.device,
        )
        place = Place(file or folder)
        return run_check(bundle, place, lambda path: path.name, options)
    except (BundleError, CheckError) as error:
        print(f"check.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader has stopped, as in `python check.py | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _parser(bundle: Bundle) -> argparse.ArgumentParser:
    file = bundle.assignment.file
    parser = argparse.ArgumentParser("check.py", description=f"Check your {file} on the public cases.")
    parser.add_argument(
        "words",
        nargs="*",
        metavar="FILE or EXERCISE",
        help="your .py file or notebook (default: the one that would be graded), and an exercise to show alone",
    )
    for name, text in FLAGS.items():
        parser.add_argument(f"--{name}", action="store_true", help=text)
    parser.add_argument("--exercise", default="", metavar="NAME", help="show one exercise only")
    for name, text in ONE_CASE.items():
        parser.add_argument(f"--{name}", default="", metavar="CASE", help=text)
    parser.add_argument("--device", default="auto", help=f"what --train trains on: {CHOICES}")
    return parser


ONE_CASE = {
    "debug": "run a case, or what fails of an exercise, in this process, for breakpoint() and debuggers",
    "repro": "print a case, or what fails of an exercise, as a program that runs by itself",
}
FLAGS = {
    "watch": "check again whenever the file is saved",
    "hint": "a hint about what to mend first, and one more each time",
    "full": "everything that fails in full, and modules with all their parameters",
    "json": "print the answer as JSON",
    "train": "then make the first steps of each training, and compare the losses with the reference's",
    "long": "then train to the end, a minute each or less",
}


def verdicts(result: Result) -> Iterator[tuple[str, str, CaseResult]]:
    """Yield every case of a result with its exercise's name."""
    for exercise in result.exercises:
        for case in exercise.cases:
            yield exercise.name, case.name, case
