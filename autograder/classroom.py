"""The commands on a whole class: grade it, rebuild its files, decide otherwise, look again."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from autograder.course.catalog import load_assignment
from autograder.options import CourseOption, JsonOption, SlugArgument, course_of, fail

if TYPE_CHECKING:
    from rich.console import Console

    from autograder.batch.roster import Roster
    from autograder.course.spec import Assignment
    from autograder.sandbox.job import Sandbox

OutOption = Annotated[Path, typer.Option("--out", "-o", help="The folder a `grade` wrote")]
TrustOption = Annotated[
    bool, typer.Option("--accept-unsandboxed", help="Grade hidden cases even where student code cannot be isolated")
]


def grade(
    slug: SlugArgument,
    submissions: Annotated[Path, typer.Argument(help="A folder, zip or tar of submissions, or a single file")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the gradebook and all that is made from it")],
    seed: Annotated[
        int | None,
        typer.Option(min=0, show_default="the gradebook's, at first a new one", help="Seed of the hidden inputs"),
    ] = None,
    jobs: Annotated[int, typer.Option(min=0, show_default="one per core", help="Submissions at a time")] = 0,
    roster: Annotated[
        Path | None, typer.Option(show_default="the gradebook's", help="CSV of id, name, email, section, extension")
    ] = None,
    due: Annotated[
        str | None, typer.Option(metavar="WHEN", show_default="the gradebook's", help="Due date: 2026-03-01T23:59")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="STUDENT", help="Grade this student only")] = None,
    regrade: Annotated[
        list[str] | None, typer.Option(metavar="EXERCISE", help="Grade it again, and what builds on it")
    ] = None,
    training: Annotated[
        bool, typer.Option("--training/--no-training", help="Also train what learns, a minute each and more")
    ] = True,
    accept_unsandboxed: TrustOption = False,
    course: CourseOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print events, one JSON object a line")] = False,
) -> None:
    """Grade a class, or what changed since: gradebook, grades, results, feedback and a report."""
    from rich.console import Console

    from autograder.batch.gradebook import GradebookError
    from autograder.batch.shelf import open_gradebook
    from autograder.batch.submissions import SubmissionsError, read_submissions
    from autograder.pipeline import Choices, carry_out, make_plan, publish
    from autograder.progress import Events, watch_on
    from autograder.sandbox.probe import cores

    folder = course_of(course)
    assignment = load_assignment(folder, slug)
    assignment = assignment if training else assignment.without_training()
    console = Console(stderr=as_json)
    events = Events(sys.stdout)
    people, facts = _class_facts(out, roster, due)
    choices = Choices(seed, tuple(regrade or ()), tuple(only or ()), facts)
    slots = jobs or cores()
    try:
        found = read_submissions(submissions, assignment.file, people)
        with open_gradebook(out, assignment) as book:
            plan = make_plan(book, assignment, found, choices)
            if plan.tasks:
                with _sandbox(slots, assignment, folder, accept_unsandboxed=accept_unsandboxed) as sandbox:
                    carry_out(book, plan, sandbox, slots, events if as_json else watch_on(console))
                console.print("writing the files of the class", highlight=False)
            summary = publish(book)
            done, kept = len(plan.tasks), plan.kept
            if as_json:
                events.tell("done", graded=done, kept=kept, **summary)
            else:
                _show_class(console, book, f"{slug}: {len(found)} submissions", done, kept)
                _say_where(console, out, summary)
    except (SubmissionsError, GradebookError) as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error}. What was graded is in {out}; mend that, and the same command goes on from there.")
    except KeyboardInterrupt:
        console.print(f"Stopped. What was graded is in {out}; the same command goes on from there.", highlight=False)
        raise
    raise typer.Exit(1 if summary["problems"] else 0)


def report(out: Annotated[Path, typer.Argument(help="The folder a `grade` wrote")]) -> None:
    """Make every file of a graded class anew from its gradebook."""
    from autograder.pipeline import publish

    with _gradebook(out) as book:
        publish(book, anew=True)
    print(out / "report.html")


def override(
    student: Annotated[str, typer.Argument(help="As in grades.csv, or id, email or name on the roster")],
    exercise: Annotated[str, typer.Argument(help="Its name")],
    points: Annotated[float | None, typer.Argument(show_default=False, help="The points it is worth")] = None,
    because: Annotated[str, typer.Option(help="The reason, which the student reads too")] = "",
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Go back to the computed points")] = False,
    out: OutOption = Path(),
) -> None:
    """Give an exercise other points than computed, and say why; regrading leaves them as they are."""
    from autograder.batch.view import find_exercise, find_student
    from autograder.pipeline import publish

    if withdraw != (points is None):
        fail("Give the points, or --withdraw to go back to the computed ones.")
    if not withdraw and not because.strip():
        fail('Say why: --because "...". The reason stands in the results, and the student reads it.')
    with _gradebook(out) as book:
        name, wanted = find_student(book, student), find_exercise(book.fact("exercises"), exercise)
        most = book.fact("exercises")[wanted]
        if points is not None and not (math.isfinite(points) and 0 <= points <= most):
            fail(f"{points:g} points cannot be given: {wanted} is worth 0 to {most:g}.")
        book.override(name, wanted, points, because.strip())
        publish(book)
    print(f"{name}: {wanted} {'as computed' if points is None else f'{points:g} of {most:g}'}")


def explain(
    student: Annotated[str, typer.Argument(help="As in grades.csv, or id, email or name on the roster")],
    exercise: Annotated[str, typer.Argument(help="Its name")],
    out: OutOption = Path(),
    accept_unsandboxed: TrustOption = False,
    course: CourseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run one student's failing cases again and show all of them, hidden inputs included. For graders."""
    from rich.console import Console

    from autograder.appeal import differences, look_again, open_case
    from autograder.terminal import show_appeal

    folder = course_of(course)
    with _gradebook(out) as book:
        assignment = load_assignment(folder, book.fact("assignment"))
        case = open_case(book, assignment, student, exercise)
    with _sandbox(1, assignment, folder, accept_unsandboxed=accept_unsandboxed) as sandbox:
        found, problem = look_again(case, assignment, sandbox)
    if as_json:
        answer = {"student": case.entry["student"], "exercise": asdict(found), "problem": problem}
        print(json.dumps(answer | {"gradebook": case.result, "differences": differences(case, found)}, indent=1))
    else:
        show_appeal(Console(), case, found, problem)


