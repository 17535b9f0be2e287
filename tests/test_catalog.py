"""Assignments are found by scanning, and a broken file is named in one sentence."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course.catalog import load_assignment, readme_of
from autograder.course.places import CourseError, find_course, slugs
from autograder.course.spec import Assignment, Limits, Visibility
from autograder.handout.handout import handout_files
from autograder.handout.public_data import public_oracle
from autograder.integrations.one_submission import requirements

TOML = "assignments/t1_means/assignment.toml"


def rewrite(path: Path, old: str, new: str) -> None:
    """Replace a text that stands in a file once."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def refused(course: Path, *words: str, slug: str = "t1_means") -> None:
    """Check that loading fails with one line that holds these words."""
    with pytest.raises(CourseError) as caught:
        load_assignment(course, slug)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


def test_a_course_is_found_from_below(course_copy: Path) -> None:
    """Whoever stands inside a course need not name it."""
    inside = course_copy / "solutions" / "t1_means" / "correct"
    assert find_course(inside) == find_course(course_copy) == course_copy.resolve()


def test_outside_a_course_the_message_says_what_is_looked_for(tmp_path: Path) -> None:
    """A folder with assignments/ alone is no course."""
    (tmp_path / "assignments").mkdir()
    with pytest.raises(CourseError, match=re.escape(str(tmp_path)) + ".* holds assignments/ and solutions/"):
        find_course(tmp_path)


def test_slugs_stand_in_the_declared_order(course_copy: Path) -> None:
    """`order` decides, then the name; folders without assignment.toml are none."""
    assert slugs(course_copy) == ("t1_means", "t2_tensors", "t3_learning")
    rewrite(course_copy / "assignments/t1_means/assignment.toml", "order = 1", "order = 3")
    (course_copy / "assignments/notes").mkdir()
    assert slugs(course_copy) == ("t2_tensors", "t1_means", "t3_learning")


def test_an_order_that_is_no_number_is_named(course_copy: Path) -> None:
    """`order = "1"` cannot be sorted with the others."""
    rewrite(course_copy / "assignments/t1_means/assignment.toml", "order = 1", 'order = "1"')
    with pytest.raises(CourseError, match=r"t1_means/assignment\.toml.*order"):
        slugs(course_copy)


def test_an_assignment_is_read_from_both_folders(course: Path) -> None:
    """Everything of the two mirrored folders lands in one frozen value."""
    assignment = load_assignment(course, "t1_means")
    assert [e.name for e in assignment.exercises] == ["row_means", "center", "spread"]
    assert (assignment.given, assignment.points, assignment.file) == (("as_columns",), 7.0, "means.py")
    assert assignment.limits == Limits(case_seconds=1.5, import_seconds=3.0, memory_mb=512, output_mb=2, log_kb=4)
    assert {c.name for c in assignment.cases if c.visibility is Visibility.PUBLIC} == {
        "two_rows",
        "two_rows_centered",
        "two_spreads",
    }
    assert len(assignment.misconceptions) == 8
    assert [a.name for a in assignment.correct] == ["library", "loops"]
    assert "BEGIN SOLUTION" in assignment.reference
    assert "BEGIN SOLUTION" not in assignment.stub


@pytest.mark.parametrize(
    ("wrong", "near"), [("t1_mean", "t1_means"), ("means", "t1_means"), ("t2tensors", "t2_tensors")]
)
def test_an_unknown_name_gets_the_nearest_one(course: Path, wrong: str, near: str) -> None:
    """A slip of the pen is answered with what was probably meant, and with all there is."""
    refused(
        course,
        f"no assignment {wrong!r}",
        f"Did you mean {near}?",
        "It holds: t1_means, t2_tensors, t3_learning.",
        slug=wrong,
    )


def test_a_name_far_from_all_gets_no_guess(course: Path) -> None:
    """A guess that is no better than chance is not made."""
    with pytest.raises(CourseError) as caught:
        load_assignment(course, "zzzz")
    assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize("slug", ["../solutions", "t1_means/../t1_means", "", "."])
