"""The commands on a graded class: rebuild its files, decide otherwise, look again."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.command.options import (
    ByOption,
    CourseOption,
    JsonOption,
    OutOption,
    TrustOption,
    check_course,
    class_sandbox,
    course_of_class,
    fail,
    graded_book,
    load_assignment,
)
from autograder.sandbox.child.device import CPU

MISTAKE = "name_this_mistake"

if TYPE_CHECKING:
    from autograder.classroom.appeal import Case
    from autograder.classroom.code_lines import Excerpt
    from autograder.course.spec import Assignment
    from autograder.judge.result import ExerciseResult


def report(
    out: Annotated[Path, typer.Argument(help="The folder a `grade` wrote")], course: CourseOption = None
) -> None:
    """Rewrite every file of a graded class from its gradebook."""
    from autograder.command.class_outcome import tell_unfinished
    from autograder.pages.class_files import publish
    from autograder.sandbox.machine import cores

    check_course(course)
    with graded_book(out) as book:
        tell_unfinished(publish(book, rewrite=True, jobs=cores()).summary)
    print(out / "report.html")


def override(
    student: Annotated[str, typer.Argument(help="As in grades.csv, or id, email or name on the roster")],
    exercise: Annotated[str, typer.Argument(help="Its name")],
    points: Annotated[str, typer.Argument(metavar="[NUMBER]", show_default=False, help="The points it is worth")] = "",
    because: Annotated[str, typer.Option(help="The reason, which the student reads too")] = "",
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Go back to the computed points")] = False,
    by: ByOption = "",
    out: OutOption = Path(),
    course: CourseOption = None,
) -> None:
    """Give an exercise other points than computed, and say why; regrading leaves them as they are."""
    from autograder.classroom.decisions import PointsError, points_said
    from autograder.classroom.gradebook_view import absentees, find_exercise, find_student, left
    from autograder.command.class_outcome import tell_unfinished
    from autograder.judge.points import points_text
    from autograder.pages.class_files import publish

    check_course(course)
    if withdraw == bool(points):
        fail("Give the points, or --withdraw to go back to the computed ones.")
    if not withdraw and not because.strip():
        fail('Say why: --because "...". The reason stands in the results, and the student reads it.')
    with graded_book(out) as book:
        name, wanted = find_student(book, student), find_exercise(book.points, exercise)
        most = book.points[wanted]
        try:
            given = points_said(points, wanted, most)
        except PointsError as error:
            fail(str(error))
        book.who = by.strip() or book.who
        book.override(name, wanted, given, because.strip())
        tell_unfinished(publish(book).summary)
        if name in left(book):
            note = "is not in the class any more; the decision counts when the class holds a submission of theirs again"
            print(f"autograder: {name} {note}", file=sys.stderr)
        if name in {record.student for record in absentees(book)}:
            note = "handed in nothing, so there is no page for them; the points stand in grades.csv, exports/ and the report"
            print(f"autograder: {name} {note}", file=sys.stderr)
    print(f"{name}: {wanted} {'as computed' if given is None else f'{points_text(given)} of {points_text(most)}'}")


def explain(
    student: Annotated[str, typer.Argument(help="As in grades.csv, or id, email or name on the roster")],
    exercise: Annotated[str, typer.Argument(show_default="all that do not pass", help="Its name")] = "",
    out: OutOption = Path(),
    accept_unsandboxed: TrustOption = False,
    course: CourseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run one student's failing cases again and show code and cases, hidden inputs included. For graders."""
    from rich.console import Console

    from autograder.classroom.appeal import code_of, look_again, open_case, open_cases
    from autograder.command.terminal import show_appeal
    from autograder.oracle.device_choice import on_device

    with graded_book(out) as book:
        folder = course_of_class(course, book)
        assignment = on_device(load_assignment(folder, book.facts.assignment), book.facts.device or CPU)
        cases = (open_case(book, assignment, student, exercise),) if exercise else open_cases(book, assignment, student)
    found: tuple[ExerciseResult, ...] = ()
    problem = ""
    if cases:
        assignment = where_trained(assignment, cases, folder)
        with class_sandbox(1, assignment, folder, accept_unsandboxed=accept_unsandboxed) as sandbox:
            found, problem = look_again(cases, assignment, sandbox)
    if as_json:
        told = [_told(case, one, code_of(case, assignment)) for case, one in zip(cases, found, strict=True)]
        answer = {"student": cases[0].record.student if cases else student, "problem": problem}
        print(json.dumps(answer | (told[0] if exercise else {"exercises": told}), indent=1))
    elif not cases:
        print(f"{student}: every exercise passes")
    else:
        for case, one in zip(cases, found, strict=True):
            show_appeal(Console(), case, one, problem, code_of(case, assignment))


