"""The commands on a graded class: rebuild its files, decide otherwise, look again."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.command.options import (
    CourseOption,
    JsonOption,
    OutOption,
    TrustOption,
    class_sandbox,
    course_of,
    fail,
    graded_book,
)
from autograder.course.catalog import load_assignment
from autograder.sandbox.child.device import CPU

MISTAKE = "name_this_mistake"

if TYPE_CHECKING:
    from autograder.classroom.appeal import Case
    from autograder.course.spec import Assignment


def report(out: Annotated[Path, typer.Argument(help="The folder a `grade` wrote")]) -> None:
    """Rewrite every file of a graded class from its gradebook."""
    from autograder.command.class_outcome import tell_unfinished
    from autograder.pages.class_files import publish

    with graded_book(out) as book:
        tell_unfinished(publish(book, rewrite=True).summary)
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
    from autograder.classroom.gradebook_view import find_exercise, find_student, left
    from autograder.command.class_outcome import tell_unfinished
    from autograder.pages.class_files import publish

    if withdraw != (points is None):
        fail("Give the points, or --withdraw to go back to the computed ones.")
    if not withdraw and not because.strip():
        fail('Say why: --because "...". The reason stands in the results, and the student reads it.')
    with graded_book(out) as book:
        name, wanted = find_student(book, student), find_exercise(book.points, exercise)
        most = book.points[wanted]
        if points is not None and not (math.isfinite(points) and 0 <= points <= most):
            fail(f"{points:g} points cannot be given: {wanted} is worth 0 to {most:g}.")
        book.override(name, wanted, points, because.strip())
        tell_unfinished(publish(book).summary)
        if name in left(book):
            note = "is not in the class any more; the decision counts when the class holds a submission of theirs again"
            print(f"autograder: {name} {note}", file=sys.stderr)
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

    from autograder.classroom.appeal import differences, look_again, open_case
    from autograder.classroom.record_json import told_exercise as recorded
    from autograder.command.terminal import show_appeal
    from autograder.judge.result_json import told_exercise
    from autograder.oracle.device_choice import on_device

    folder = course_of(course)
    with graded_book(out) as book:
        assignment = on_device(load_assignment(folder, book.facts.assignment), book.facts.device or CPU)
        case = open_case(book, assignment, student, exercise)
    assignment = _where_trained(assignment, case, folder)
    with class_sandbox(1, assignment, folder, accept_unsandboxed=accept_unsandboxed) as sandbox:
        found, problem = look_again(case, assignment, sandbox)
    if as_json:
        answer = {"student": case.record.student, "exercise": told_exercise(found), "problem": problem}
        print(
            json.dumps(answer | {"gradebook": recorded(case.result), "differences": differences(case, found)}, indent=1)
        )
    else:
        show_appeal(Console(), case, found, problem)


def name(
    student: Annotated[str, typer.Argument(help="As in grades.csv, or id, email or name on the roster")],
    exercise: Annotated[str, typer.Argument(help="Its name")],
    mistake: Annotated[str, typer.Argument(help="What to call the mistake, such as no_scale")] = MISTAKE,
    out: OutOption = Path(),
    accept_unsandboxed: TrustOption = False,
    course: CourseOption = None,
) -> None:
    """Write a known mistake from one student's code, for the bank: the smallest change of the reference to it, tried out.

    The report has this command for each group of failures without a name. It prints Python for misconceptions.py, changes no
    file, and ends with 1 where the reference with the change does not fail as the student does.
    """
    from autograder.classroom.appeal import open_case
    from autograder.classroom.mistake_skeleton import change_of, in_words, skeleton, try_out

    folder = course_of(course)
    with graded_book(out) as book:
        assignment = load_assignment(folder, book.facts.assignment)
        case = open_case(book, assignment, student, exercise)
        change = change_of(case, assignment)
    if not mistake.isidentifier() or mistake in {m.name for m in assignment.misconceptions}:
        fail(
            f"{mistake!r} cannot be the mistake's name: it has to be a Python name that {assignment.slug} does not have yet."
        )
    with class_sandbox(1, assignment, folder, accept_unsandboxed=accept_unsandboxed) as sandbox:
        tried = try_out(change, case, assignment, sandbox)
    if not tried.caught_by:
        fail(in_words(tried, case))
    print(skeleton(change, mistake, case.record.student, case.exercise, tried.caught_by))
    print(f"autograder: {in_words(tried, case)}", file=sys.stderr)
    raise typer.Exit(0 if tried.is_sound else 1)


def _where_trained(assignment: Assignment, case: Case, folder: Path) -> Assignment:
    """Return the assignment on the device that the exercise was trained on, or on the CPU where that is not there."""
    from autograder.oracle.device_choice import device_trouble, on_device

    if all(training.exercise != case.exercise or training.device == CPU for training in assignment.trainings):
        return on_device(assignment, CPU)
    with class_sandbox(1, assignment, folder, accept_unsandboxed=True) as sandbox:
        reason = device_trouble(assignment, assignment.device, sandbox)
    if not reason:
        return assignment
    told = f"{case.record.student} was trained on {assignment.device}, which is not there ({reason})."
    print(f"autograder: {told} It is trained on the CPU now.", file=sys.stderr)
    return on_device(assignment, CPU)


def similarity(
    out: Annotated[Path, typer.Argument(help="The folder a `grade` wrote")],
    least: Annotated[int, typer.Option(min=1, max=100, help="Show pairs that share so many percent")] = 80,
    course: CourseOption = None,
) -> None:
    """Suggest which submissions look alike: a page of pairs, for a person to judge. It never grades."""
    try:
        from autograder.pages.similarity import compare, similarity_html
    except ImportError as error:
        fail(f"Comparing submissions takes copydetect: pip install 'sequence-autograder[similarity]' ({error})")
    from autograder.classroom.gradebook_view import source_of
    from autograder.classroom.whole_files import write_whole

    with graded_book(out) as book:
        assignment = load_assignment(course_of(course), book.facts.assignment)
        sources = {student: source_of(book, student) for student in book.students()}
        title = book.facts.title
    found = compare({who: source for who, source in sources.items() if source}, assignment.stub, least / 100)
    write_whole(out / "similarity.html", similarity_html(found, title, least / 100))
    pairs = "1 pair" if found.found == 1 else f"{found.found} pairs"
    print(f"{pairs} of {found.compared} submissions share {least} % or more: {out / 'similarity.html'}")
