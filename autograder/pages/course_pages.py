"""Write what a course came to: one sheet, a page about all of it, and a page for each student."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from autograder.classroom.course_grades import SLIPS, Part, Standing
from autograder.classroom.course_rules import Rules
from autograder.classroom.student_names import is_safe
from autograder.classroom.whole_files import SPREADSHEET, write_whole
from autograder.course.language import marked, speaking
from autograder.lms.platform import write_sheet
from autograder.pages.page import render

SHEET, REPORT, STUDENTS = "course.csv", "course.html", "students"


@dataclass(frozen=True)
class Trend:
    """How a course did in one assignment."""

    title: str
    graded: int
    handed_in: int
    late: int
    mean: float | None  # share of the points, of those whose share counts
    median: float | None


def write_course(out: Path, standings: Sequence[Standing], rules: Rules) -> None:
    """Write all files of a course; pages of students who are not in it any more go."""
    write_whole(out / SHEET, course_csv(standings), SPREADSHEET)
    write_whole(out / REPORT, course_html(standings, rules))
    pages = {page_name(standing.student): standing for standing in standings}
    for path in (out / STUDENTS).glob("*.html"):  # before others are written: bob.html may be BOB.html's file, too
        if path.name not in pages:
            path.unlink()
    for name, standing in pages.items():
        write_whole(out / STUDENTS / name, student_html(standing, rules))


def page_name(student: str) -> str:
    """Return the name of a student's page, whatever the student is called."""
    letters = (
        letter if letter == " " or is_safe(letter) else quote(letter, safe="", errors="replace") for letter in student
    )
    return f"{''.join(letters)}.html"


def course_csv(standings: Sequence[Standing]) -> str:
    """Return a line for each student: the total in percent, and for each assignment points, days late, what counts, and why not."""
    parts = standings[0].parts if standings else ()
    heads = [f"{part.slug} {what}" for part in parts for what in ("raw", "days late", "final", "status")]
    rows: list[list[object]] = [["student", "name", "section", "total", "free days left", *heads]]
    for one in standings:
        cells = [cell for part in one.parts for cell in _cells(part)]
        total = "" if one.total is None else round(100 * one.total, 2)
        rows.append([one.student, one.name, one.section, total, one.free_days_left, *cells])
    return write_sheet(rows)


def _cells(part: Part) -> tuple[object, ...]:
    final = "" if part.final is None else round(part.final, 4)
    late = "unknown" if part.late_days is None else part.late_days or ""
    return "" if part.raw is None else part.raw, late, final, how(part)


def how(part: Part) -> str:
    """Return in a word of English how a part counts, where it is not simply counted."""
    if part.exempt:
        return marked("exempt")
    if part.raw is None:
        return marked("not graded yet")
    if part.dropped:
        return marked("dropped")
    return "" if part.submitted else marked("not handed in")


def course_html(standings: Sequence[Standing], rules: Rules) -> str:
    """Return the page about the whole course, for staff."""
    slugs = [part.slug for part in standings[0].parts] if standings else []
    return render(
        "course.html",
        title=rules.title,
        rules=rules,
        standings=[(one, f"{STUDENTS}/{quote(page_name(one.student))}") for one in standings],
        parts=standings[0].parts if standings else (),
        trends=[_trend([part for one in standings for part in one.parts if part.slug == slug]) for slug in slugs],
        slipping=sorted((one for one in standings if one.slips >= SLIPS), key=lambda one: -one.slips),
        silent=[one for one in standings if _silent(one)],
        mean=_mean([one.total for one in standings if one.total is not None]),
    )


def student_html(standing: Standing, rules: Rules) -> str:
    """Return one student's page, which the student may read."""
    with speaking(rules.language):
        return render("course_student.html", title=rules.title, one=standing, rules=rules, how=how)


def _trend(parts: Sequence[Part]) -> Trend:
    shares = [part.share for part in parts if part.share is not None and not part.exempt]
    return Trend(
        parts[0].title,
        graded=sum(part.raw is not None for part in parts),
        handed_in=sum(part.submitted for part in parts),
        late=sum(bool(part.late_days) for part in parts),
        mean=_mean(shares),
        median=statistics.median(shares) if shares else None,
    )


def _silent(one: Standing) -> bool:
    """Whether a student handed in nothing for the latest two assignments, exempt ones left out."""
    latest = [part for part in one.parts if not (part.exempt or part.bonus)][-2:]
    return len(latest) > 1 and not any(part.submitted for part in latest)


def _mean(shares: Sequence[float]) -> float | None:
    return statistics.fmean(shares) if shares else None