def test_a_name_is_not_a_path(course: Path, slug: str) -> None:
    """Only names that a scan found are read."""
    refused(course, "no assignment", slug=slug)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("points = 7", "points = ", ("assignment.toml", "line 3")),
        ('title = "Means, and what is left without them"\n', "", ("assignment.toml", "title")),
        ("points = 7", 'points = "seven"', ("assignment.toml", "seven")),
        ("points = 7", "pionts = 7", ("assignment.toml", "pionts")),
        ("points = 3", "points = 3\ndificulty = 2", ("assignment.toml", "dificulty")),
        ("points = 3\n", "", ("assignment.toml", "the key 'points' is missing in [[exercise]] spread.")),
        ("points = 7", "points = true", ("assignment.toml", "points = True is not a number")),
        ("points = 7", 'points = 7\ntorch = "no"', ("assignment.toml", "torch = 'no' is neither true nor false")),
        ('given = ["as_columns"]', 'given = "as_columns"', ("assignment.toml", "given is not a list; write [")),
        ("points = 7", 'points = 7\nshortcut = {names = ["numpy.mean"]}', ("[[shortcut]] above each",)),
        ("output_mb = 2", "ouput_mb = 2", ("assignment.toml", "ouput_mb")),
        ("output_mb = 2", 'output_mb = "2"', ("assignment.toml", "output_mb")),
        ("case_seconds = 1.5", "case_seconds = 0", ("assignment.toml", "case_seconds")),
    ],
    ids=[
        "no_toml",
        "no_title",
        "points_in_words",
        "unknown_key",
        "unknown_in_exercise",
        "exercise_without_points",
        "points_yes",
        "torch_in_words",
        "given_without_brackets",
        "one_bracket",
        "unknown_limit",
        "text",
        "zero",
    ],
)
def test_what_is_wrong_in_the_toml_is_named(course_copy: Path, old: str, new: str, words: tuple[str, ...]) -> None:
    """A key that is missing, misspelt or of the wrong kind is named with its file."""
    rewrite(course_copy / "assignments/t1_means/assignment.toml", old, new)
    refused(course_copy, *words)


def test_anew_belongs_to_exercises(course_copy: Path) -> None:
    """What works arguments out anew is given to every case of its exercise, and to no exercise that is not there."""
    path = course_copy / "solutions" / "t1_means" / "cases.py"
    given = path.read_text(encoding="utf-8")
    path.write_text(f"{given}\nANEW = {{'center': lambda x: (x,)}}\n", encoding="utf-8")
    cases = load_assignment(course_copy, "t1_means").cases
    assert {case.exercise for case in cases if case.anew} == {"center"}
    assert all(case.anew for case in cases if case.exercise == "center")
    path.write_text(f"{given}\nANEW = {{'centre': lambda x: (x,)}}\n", encoding="utf-8")
    with pytest.raises(CourseError, match=r"ANEW names no exercise of assignment\.toml: centre"):
        load_assignment(course_copy, "t1_means")


def test_cases_for_strangers_are_refused(course_copy: Path) -> None:
    """A case for an exercise that does not exist would silently never run."""
    rewrite(
        course_copy / "solutions/t1_means/cases.py", 'case("spread", check=close())', 'case("spred", check=close())'
    )
    refused(course_copy, "spreads_of_any_shape", "no exercise")


def test_a_case_under_another_name_is_refused(course_copy: Path) -> None:
    """An assignment of a case to a second name would count it twice."""
    path = course_copy / "assignments/t1_means/cases.py"
    path.write_text(path.read_text(encoding="utf-8") + "\nsame = two_rows\n", encoding="utf-8")
    refused(course_copy, "two_rows", "another name, same")


def test_two_cases_of_one_name_are_refused(course_copy: Path) -> None:
    """The second definition would silently replace the first."""
    path = course_copy / "solutions/t1_means/cases.py"
    rewrite(path, "def centers_any_shape", "def the_argument_stays")
    refused(course_copy, "cases.py", "the_argument_stays is defined 2 times")


