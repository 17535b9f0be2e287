"""What other systems read: no cell is a formula, no markup is anybody's but ours, and every form is as specified."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from autograder.classroom.exports import grades_csv, gradescope_results, platform_row, platform_sheets
from autograder.classroom.record import (
    NOT_SUBMITTED,
    Override,
    Record,
    Run,
    Whole,
    absent,
    compose,
    exercise_record,
    head,
    record,
    ungraded,
)
from autograder.classroom.roster import Person
from autograder.classroom.submissions import Submission
from autograder.course.spec import Assignment, Status, Visibility
from autograder.judge.reasons import Diagnosis, Message, Mistake
from autograder.judge.result import CaseResult, ExerciseResult, Result
from autograder.lms.platform import Owner, inert
from autograder.sandbox.job import Chunk, Isolation, Source

ISOLATION = Isolation("A", ("namespaces",), ())
SOURCE = Source("means", (Chunk("means.py", ""),))
ADA = Person("007", "Ada Lovelace", "ada@example.org", "B2")
FORMULAS = [
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "=1\n=2",
    " =1",
    "\n@x",
    "'=1",
    '"=1',
    "\uff1d1",
    "|x",
]


NO_SCALE = Diagnosis("row_means", ((Mistake("no_scale", "row_means", "A sentence."),),))


def result(message: str = "A message.", status: Status = Status.FAILED) -> Result:
    """Return a result of two exercises."""
    cases = (
        CaseResult("two_rows", "A claim.", Visibility.PUBLIC, status, Message(message), NO_SCALE),
        CaseResult("passes", "Another.", Visibility.HIDDEN, Status.PASSED),
    )
    right = ExerciseResult("center", 2.0, 2.0, (CaseResult("c", "C.", Visibility.PUBLIC, Status.PASSED),))
    return Result("t1_means", (ExerciseResult("row_means", 0.5, 2.0, cases), right))


def entry(assignment: Assignment, graded: Result | None = None, **of: Any) -> Record:
    """Return a record."""
    submission = Submission("s017", "s017.py", SOURCE, **of)
    return record(assignment, submission, graded or result(), ISOLATION, 7, 1.5)


def sheets(records: list[Record]) -> dict[str, str]:
    """Return every platform's sheet."""
    return {name: "".join(lines) for name, lines in platform_sheets([platform_row(record) for record in records])}


def rows(text: str) -> list[list[str]]:
    """Read a CSV."""
    return list(csv.reader(io.StringIO(text, newline="")))


def test_grades_have_a_row_a_student_and_a_column_an_exercise(assignment: Assignment) -> None:
    """The header is part of the contract."""
    records = [entry(assignment), replace(entry(assignment), student="s018", exercises=(), score=0.0)]
    assert rows(grades_csv(records)) == [
        ["student", "score", "max_score", "status", "row_means", "center"],
        ["s017", "2.5", "4.0", "graded", "0.5", "2.0"],
        ["s018", "0.0", "4.0", "graded", "0", "0"],
    ]


def test_what_the_grader_could_not_grade_has_no_points_to_upload(assignment: Assignment) -> None:
    """On no platform, until a person decides on that exercise: a zero would be the student's."""
    failed = entry(assignment, result(status=Status.GRADER_ERROR))
    decided = tuple(
        replace(e, score=2.0, override=Override(2.0, "Read by hand.", "2026-03-01T10:00:00+00:00"))
        if e.name == "row_means"
        else e
        for e in failed.exercises
    )
    settled = replace(failed, exercises=decided, score=4.0)
    assert [platform_row(record).score for record in (entry(assignment), failed, settled)] == [2.5, None, 4.0]
    assert "2.5" not in sheets([failed])["canvas"]


def test_a_class_of_nobody_has_a_header() -> None:
    """No submissions, no rows."""
    assert rows(grades_csv([])) == [["student", "score", "max_score", "status"]]
    assert len(rows(sheets([])["canvas"])) == 2
    assert len(rows(sheets([])["moodle"])) == 1


