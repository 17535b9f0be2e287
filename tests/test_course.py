"""A course over its assignments: late days, weights, what is dropped, who is exempt, and a page for everyone."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from class_records import HOSTILE

from autograder.classroom.course_grades import (
    Part,
    Sheet,
    Standing,
    course_grades,
    doubled,
    in_all,
    spelled_twice,
    ungraded,
)
from autograder.classroom.course_rules import Counts, Exempt, LateRule, Rules, RulesError, read_rules
from autograder.classroom.record import NOT_GRADED, NOT_SUBMITTED, Record
from autograder.classroom.roster import Person
from autograder.cli import main
from autograder.pages.course_pages import course_csv, course_html, student_html, write_course

FIRST_DUE = datetime(2026, 3, 1, 12, tzinfo=UTC)


def record(points: float | None, hours: float = 0.0, student: str = "ada", status: str = "graded") -> Record:
    """Return a result out of ten, so many hours late."""
    person = Person(student, student.title(), section="A")
    return Record(
        student=student, score=points, max_score=10.0, status=status, late_hours=hours, late=hours > 0, person=person
    )


def sheets(*rows: Record | tuple[Record, ...]) -> list[Sheet]:
    """Return assignments a1, a2, ... that were due a week after each other."""
    return [
        Sheet(f"a{n}", f"Assignment {n}", (FIRST_DUE + timedelta(weeks=n)).isoformat(), row if isinstance(row, tuple) else (row,))
        for n, row in enumerate(rows, 1)
    ]  # fmt: skip


def one(rules: Rules, *rows: Record) -> Standing:
    """Return where ada stands."""
    (found,) = course_grades(sheets(*rows), rules)
    return found


def test_without_rules_assignments_count_alike() -> None:
    """A mean of shares."""
    found = one(Rules(), record(10), record(5))
    assert found.total == pytest.approx(0.75)
    assert [part.final for part in found.parts] == [10, 5]


def test_free_days_go_to_the_first_late_assignments_and_the_rest_costs() -> None:
    """25 hours are two days begun, 15 minutes are grace; two free days, then 10 % each, half at most, and never more than there is."""
    rules = Rules(late=LateRule(10, 50, 15, 2))
    found = one(rules, record(8, 0.25), record(8, 25), record(8, 49), record(8, 24 * 9), record(1, 24 * 9))
    assert [part.late_days for part in found.parts] == [0, 2, 3, 9, 9]
    assert [part.free_days for part in found.parts] == [0, 2, 0, 0, 0]
    assert [part.taken for part in found.parts] == pytest.approx([0, 0, 3, 5, 1])
    assert found.free_days_left == 0


def test_free_days_follow_the_due_dates_not_the_order_of_folders() -> None:
    """The assignment that was due first takes them."""
    rules = Rules(late=LateRule(10, 50, 0, 1))
    ((first, second),) = [s.parts for s in course_grades(sheets(record(9, 3), record(9, 3))[::-1], rules)]
    assert (first.slug, first.free_days, second.slug, second.free_days) == ("a1", 1, "a2", 0)


def test_another_due_date_counts_from_when_it_was_handed_in() -> None:
    """The gradebook's hours are of its own date; course.toml may name another one, and an extension still holds."""
    late = replace(record(8, 30), submitted=(FIRST_DUE + timedelta(weeks=1, hours=30)).isoformat())
    rules = Rules(late=LateRule(10), assignments={"a1": Counts(due=FIRST_DUE + timedelta(weeks=1, hours=10))})
    assert one(rules, late).parts[0].late_days == 1
    extended = replace(late, person=Person("ada", extension="24h"))
    assert one(rules, extended).parts[0].late_days == 0