@contextmanager
def _gradebook(out: Path) -> Iterator[Any]:
    """Open the gradebook of a graded class, or say why not."""
    from autograder.batch.gradebook import GradebookError
    from autograder.batch.shelf import open_gradebook

    try:
        with open_gradebook(out) as book:
            yield book
    except GradebookError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error}. The gradebook in {out} is whole; mend that, and run autograder report {out}.")


@contextmanager
def _sandbox(slots: int, assignment: Assignment, course: Path, *, accept_unsandboxed: bool) -> Iterator[Sandbox]:
    from autograder.sandbox.probe import open_sandbox

    with open_sandbox(slots, torch=assignment.torch, secret=course / "solutions") as sandbox:
        if sandbox.isolation.level == "C" and not accept_unsandboxed:
            fail(
                f"This machine cannot isolate student code ({'; '.join(sandbox.isolation.missing)}). "
                "Submissions could read the hidden cases and the solutions. "
                "If you trust every one of them, add --accept-unsandboxed."
            )
        yield sandbox


def _class_facts(out: Path, roster: Path | None, due: str | None) -> tuple[Roster | None, dict[str, Any]]:
    """Return the class's roster, the one given or else the gradebook's, and what is to be written down as new."""
    from autograder.batch.gradebook import GradebookError
    from autograder.batch.roster import RosterError, parse_time, read_roster
    from autograder.batch.shelf import known_roster

    facts: dict[str, Any] = {}
    try:
        people = read_roster(roster) if roster else known_roster(out)
        if roster and people:
            facts["roster"] = [asdict(person) for person in people.people]
        if due is not None:
            facts["due"] = parse_time(due).isoformat()
    except (RosterError, GradebookError) as error:
        fail(str(error))
    return people, facts


def _show_class(console: Console, book: Any, title: str, done: int, kept: int) -> None:
    from autograder.batch.view import records
    from autograder.terminal import show_class

    if done:
        show_class(console, title, list(records(book)))
    console.print(f"{done} graded, {kept} stand as they were" if kept else f"{done} graded", highlight=False)


def _say_where(console: Console, out: Path, summary: dict[str, Any]) -> None:
    from autograder.sandbox.job import Isolation
    from autograder.terminal import show_isolation

    console.print(f"{summary['seconds']:g} s, seed {summary['seed']}", highlight=False)
    show_isolation(console, Isolation(**summary["isolation"]))
    if summary["not_submitted"]:
        console.print(f"{len(summary['not_submitted'])} on the roster handed in nothing", highlight=False)
    if summary["not_on_roster"]:
        console.print(f"{len(summary['not_on_roster'])} are not on the roster", highlight=False)
    if summary["problems"]:
        console.print(f"[red]The grader failed on {len(summary['problems'])} submissions;[/] grade them again.")
    places = ("report.html", "grades.csv", "feedback", "results", "exports")
    print("\n".join(f"{name.partition('.')[0]:<10}{out / name}" for name in places))