def _told(case: Case, found: ExerciseResult, code: Sequence[Excerpt]) -> dict[str, object]:
    """Return one exercise as JSON: as it ends now, as it stands in the gradebook, and the student's code."""
    from autograder.classroom.appeal import differences
    from autograder.classroom.record_json import told_exercise as recorded
    from autograder.judge.result_json import told_exercise

    return {
        "exercise": told_exercise(found),
        "gradebook": recorded(case.result, case.record.times.get(case.result.name, ())),
        "differences": differences(case, found),
        "code": [{"file": one.label, "line": one.first, "text": "\n".join(one.lines)} for one in code],
    }


def name(
    student: Annotated[str, typer.Argument(help="As in grades.csv, or id, email or name on the roster")],
    exercise: Annotated[str, typer.Argument(help="Its name")],
    mistake: Annotated[str, typer.Argument(help="What to call the mistake, such as no_scale")] = MISTAKE,
    out: OutOption = Path(),
    accept_unsandboxed: TrustOption = False,
    course: CourseOption = None,
) -> None:
    """Write a known mistake from one student's code: the smallest change of the reference, tried out.

    The report has this command for each group of failures without a name. It prints Python for misconceptions.py, changes no
    file, and ends with 1 where the reference with the change does not fail as the student does.
    """
    from autograder.classroom.appeal import open_case
    from autograder.classroom.mistake_skeleton import change_of, in_words, skeleton, try_out

    with graded_book(out) as book:
        folder = course_of_class(course, book)
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
        fail(in_words(tried, case, assignment))
    print(skeleton(change, mistake, case.record.student, case.exercise, tried.caught_by))
    print(f"autograder: {in_words(tried, case, assignment)}", file=sys.stderr)
    raise typer.Exit(0 if tried.is_sound else 1)


def where_trained(assignment: Assignment, cases: Sequence[Case], folder: Path) -> Assignment:
    """Return the assignment on the device that exercises were trained on, or on the CPU where that is not there."""
    from autograder.oracle.device_choice import device_trouble, on_device

    wanted = {case.exercise for case in cases}
    if all(training.exercise not in wanted or training.device == CPU for training in assignment.trainings):
        return on_device(assignment, CPU)
    with class_sandbox(1, assignment, folder, accept_unsandboxed=True) as sandbox:
        reason = device_trouble(assignment, assignment.device, sandbox)
    if not reason:
        return assignment
    told = f"{cases[0].record.student} was trained on {assignment.device}, which is not there ({reason})."
    print(f"autograder: {told} It is trained on the CPU now.", file=sys.stderr)
    return on_device(assignment, CPU)


def similarity(
    out: Annotated[Path, typer.Argument(help="The folder a `grade` wrote")],
    least: Annotated[int, typer.Option(min=1, max=100, help="Show pairs that share at least this percentage")] = 80,
    against: Annotated[
        list[Path] | None,
        typer.Option(metavar="PATH", help="Also compare with these: last year's submissions, public solutions"),
    ] = None,
    course: CourseOption = None,
) -> None:
    """Suggest which submissions look alike: a page of groups, for a person to judge. It never grades."""
    from autograder.classroom.gradebook_view import outlines, source_of
    from autograder.classroom.look_alikes import compare, text_of
    from autograder.classroom.record import roster_names
    from autograder.classroom.whole_files import write_whole
    from autograder.command.progress import tracked
    from autograder.pages.similarity import similarity_html

    with graded_book(out) as book:
        folder = course_of_class(course, book)
        assignment = load_assignment(folder, book.facts.assignment)
        sources = {student: source_of(book, student) for student in book.students()}
        title, people = book.facts.title, roster_names(outlines(book))
    texts = {who: text_of(source) for who, source in sources.items() if source}
    others = {name: text for path in against or () for name, text in _others(path, assignment).items()}
    found = compare(texts, assignment.stub, least / 100, others, partial(tracked, doing="comparing"))
    write_whole(out / "similarity.html", similarity_html(found, title, least / 100, people))
    one = len(found.groups) == 1
    groups, share = ("1 group", "shares") if one else (f"{len(found.groups)} groups", "share")
    beside = f" and {len(others)} other{'s' * (len(others) > 1)}" if others else ""
    print(f"{groups} among {found.compared} submissions{beside} {share} {least} % or more: {out / 'similarity.html'}")
    if not found.groups and found.compared > 1:
        print("What much of a class has counts for little, so where nearly all hand in one text there is no group.")


def _others(path: Path, assignment: Assignment) -> dict[str, str]:
    """Return the code of submissions that are not of this class, by where they are from."""
    from autograder.classroom.look_alikes import text_of
    from autograder.classroom.submissions import SubmissionsError, read_submissions
    from autograder.submission.written_exercises import Stub

    try:
        found = read_submissions(path, Stub.of(assignment))
    except SubmissionsError as error:
        fail(f"--against {path}: {error}")
    return {f"{path.name}/{one.student}": text_of(one.source) for one in found if one.source}
