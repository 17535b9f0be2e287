"""What several commands take and open, and how each of them refuses."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from autograder.course.course_file import FILE
from autograder.course.places import CourseError, chooses, find_course, secret_folder, slugs
from autograder.sandbox.child.device import CHOICES

if TYPE_CHECKING:
    from autograder.classroom.gradebook import Gradebook
    from autograder.course.spec import Assignment
    from autograder.sandbox.job import Sandbox

CourseOption = Annotated[
    Path | None,
    typer.Option("--course", show_default="nearest above", help="Folder that holds assignments/ and solutions/"),
]
OutOption = Annotated[Path, typer.Option("--out", "-o", help="The folder a `grade` wrote")]
TrustOption = Annotated[
    bool, typer.Option("--accept-unsandboxed", help="Grade hidden cases even where student code cannot be isolated")
]
DeviceOption = Annotated[
    str | None,
    typer.Option(metavar="DEVICE", show_default="auto", help=f"What models are trained on: {CHOICES}"),
]
GpusOption = Annotated[
    str, typer.Option(metavar="N,N", help="GPUs of this machine that share the trainings, as many at a time as fit")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the answer as JSON")]
SlugArgument = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="Its folder's name, such as a5_attention")]
SlugsArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[ASSIGNMENT]...", show_default="all", help="Assignments to examine")
]
SubmissionsArgument = Annotated[Path, typer.Argument(help="A folder, zip or tar of submissions, or a single file")]
NewOutOption = Annotated[
    Path, typer.Option("--out", "-o", help="Folder for the gradebook and all that is made from it")
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        min=0, max=2**63 - 1, show_default="the gradebook's, at first a new one", help="Seed of the hidden inputs"
    ),
]
JobsOption = Annotated[int, typer.Option(min=0, show_default="one per core", help="Submissions at a time")]
RosterOption = Annotated[
    Path | None,
    typer.Option(show_default="the gradebook's", help="CSV of id, name, email, login, section, extension"),
]
AliasOption = Annotated[
    Path | None,
    typer.Option(show_default="the gradebook's", help="CSV of name, id: maps export names to roster ids"),
]
DueOption = Annotated[
    str | None, typer.Option(metavar="WHEN", show_default="the gradebook's", help="Due date: 2026-03-01T23:59")
]
OnlyOption = Annotated[list[str] | None, typer.Option(metavar="STUDENT", help="Grade this student only")]
RegradeOption = Annotated[
    list[str] | None, typer.Option(metavar="EXERCISE", help="Grade it again, and what builds on it")
]
TrainingOption = Annotated[
    bool, typer.Option("--training/--no-training", help="Also run trainings (a minute or more each)")
]
ShardOption = Annotated[
    str, typer.Option(metavar="I/N", help="Only this part of the class; autograder merge puts parts together")
]
ClusterOption = Annotated[
    str, typer.Option(metavar="ADDRESS", help="On the workers of a Dask scheduler: tcp://host:8786")
]
ResourcesOption = Annotated[
    list[str] | None, typer.Option(metavar="NAME=AMOUNT", help="Only on workers that have it, as GPU=1")
]
PreviewOption = Annotated[
    bool, typer.Option("--preview", help="Grade into a copy and show which scores would change; nothing is written")
]
NeverLowerOption = Annotated[bool, typer.Option("--never-lower", help="Never lower the points of code already graded")]
AcceptMismatchOption = Annotated[
    bool,
    typer.Option(
        "--accept-mismatch",
        help="Also grade what seems to be of other students, another assignment or a part of the class",
    ),
]
ByOption = Annotated[
    str, typer.Option("--by", metavar="NAME", show_default="your user name", help="Who decides, for the history")
]
EventsOption = Annotated[bool, typer.Option("--json", help="Print events, one JSON object a line")]


def fail(message: str) -> NoReturn:
    """Say what is wrong with the call, and leave."""
    print(f"autograder: {message}", file=sys.stderr)
    raise SystemExit(2)


def some_slugs(course: Path) -> list[str]:
    """Return the assignments of a course; where there is none, say so and leave with 1, as nothing is proved."""
    found = list(slugs(course))
    if not found:
        told = f"There is no assignment in {course / 'assignments'} yet; autograder new makes one."
        if chooses(course):
            told = f"{course / FILE} chooses no assignment yet. Name each with a line [assignment.SLUG]."
        print(f"autograder: {told}", file=sys.stderr)
        raise SystemExit(1)
    return found


def load_assignment(course: Path, slug: str) -> Assignment:
    """Load an assignment, and only now what reads one: `--help` is to take no longer than its own words."""
    from autograder.course import catalog

    return catalog.load_assignment(course, slug)


def load_for_use(course: Path, slug: str) -> Assignment:
    """Load an assignment where `doctor` was not asked: refuse what cannot be graded with, and say that points do not add up."""
    assignment = load_assignment(course, slug)
    lost = next((m.name for m in assignment.misconceptions if m.old not in assignment.reference), "")
    if lost:
        told = f"the known mistake {lost} replaces a text that the reference does not hold"
        fail(f"{told}. Mend that first: autograder doctor {slug} says what to write.")
    _tell_points(assignment)
    return assignment


def _tell_points(assignment: Assignment) -> None:
    """Say that the points of an assignment do not add up; those of its exercises count."""
    if not math.isclose(assignment.max_score, assignment.points):
        told = f"the exercises of {assignment.slug} add up to {assignment.max_score:g} points, which count"
        where = f"assignments/{assignment.slug}/assignment.toml says {assignment.points:g}"
        print(f"autograder: {told}; {where}.", file=sys.stderr)


def course_of(folder: Path | None, otherwise: str = "") -> Path:
    """Return the course that a command is about: the folder that was named, and no other, or the nearest above.

    Where there is none, `otherwise` says what else to do.
    """
    try:
        course = find_course(folder or Path.cwd())
    except CourseError as error:
        fail(f"{error} {otherwise}".rstrip())
    if folder and course != folder.resolve():
        fail(f"{folder} holds no assignments/ and solutions/; {course} is a course. Name that one with --course.")
    return course


def is_course_here() -> bool:
    """Whether this folder or one above it is a course."""
    try:
        find_course(Path.cwd())
    except CourseError:
        return False
    return True


def course_of_class(folder: Path | None, book: Gradebook) -> Path:
    """Return the course that was named, or else the one whose rules graded a class, if it is still there, or the nearest."""
    graded_by = Path(book.facts.course)
    return course_of(folder or (graded_by if graded_by.is_absolute() and graded_by.is_dir() else None))


def check_course(folder: Path | None) -> None:
    """Refuse a folder that was named and is no course, also where nothing of the course is needed."""
    if folder:
        course_of(folder)


@contextmanager
def graded_book(out: Path, *, beside: bool = False) -> Iterator[Gradebook]:
    """Open the gradebook of a graded class, also `beside` another process that is at work on it, or say why not."""
    from autograder.classroom.gradebook import GradebookError
    from autograder.classroom.gradebook_lock import open_beside, open_gradebook

    try:
        with (open_beside if beside else open_gradebook)(out) as book:
            if book.facts.shard:
                fail(f"{out} holds shard {book.facts.shard} of a class. Put all together first: autograder merge")
            if not book.has_run:
                fail(f"{out} holds a gradebook in which nothing was graded yet. Run autograder grade again.")
            yield book
    except GradebookError as error:
        fail(str(error))
    except BrokenPipeError:
        raise  # who reads what is printed has gone, and no file is in trouble
    except OSError as error:
        fail(f"{error}. The gradebook in {out} is whole; mend that, and run autograder report {out}.")


@contextmanager
def class_sandbox(slots: int, assignment: Assignment, course: Path, *, accept_unsandboxed: bool) -> Iterator[Sandbox]:
    """Open the sandbox for a class, or refuse where hidden cases would not be safe in it."""
    from autograder.oracle.device_choice import open_for

    with open_for(assignment, slots, secret_folder(course, assignment.slug).parent) as sandbox:
        if sandbox.isolation.level == "C" and not accept_unsandboxed:
            fail(
                f"This machine cannot isolate student code ({'; '.join(sandbox.isolation.missing)}). "
                "Submissions could read the hidden cases and the solutions. "
                "If you trust every one of them, add --accept-unsandboxed."
            )
        yield sandbox
