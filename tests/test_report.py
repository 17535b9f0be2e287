"""The pages: nothing hostile survives in them, and their numbers are right."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from class_records import (
    DATA,
    EXERCISES,
    HOSTILE,
    MISSING,
    SCALE,
    absentee,
    decided,
    handed_in,
    large_class,
    make_exercise,
    make_result,
    on_roster,
    report_html,
    small_class,
    spoiled,
    summary,
    with_case,
)

from autograder.classroom.history import Cause, Change
from autograder.classroom.record import NOT_GRADED, ExerciseRecord, Override, Record
from autograder.classroom.record_json import brief_exercise_of, exercise_of, stored_exercise
from autograder.classroom.requests import Request
from autograder.course.spec import Status, Visibility
from autograder.feedback.page_format import moment, visible
from autograder.judge.reasons import Message, Mistake
from autograder.pages.class_statistics import distribution, headline
from autograder.pages.feedback import feedback_html, feedback_line, handing_in_line
from autograder.pages.review_queue import Place
from autograder.pages.staff import staff_html
from autograder.sandbox.job import Chunk, Source

TAGS = (
    "html head meta title style body a header nav main footer section p h1 h2 h3 bdi b small span br code pre details "
    "summary ul ol li dl dt dd div table thead tbody tr th td figure figcaption svg desc line rect text polyline wbr mark "
    "script noscript input select option label output"
)
ATTRIBUTES = (
    "lang charset http-equiv content name href class id aria-label aria-labelledby aria-hidden role tabindex dir open "
    "style scope viewbox x y x1 x2 y1 y2 width height rx text-anchor points fill-opacity data-who data-of hidden type value"
)
LINKS = ("#", "staff/", "../feedback/", "../report.html")  # where a page may lead, and to the page of another student


class Page(HTMLParser):
    """What a browser would find in a page: tags, attributes and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append(tag)
        self.text += " " * (tag in ("td", "th", "dt", "dd", "li", "br"))
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.text += data


def _pages() -> list[str]:
    report = report_html(large_class(), summary(problems=(HOSTILE,)), code_of=lambda _student, _exercise: HOSTILE)
    return [report, *map(feedback_html, [*small_class(), _hostile()]), *map(_staff, [*small_class(), _hostile()])]


def _staff(result: Record) -> str:
    """Return the page for graders, with hostile code and hostile neighbours."""
    code = f"{HOSTILE}\ndef attention(Q):\n    {HOSTILE}\n"
    source = Source("attention", (Chunk(HOSTILE, code), Chunk("attention.py", code)))
    return staff_html(result, source, Path(HOSTILE.replace("\x00", "")), Place(HOSTILE, HOSTILE))


def _hostile() -> Record:
    """Return a result in which every text that is not one of ours is hostile."""
    wrong = (Status.FAILED, (Mistake("x", "x", "x"),))
    result = on_roster(make_result("x", notes=("x",), attention=wrong), "x", "x", "x")
    ours = {"status", "visibility", "picture", "made", "submitted", "due"}
    hostile: Record = spoiled(decided(result, "attention", 1, "x"), HOSTILE, ours)
    return hostile


def test_nothing_hostile_survives() -> None:
    """Only our own tags, attributes and script stand in a page, and links lead to other pages of the class or within."""
    for html in [
        *_pages(),
        report_html(
            [_hostile()], summary(title=HOSTILE, seed=HOSTILE, engine=HOSTILE, not_on_roster=(HOSTILE,)), [_hostile()]
        ),
    ]:
        bare, scripts = _without_ours(html)
        page = Page(bare)
        assert set(page.tags) <= set(TAGS.split())
        assert {name for name, _ in page.attributes} <= set(ATTRIBUTES.split())
        targets = [value for name, value in page.attributes if name == "href"]
        assert all(value.startswith(LINKS) or re.fullmatch(r"[\w%.~-]+\.html", value) for value in targets)
        assert all(value.startswith("width:") for name, value in page.attributes if name == "style")
        assert bare.count("</pre>") == page.tags.count("pre")
        assert "<script" not in bare.lower()
        assert scripts == ("Class report" in html)


