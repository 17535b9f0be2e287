"""The command that gives a class its feedback back: over a platform's files, over Canvas's API, or by mail."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.command.options import CourseOption, check_course, fail, graded_book

if TYPE_CHECKING:
    from autograder.classroom.gradebook import Gradebook
    from autograder.lms.platform import Platform
    from autograder.lms.worksheet import Filled
    from autograder.pages.returns import Return

CANVAS_API, MAIL = "canvas-api", "mail"
_ROSTER = "Grade again with --roster FILE.csv, which begins with the line id,name,email; no result changes by that."
_NEXT = {  # what to do with the sheet, and with the zip of pages
    "blackboard": ("In Blackboard: Grade Center, Work Offline, Upload the sheet.",),
    "brightspace": (
        "In Brightspace: Grades, Import the sheet.",
        "In the assignment, Add Feedback Files takes the zip.",
    ),
    "canvas": (
        (
            "In Canvas: Grades, Import the sheet. Its last column has to be called as the assignment's column is in an export of "
            "the grades, with its number, such as A2 (55512): any other name makes a new assignment."
        ),
        "In the assignment, Upload Submissions takes the zip.",
    ),
    "ilias": ("In ILIAS: in the exercise's grades, Multi-Feedback takes the zip.",),
    "moodle": (
        "In Moodle: in the assignment's submissions, Upload grading worksheet takes the sheet.",
        "Upload multiple feedback files in a zip takes the zip.",
    ),
    "sakai": (
        "In Sakai: put the sheet as grades.csv into the archive that Upload All takes.",
        "Put the folders of the zip there, too.",
    ),
}


_WORKSHEETS = {  # how to have the sheet in one's own language
    "moodle": "Where your Moodle speaks another language, download its grading worksheet and add --worksheet FILE.csv",
    "sakai": "Where numbers have a comma in your Sakai, take grades.csv out of the archive and add --worksheet grades.csv",
}


def give_back(
    out: Annotated[Path, typer.Argument(help="The folder a `grade` wrote")],
    to: Annotated[
        str,
        typer.Option(help="moodle, canvas, brightspace, blackboard, sakai or ilias for their files; canvas-api; mail"),
    ],
    again: Annotated[bool, typer.Option("--all", help="Also resend unchanged results")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be given, and give nothing")] = False,
    worksheet: Annotated[
        Path | None,
        typer.Option(
            help="moodle: the assignment's grading worksheet, in any language, to fill; sakai: the archive's grades.csv"
        ),
    ] = None,
    url: Annotated[str, typer.Option(help="canvas-api: the address of the assignment in Canvas")] = "",
    sender: Annotated[str, typer.Option("--from", help="mail: the address that messages come from")] = "",
    course: CourseOption = None,
) -> None:
    """Give students their points and pages back; only what changed since the last time."""
    from autograder.classroom.gradebook_view import absentees
    from autograder.pages.returns import is_known, not_given, returns, takers

    check_course(course)
    platforms = takers()
    _check_way(to, platforms, sender, worksheet)
    with graded_book(out) as book:
        every = returns(book)
        due = every if again else not_given(book, to, every)
        platform = platforms.get(to)
        _check_results(out, to, every)
        filled = _filled(to, worksheet, every, due) if worksheet else None
        due = _with_a_line(due, filled) if filled else due
        if platform and not (filled or any(is_known(platform, one) for one in every)):
            fail(_why_unknown(out, platform, every))
        print(
            f"{len(due)} of {len(every)} to be given to {to}{'' if again else ': new, or changed since they were given'}"
        )
        absent = [record.student for record in absentees(book) if record.points]
        _tell_lost(
            absent, f"handed in nothing and {'has' if len(absent) == 1 else 'have'} points, but no page; see grades.csv"
        )
        if to == CANVAS_API:
            _over_canvas(book, due, url, dry_run=dry_run)
        elif dry_run or not due:
            _tell(one.row.student for one in due)
        elif platform:
            _as_files(book, due, platform, filled)
        else:
            _by_mail(book, due, sender)


def _check_results(out: Path, to: str, every: Sequence[Return]) -> None:
    """Check that there are results to give back, and for mail that someone has an address."""
    if not every:
        fail(f"There is no result to give back in {out} yet. Run autograder grade until all of the class is graded.")
    if to == MAIL and not any(one.row.email for one in every):
        told = f"None of the {len(every)} students has an email. {_ROSTER} Or hand out the pages of {out / 'feedback'}."
        fail(f"{told} Nothing was written.")


def _check_way(to: str, platforms: Iterable[str], sender: str, worksheet: Path | None) -> None:
    """Check that there is such a way to give something back, and that the options are of it."""
    if to not in (*platforms, CANVAS_API, MAIL):
        fail(f"Nothing is known of {to}. --to takes {', '.join(sorted(platforms))}, {CANVAS_API} or {MAIL}.")
    if to == MAIL and "@" not in sender:
        fail("Say from whom the messages are: --from ta@example.edu")
    if worksheet and to not in _WORKSHEETS:
        fail(f"--worksheet is Moodle's or Sakai's; leave it out, or give back --to {' or '.join(_WORKSHEETS)}.")


def _why_unknown(out: Path, platform: Platform, every: Sequence[Return]) -> str:
    """Say why a platform knows none of the students, and how they get their points and pages all the same."""
    came, name = f"None of these submissions came from {platform.name}", platform.label
    if not any(one.row.id or one.row.login or one.row.email for one in every):
        told = [f"{came}, and no roster says who the students are there. {_ROSTER}"]
    else:
        told = [f"{came}, and {name} knows students only by the names of its own export, whatever a roster says."]
        if platform.sheet:
            sheet = out / "exports" / f"{platform.name}.csv"
            told.append(f"For the points, import {sheet} there as a CSV of grades, by ID number or email address.")
    mail = f"--to {MAIL} writes a message to each who has an email on the roster"
    return " ".join([*told, f"{mail}; or hand out the pages of {out / 'feedback'}. Nothing was written."])


def _filled(to: str, worksheet: Path, every: Sequence[Return], due: Sequence[Return]) -> Filled:
    """Fill a platform's own worksheet with what is due."""
    from autograder.classroom.tables import TableError, table_text
    from autograder.lms import moodle_worksheet, sakai_worksheet
    from autograder.lms.worksheet import WorksheetError

    try:
        text = table_text(worksheet)
        fill = moodle_worksheet.fill if to == "moodle" else sakai_worksheet.fill
        return fill(text, [one.row for one in every], {one.row.student for one in due})
    except TableError as error:
        fail(f"{error} Nothing was written.")
    except WorksheetError as error:
        fail(f"{worksheet}: {error} Nothing was written.")


