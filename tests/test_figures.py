"""The numbers of a class are right."""

from __future__ import annotations

from dataclasses import replace

from class_records import EXERCISES, absentee, handed_in, large_class, make_result, on_roster, small_class

from autograder.course.spec import Status
from autograder.pages.class_statistics import (
    HARDEST,
    case_rates,
    distribution,
    exercise_rates,
    hardest_cases,
    headline,
    sections,
)


def test_headline_numbers() -> None:
    """Mean and median are over what could be graded: 15, 12.5, 10 and 8 points."""
    top = headline(small_class())
    assert (top.submissions, top.graded, top.max_score) == (6, 4, 15)
    assert (top.mean, top.median) == (11.375, 11.25)


def test_distribution_counts_tenths() -> None:
    """Shares of 100, 83, 67 and 53 percent; full points stand in the last bar, 70 percent in the eighth."""
    assert distribution(small_class()) == (0, 0, 0, 0, 0, 1, 1, 0, 1, 1)
    seven = replace(make_result("s"), score=7.000000000001, max_score=10)
    assert distribution([seven]) == (0, 0, 0, 0, 0, 0, 0, 1, 0, 0)


def test_exercise_rates() -> None:
    """Mean points and pass rates are per graded submission, in the assignment's order."""
    rates = exercise_rates(small_class())
    assert [rate.exercise for rate in rates] == list(EXERCISES)
    assert [(rate.passed, rate.judged) for rate in rates] == [(3, 4), (1, 4), (4, 4), (4, 4)]
    assert rates[1].points == (5 + 2.5) / 4


def test_hardest_cases_come_first() -> None:
    """Lowest pass rate first, ties in the assignment's order; what all pass, and our own errors, do not count."""
    rates = hardest_cases(case_rates(small_class()))
    assert [(rate.case, rate.passed) for rate in rates[:3]] == [
        ("i_like_pizza", 1),
        ("matches_reference", 1),
        ("rows_of_weights_sum_to_one", 2),
    ]
    assert "four_by_four" not in {rate.case for rate in rates}
    ours = [make_result("s1"), make_result("s2", causal_mask=(Status.GRADER_ERROR,))]
    assert hardest_cases(case_rates(ours)) == ()
    assert len(hardest_cases(case_rates(large_class()))) <= HARDEST


def test_every_case_has_its_rate_and_how_the_others_ended() -> None:
    """In the order of the assignment; of i_like_pizza two answers were wrong and one crashed."""
    rates = case_rates(small_class())
    assert [rate.case for rate in rates] == [case for _, cases in EXERCISES.values() for case, _, _ in cases]
    (pizza,) = [rate for rate in rates if rate.case == "i_like_pizza"]
    assert (pizza.passed, pizza.judged, pizza.others) == (1, 4, (("FAILED", 2), ("CRASHED", 1)))


def test_sections_of_the_roster() -> None:
    """Each has its mean, who is missing and who was late; without sections there is no table of them."""
    first, second, third, *_ = small_class()
    here = [on_roster(handed_in(first, 5), "Mon"), on_roster(second, "Mon"), on_roster(third, "Tue"), make_result("s9")]
    none, mon, tue = sections(here, [absentee("x1", "Tue"), absentee("x2", "Tue")])
    assert (mon.name, mon.headline.mean, mon.absent, mon.late) == ("Mon", 13.75, 0, 1)
    assert (tue.name, tue.headline.submissions, tue.absent, tue.late) == ("Tue", 1, 2, 0)
    assert (none.name, none.headline.mean) == ("", 15)
    assert sections([on_roster(first)], [absentee("x1")]) == ()