def test_what_nobody_knows_of_lateness_is_called_unknown() -> None:
    """Moodle's export has no times: nothing is taken off, and no page says that it came in time."""
    undated = replace(record(8, 0), submitted=None, late_hours=None)
    rules = Rules(late=LateRule(10))
    part = one(rules, undated).parts[0]
    assert (part.late_days, part.taken) == (None, 0)
    assert "then nothing is taken off" in student_html(one(rules, undated), rules)
    assert "then nothing is taken off" not in student_html(one(rules, record(8, 0)), rules)
    assert one(Rules(late=LateRule(10)), replace(undated, late=True)).parts[0].late_days == 1
    never_due = [replace(sheet, due="") for sheet in sheets(undated)]
    assert course_grades(never_due, Rules(late=LateRule(10)))[0].parts[0].late_days == 0


def test_weights_bonus_drops_and_exemptions() -> None:
    """The lowest share of what may be dropped goes; what is exempt is not in the mean; bonus adds to it."""
    rules = Rules(
        drop_lowest=1,
        assignments={"a1": Counts(weight=3), "a4": Counts(bonus=True, weight=1), "a5": Counts(dropped=False)},
        exempt=(Exempt("ada", "a2", "ill"),),
    )
    found = one(rules, record(9), record(1), record(4), record(10), record(2))
    assert [(part.dropped, part.exempt) for part in found.parts] == [
        (False, ""), (False, "ill"), (True, ""), (False, ""), (False, ""),
    ]  # fmt: skip
    assert found.total == pytest.approx((3 * 0.9 + 0.2 + 1.0) / 4)


def test_what_is_not_graded_yet_does_not_count_and_what_was_not_handed_in_is_nothing() -> None:
    """No student is told a total that a waiting result would make wrong by its absence."""
    found = one(Rules(), record(None, status=NOT_GRADED), record(0, status=NOT_SUBMITTED), record(6))
    assert [part.counted for part in found.parts] == [False, True, True]
    assert found.total == pytest.approx(0.3)


def test_a_student_who_is_in_one_gradebook_only_has_nothing_in_the_others() -> None:
    """As after joining late; without a roster, an absent student is only known from the others."""
    found = course_grades(sheets((record(8), record(6, student="bob")), record(4)), Rules())
    assert [(s.student, s.total) for s in found] == [("ada", pytest.approx(0.6)), ("bob", pytest.approx(0.3))]
    assert not found[1].parts[1].submitted


def test_who_slips_is_told() -> None:
    """The latest share against the mean of those before."""
    assert one(Rules(), record(9), record(7), record(3)).slips == pytest.approx(0.5)
    assert one(Rules(), record(3), record(9)).slips == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("drop_lowst = 1", "Did you mean drop_lowest?"),
        ("[late]\nper_day = -1", "per_day is -1"),
        ("[late]\nper_day = true", "per_day is True"),
        ("late = 3", "under [late] is no table"),
        ("[assignment.a1]\nbonus = 1", "Write true or false"),
        ('[assignment.a1]\ndue = "soon"', "is no date"),
        ("[[exempt]]\nstudent = 'ada'", "lacks assignment and because"),
        ("title = ", "is not TOML"),
        ("[assignment.a1]\ndue = 2026-03-15T23:59\n", 'Write due = "2026-03-15T23:59", in quotes'),
        ("assignment = 3", "course.toml"),
        ("exempt = 3", "Begin each with [[exempt]]"),
        ("exempt = [3]", "Begin each with [[exempt]]"),
        ("drop_lowest = 1.5", "drop_lowest is 1.5. Write a whole number."),
        ("[late]\nfree_days = 2.9", "free_days is 2.9. Write a whole number."),
        ("title = 3", "title is 3. Write it in quotes."),
    ],
)
def test_rules_that_cannot_be_used_are_refused_with_what_to_write(text: str, said: str, tmp_path: Path) -> None:
    """In one sentence, with the file's name."""
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(RulesError, match=r"course\.toml") as error:
        read_rules(tmp_path / "course.toml")
    assert said in str(error.value)


