"""Who is behind the numbers: students are found under the right heading, and in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from class_records import (
    MISSING,
    NO_SCALE,
    WRONG_AXIS,
    absentee,
    decided,
    handed_in,
    large_class,
    make_result,
    report_html,
    small_class,
    summary,
    with_case,
)

from autograder.course.spec import Status
from autograder.judge.crash_kinds import PROCESS_ENDED
from autograder.judge.reasons import Advice, Diagnosis, Hint, Mistake
from autograder.judge.result import CaseResult, Result
from autograder.pages.class_statistics import SLOWEST, decisions, late, mistakes, slowest, typical_seconds
from autograder.pages.needs_a_look import looks, notes


def test_mistakes_are_ranked_and_named() -> None:
    """Two mistakes in one submission count for both, once for each student; a guess between two stays whole."""
    first, second = mistakes(small_class())
    assert (first.name, first.says, first.students) == ("no_scale", NO_SCALE, ("s002", "s003"))
    assert (second.name, second.says, second.students) == ("wrong_axis", WRONG_AXIS, ("s003",))
    choice = Diagnosis("attention", tuple((Mistake(what, "attention", f"It is {what}."),) for what in ("this", "that")))
    (guess,) = mistakes([with_case(make_result("s"), 1, 0, status=Status.FAILED, reason=choice)])
    says = "One of these: It is this. Or: It is that."
    assert (guess.name, guess.says, guess.exercises) == ("this", says, ("attention",))


def test_sentences_may_hold_any_words() -> None:
    """Mistakes are told apart whatever their sentences say; of a mistake in another exercise nothing is counted here."""
    first = Mistake("first", "attention", "You scale twice. Also: this overflows.")
    second = Mistake("second", "attention", "One of these: rows, columns.")
    upstream = Mistake("third", "causal_mask", "Your mask is upside down.")
    result = make_result("s", attention=(Status.FAILED, (first, second, upstream)))
    assert [(found.name, found.says) for found in mistakes([result])] == [
        ("first", first.sentence),
        ("second", second.sentence),
    ]


def test_a_package_that_is_missing_needs_a_look_where_something_is_built_on_it() -> None:
    """An import that nothing needs does not, nor a crash for another reason."""
    told = "ModuleNotFoundError: No module named 'scipy'"
    result = make_result("s", attention=(Status.CRASHED,), notes=(f"{told}\n  s.py, line 1\n    import scipy",))
    built_on = with_case(result, 1, 0, crash="undefined_name")
    heading = "Builds on a package that is not installed here, or on a file that is not read"
    assert looks([built_on]) == {heading: (("s", told),)}
    asked_inside = with_case(make_result("s", attention=(Status.CRASHED,)), 1, 0, crash="no_such_module")
    assert looks([asked_inside]) == {heading: (("s", "`attention`"),)}
    assert looks([result, with_case(result, 1, 0, status=Status.PASSED)]) == {}


def test_a_training_beside_a_mistake_without_a_name_needs_a_look() -> None:
    """It may be one mistake, charged twice; not where its mistake has a name, nor once a person has decided."""
    heading = "Perhaps one mistake, charged twice: a training lost points beside an exercise whose mistake has no name"
    lost = with_case(make_result("s", attention=(Status.FAILED,), causal_mask=(Status.FAILED,)), 1, 0, fingerprint="a1")
    attention, mask = (next(e for e in lost.exercises if e.name == name) for name in ("attention", "causal_mask"))
    trained = replace(lost, exercises=(replace(mask, device="cpu"), attention))
    assert looks([trained]) == {heading: (("s", "`causal_mask` beside `attention`"),)}
    named = make_result("s", attention=(Status.FAILED, (Mistake("no_scale", "attention", NO_SCALE),))).exercises[1]
    for other in (
        lost,
        replace(trained, exercises=(replace(mask, device="cpu"), named)),
        replace(trained, exercises=(replace(mask, device="cpu", score=mask.max_score), attention)),
        decided(trained, "causal_mask", 1.0, "Once is enough."),
    ):
        assert looks([other]) == {}


def test_who_needs_a_look() -> None:
    """What no student can mend alone is urgent, and the rest are notes; a file that could not be imported is not a crash too."""
    died = with_case(make_result("s007", attention=(Status.CRASHED,)), 1, 0, crash=PROCESS_ENDED)
    doubt = replace(make_result("s008", notes=("which file?",)), doubts=("which file?",))
    blank = make_result("s009", **MISSING)
    strange = make_result("s010", **MISSING | {"attention": (Status.FAILED,)})
    builds = with_case(make_result("s011", attention=(Status.FAILED,)), 1, 0, reason=Advice(Hint.MEND_FIRST, "scores"))
    forbidden = with_case(make_result("s012", attention=(Status.FAILED,)), 1, 0, reason=Advice(Hint.FORBIDDEN))
    everyone = [*small_class(), died, doubt, blank, strange, builds, forbidden]
    found = looks(everyone)
    assert [(heading, [student for student, _ in rows]) for heading, rows in found.items()] == [
        ("Could not be read", ["s005"]),
        ("Could not be imported", ["s006"]),
        ("Nothing is written in it", ["s009"]),
        ("Perhaps the file of another assignment: it has no points, and most exercises are missing", ["s010"]),
        ("It is open which file counts", ["s008"]),
        ("Ended the Python process", ["s007"]),
        ("Perhaps right by itself: it lost points by what another wrong exercise gives it", ["s011"]),
    ]
    assert [(heading, [student for student, _ in rows]) for heading, rows in notes(everyone).items()] == [
        ("Timed out", ["s004"]),
        ("Crashed", ["s004", "s007"]),
        ("Used what the exercise forbids", ["s012"]),
        ("Remarks, such as a second submission", ["s003"]),
    ]
    assert notes(everyone)["Crashed"][0] == ("s004", "`attention`")


def test_code_that_ends_python_is_named_as_that(
    graded: Callable[[str], Result], edited: Callable[..., str], cases: Callable[[Result, str], dict[str, CaseResult]]
) -> None:
    """It is no exception, and a person is to look at it."""
    result = graded(edited(center="import os\nos._exit(0)"))
    assert cases(result, "center")["two_rows_centered"].crash == PROCESS_ENDED
    assert {case.crash for case in cases(result, "row_means").values()} == {""}


def test_the_latest_come_first() -> None:
    """Hours are compared, and who was on time is not in it; of whom only a mark is known stands last."""
    first, second, third, fourth, *_ = small_class()
    marked = replace(fourth, late=True, late_hours=None)
    found = late([marked, handed_in(first, 2), handed_in(second, -3), handed_in(third, 30)])
    assert [(record.student, record.late_hours) for record in found] == [("s003", 30), ("s001", 2), ("s004", None)]


def test_the_slowest_say_where_their_time_went() -> None:
    """The exercise with the most seconds in its cases is named; half of the class took the typical time or less."""
    slow = with_case(replace(make_result("slow"), seconds=9.5), 1, 0, seconds=9.0)
    unread = replace(make_result("unread", "unreadable"), seconds=3.0)
    first, second, *others = slowest([*large_class(), slow, unread])
    assert (first.student, first.seconds, first.exercise) == ("slow", 9.5, "attention")
    assert (second.student, second.exercise, second.longest) == ("unread", "", 0)
    assert len(others) == SLOWEST - 2
    assert typical_seconds(large_class()) == 0.21
    assert (slowest([]), typical_seconds([])) == ((), 0.0)


def test_decisions_of_a_person() -> None:
    """What was computed and what was given stand side by side, also for somebody who handed in nothing."""
    changed = decided(small_class()[1], "attention", 4.0, "Right idea.")
    paper = decided(absentee("x1"), "causal_mask", 2.0, "On paper.")
    (first, attention), (second, mask) = decisions([changed, small_class()[0], paper])
    made = attention.override
    assert made
    assert (first.student, made.computed, made.points, made.because) == ("s002", 2.5, 4.0, "Right idea.")
    assert (second.student, mask.name) == ("x1", "causal_mask")
    html = report_html([changed], summary(), [paper])
    assert 'href="staff/s002.html"' in html
    assert 'href="staff/x1.html"' not in html