def _without_ours(html: str) -> tuple[str, bool]:
    """Return a page without our script, if its policy allows just that one, and whether it does."""
    before, begin, rest = html.partition("<script>")
    script, _, after = rest.partition("</script>")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = [v for name, v in Page(html).attributes if name == "content" and v.startswith("default-src")]
    if not begin:
        assert "script-src" not in policy
        return html, False
    assert policy.endswith(f"; script-src 'sha256-{digest}'")
    return before + after, True


def test_pages_ask_for_nothing_outside_themselves() -> None:
    """No address stands in a page, and the browser is told to refuse any."""
    for html in _pages():
        assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in html
        assert not any(word in html for word in ("http:", "https:", "//", "url(", "@import", "srcset"))


def test_characters_that_do_not_print_are_shown() -> None:
    """Controls, text direction and lone surrogates are named; a page is always valid UTF-8."""
    for html in _pages():
        html.encode()
        assert all(c.isprintable() or c in "\n\u00a0" for c in html)
    assert visible("a\x00b\u202ec\ud800\x7f\r\nd\te") == "a[U+0000]b[U+202E]c[U+D800][U+007F]\nd\te"
    assert visible("naïve 注意 🍕") == "naïve 注意 🍕"


def test_feedback_unfolds_the_first_failing_case() -> None:
    """A failing exercise is open, says its mistake once and shows one message; the others are folded."""
    html = feedback_html(small_class()[1])
    page = Page(html)
    assert page.text.count("Your scores are not divided by") == 1
    assert page.tags.count("pre") == 1
    assert page.tags.count("details") == 5
    assert sum(name == "open" for name, _ in page.attributes) == 1
    assert DATA in page.text
    assert "1 more case is not right yet" in page.text
    assert "of 15 points" in page.text


def test_of_a_hidden_case_only_its_message_is_shown() -> None:
    """Nothing beside name, claim, status and message of a hidden case reaches the student."""
    result = make_result("s001", attention=({"matches_reference": Status.FAILED}, SCALE))
    result = replace(with_case(result, 1, 1, grader_note="SECRET-NOTE"), seed=987654321)
    html = feedback_html(result)
    assert result.exercises[1].cases[1].message.replace("'", "&#39;") in html
    assert "SECRET" not in html
    assert "987654321" not in html
    assert "can open connections" not in html


@pytest.mark.parametrize("status", Status)
def test_every_status_has_its_word(status: Status) -> None:
    """Each status can be shown, with a sign, a word and an explanation."""
    html = feedback_html(make_result("s001", attention=(status,)))
    page = Page(html)
    assert (
        page.tags.count("dt") == page.tags.count("dd") == len(Status) + 1
    )  # and the same mistake again, which is no status
    assert str(status) not in page.text
    report_html([make_result("s001", attention=(status,))], summary())


@pytest.mark.parametrize("status", ["graded", "not_importable", "unreadable", "grader_error"])
def test_every_kind_of_submission_can_be_shown(status: str) -> None:
    """A problem stands at the top of the page, and then no exercise is unfolded."""
    page = Page(feedback_html(make_result("s001", status, "" if status == "graded" else "What was wrong.")))
    assert ("What was wrong." in page.text) == (status != "graded")
    assert "open" not in dict(page.attributes)
    assert "s001" in Page(report_html([make_result("s001", status)], summary())).text


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (make_result("s"), "All 4 exercises are right. Well done!"),
        (make_result("s", **MISSING), "Nothing is written yet."),
        (small_class()[1], "3 of 4 exercises are right and 1 is partly right."),
        (
            make_result("s", attention=({"i_like_pizza": Status.FAILED},), causal_mask=(Status.MISSING,)),
            "2 of 4 exercises are right, 1 is partly right and 1 is not written yet.",
        ),
        (make_result("s", "grader_error"), "Something went wrong on our side."),
    ],
)
def test_one_line_sums_up(result: Record, line: str) -> None:
    """The sentence at the top is kind, and counts right."""
    assert feedback_line(result).startswith(line)


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (make_result("s", attention=(Status.CRASHED,)), "3 of 4 exercises are right and 1 is not right yet."),
        (make_result("s", attention=(Status.MISSING,)), "3 of 4 exercises are right and 1 is not written yet."),
        (make_result("s"), "All 4 exercises are right. Well done!"),
        (
            make_result("s", **MISSING),
            "Nothing is written yet. Start with the first exercise; every one counts by itself.",
        ),
    ],
)
def test_the_line_claims_no_more_than_the_cards_and_names_a_decision(result: Record, line: str) -> None:
    """A person's points make no case right; the line counts what the cards show, and says who decided the points."""
    told = "A person decided the points of `attention`."
    for points in (0, 2.5, 5):
        assert feedback_line(decided(result, "attention", points, "Because.")) == f"{line} {told}"