@pytest.mark.parametrize("rules", [Rules(assignments={"a9": Counts()}), Rules(exempt=(Exempt("eve", "a1", "ill"),))])
def test_rules_about_what_there_is_not_are_refused(rules: Rules) -> None:
    """A slip in a name would else change nothing, and no one would see it."""
    with pytest.raises(RulesError, match=r"^other\.toml .*(a9|eve)"):
        course_grades(sheets(record(3)), replace(rules, file="other.toml"))


@pytest.mark.parametrize("called", ["7", "A_L", "ada lovelace", "Ada@x.edu"])
def test_who_is_exempt_may_be_called_as_everywhere(called: str) -> None:
    """By the name in the grades, or the roster's id, name or address, unless it is that of several."""
    ada = replace(record(5), student="A_L", person=Person("7", "Ada Lovelace", "ada@x.edu"))
    bob = replace(record(5), student="B_R", person=Person("8", "Bob Ross", "bob@x.edu"))
    rules = Rules(exempt=(Exempt(called, "a1", "ill"),), file="rules.toml")
    standings = course_grades(sheets((ada, bob)), rules)
    assert {standing.student: standing.parts[0].exempt for standing in standings} == {"7": "ill", "8": ""}
    namesake = replace(bob, person=Person("8", "Ada Lovelace", "bob@x.edu"))
    if called == "ada lovelace":
        with pytest.raises(RulesError, match=r"these are several: 7, 8\. Use the id"):
            course_grades(sheets((ada, namesake)), rules)


def test_rules_may_name_what_is_not_graded_yet() -> None:
    """It counts for nothing until then, with those who are exempt from it; errors name the file that was read."""
    rules = Rules(assignments={"a2": Counts(weight=3)}, exempt=(Exempt("eve", "a3", "ill"),), file="rules.toml")
    found = sheets(record(5))
    for assignments in (("a1", "a2", "a3"), None):
        (standing,) = course_grades(found, rules, assignments)
        assert standing.total == pytest.approx(0.5)
    assert ungraded(found, rules) == ("a2", "a3")
    with pytest.raises(RulesError, match=r"^rules\.toml names a3, .* There are: a1, a2\."):
        course_grades(found, rules, ("a1", "a2"))
    with pytest.raises(RulesError, match=r"^rules\.toml exempts eve"):
        course_grades(found, replace(rules, exempt=(Exempt("eve", "a1", "ill"),)), None)


def test_one_student_under_two_ids_is_noticed_and_namesakes_are_not() -> None:
    """Names are compared whatever their order; two students of one name are in every gradebook together."""

    def called(name: str, number: str) -> Record:
        return replace(record(5, student=number), person=Person(number, name))

    first = called("Lovelace, Ada", "7000"), called("Ann Doe", "1"), called("Ann Doe", "2"), called("Bob", "3")
    second = called("Ada Lovelace", "s1"), called("Ann Doe", "1"), called("Ann Doe", "2"), called("", "4")
    found = sheets(first, second)
    assert doubled(found) == (("Lovelace, Ada", ("7000", "s1")),)
    assert in_all(found) == 2


def test_a_students_page_is_about_that_student_alone(tmp_path: Path) -> None:
    """Whatever students are called, and pages of those who left go."""
    strange = record(5, student=f"../{HOSTILE}")
    standings = course_grades(sheets((record(8), strange)), Rules(title="Sequences & models"))
    write_course(tmp_path, standings, Rules())
    pages = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "students").iterdir()}
    assert len(pages) == 2
    assert "alert(1)" not in pages["ada.html"]
    assert not any("<script" in page for page in (*pages.values(), (tmp_path / "course.html").read_text()))
    write_course(tmp_path, standings[1:], Rules())
    assert len(list((tmp_path / "students").iterdir())) == 1
    far = course_grades(sheets((record(8), record(5, student="名" * 50))), Rules())
    write_course(tmp_path, far, Rules())
    assert (tmp_path / f"students/{'名' * 50}.html").is_file()
    assert course_csv(()) == "student,name,section,total,free days left\r\n"


