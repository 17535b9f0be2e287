"""The command about a whole course: what students come to over all its assignments."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.command.options import CourseOption, JsonOption, check_course, fail, graded_book

if TYPE_CHECKING:
    from autograder.classroom.course_grades import Sheet
    from autograder.classroom.course_rules import Rules


def course(
    graded: Annotated[list[Path], typer.Argument(help="The folders that `grade` wrote, one for each assignment")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the sheet and the pages")] = Path("course"),
    rules: Annotated[
        Path | None,
        typer.Option(
            show_default="course.toml here or in the course, if there is one",
            help="Weights, lateness, what is dropped, who is exempt",
        ),
    ] = None,
    course: CourseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put the assignments of a course together: late days, weights, a total and a page for every student."""
    from autograder.classroom.course_grades import course_grades, in_all
    from autograder.classroom.course_rules import Rules, RulesError, read_rules
    from autograder.course.course_file import FILE
    from autograder.pages.course_pages import REPORT, SHEET, write_course

    sheets = [_sheet(folder) for folder in graded]
    twice = sorted({one.slug for one in sheets if sum(one.slug == other.slug for other in sheets) > 1})
    if twice:
        fail(f"More than one folder is of {', '.join(twice)}. Name one for each assignment.")
    check_course(course)
    places = (Path(FILE), *([course / FILE] if course else []))
    here = rules or next((place for place in places if place.is_file()), None)
    try:
        found = read_rules(here) if here else Rules()
        standings = course_grades(sheets, found, _assignments(sheets, course))
    except RulesError as error:
        fail(str(error))
    _tell_ungraded(sheets, found)
    _tell_doubled(sheets)
    _tell_spellings(sheets)
    if out.is_dir() and any(out.iterdir()) and not (out / SHEET).is_file():
        fail(f"{out} holds files that are no course's. Name an empty or a new folder with -o.")
    write_course(out, standings, found)
    if as_json:
        print(json.dumps([{**asdict(one), "total": one.total} for one in standings], ensure_ascii=False))
        return
    waiting = sum(part.raw is None for one in standings for part in one.parts)
    both = f", {in_all(sheets)} of them in {'both' if len(sheets) == 2 else 'all'}" if len(sheets) > 1 else ""
    print(f"{found.title}: {len(standings)} students, assignments: {len(sheets)}{both}")
    if waiting:
        print(f"{waiting} results are not graded yet and count for nothing and against no student")
    undated = sum(part.late_days is None for one in standings for part in one.parts)
    if undated and found.late.per_day:
        print(
            f"{undated} results are of submissions whose export does not say when they came: lateness takes nothing of them"
        )
    print(out / SHEET, out / REPORT, sep="\n")


def _sheet(folder: Path) -> Sheet:
    """Return what a gradebook says of everyone, without the cases."""
    from autograder.classroom.course_grades import Sheet
    from autograder.classroom.gradebook_view import absentees, outlines, waiting

    with graded_book(folder) as book:
        records = (*outlines(book), *absentees(book), *waiting(book))
        return Sheet(book.facts.assignment, book.facts.title, book.facts.due, records, book.facts.course)


def _assignments(sheets: Sequence[Sheet], course: Path | None) -> tuple[str, ...] | None:
    """Return the assignments of the course that was named, or of those that the folders were graded by; None where none is there."""
    from autograder.course.places import CourseError, find_course, slugs

    folders = [course] if course else [Path(sheet.course) for sheet in sheets if sheet.course]
    try:
        found = [slug for folder in dict.fromkeys(folders) for slug in slugs(find_course(folder))]
    except CourseError:
        return None
    return tuple(dict.fromkeys(found)) or None


def _tell_doubled(sheets: Sequence[Sheet]) -> None:
    """Name the students who seem to be in the sheet twice, as another platform's export called them by another id."""
    from autograder.classroom.course_grades import doubled
    from autograder.submission.archives import several

    if found := doubled(sheets):
        names = several(f"{name} ({' and '.join(ids)})" for name, ids in found)
        told = "1 name has" if len(found) == 1 else f"{len(found)} names have"
        advice = "Each id counts as a student of its own. Grade all assignments with one roster (--roster, --alias)."
        print(f"autograder: {told} different ids in different gradebooks: {names}. {advice}", file=sys.stderr)


def _tell_spellings(sheets: Sequence[Sheet]) -> None:
    """Name the ids that count as one student's although gradebooks write them with different capitals."""
    from autograder.classroom.course_grades import spelled_twice
    from autograder.submission.archives import several

    if found := spelled_twice(sheets):
        told = "1 id has" if len(found) == 1 else f"{len(found)} ids have"
        names = several(" and ".join(one) for one in found)
        print(
            f"autograder: {told} different capitals in different gradebooks, which do not count: {names}. "
            f"{'It is one student.' if len(found) == 1 else 'Each is one student.'}",
            file=sys.stderr,
        )


def _tell_ungraded(sheets: Sequence[Sheet], rules: Rules) -> None:
    """Name the assignments of the rules that no graded folder is of."""
    from autograder.classroom.course_grades import ungraded

    if names := ungraded(sheets, rules):
        one = len(names) == 1
        told = f"none of the folders is of {'it, so it counts' if one else 'these, so they count'} for nothing yet"
        print(f"autograder: {rules.file} names {', '.join(names)}; {told}", file=sys.stderr)