def _with_a_line(due: Sequence[Return], filled: Filled) -> list[Return]:
    """Return what is due to those who have a line in a worksheet, and say who has none."""
    outside = [one.row.student for one in due if one.row.student not in filled.students]
    _tell_lost(outside, "have no line in the worksheet, so nothing is given to them this time")
    return [one for one in due if one.row.student in filled.students]


def _as_files(book: Gradebook, due: Sequence[Return], platform: Platform, filled: Filled | None) -> None:
    """Write the sheet and the pages that a platform takes, and say what to do with them."""
    from autograder.judge.points import points_text
    from autograder.pages.returns import is_known, note_given, write_archive

    written = write_archive(book.folder, platform, due, filled.text if filled else "")
    note_given(book, platform.name, [one for one in due if filled or is_known(platform, one)])
    print(*filter(None, (written.pages, written.sheet)), sep="\n")
    print(*(_NEXT[platform.name] if written.pages else _NEXT[platform.name][:1]))
    if written.sheet:
        most = points_text(due[0].row.max_score)
        print(f"Points go over as they are, so the assignment's maximum there has to be {most}.")
    if platform.name in _WORKSHEETS:
        _tell_of_worksheet(book, due, platform, filled)
    _tell_lost(written.lost, f"did not come from {platform.name}, so its archive has no place for their pages")
    if written.lost:
        print(f"--to {MAIL} sends these pages, or hand them out from {book.folder / 'feedback'}.")


def _tell_of_worksheet(book: Gradebook, due: Sequence[Return], platform: Platform, filled: Filled | None) -> None:
    """Say what of a platform's worksheet has to be known: its language, Moodle's maximum, and who is not in it."""
    from autograder.classroom.platform_maximum import other_maximum

    if not filled:
        print(f"This sheet is an English one. {_WORKSHEETS[platform.name]}: it is filled as it is.")
    elif platform.name == "moodle" and not filled.has_feedback:
        print("Feedback comments are not switched on in the assignment there, so the worksheet has no column for them.")
    maximum = filled.maximum if filled else book.facts.maximum
    if platform.name == "moodle" and (told := other_maximum(maximum, due[0].row.max_score)):
        print(f"autograder: {told}", file=sys.stderr)


def _by_mail(book: Gradebook, due: Sequence[Return], sender: str) -> None:
    """Write a message to each student who has an address."""
    from autograder.pages.returns import note_given, write_mails

    folder, lost = write_mails(book.folder, due, sender)
    note_given(book, MAIL, [one for one in due if one.row.student not in lost])
    print(f"{folder}: an .eml file for each of {len(due) - len(lost)}; a mail program opens and sends them.")
    _tell_lost(lost, "have no email on the roster; give one with --roster and grade again")


def _over_canvas(book: Gradebook, due: Sequence[Return], url: str, *, dry_run: bool) -> None:
    """Give what is due over Canvas's API, and note each as soon as it is given."""
    from rich.progress import track

    try:
        from autograder.integrations.canvas_api import CanvasError, assignment_at, user_of
    except ModuleNotFoundError:
        fail("Canvas's API takes requests: pip install 'sequence-autograder[canvas]'")
    from autograder.pages.returns import note_given

    token = os.environ.get("CANVAS_TOKEN", "")
    if not token:
        fail("Set CANVAS_TOKEN to an access token: in Canvas under Account, Settings, New Access Token.")
    unknown = [one.row.student for one in due if not user_of(one.row)]
    known = [one for one in due if user_of(one.row)]
    given = 0
    try:
        place = assignment_at(url, token)
        print(f"Canvas: {place.title()}")
        if dry_run:
            _tell(f"{one.row.student} ({user_of(one.row)}): {one.comment}" for one in known)
        for one in () if dry_run else track(known, "giving back", disable=not sys.stderr.isatty()):
            user, standing = user_of(one.row), place.standing(user_of(one.row))
            if one.name not in standing.files or standing.score != one.row.score:
                place.give(user, one.row.score, one.comment, one.name, one.page)
                given += 1
            note_given(book, CANVAS_API, [one])
    except CanvasError as error:
        fail(f"{error} {given} were given before that.")
    if not dry_run:
        print(f"{given} given" + f", {len(known) - given} had it already" * (given < len(known)))
    _tell_lost(unknown, "have no Canvas number and no id on the roster")


def _tell(lines: Iterable[str]) -> None:
    for line in lines:
        print(f"  {line}")


def _tell_lost(students: Sequence[str], why: str) -> None:
    from autograder.submission.archives import several

    if students:
        print(f"autograder: {len(students)} {why}: {several(students)}.", file=sys.stderr)