def test_pages_and_sheet_tell_one_total_also_above_everything() -> None:
    """A bonus within an assignment adds to the total."""
    (standing,) = standings = course_grades(sheets(record(10.952)), Rules())
    assert "109.52" in course_csv(standings)
    assert "110 % of what can be reached" in student_html(standing, Rules())
    assert course_html(standings, Rules()).count("110 %") == 4  # on average, of the assignment twice, of the student


def test_the_command_puts_gradebooks_together(
    grade_files: Callable[..., tuple[Path, object]],
    assignment: object,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Real gradebooks in, a sheet and pages out; the rules in the folder are found."""
    out, rows = grade_files({"ada.py": assignment.reference.encode(), "bob.py": b"x = 1\n"})
    (tmp_path / "course.toml").write_text('title = "Means"\n[assignment.t1_means]\nweight = 2\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["autograder", "course", str(out), "-o", str(tmp_path / "all")])
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    assert "Means: 2 students, assignments: 1" in capsys.readouterr().out
    with (tmp_path / "all/course.csv").open(newline="", encoding="utf-8-sig") as file:
        found = {row["student"]: row for row in csv.DictReader(file)}
    assert [found[name]["t1_means raw"] for name in ("ada", "bob")] == [rows[n]["score"] for n in ("ada", "bob")]
    assert float(found["ada"]["total"]) == 100
    assert found["ada"]["t1_means status"] == ""
    assert not {"", "t1_means"} & found["ada"].keys()
    (tmp_path / "own/students").mkdir(parents=True)
    (tmp_path / "own/students/notes.html").write_text("mine")
    for folders, place in ([str(out), str(out)], "all"), ([str(out)], "own"):
        monkeypatch.setattr("sys.argv", ["autograder", "course", *folders, "-o", str(tmp_path / place)])
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == 2
    assert "own holds files that are no course's. Name an empty or a new folder" in capsys.readouterr().err
    assert (tmp_path / "own/students/notes.html").read_text() == "mine"


def test_the_command_goes_on_where_the_rules_name_what_is_not_graded_yet(
    grade_files: Callable[..., tuple[Path, object]],
    assignment: object,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A line says so; a name that the course does not have is a slip, and refused with the file that was read."""
    out, _ = grade_files({"ada.py": assignment.reference.encode()})
    rules = tmp_path / "rules.toml"

    def run(text: str) -> tuple[object, str]:
        rules.write_text(text)
        command = ["autograder", "course", str(out), "-o", str(tmp_path / "all"), "--rules", str(rules)]
        monkeypatch.setattr("sys.argv", [*command, "--course", str(Path(__file__).parent / "course")])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code, capsys.readouterr().err

    code, told = run("[assignment.t2_tensors]\nweight = 2\n")
    assert not code
    assert f"{rules} names t2_tensors; none of the folders is of it, so it counts for nothing yet" in told
    code, told = run("[assignment.t2_touch]\nweight = 2\n")
    assert code == 2
    assert f"{rules} names t2_touch, and there is no such assignment." in told


def test_a_part_knows_its_share() -> None:
    """Of nothing there is none."""
    assert Part("a1", "", 3.0, 0.0, 1.0, bonus=False, submitted=True).share is None


def test_capitals_of_an_id_make_no_second_student() -> None:
    """On many machines BOB.html and bob.html are one file, and a roster's ids are alike, too: points of neither are lost."""
    upper, lower = replace(record(10, student="BOB"), person=None), replace(record(5, student="bob"), person=None)
    rules = Rules(exempt=(Exempt("Bob", "a2", "ill"),))
    assert one(Rules(), upper, lower).total == pytest.approx(0.75)
    assert one(rules, upper, lower).parts[1].exempt == "ill"
    assert in_all(sheets(upper, lower)) == 1
    assert spelled_twice(sheets(upper, lower)) == (("BOB", "bob"),)
    assert spelled_twice(sheets(upper, upper)) == ()
