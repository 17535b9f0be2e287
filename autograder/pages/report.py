"""The report on a class: HTML that needs nothing but itself, made from the records of `results/STUDENT.json`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from autograder.classroom.record import Record
from autograder.classroom.summary import Summary
from autograder.pages import class_lists, class_numbers
from autograder.pages.page import render

FEW = 6  # students behind a mistake who are named without unfolding


def report_html(
    results: Sequence[Record], summary: Summary, absent: Sequence[Record] = (), waiting: Sequence[Record] = ()
) -> str:
    """Return the page on the whole class; `absent` handed in nothing, and those `waiting` are not graded yet."""
    results = sorted(results, key=lambda result: result.student.casefold())
    rates = class_numbers.case_rates(results)
    looks = class_lists.looks(results)
    return render(
        "report.html",
        results=results,
        summary=summary,
        absent=absent,
        waiting=waiting,
        headline=class_numbers.headline(results),
        sections=class_numbers.sections(results, absent),
        bars=class_numbers.distribution(results),
        exercises=class_numbers.exercise_rates(results),
        hardest=class_numbers.hardest_cases(rates),
        cases=[(name, list(group)) for name, group in groupby(rates, key=lambda rate: rate.exercise)],
        mistakes=class_lists.mistakes(results),
        few=FEW,
        looks=looks,
        look=len({student for rows in looks.values() for student, _ in rows}),
        late=class_lists.late(results),
        slowest=class_lists.slowest(results),
        typical=class_lists.typical_seconds(results),
        decisions=class_lists.decisions([*results, *absent, *waiting]),
    )
