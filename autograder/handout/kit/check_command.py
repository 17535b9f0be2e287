"""The command `python check.py` of a handout."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from autograder.course.language import marked, say, speaking
from autograder.handout.kit.asked import CheckError, asks_for_next, file_and_exercise, page_asked
from autograder.handout.kit.bundle import Bundle, BundleError, language_of, read_bundle
from autograder.handout.kit.device_at_home import DEVICES
from autograder.handout.kit.handouts import handouts_beside
from autograder.handout.kit.html_page import NAME
from autograder.handout.kit.next_step import run_next
from autograder.handout.kit.self_check import Options, Place, run_check, some_trainings
from autograder.handout.kit.trainings import read_trainings


def main(folder: Path, arguments: Sequence[str]) -> int:
    """Run `python check.py` in a handout's folder and return the exit code: 0 all passed, 1 not yet, 2 wrong use."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")  # Windows' own encodings have no check mark
    with speaking(language_of(folder / "engine")):
        return _main(folder, arguments)


def _main(folder: Path, arguments: Sequence[str]) -> int:
    try:
        bundle = read_bundle(folder / "engine")
        return _run(folder, bundle, _parser(bundle).parse_args(arguments))
    except (BundleError, CheckError) as error:
        print(f"check.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader has stopped, as in `python check.py | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(folder: Path, bundle: Bundle, chosen: argparse.Namespace) -> int:
    names = [exercise.name for exercise in bundle.assignment.exercises]
    words, goes_on = asks_for_next(chosen.words)
    words, page = page_asked(words) if chosen.html else (words, None)
    file, exercise = file_and_exercise(words, names, chosen.exercise)
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
        trains=(folder / "training.py").exists(),
        long=chosen.long,
        device=chosen.device,
        html=chosen.html,
        page=page,
    )
    if goes_on:
        return run_next(handouts_beside(folder, bundle, file), bundle.assignment.slug, options)
    return run_check(bundle, Place(file or folder), lambda path: path.name, options)


def _parser(bundle: Bundle) -> argparse.ArgumentParser:
    file = bundle.assignment.named_files
    parser = argparse.ArgumentParser("check.py", description=say("Check your {file} on the public cases.", file=file))
    parser.add_argument(
        "words",
        nargs="*",
        metavar=say("next, FILE or EXERCISE"),
        help=say(
            "next: one exercise after another, through all handouts that lie beside this one. Else your .py file or "
            "notebook (default: the one that would be graded), and an exercise to show alone"
        ),
    )
    for name, text in FLAGS.items():
        parser.add_argument(f"--{name}", action="store_true", help=say(text, page=NAME))
    parser.add_argument("--exercise", default="", metavar="NAME", help=say("show one exercise only"))
    for name, text in ONE_CASE.items():
        parser.add_argument(f"--{name}", default="", metavar=say("CASE"), help=say(text))
    parser.add_argument("--device", default="auto", help=say("what --train trains on: {devices}", devices=say(DEVICES)))
    return parser


ONE_CASE = marked({
    "debug": "run a case, or what fails of an exercise, in this process, for breakpoint() and debuggers",
    "repro": "print a case, or what fails of an exercise, as a program that runs beside your file",
})  # fmt: skip
FLAGS = marked({
    "watch": "check again whenever the file is saved",
    "hint": "a hint about what to mend first, and one more each time",
    "full": "everything that fails in full, and modules with all their parameters",
    "html": "also write {page}, or the .html file that you name: heat maps of yours and the expected answer",
    "json": "print the answer as JSON",
    "train": "then make the first steps of each training, and compare the losses with the reference's",
    "long": "then train to the end, a minute each or less",
})  # fmt: skip
