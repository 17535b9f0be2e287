"""The command that answers requests for a regrade: read them, run each again, and write down what persons decide."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.command.options import (
    ByOption,
    CourseOption,
    JsonOption,
    OutOption,
    TrustOption,
    class_sandbox,
    course_of_class,
    fail,
    graded_book,
    load_assignment,
)
from autograder.command.revisiting import where_trained
from autograder.sandbox.child.device import CPU

if TYPE_CHECKING:
    from autograder.classroom.appeal import Case
    from autograder.classroom.gradebook import Gradebook
    from autograder.classroom.requests import Request


def requests(
    sheet: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE.csv]", show_default="the requests.csv of the class", help="student, exercise, asks"
        ),
    ] = None,
    by: ByOption = "",
    out: OutOption = Path(),
    accept_unsandboxed: TrustOption = False,
    course: CourseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer requests for a regrade: run each again, and take the decisions from requests.csv."""
    from autograder.classroom.request_sheet import FILE, RequestError, read_sheet, request_sheet
    from autograder.classroom.requests import requests as all_requests
    from autograder.classroom.requests import take_in
    from autograder.classroom.whole_files import SPREADSHEET, write_whole
    from autograder.command.class_outcome import tell_unfinished
    from autograder.pages.class_files import publish

    kept = out / FILE
    with graded_book(out) as book:
        folder = course_of_class(course, book)
        book.who = by.strip() or book.who
        given = [kept] if kept.is_file() else []  # first, so that no decision in it is lost when it is written again
        if sheet and sheet.resolve() != kept.resolve():
            given.append(sheet)
        if not given:
            fail(f"Name a CSV of requests that begins with the line student,exercise,asks: {out} has none yet.")
        try:
            new = take_in(book, [one for path in given for one in read_sheet(path, book)])
        except RequestError as error:
            fail(f"{error} Nothing was taken in.")
        try:
            _run_again(book, folder, accept_unsandboxed=accept_unsandboxed)
        finally:
            write_whole(kept, request_sheet(book), SPREADSHEET)
        tell_unfinished(publish(book).summary)
        found = all_requests(book)
    if as_json:
        print(json.dumps([asdict(one) for one in found], indent=1))
        return
    _show(found, new, kept)


def _run_again(book: Gradebook, folder: Path, *, accept_unsandboxed: bool) -> None:
    """Run the exercises of requests again for which that was not done yet; each is written down at once."""
    from autograder.classroom.appeal import look_again, open_case
    from autograder.classroom.gradebook import GradebookError
    from autograder.classroom.requests import findings_of, note_findings, note_problem
    from autograder.classroom.requests import requests as all_requests
    from autograder.oracle.device_choice import on_device

    waiting = [request for request in all_requests(book) if request.waits]
    if not waiting:
        return
    assignment = on_device(load_assignment(folder, book.facts.assignment), book.facts.device or CPU)
    opened: list[tuple[Request, Case]] = []
    for request in waiting:
        try:
            case = open_case(book, assignment, request.student, request.exercise)
        except GradebookError as error:
            note_problem(book, request, str(error))
            continue
        if case.result.by_person:
            note_problem(book, request, "A person grades this exercise, so there is nothing to run again.")
        else:
            opened.append((request, case))
    if not opened:
        return
    assignment = where_trained(assignment, [case for _, case in opened], folder)
    with class_sandbox(1, assignment, folder, accept_unsandboxed=accept_unsandboxed) as sandbox:
        for number, (request, case) in enumerate(opened, 1):
            told = f"running again {number} of {len(opened)}: {request.student}, {request.exercise}"
            print(told, file=sys.stderr, flush=True)
            (exercise,), _ = look_again([case], assignment, sandbox, tell_all=False)
            note_findings(book, request, findings_of(exercise, case.result))


def _show(found: Sequence[Request], new: int, kept: Path) -> None:
    """Print the requests that wait for a decision, and where it is to be filled in."""
    from rich.console import Console

    from autograder.command.terminal import show_requests

    waiting = [request for request in found if request.answer is None]
    show_requests(Console(), waiting)
    print(f"{new} new, {len(waiting)} to be decided, {len(found) - len(waiting)} decided: {kept}")
    if waiting:
        print(
            "Fill in because, and points where the score changes; then run: autograder requests -o " + str(kept.parent)
        )