def test_points_that_a_person_gave_for_what_could_not_be_read_are_named() -> None:
    """Nothing is said to be ungraded then, neither to the student nor to staff."""
    graded = tuple(make_exercise(name, Status.SKIPPED) for name in EXERCISES)
    for status, line in (
        ("unreadable", "We could not read what you handed in"),
        ("not_importable", "Your file could not"),
    ):
        result = decided(replace(make_result("s", status), exercises=graded), "attention", 1.5, "On paper.")
        for page in (Page(feedback_html(result)).text, Page(staff_html(result, None, Path("graded"), None)).text):
            assert "A person decided the points of attention." in " ".join(page.split())
            assert "nothing in it is graded yet" not in page
        assert feedback_line(result).startswith(line)
        assert headline([make_result("t"), result]).mean == (15 + 1.5) / 2
        assert sum(distribution([result])) == 1
        assert headline([make_result("t"), make_result("s", status)]).mean == 15


def test_staff_read_that_nothing_was_handed_in_beside_points_of_a_person() -> None:
    """Points that were given at the desk make no exercise partly right."""
    text = " ".join(Page(staff_html(decided(absentee("s"), "attention", 4, "Oral."), None, Path(), None)).text.split())
    assert "Nothing was handed in. A person decided the points of attention." in text
    assert "partly right" not in text


def test_a_decision_about_an_earlier_submission_is_called_that() -> None:
    """In the line at the top, beside its reason, and where graders read of it."""
    result = decided(make_result("s"), "attention", 1.5, "Axis.")
    exercises = tuple(
        replace(e, override=replace(e.override, earlier=True)) if e.override else e for e in result.exercises
    )
    result = replace(result, exercises=exercises)
    text = " ".join(Page(feedback_html(result)).text.split())
    assert "Well done! A person decided the points of attention, for an earlier submission." in text
    assert "1.5 of 5 points instead of the computed 5. Axis. The decision was about an earlier submission." in text
    assert "for an earlier submission: Axis." in Page(staff_html(result, None, Path(), None)).text
    assert "decided for an earlier submission" in Page(report_html([result], summary())).text


def test_report_says_how_it_was_graded() -> None:
    """Isolation with its residual risks, seed, engine and time are told; students link to their pages."""
    html = report_html(small_class(), summary())
    text = " ".join(Page(html).text.split())
    for expected in (
        "Level C: process, rlimits",
        "can open network connections",
        "20240917",
        "autograder 0.1.0",
        "2 min 13 s",
    ):
        assert expected in text
    assert 'href="staff/s003.html"' in html
    assert 'href="staff/..%2Fa%20b.html"' in report_html([make_result("../a b")], summary())


def test_an_empty_class_has_a_report() -> None:
    """Nothing handed in is no error."""
    text = Page(report_html([], summary())).text
    assert "Nothing could be graded yet." in text
    assert "None" not in text.replace("None: every case", "")


def test_tables_have_headers_with_scope() -> None:
    """Every header cell says what it heads, and sections have names."""
    for html in _pages():
        assert html.count("<th ") == html.count('scope="row"') + html.count('scope="col"')
        assert "<th>" not in html
        ids = [value for name, value in Page(html).attributes if name == "id"]
        labels = " ".join(value for name, value in Page(html).attributes if name == "aria-labelledby").split()
        assert len(ids) == len(set(ids))
        assert set(labels) <= set(ids)


