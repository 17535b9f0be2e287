"""What students read of a grading in a German course is German: feedback, platforms, a course's page; staff's pages stay English."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from class_records import EXERCISES, SCALE, decided, handed_in, make_result
from conftest import COURSE
from test_language import english_in

from autograder.classroom.course_grades import Sheet, course_grades
from autograder.classroom.course_rules import LateRule, Rules, read_rules
from autograder.classroom.exports import gradescope_results, platform_row
from autograder.classroom.gradebook_lock import open_gradebook
from autograder.classroom.record import Kept, Record
from autograder.classroom.requests import Answer, Finding, Request
from autograder.classroom.roster import Person
from autograder.course.catalog import load_assignment
from autograder.course.language import speaking, spoken
from autograder.course.questions import Option, Question
from autograder.course.spec import Status
from autograder.feedback.check_page import exercises_line
from autograder.feedback.svg_charts import chart
from autograder.integrations import gradescope
from autograder.integrations.one_submission import Settings
from autograder.integrations.otter import master_notebook
from autograder.judge.picture import Heat, training_picture
from autograder.pages.course_pages import student_html
from autograder.pages.feedback import feedback_html, feedback_line, handing_in_line
from autograder.pages.returns import Return
from autograder.pages.staff import staff_html


def german(record: Record) -> Record:
    """A record of a German course."""
    return replace(record, language="de")


def words(html: str) -> str:
    """Return what can be read of a page, without the messages and claims that the record of a test holds in English."""
    body = re.sub(r"<style>.*?</style>|<pre.*?</pre>", " ", html, flags=re.DOTALL)
    text = " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())
    claims = (claim for _, cases in EXERCISES.values() for _, claim, _ in cases)
    for told in ("The values differ from the reference's.", *claims):
        text = text.replace(" ".join(told.replace("`", " ").split()), "")
    return text


@pytest.mark.parametrize("status", ["graded", "unreadable", "not_importable", "grader_error"])
def test_feedback_is_german(status: str) -> None:
    """However a submission ended."""
    html = feedback_html(german(make_result("s001", status, attention=({"i_like_pizza": Status.FAILED}, SCALE))))
    assert '<html lang="de">' in html
    assert "Feedback für s001" in words(html)
    assert "Was die Wörter bedeuten" in words(html)
    assert english_in(words(html)) == []
    assert spoken() == "en"


def test_what_persons_decided_is_told_in_german() -> None:
    """Decisions, requests, points that stay, and the reasons of a quiz."""
    result = german(make_result("s001", attention=(Status.FAILED,)))
    kept = Kept(2.0, "2026-03-05T10:00:00+00:00", 1.0)
    result = replace(result, exercises=(replace(result.exercises[0], kept=kept), *result.exercises[1:]))
    when = "2026-03-05T10:00:00+00:00"
    asked = (
        Request(1, "s001", "attention", "Bitte!", when, (), "", Answer(1.0, "Stimmt.", "ada", when)),
        Request(2, "s001", "attention", "Und?", when, (Finding("pizza", Status.FAILED, "", "PASSED"),), ""),
        Request(3, "s001", "attention", "Hm.", when, None, "", Answer(None, "Nein.", "ada", when)),
    )
    quiz = Question("attention", "why", "Warum?", "a", (Option("a", "So.", "Ja."), Option("b", "Anders.", "Nein.")))
    text = words(feedback_html(result, (quiz,), asked))
    for says in (
        "Deine Anfrage zu attention",
        "Noch einmal ausgeführt: Jeder Test ist bestanden.",
        "pizza: FAILED, bei der Bewertung PASSED.",
        "Entschieden: 1 Punkt.",
        "Entschieden: Die Punkte bleiben.",
        "Das ist noch nicht entschieden.",
        "Noch einmal bewertet",
        "Warum jede Möglichkeit von attention richtig oder falsch ist",
    ):
        assert says in text
    assert english_in(text) == []


def test_when_it_was_handed_in_is_told_in_german() -> None:
    """Late or in time."""
    result = make_result("s001")
    with speaking("de"):
        assert handing_in_line(handed_in(result, 60)).startswith("60 h (2,5 Tage) zu spät abgegeben (2026-03-04")
        assert handing_in_line(replace(result, late=True, late_hours=None)) == "Zu spät abgegeben."
        assert handing_in_line(handed_in(result, -2)).startswith("Abgegeben 2026-03-01 21:59 UTC, rechtzeitig (fällig ")
        assert feedback_line(replace(result, status="unreadable")).startswith("Wir konnten deine Abgabe nicht lesen")
        assert exercises_line(result.exercises) == "Alle 4 Aufgaben sind richtig. Gut gemacht!"


@pytest.mark.parametrize(
    ("language", "one"),
    [("en", "1 of 2 numbers differs visibly, with a frame around it."), ("de", "1 von 2 Zahlen ist sichtbar anders")],
)
def test_one_number_is_told_in_the_singular(language: str, one: str) -> None:
    """In a picture's caption."""
    with speaking(language):
        assert one in chart(Heat(((1.0, 2.0),), ((1.0, 3.0),)))


