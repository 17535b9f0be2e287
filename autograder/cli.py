"""The command line, thin: parse, call, print, choose an exit code.

Exit codes: 0 done, 1 something did not pass, 2 wrong use.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from autograder import __version__
from autograder.command import authoring, classroom, proving, publishing, revisiting
from autograder.command.options import CourseOption, DeviceOption, JsonOption, SlugArgument, course_of, fail
from autograder.course.catalog import CourseError, load_assignment

app = typer.Typer(
    help="Check and grade assignments on sequence models.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def main() -> None:
    """Run the command line; known errors end in one line and exit code 2."""
    # Submissions are graded side by side: torch's own threads in each would stand in each other's way, tenfold.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    signal.signal(signal.SIGTERM, _leave)
    try:
        app()
    except CourseError as error:
        fail(str(error))


def _leave(*_: object) -> None:
    """Leave as after Ctrl-C, since a batch system ends jobs like this: what was graded stands, sandboxes go."""
    sys.exit(128 + signal.SIGTERM)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"autograder {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version")] = False,
) -> None:
    """Check and grade assignments on sequence models."""


@app.command()
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
    repro: Annotated[str, typer.Option(metavar="CASE", help="Print a case as a program that runs by itself")] = "",
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
    from autograder.handout.home_trainings import home_trainings
    from autograder.handout.kit.asked import CheckError, asks_for_next, file_and_exercise, page_asked
    from autograder.handout.kit.handouts import Handout
    from autograder.handout.kit.next_step import run_next
    from autograder.handout.kit.self_check import Options, Place, run_check, some_trainings
    from autograder.handout.public_data import public_bundle, public_oracle

    folder = course_of(course)
    assignment = load_assignment(folder, slug)
    try:
        oracle = public_oracle(assignment)
        bundle = public_bundle(oracle)
        trainings = some_trainings(home_trainings(oracle), bundle) if train or long else ()
        names = [each.name for each in assignment.exercises if not each.training]
        rest, goes_on = asks_for_next(words or ())
        rest, page = page_asked(rest) if html else (rest, None)
        file, exercise = file_and_exercise(rest, names, exercise)
        options = Options(
            exercise, hint, debug, repro, full, as_json, watch, trainings, long, device or "auto", html, page
        )
        place = Place(file or Path(), deep=False)
        if goes_on:
            command = (sys.executable, "-m", "autograder", "check", slug, "--course", str(folder))
            readme = folder / "assignments" / slug / "README.md"
            code = run_next([Handout(slug, tuple(names), place, readme, command, lambda: bundle)], slug, options)
        else:
            code = run_check(bundle, place, str, options)
    except CheckError as error:
        fail(str(error))
    raise typer.Exit(code)


for _command in (
    *(
        classroom.grade,
        classroom.merge,
        revisiting.report,
        revisiting.override,
        revisiting.explain,
        revisiting.name,
        revisiting.similarity,
    ),
    *(publishing.handout, publishing.otter, publishing.gradescope, authoring.doctor, authoring.new),
    *(proving.calibrate, proving.mutants, proving.fairness),
):
    app.command()(_command)


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the class and its results")] = Path("demo-class"),
    course: CourseOption = None,
) -> None:
    """Write a class of generated submissions, grade it, and say where the report lies."""
    from autograder.command.demo import write_class

    folder = course_of(course)
    slug = "a5_attention"
    archive = write_class(load_assignment(folder, slug), out)
    print(f"A class of generated submissions: {archive}\n$ autograder grade {slug} {archive} -o {out / 'graded'}")
    classroom.grade(slug, archive, out / "graded", seed=0, accept_unsandboxed=True, course=folder)


if __name__ == "__main__":
    main()