def test_a_card_that_students_share_is_made_for_each_language_and_each_decision() -> None:
    """Their exercises are one object; what else a card depends on is asked every time."""
    result = make_result("s001", attention=({"i_like_pizza": Status.FAILED}, SCALE))
    german = feedback_html(replace(result, language="de"))
    assert "What seems to have happened" in feedback_html(result)
    assert "What seems to have happened" not in german
    assert feedback_html(replace(result, language="de")) == german
    decided = replace(result.exercises[1], override=Override(1.0, "By hand.", "2026-11-29T06:00:00+00:00"))
    others = tuple(decided if e.name == decided.name else e for e in result.exercises)
    assert feedback_html(replace(result, exercises=others)) != feedback_html(result)


def without_times(exercise: ExerciseRecord) -> ExerciseRecord:
    """Return an exercise as it is stored; the times of its cases are stored beside it."""
    return replace(exercise, cases=tuple(replace(case, seconds=0.0) for case in exercise.cases))


def test_pages_are_rebuilt_alike_from_what_is_stored() -> None:
    """What is written and read back gives the same pages, whatever the order of the results."""
    results = large_class()
    again = [replace(r, exercises=tuple(exercise_of(stored_exercise(e)) for e in r.exercises)) for r in results]
    assert again == [replace(r, exercises=tuple(without_times(e) for e in r.exercises)) for r in results]
    assert report_html(results, summary()) == report_html(again[::-1], summary())
    assert [feedback_html(r) for r in results] == [feedback_html(r) for r in again]


def test_the_report_needs_no_more_of_the_class_than_is_in_brief() -> None:
    """All records are in memory at once, so without what cases show; the few that a page names are read whole."""
    whole = {r.student: r for r in large_class()}
    brief = [
        replace(r, exercises=tuple(brief_exercise_of(stored_exercise(e)) for e in r.exercises)) for r in whole.values()
    ]
    failing = [c for r in brief for e in r.exercises for c in e.cases if c.status is not Status.PASSED]
    assert any(case.told.headline for case in failing)
    assert {(c.told.details, c.picture, c.turn, c.seconds) for c in failing} == {("", None, None, 0.0)}
    html = report_html(brief, summary(), whole_of=lambda record: whole[record.student])
    assert html == report_html([*whole.values()], summary())


def test_feedback_draws_public_answers_only() -> None:
    """A heat map stands with its case; were one of hidden data in a result, the page would not show it."""
    result = make_result("s001", attention=({"i_like_pizza": Status.FAILED}, SCALE))
    assert feedback_html(result).count('<figure class="heat">') == 1
    hidden = with_case(result, 1, 0, visibility=Visibility.HIDDEN)
    assert '<figure class="heat">' not in feedback_html(hidden)
    lines = make_result("s001", attention=({"matches_reference": Status.FAILED}, SCALE))
    assert feedback_html(lines).count("<polyline") == 3


def test_a_decision_and_its_reason_are_told() -> None:
    """The student reads what a person gave and why; the report names it, also of those who handed in nothing."""
    changed = decided(small_class()[1], "attention", 4.0, "Right idea, wrong axis.")
    text = " ".join(Page(feedback_html(changed)).text.split())
    assert "attention: 4 of 5 points instead of the computed 2.5. Right idea, wrong axis. 2026-03-05 10:00 UTC" in text
    paper = decided(absentee("x1"), "causal_mask", 2.0, "On paper.")
    html = report_html([changed, small_class()[0]], summary(), [paper])
    text = " ".join(Page(html).text.split())
    assert "4 of 5 computed 2.5 Right idea, wrong axis." in text
    assert "x1 causal_mask 2 of 2 computed 0 On paper." in text
    assert 'href="staff/x1.html"' not in html  # there is no such page
    assert html.count("decided by a person") == 1
    assert 'id="decisions"' not in report_html(small_class(), summary())


def test_when_it_was_handed_in() -> None:
    """Lateness is told in hours where they are known, and not at all where nothing is."""
    result = small_class()[0]
    assert handing_in_line(result) == ""
    when = "2026-03-03 09:59 UTC, due 2026-03-01 23:59 UTC"
    assert handing_in_line(handed_in(result, 34)) == f"Handed in 34 h late ({when})."
    assert handing_in_line(handed_in(result, 60)).startswith("Handed in 60 h (2.5 days) late (2026-03-04")
    in_time = "Handed in 2026-03-01 21:59 UTC, in time (due 2026-03-01 23:59 UTC)."
    assert handing_in_line(handed_in(result, -2)) == in_time
    assert handing_in_line(replace(result, late=True, late_hours=None)) == "Handed in late."
    assert handing_in_line(replace(handed_in(result, -2), due=None)) == "Handed in 2026-03-01 21:59 UTC."
    assert moment("2026-03-01T23:59:00+01:00") == "2026-03-01 23:59 UTC+01:00"
    assert "34 h late" in feedback_html(handed_in(result, 34))