def test_course_code_that_fails_is_named(course_copy: Path) -> None:
    """An author's bug in cases.py or misconceptions.py is one line, not a traceback."""
    (course_copy / "solutions/t1_means/misconceptions.py").write_text("1 / 0\n", encoding="utf-8")
    refused(course_copy, "misconceptions.py", "ZeroDivisionError")
    (course_copy / "solutions/t1_means/misconceptions.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    refused(course_copy, "misconceptions.py", "SystemExit")  # or nothing would be proved, and all be well
    (course_copy / "solutions/t1_means/cases.py").write_text("def f(:\n", encoding="utf-8")
    refused(course_copy, "cases.py", "SyntaxError")


def test_course_code_that_fails_is_shown_by_its_line(course_copy: Path) -> None:
    """Of a long cases.py the author is told where to look."""
    path = course_copy / "solutions/t1_means/cases.py"
    path.write_text("import numpy as np\n\nHALF = np.halve(1)\n", encoding="utf-8")
    refused(course_copy, "cases.py fails on import, line 3", "halve")


@pytest.mark.parametrize(
    ("bank", "told"),
    [
        ("MISCONCEPTION = ()", "MISCONCEPTIONS = (*mistakes_of(...), ...) is missing"),
        ("MISCONCEPTIONS = 3", "MISCONCEPTIONS = (*mistakes_of(...), ...) is missing"),
        ("MISCONCEPTIONS = ('no_mean',)", "MISCONCEPTIONS holds a str, not known mistakes alone."),
        ("MISCONCEPTIONS = ((),)", "holds a tuple, not known mistakes alone; write a * before mistakes_of(...)."),
    ],
)
def test_a_bank_that_is_none_is_refused(course_copy: Path, bank: str, told: str) -> None:
    """A misspelt name would silently leave an assignment without known mistakes."""
    (course_copy / "solutions/t1_means/misconceptions.py").write_text(f"{bank}\n", encoding="utf-8")
    refused(course_copy, "misconceptions.py", told)


def test_a_folder_without_its_settings_is_told_so(course_copy: Path) -> None:
    """The folder is there, so "no such assignment" alone would puzzle; and a list of none says so."""
    for slug in ("t1_means", "t2_tensors", "t3_learning"):
        (course_copy / f"assignments/{slug}/assignment.toml").unlink()
    refused(course_copy, "Its folder t1_means has no assignment.toml.", "It holds: none yet.")


def test_files_that_begin_with_a_byte_order_mark_are_read(course_copy: Path) -> None:
    """Some editors on Windows put one there, and nobody sees it."""
    plain = load_assignment(course_copy, "t1_means")
    for path in [path for path in course_copy.rglob("*") if path.suffix in (".py", ".toml", ".md")]:
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    marked = load_assignment(course_copy, "t1_means")
    assert (marked.reference, marked.stub, marked.points) == (plain.reference, plain.stub, plain.points)
    assert readme_of(course_copy, "t1_means").startswith("# ")


@pytest.mark.parametrize("data", [None, "Größe".encode("latin-1")], ids=["missing", "latin-1"])
def test_a_text_that_cannot_be_read_is_named(course_copy: Path, data: bytes | None) -> None:
    """A handout needs its README, and as UTF-8; the message says which file it is."""
    path = course_copy / "assignments/t1_means/README.md"
    path.unlink() if data is None else path.write_bytes(data)
    with pytest.raises(CourseError, match=r"t1_means/README\.md cannot be read"):
        readme_of(course_copy, "t1_means")


def test_a_missing_reference_is_named(course_copy: Path) -> None:
    """Without the reference there is nothing to grade with."""
    (course_copy / "solutions/t1_means/means.py").unlink()
    refused(course_copy, "means.py", "cannot be read")


def test_a_file_that_is_not_utf8_is_named(course_copy: Path) -> None:
    """Course files are UTF-8."""
    (course_copy / "solutions/t1_means/means.py").write_bytes(b"\xff\xfe")
    refused(course_copy, "means.py", "cannot be read")


def test_a_missing_stub_is_no_reason_to_fail(course_copy: Path) -> None:
    """The stub is rendered from the reference, so it may be absent until it is."""
    (course_copy / "assignments/t1_means/means.py").unlink()
    assert load_assignment(course_copy, "t1_means").stub == ""


def test_an_edit_counts_at_once(course_copy: Path) -> None:
    """A change of the same length within the same second is read, never a stale compiled file."""
    path = course_copy / "assignments/t1_means/cases.py"
    before = os.stat(path)
    load_assignment(course_copy, "t1_means")
    rewrite(path, "def two_rows(rng)", "def two_sums(rng)")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "two_sums" in {c.name for c in load_assignment(course_copy, "t1_means").cases}
    assert not list(course_copy.rglob("__pycache__"))


def test_what_an_exercise_uses_is_declared(assignment: Assignment) -> None:
    """Directly; what it builds on through others follows, in the order of the exercises."""
    assert [e.uses for e in assignment.exercises] == [(), ("row_means",), ("row_means", "center")]
    only_center = replace(assignment.exercises[2], uses=("center",))
    through = replace(assignment, exercises=(*assignment.exercises[:2], only_center))
    assert through.uses("spread") == assignment.uses("spread") == ("row_means", "center")


@pytest.mark.parametrize("used", ["row_maens", "spread", "as_columns"])
def test_only_other_exercises_are_used(course_copy: Path, used: str) -> None:
    """A slip is told with the file, the exercise and the word."""
    rewrite(course_copy / TOML, 'uses = ["row_means", "center"]', f'uses = ["row_means", "{used}"]')
    refused(course_copy, TOML, f"spread uses {used}, which is no other exercise of this file.")


@pytest.mark.parametrize("slug", ["t1_means", "t2_tensors", "t3_learning"])
def test_a_course_for_0_1_0_declares_no_uses(course_copy: Path, slug: str) -> None:
    """They are read off the reference and the harness, as they were then."""
    declared = load_assignment(course_copy, slug)
    path = course_copy / "assignments" / slug / "assignment.toml"
    path.write_text(re.sub(r"(?m)^uses = .*\n", "", path.read_text(encoding="utf-8")), encoding="utf-8")
    assert load_assignment(course_copy, slug).exercises == declared.exercises
    assert any(e.uses for e in declared.exercises)


def test_a_correct_solution_that_is_no_python_is_named(course_copy: Path) -> None:
    """A forgotten colon is told with its file and line, before anything is graded."""
    path = course_copy / "solutions/t1_means/correct/loops.py"
    path.write_text("def row_means(x)\n    return x\n", encoding="utf-8")
    refused(course_copy, "correct/loops.py is not Python: line 1: expected ':'.")


def test_underscored_files_are_left_out(course_copy: Path) -> None:
    """A file such as __init__.py is no correct solution."""
    (course_copy / "solutions/t1_means/correct/_draft.py").write_text("nonsense(", encoding="utf-8")
    assert [a.name for a in load_assignment(course_copy, "t1_means").correct] == ["library", "loops"]


def test_the_same_name_in_two_courses_stays_apart(course: Path, course_copy: Path) -> None:
    """Course files are modules of their own, so two courses in one process do not share them."""
    rewrite(course_copy / "assignments/t1_means/cases.py", "The rows 1 2 6", "The first rows 1 2 6")
    claims = {load_assignment(folder, "t1_means").cases[0].claim for folder in (course, course_copy)}
    assert len(claims) == 2


def test_course_code_may_define_dataclasses(course_copy: Path) -> None:
    """A dataclass with postponed annotations works in a course file as in any module."""
    path = course_copy / "assignments/t1_means/cases.py"
    text = path.read_text(encoding="utf-8")
    extra = "from dataclasses import dataclass\n\n\n@dataclass\nclass Row:\n    length: int\n"
    path.write_text("from __future__ import annotations\n" + text + extra, encoding="utf-8")
    assert len(load_assignment(course_copy, "t1_means").cases) == 8


def test_a_course_written_for_the_first_version_loads(course_copy: Path) -> None:
    """Its cases took functions as arguments from a module that has moved since."""
    path = course_copy / "solutions" / "t1_means" / "cases.py"
    path.write_text(
        "from autograder.sandbox.wire import Code, Tensor\n" + path.read_text(encoding="utf-8"), encoding="utf-8"
    )
    assert load_assignment(course_copy, "t1_means").cases


def test_packages_that_are_required_are_asked_for(course_copy: Path) -> None:
    """What is not installed is one line with the command; what is stands in the handout's requirements."""
    path = course_copy / "assignments/t1_means/assignment.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(f'requires = ["jinja2>=3"]\n{text}', encoding="utf-8")
    made = load_assignment(course_copy, "t1_means")
    assert b"jinja2>=3\n" in handout_files(course_copy, public_oracle(made))["requirements.txt"]
    assert requirements(made).splitlines()[-1] == "jinja2>=3"
    path.write_text(f'requires = ["no-such-package-here>=2"]\n{text}', encoding="utf-8")
    with pytest.raises(CourseError, match=r"t1_means requires no-such-package-here>=2.*pip install"):
        load_assignment(course_copy, "t1_means")