def test_further_columns_where_there_is_more_to_say(assignment: Assignment) -> None:
    """Who it is, how late it came, and what a person decided, after the columns everyone has."""
    known = head(Submission("007", "", SOURCE, person=ADA, late=True))
    decided = {"row_means": Override(2.0, "Read by hand.", "2026-03-01T10:00:00+00:00")}
    entries = [exercise_record(exercise) for exercise in result().exercises]
    records = [compose(Run("t1_means", "Means", 1), "007", known, Whole(), entries, decided), entry(assignment)]
    header, ada, other = rows(grades_csv(records))
    assert header[6:] == ["id", "name", "email", "section", "late_hours", "overridden"]
    assert ada == [
        "007",
        "4.0",
        "4.0",
        "graded",
        "2.0",
        "2.0",
        "007",
        "Ada Lovelace",
        "ada@example.org",
        "B2",
        "late",
        "row_means",
    ]
    assert other[6:] == ["", "", "", "", "", ""]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_sheet_holds_a_formula(assignment: Assignment, text: str) -> None:
    """Whatever a student is called, hands in or prints, a cell that would be a formula begins with a quote."""
    owner = Owner("s017", text, "1", system="canvas")
    found = entry(assignment, result(text), owner=owner, notes=(text,), person=Person(text, "", text, text))
    found = replace(found, student=text, title=text)
    for sheet in (grades_csv([found]), *sheets([found]).values()):
        cells = [cell for row in rows(sheet) for cell in row]
        assert not [
            c for c in cells if c.lstrip(" \t\r\n\"'").startswith(("=", "+", "-", "@", "|", "\uff1d")) and c[0] != "'"
        ]
    assert inert(text) == f"'{text}"


def test_numbers_stay_numbers(assignment: Assignment) -> None:
    """A score is not quoted, even below zero."""
    assert rows(grades_csv([replace(entry(assignment), score=-1.5)]))[1][1] == "-1.5"


@pytest.mark.parametrize("name", ['a "quoted", name', "two\nlines", "semi;colon", "Zoë", "\ud800"])
def test_names_survive_the_csv(assignment: Assignment, name: str) -> None:
    """Quotes, commas and line ends come back; half a character is replaced."""
    assert rows(grades_csv([replace(entry(assignment), student=name)]))[1][0] == name.replace("\ud800", "?")


def test_canvas_takes_its_own_numbers(assignment: Assignment) -> None:
    """Students by Canvas number or by SIS id, the title as the column's name, the points possible below it."""
    named = entry(assignment, owner=Owner("x", "lovelaceada", "12345", system="canvas"), person=ADA)
    unnamed = entry(assignment, owner=Owner("y", "Bob", "99", system="moodle"))
    assert rows(sheets([named, unnamed])["canvas"]) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", assignment.title],
        ["    Points Possible", "", "", "", "", "4.0"],
        ["Ada Lovelace", "12345", "007", "ada@example.org", "B2", "2.5"],
        ["Bob", "", "", "", "", "2.5"],
    ]


def test_canvas_numbers_of_a_roster_stay_canvas_numbers(assignment: Assignment) -> None:
    """Where Canvas's own sheet was the roster, whoever handed in nothing goes by the same kind of number."""
    here = entry(assignment, owner=Owner("x", "lovelaceada", "12345", system="canvas"), person=Person("12345", "Ada"))
    away = entry(assignment, person=Person("678", "Bob"))
    assert [row[:3] for row in rows(sheets([here, away])["canvas"])[2:]] == [
        ["Ada", "12345", ""],
        ["Bob", "678", ""],
    ]


class Tags(HTMLParser):
    """Collects the tags of some markup."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag; none of ours has attributes."""
        assert not attrs
        self.found.add(tag)


def test_moodle_gets_feedback_in_harmless_markup(assignment: Assignment) -> None:
    """By participant, with the points; whatever a message holds, there is no tag but ours."""
    evil = '<script>alert(1)</script><img src=x onerror="x">'
    said = result()
    worse = CaseResult("two_rows", "A claim.", Visibility.PUBLIC, Status.CRASHED, Message(evil))
    said = Result("t1_means", (ExerciseResult("row_means", 0.5, 2.0, (worse,)), *said.exercises[1:]))
    found = entry(assignment, said, owner=Owner("x", evil, "31", system="moodle"), notes=(evil,))
    header, row = rows(sheets([found])["moodle"])
    assert header == [
        "Identifier",
        "Full name",
        "ID number",
        "Email address",
        "Grade",
        "Maximum Grade",
        "Last modified (grade)",
        "Feedback comments",
    ]
    assert (row[0], row[4], row[5]) == ("Participant 31", "2.5", "4.0")
    assert Tags(row[-1]).found == {"p", "ul", "li", "strong", "em"}
    assert "0.5 / 2: A claim." in row[-1]


def test_moodle_gets_no_row_without_a_participant(assignment: Assignment) -> None:
    """Its import ends at one, so whoever handed in nothing is left out where the class came from Moodle."""
    here = entry(assignment, owner=Owner("x", "Ada", "31", system="moodle"))
    away = absent(Run("t1_means", "Means", 1), "007", ADA, {"row_means": 2.0}, {})
    assert [row[0] for row in rows(sheets([here, away])["moodle"])] == ["Identifier", "Participant 31"]
    assert [row[1] for row in rows(sheets([away])["moodle"])] == ["Full name", "Ada Lovelace"]