def test_the_report_knows_the_roster() -> None:
    """Names, sections, who was late and who handed in nothing; strangers are listed."""
    first, second, *_ = small_class()
    here = [on_roster(handed_in(first, 34), "Mon", "Ada Lovelace", "24h"), second]
    html = report_html(here, summary(not_on_roster=("s002",), due="2026-03-01T23:59:00+00:00"), [absentee("x1", "Tue")])
    text = " ".join(Page(html).text.split())
    for expected in (
        "s001 Ada Lovelace 34 h 2026-03-03 09:59 UTC 24h",
        "x1 Name of x1 Tue x1@example.edu",
        "Not on the roster 1 s002",
        "a5_attention, due 2026-03-01 23:59 UTC",
        "Mon 100 % 15 of 15 15 1 \N{EN DASH} 1",
        "Tue \N{EN DASH} \N{EN DASH} 0 1 \N{EN DASH}",
    ):
        assert expected in text
    later = replace(on_roster(make_result("s3"), "Mon"), status=NOT_GRADED, score=None)
    text = " ".join(Page(report_html(here, summary(), waiting=[later])).text.split())
    assert "Mon 100 % 15 of 15 15 2 \N{EN DASH} 1" in text  # of two that were handed in one is graded
    ada = decided(replace(here[0], doubts=("Which file?",), notes=("Which file?",)), "attention", 4, "Half.")
    asked = Request(1, "s001", "attention", "Why?", "2026-03-05T10:00:00+00:00")
    change = Change("s001", "attention", 5.0, 4.0, (Cause.PERSON,), "kim", asked.made)
    text = " ".join(Page(report_html([ada], summary(), changes=[change], requests=[asked])).text.split())
    assert "s001 Ada Lovelace Which file?" in text
    assert text.count("s001 Ada Lovelace attention") == 3  # decisions, requests, changes
    assert "Feedback for Ada Lovelace" in feedback_html(ada).replace("<bdi>", "").replace("</bdi>", "")
    assert 'id="handing-in"' not in report_html(small_class(), summary())


def test_every_case_is_in_the_report() -> None:
    """With its pass rate and how it ended for the others, under its exercise."""
    text = " ".join(Page(report_html(small_class(), summary())).text.split())
    assert (
        "i_like_pizza public 25 % 1 of 4 \N{EN DASH} 2 not right yet 1 crashed The worked example with the tokens"
        in text
    )
    assert "four_by_four public 100 % 4 of 4 \N{EN DASH} \N{EN DASH} The mask for four tokens." in text
    assert "Need a look 2" in text
    assert "11.38 of 15" in text


def test_few_students_behind_a_mistake_are_named_at_once() -> None:
    """Many are folded."""
    page = Page(report_html(small_class(), summary()))
    assert "2 of 4 students s002s003" in " ".join(page.text.split())
    many = [make_result(f"s{i}", attention=(Status.FAILED, SCALE)) for i in range(9)]
    assert "9 of 9 students" in Page(report_html(many, summary())).text


def test_bonus_is_named_where_points_are_summed_up() -> None:
    """Else more points than there are would seem a slip."""
    result = make_result("s")
    bonus = tuple(replace(e, bonus=e.name == "causal_mask") for e in result.exercises)
    told = " ".join(Page(feedback_html(replace(result, exercises=bonus, max_score=13.0))).text.split())
    assert "15 of 13 points, bonus included: 2" in told
    assert "bonus included" not in Page(feedback_html(result)).text


def test_an_excuse_stands_once_in_an_exercise() -> None:
    """Behind the first of its cases that passes by it."""
    result, excuse = make_result("s"), Message("Right, given your `scores`.")
    for case in range(3):
        result = with_case(result, 1, case, told=excuse)
    assert Page(feedback_html(result)).text.count("Right, given your") == 1
