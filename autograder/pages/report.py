"""The report on a class: HTML that needs nothing but itself, made from the records of `results/STUDENT.json`.

Its own script sorts and filters, and names the students behind a number when it is unfolded; the page's policy lets no other run.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from autograder.classroom.history import Change
from autograder.classroom.record import Record, roster_names
from autograder.classroom.requests import Request
from autograder.classroom.summary import Summary
from autograder.classroom.unnamed_failures import Group, groups, have_fingerprints
from autograder.course.spec import Status
from autograder.pages import class_statistics, needs_a_look
from autograder.pages.class_changes import rounds_of
from autograder.pages.items import items
from autograder.pages.page import render_parts
from autograder.pages.staff import command_on

FEW = 6  # students behind a mistake who are named without unfolding
MOST_GROUPS = 30  # of failures without a name that are shown
SCRIPT = (Path(__file__).parent / "templates" / "report.js").read_text(encoding="utf-8")
_SCRIPT_HASH = f"sha256-{b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()}"


def report_parts(
    results: Sequence[Record],
    summary: Summary,
    absent: Sequence[Record] = (),
    waiting: Sequence[Record] = (),
    changes: Sequence[Change] = (),
    requests: Sequence[Request] = (),
    *,
    code_of: Callable[[str, str], str] = lambda _student, _exercise: "",
    whole_of: Callable[[Record], Record] = lambda record: record,
    out: Path = Path(),
    queue: Sequence[str] = (),
) -> Iterator[str]:
    """Yield the parts of the page on the whole class; `absent` handed in nothing, and those `waiting` are not graded yet.

    `code_of` returns a student's code of an exercise, `whole_of` the whole of a record that is in brief. `out` is the folder of
    the class as commands name it, and `queue` says who is to be looked at, in order.
    """
    results = sorted(results, key=lambda result: result.student.casefold())
    looks = needs_a_look.looks(results)
    return render_parts(
        "report.html",
        results=results,
        summary=summary,
        absent=absent,
        waiting=waiting,
        **_statistics(results, absent, waiting),
        slowest=class_statistics.slowest(results, whole_of),
        **_unnamed(groups(results), code_of, out),
        earlier=not have_fingerprints(results),
        few=FEW,
        looks=looks,
        notes=needs_a_look.notes(results),
        advice=needs_a_look.ADVICE,
        look=len({student for rows in looks.values() for student, _ in rows}),
        requests=requests,
        rounds=rounds_of(changes),
        decisions=[
            (r, e)
            for r, e in class_statistics.decisions([*results, *absent, *waiting])
            if e.status is not Status.MANUAL
        ],
        queue=queue,
        people=roster_names([*results, *absent, *waiting]),
        places_of=_places_in(results),
        statuses=_statuses(results),
        script=Markup(SCRIPT),  # noqa: S704 (our own, the same in every page)
        script_hash=Markup(_SCRIPT_HASH),  # noqa: S704
    )


def _statistics(results: Sequence[Record], absent: Sequence[Record], waiting: Sequence[Record]) -> dict[str, object]:
    """Return what the page says in numbers: of the class, its sections, exercises, cases and known mistakes."""
    rates = class_statistics.case_rates(results)
    return {
        "headline": class_statistics.headline(results),
        "sections": class_statistics.sections(results, absent, waiting),
        "bars": class_statistics.distribution(results),
        "exercises": class_statistics.exercise_rates(results),
        "hardest": class_statistics.hardest_cases(rates),
        "cases": [(name, list(group)) for name, group in groupby(rates, key=lambda rate: rate.exercise)],
        "items": items(results),
        "mistakes": class_statistics.mistakes(results),
        "crashes": class_statistics.crashes(results),
        "late": class_statistics.late(results),
        "typical": class_statistics.typical_seconds(results),
    }


def _unnamed(found: Sequence[Group], code_of: Callable[[str, str], str], out: Path) -> dict[str, object]:
    """Return what the page says of failures without a name: groups with an example, and who stands alone."""
    several = [group for group in found if len(group.students) > 1]
    shown = [
        (
            group,
            code_of(group.example, group.exercise),
            command_on(group.example, "name", (group.example, group.exercise), ("-o", str(out.absolute()))),
        )
        for group in several[:MOST_GROUPS]
    ]
    alone = dict.fromkeys(group.example for group in found if len(group.students) == 1)
    return {"unnamed": shown, "smaller": len(several) - len(shown), "alone": tuple(alone)}


def _places_in(results: Sequence[Record]) -> Callable[[Iterable[str]], list[int]]:
    """Return what tells the rows in which some students stand."""
    rows = {result.student: row for row, result in enumerate(results)}
    return lambda students: sorted(rows[student] for student in students)


def _statuses(results: Sequence[Record]) -> list[str]:
    """Return the words by which the class can be narrowed, as they stand in its rows."""
    found = {result.status.replace("_", " ") for result in results}
    found |= {"late"} if any(result.late for result in results) else set()
    found |= {"decided"} if class_statistics.decisions(results) else set()
    return sorted(found)