def test_curves_are_drawn_alike_in_every_language() -> None:
    """A picture holds whose its curves are as data; only what is written on it changes."""
    picture = training_picture([(0, 2.0), (1, 1.0)], [(0, 2.0), (1, 1.0)])
    english = str(chart(picture))
    with speaking("de"):
        german_one = str(chart(picture))
    assert "<figcaption>Loss (deiner gerundet) über Schritt: " in german_one
    assert '<span class="key yours pair0">deins</span>, <span class="key theirs pair0">Referenz</span>' in german_one
    assert re.findall("<polyline.*?>", german_one) == re.findall("<polyline.*?>", english) != []


def test_pages_of_staff_stay_english() -> None:
    """Graders of a German course read English, but for what its students are told."""
    result = german(make_result("s001", attention=({"i_like_pizza": Status.FAILED}, SCALE)))
    html = staff_html(result, None, Path("out"), None)
    assert '<html lang="en">' in html
    assert "Skip to the content" in html
    assert "not right yet" in html


def test_platforms_show_german() -> None:
    """Gradescope's tests and Moodle's comments."""
    waits = {"score": None, "status": Status.MANUAL, "cases": (), "answer": "Weil.", "bonus": True}
    result = german(make_result("s001", "not_importable"))
    result = replace(result, exercises=(replace(result.exercises[0], **waits), *result.exercises[1:]))
    told = gradescope_results(result)
    assert told["output"] == "Die Abgabe ließ sich nicht importieren."
    assert told["tests"][0]["name"] == "average_context (Bonus)"
    assert "Noch nicht bewertet: 2 Punkte, die ein Mensch vergibt." in told["tests"][0]["output"]
    assert "<p>Noch nicht bewertet: 2 Punkte, die ein Mensch vergibt. Bisher: " in platform_row(result).feedback()
    cases = gradescope.results(result, {}, "visible")["tests"][1]["name"]
    assert cases == "attention: öffentliche Tests"
    assert str(gradescope.nothing("de")["output"]).startswith("Der Autograder ist nicht fertig geworden.")


def test_what_comes_with_a_page_is_german() -> None:
    """A mail, or a comment on a platform."""
    row = platform_row(german(make_result("s001")))
    assert Return(row, Path("s001.html"), "", "de").comment.endswith(
        ": 15 von 15 Punkten. Auf der Seite dabei steht, was richtig ist, was nicht, und warum."
    )


def test_a_course_page_is_german(tmp_path: Path) -> None:
    """Its language stands in course.toml."""
    (tmp_path / "course.toml").write_text('language = "de"\ndrop_lowest = 1\n', encoding="utf-8")
    rules = read_rules(tmp_path / "course.toml")
    assert rules.language == "de"
    rules = replace(rules, late=LateRule(10, 50, 0, 1))
    person = Person("ada", "Ada")
    rows = [
        Record(student="ada", score=5.0, max_score=10.0, late=late > 0, late_hours=late, person=person)
        for late in (0.0, 30.0, 0.0)
    ]
    (one,) = course_grades([Sheet(f"a{n}", f"Blatt {n}", "", (row,)) for n, row in enumerate(rows)], rules)
    text = words(student_html(one, rules))
    for says in (
        "50 % dessen, was bisher zu erreichen ist.",
        "0 von 1 freien Tagen sind übrig.",
        "Tage zu spät",
        "gestrichen",
        "ohne das schlechteste",
    ):
        assert says in text
    assert english_in(text) == []
    assert english_in(words(student_html(one, Rules(late=rules.late)))) != []


def test_a_gradebook_knows_the_language(tmp_path: Path) -> None:
    """It follows the course's, back to English too."""
    assignment = load_assignment(COURSE, "t1_means")
    with open_gradebook(tmp_path, assignment) as book:
        for language in ("de", "en"):
            book.describe(replace(assignment, language=language), 1)
            assert book.run.language == language


def test_the_notebook_for_otter_is_german() -> None:
    """The words that it has instead of the handout's."""
    assignment = replace(load_assignment(COURSE, "t3_learning"), language="de")
    text = master_notebook(COURSE, assignment, Settings("t3_learning", 1, training=True), [])
    assert "Unter jeder, oder unter" in text
    assert "wird bei der Bewertung trainiert und gemessen" in text
    assert "How this notebook works" not in text


def test_numbers_and_their_nouns_are_german() -> None:
    """A comma stands before the decimals, and one point is one; English pages keep the point."""
    result = decided(make_result("s", attention=({"i_like_pizza": Status.FAILED}, SCALE)), "attention", 3.75, "Halb.")
    first, *others = result.exercises
    result = replace(result, exercises=(replace(first, score=1.0, max_score=1.0), *others))
    told = words(feedback_html(german(result)))
    assert "13,75 von 15 Punkten" in told
    assert "1 von 1 Punkt ✓" in told
    assert "13.75 of 15 points" in words(feedback_html(result))
    assert "1 of 1 point ✓" in words(feedback_html(result))
