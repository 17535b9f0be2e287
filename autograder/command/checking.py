"""The command for one file: the public cases, as students run them at home."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.command.options import (
    CourseOption,
    DeviceOption,
    JsonOption,
    SlugArgument,
    course_of,
    fail,
    load_for_use,
)
from autograder.course.language import speaking
from autograder.course.places import CourseError

if TYPE_CHECKING:
    from autograder.course.spec import Assignment
    from autograder.handout.kit.self_check import Options


def check(
    slug: SlugArgument,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[next] [FILE] [EXERCISE]",
            show_default="the one in this folder",
            help="next: one exercise after another. Else your .py file or notebook, and an exercise to show alone",
        ),
    ] = None,
    exercise: Annotated[str, typer.Option(metavar="NAME", show_default="all", help="Show one exercise only")] = "",
    watch: Annotated[bool, typer.Option("--watch", help="Check again whenever the file is saved")] = False,
    hint: Annotated[
        bool, typer.Option("--hint", help="A hint about what to mend first, and one more each time")
    ] = False,
    debug: Annotated[
        str, typer.Option(metavar="CASE", help="Run a case in this process, for breakpoint() and debuggers")
    ] = "",
    repro: Annotated[str, typer.Option(metavar="CASE", help="Print a case as a program that runs beside FILE")] = "",
    full: Annotated[
        bool, typer.Option("--full", help="Everything that fails in full, and modules with all their parameters")
    ] = False,
    html: Annotated[
        bool, typer.Option("--html", help="Also write check.html, or the .html file that you name, with heat maps")
    ] = False,
    train: Annotated[
        bool, typer.Option("--train", help="Then make the first steps of each training, beside the reference's losses")
    ] = False,
    long: Annotated[bool, typer.Option("--long", help="Then train to the end, a minute each or less")] = False,
    device: DeviceOption = None,
    course: CourseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run the public cases on one file and say what is wrong, and why."""
    from autograder.handout.kit.asked import CheckError
    from autograder.handout.kit.self_check import Options

    options = Options(exercise, hint, debug, repro, full, as_json, watch, (), long, device or "auto", html)
    try:
        code = _check(course_of(course), slug, words or (), options, trains=train or long)
    except CheckError as error:
        fail(str(error))
    raise typer.Exit(code)


def _check(course: Path, slug: str, words: Sequence[str], options: Options, *, trains: bool) -> int:
    """Check what was asked for, in the language of the course, and return the exit code. Raises CheckError."""
    assignment = load_for_use(course, slug)
    with speaking(assignment.language):
        return _checked(course, assignment, words, options, trains=trains)


def _checked(course: Path, assignment: Assignment, words: Sequence[str], options: Options, *, trains: bool) -> int:
    from autograder.handout.home_trainings import home_trainings
    from autograder.handout.kit.asked import asks_for_next, file_and_exercise, page_asked
    from autograder.handout.kit.handouts import Handout
    from autograder.handout.kit.next_step import run_next
    from autograder.handout.kit.self_check import Place, run_check, some_trainings
    from autograder.handout.public_data import public_bundle, public_oracle

    slug = assignment.slug
    oracle = public_oracle(assignment)
    bundle = public_bundle(oracle)
    names = [each.name for each in assignment.exercises if not each.training]
    rest, goes_on = asks_for_next(words)
    rest, page = page_asked(rest) if options.html else (rest, None)
    file, exercise = file_and_exercise(rest, names, options.exercise)
    trainings = some_trainings(home_trainings(oracle), bundle) if trains else ()
    options = replace(options, exercise=exercise, train=trainings, trains=bool(assignment.trainings), page=page)
    place = Place(file or Path(), deep=False)
    if not goes_on:
        return run_check(bundle, place, str, options)
    command = (sys.executable, "-m", "autograder", "check", slug, "--course", str(course))
    return run_next(
        [Handout(slug, tuple(names), place, lambda: _readme(course, slug), command, lambda: bundle)], slug, options
    )


def _readme(course: Path, slug: str) -> str:
    """Return an assignment's text; one that cannot be read has no section to show."""
    try:
        from autograder.course.catalog import readme_of

        return readme_of(course, slug)
    except CourseError:
        return ""
