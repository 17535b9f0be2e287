"""What several commands take, and how each of them refuses."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from autograder.course.catalog import find_course

CourseOption = Annotated[
    Path | None,
    typer.Option("--course", show_default="nearest above", help="Folder that holds assignments/ and solutions/"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the answer as JSON")]
SlugArgument = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="Its folder's name, such as a5_attention")]


def fail(message: str) -> NoReturn:
    """Say what is wrong with the call, and leave."""
    print(f"autograder: {message}", file=sys.stderr)
    raise SystemExit(2)


def course_of(folder: Path | None) -> Path:
    """Return the course that a command is about."""
    return find_course(folder or Path.cwd())
