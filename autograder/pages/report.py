"""The report on a class: HTML that needs nothing but itself, made from the records of `results/STUDENT.json`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from autograder.classroom.history import Change
from autograder.classroom.record import Record
from autograder.classroom.requests import Request
from autograder.classroom.summary import Summary
from autograder.pages import class_statistics, needs_a_look
from autograder.pages.class_changes import rounds_of
from autograder.pages.page import render

FEW = 6  # students behind a mistake who are named without unfolding


def report_html(
    results: Sequence[Record],
    summary: Summary,
    absent: Sequence[Record] = (),
    waiting: Sequence[Record] = (),
    changes: Sequence[Change] = (),
    requests: Sequence[Request] = (),
) -> str:
    """Return the page on the whole class; `absent` handed in nothing, and those `waiting` are not graded yet."""
    results = sorted(results, key=lambda result: result.student.casefold())
    rates = class_statistics.case_rates(results)
    looks = needs_a_look.looks(results)
    return render(
        "report.html",
        results=results,
        summary=summary,
        absent=absent,
        waiting=waiting,
        headline=class_statistics.headline(results),
        sections=class_statistics.sections(results, absent),
        bars=class_statistics.distribution(results),
        exercises=class_statistics.exercise_rates(results),
        hardest=class_statistics.hardest_cases(rates),
        cases=[(name, list(group)) for name, group in groupby(rates, key=lambda rate: rate.exercise)],
        mistakes=class_statistics.mistakes(results),
        crashes=class_statistics.crashes(results),
        few=FEW,
        looks=looks,
        notes=needs_a_look.notes(results),
        look=len({student for rows in looks.values() for student, _ in rows}),
        late=class_statistics.late(results),
        slowest=class_statistics.slowest(results),
        typical=class_statistics.typical_seconds(results),
        requests=requests,
        rounds=rounds_of(changes),
        decisions=class_statistics.decisions([*results, *absent, *waiting]),
    )