def test_moodle_gets_who_handed_in_nothing_where_its_worksheet_is_the_roster(assignment: Assignment) -> None:
    """Each student has a number in the worksheet of this assignment. The numbers of another assignment are not used."""
    bob = replace(ADA, id="8", name="Bob", participant="31")
    here = entry(assignment, owner=Owner("x", "Bob", "31", system="moodle"), person=bob)
    away = absent(Run("t1_means", "Means", 1), "007", replace(ADA, participant="32"), {"row_means": 2.0}, {})
    assert [row[0] for row in rows(sheets([here, away])["moodle"])][1:] == ["Participant 31", "Participant 32"]
    foreign = replace(here, person=replace(bob, participant=""))
    assert [row[0] for row in rows(sheets([foreign, away])["moodle"])][1:] == ["Participant 31"]


SPECIFIED = {
    "score": float, "execution_time": float, "output": str, "output_format": str, "test_output_format": str,
    "test_name_format": str, "visibility": str, "stdout_visibility": str, "extra_data": dict, "tests": list,
}  # fmt: skip
OF_A_TEST = {
    "score": float, "max_score": float, "status": str, "name": str, "name_format": str, "number": str, "output": str,
    "output_format": str, "visibility": str,
}  # fmt: skip


def test_gradescope_results_follow_the_specification(assignment: Assignment) -> None:
    """Known keys, of the right kind, with the words that Gradescope knows; points add up."""
    found = json.loads(json.dumps(gradescope_results(entry(assignment, notes=("late",)))))
    assert {key: type(value) for key, value in found.items()} == SPECIFIED
    for test in found["tests"]:
        assert {key: type(value) for key, value in test.items()} == OF_A_TEST
        assert test["status"] in ("passed", "failed")
        assert (test["visibility"], test["output_format"]) == ("visible", "text")
    assert [test["status"] for test in found["tests"]] == ["failed", "passed"]
    assert found["score"] == sum(test["score"] for test in found["tests"])
    assert "two_rows: FAILED\nA claim.\nA message.\nA sentence." in found["tests"][0]["output"]
    assert "passes" not in found["tests"][0]["output"]


def test_gradescope_says_once_what_is_wrong_with_a_file(assignment: Assignment) -> None:
    """A file that cannot be read is told above the tests, and not again in each of them."""
    found = gradescope_results(replace(entry(assignment), status="unreadable", problem="This is a PDF.\x1b[2J"))
    assert found["output"] == "It could not be read.\nThis is a PDF.\N{REPLACEMENT CHARACTER}[2J"
    assert {test["output"] for test in found["tests"]} == {""}


def test_moodle_says_once_what_is_wrong_with_a_file(assignment: Assignment) -> None:
    """What concerns the file as a whole stands above the exercises, and not again beside each of them."""
    found = replace(entry(assignment, result("It is a picture.")), status="unreadable", problem="It is a picture.")
    comment = rows(sheets([found])["moodle"])[1][-1]
    assert (comment.count("It is a picture."), comment.count("<em>")) == (1, 0)


def test_students_are_told_a_persons_reason(assignment: Assignment) -> None:
    """An override is shown with its reason wherever the points are."""
    found = entry(assignment)
    first, *others = found.exercises
    decided = Override(1.0, "Read by hand.", "2026-03-01T10:00:00+00:00")
    found = replace(found, exercises=(replace(first, override=decided), *others))
    assert "Read by hand. (decided by a person)" in gradescope_results(found)["tests"][0]["output"]
    assert "Read by hand." in rows(sheets([found])["moodle"])[1][-1]


def test_whoever_handed_in_nothing_has_a_row(assignment: Assignment) -> None:
    """With no points, or those that a person gave."""
    decided = {"row_means": Override(1.5, "Handed in on paper.", "2026-03-01T10:00:00+00:00")}
    found = absent(Run("t1_means", "Means", 1), "007", Person("007", "Ada"), {"row_means": 2.0, "center": 2.0}, decided)
    assert (found.status, found.score, found.max_score) == (NOT_SUBMITTED, 1.5, 4.0)
    assert rows(grades_csv([found]))[1][:6] == ["007", "1.5", "4.0", NOT_SUBMITTED, "1.5", "0.0"]
    assert "Nothing was handed in." in rows(sheets([found])["moodle"])[1][-1]


def test_what_is_not_graded_yet_has_no_comment(assignment: Assignment) -> None:
    """It would replace the comment that a platform has from an earlier grading."""
    run, points = Run("t1_means", "Means", 1), {"row_means": 2.0, "center": 2.0}
    decided = {"row_means": Override(1.5, "Handed in on paper.", "2026-03-01T10:00:00+00:00")}
    for given in ({}, decided):
        for name, sheet in sheets([ungraded(run, "007", head(Submission("007", "", None)), points, given)]).items():
            assert not [said for said in ("graded yet", "<ul>", "paper") if said in sheet], name
