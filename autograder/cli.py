"""The command line, thin: parse, call, print, choose an exit code.

Exit codes: 0 done, 1 something did not pass, 2 wrong use.
"""

from __future__ import annotations

import os
import platform
import re
import signal
import sys
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from autograder import __version__
from autograder.command import (
    authoring,
    checking,
    classroom,
    desk,
    other_project,
    proving,
    publishing,
    requesting,
    returning,
    revisiting,
    whole_course,
)
from autograder.command.options import CourseOption, course_of, fail, load_assignment, some_slugs
from autograder.course.places import CourseError
from autograder.sandbox.termination import terminate


class _ByReader(TyperGroup):
    """The commands, told by who uses them, without rich, which takes longer to load than all else that this help needs.

    Contexts and formatters are click's in older versions of typer and its own in newer ones, so their types are not named here.
    """

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help in plain text; typer would leave it to rich."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        self.format_options(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Show the help where there are no arguments; typer would leave it to rich."""
        if not args:
            print(ctx.get_help())
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 (the signature of what it replaces)
        """Write a section of help for each kind of reader."""
        names = (name for name in self.commands if isinstance(self.commands[name], TyperCommand))
        for who, theirs in groupby(names, lambda name: str(getattr(self.commands[name], "rich_help_panel", ""))):
            with formatter.section(who):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(limit=100)) for name in theirs])


class _WithNumbers(TyperCommand):
    """A command that takes -1 for a number and not for an option, and says itself what is wrong with it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Let what is no option pass where there is such a number."""
        ctx.ignore_unknown_options = any(re.fullmatch(r"-\d+(\.\d*)?", arg) for arg in args)
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_ByReader,
    help="Check and grade assignments on sequence models.",
    context_settings={"max_content_width": 110},
    pretty_exceptions_enable=False,
    add_completion=False,
)


def main() -> None:
    """Run the command line; known errors end in one line and exit code 2."""
    if told := other_project.warning():
        if other_project.is_replaced():
            fail(told)
        print(f"autograder: {told}", file=sys.stderr)
    # Submissions are graded side by side: torch's own threads in each would stand in each other's way, tenfold.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    # A batch system ends jobs like this; as after Ctrl-C, what was graded stands, and sandboxes go.
    signal.signal(signal.SIGTERM, terminate)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # Windows' own encodings lack check marks and most letters of names
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        app()
    except CourseError as error:
        fail(str(error))
    except OSError as error:
        if error.filename is None:  # as of a pipe whose reader has gone
            raise
        fail(f"{error.filename}: {error.strerror or error}.")
    finally:
        _flush()


def _flush() -> None:
    """Write what is still to be printed, or forget it where its reader has gone, as in `autograder report graded | head -1`."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        from autograder.sandbox.levels import open_sandbox

        try:
            torch = version("torch")
        except PackageNotFoundError:
            torch = "not installed"
        with open_sandbox(1) as sandbox:
            level = sandbox.isolation.level
        print(f"autograder {__version__}, Python {platform.python_version()}, torch {torch}, isolation {level}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_version,
            is_eager=True,
            help="Print the versions of everything that affects grades, and the isolation of this machine",
        ),
    ] = False,
) -> None:
    """Check and grade assignments on sequence models."""


_NO_COURSE = (
    "An installed package holds no course. Run this in a copy of the course's repository, or begin a course of your own: "
    "autograder new means --course my-course && autograder demo --course my-course"
)


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the class and its results")] = Path("demo-class"),
    course: CourseOption = None,
) -> None:
    """Write a class of generated submissions, grade it, and say where the report lies.

    The class is one of a5_attention, in other courses one of the first assignment.
    """
    from autograder.command.demo import write_class

    folder = course_of(course, _NO_COURSE)
    found = some_slugs(folder)
    slug = "a5_attention" if "a5_attention" in found else found[0]
    archive = write_class(load_assignment(folder, slug), out)
    print(f"A class of generated submissions: {archive}\n$ autograder grade {slug} {archive} -o {out / 'graded'}")
    classroom.grade(slug, archive, out / "graded", seed=0, accept_unsandboxed=True, course=folder)
    print(f"To decide about it in the browser: autograder desk {out / 'graded'}")


_COMMANDS = {
    "Students": (checking.check,),
    "Graders": (
        *(classroom.grade, classroom.merge, revisiting.report, revisiting.explain, revisiting.override, desk.desk),
        *(requesting.requests, revisiting.name, revisiting.similarity, returning.give_back, whole_course.course),
    ),
    "Instructors": (
        publishing.handout,
        publishing.solutions,
        publishing.otter,
        publishing.gradescope,
        publishing.classroom50,
        demo,
    ),
    "Authors": (
        authoring.new,
        authoring.import_otter,
        authoring.doctor,
        proving.calibrate,
        proving.mutants,
        proving.fairness,
    ),
}
# What cannot be the name of a function.
_NAMES = {returning.give_back: "return", authoring.import_otter: "import-otter"}
for _who, _theirs in _COMMANDS.items():
    for _command in _theirs:
        _class = _WithNumbers if _command is revisiting.override else TyperCommand
        app.command(_NAMES.get(_command), cls=_class, rich_help_panel=_who)(_command)


if __name__ == "__main__":
    main()
