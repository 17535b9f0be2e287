"""The commands on a class, as a grader types them: grade again, decide otherwise, look again."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.classroom.gradebook_lock import open_gradebook
from autograder.course.catalog import load_assignment
from autograder.course.spec import Assignment

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(course: Path, cli: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a command on the tiny course, or another one."""

    def of(*arguments: object, course: Path | None = course) -> tuple[int, str, str]:
        monkeypatch.setenv("COLUMNS", "200")
        return cli(*arguments, *(("--course", course) if course else ()))

    return of


@pytest.fixture
def works(tmp_path: Path, assignment: Assignment) -> Path:
    """Return a folder with three submissions: right, wrong and unwritten."""
    folder = tmp_path / "class"
    folder.mkdir()
    wrong = assignment.reference.replace("return x - means", "print('here\\x1b[2J'); return x + means")
    for name, text in {"ann": assignment.reference, "bob": wrong, "eve": assignment.stub}.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def out(run: Run, works: Path, tmp_path: Path) -> Path:
    """Return the folder of that class, graded."""
    folder = tmp_path / "out"
    assert run("grade", "t1_means", works, "-o", folder, "--seed", 3, "--accept-unsandboxed")[0] == 0
    return folder


def grades(out: Path) -> dict[str, dict[str, str]]:
    """Return the rows of grades.csv by student."""
    with (out / "grades.csv").open(newline="", encoding="utf-8-sig") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def entry(out: Path, student: str) -> dict[str, Any]:
    """Return a student's results."""
    found: dict[str, Any] = json.loads((out / "results" / f"{student}.json").read_text(encoding="utf-8"))
    return found


def refused(ended: tuple[int, str, str]) -> str:
    """Check that a command was refused in one line, and return it."""
    code, said, line = ended
    assert (code, said) == (2, "")
    assert line.startswith("autograder: ")
    assert line.count("\n") == 1
    return line


def test_grading_again_says_that_nothing_changed(run: Run, works: Path, out: Path) -> None:
    """The seed stays, no submission runs, and where everything lies is said again."""
    code, said, _ = run("grade", "t1_means", works, "-o", out, "--accept-unsandboxed")
    assert code == 0
    assert "0 graded, 3 unchanged" in said
    assert "seed 3" in said
    assert str(out / "report.html") in said


def test_one_student_and_one_exercise(run: Run, works: Path, out: Path) -> None:
    """Only what is named is graded; unknown names are refused with the nearest one."""
    options = ("-o", out, "--accept-unsandboxed")
    _, said, _ = run("grade", "t1_means", works, *options, "--only", "bob", "--regrade", "center", "--json")
    assert [json.loads(line)["event"] for line in said.splitlines()] == ["start", "graded", "done"]
    assert "There is no student zoe in this class" in refused(
        run("grade", "t1_means", works, *options, "--only", "zoe")
    )
    assert "Did you mean center" in refused(run("grade", "t1_means", works, *options, "--regrade", "centre"))


def test_what_is_not_finished_is_said(run: Run, works: Path, tmp_path: Path) -> None:
    """By the commands that write the grades; nobody who waits can be appealed for, or is said to be absent."""
    out, options = tmp_path / "part", ("--only", "ann", "--accept-unsandboxed")
    line = "autograder: 2 not graded yet. Run autograder grade again for all of the class.\n"
    assert run("grade", "t1_means", works, "-o", out, *options)[2] == line
    assert run("report", out, course=None) == (0, f"{out / 'report.html'}\n", line)
    assert run("override", "bob", "center", 1, "--because", "So.", "-o", out, course=None)[2] == line
    assert "is not graded yet" in refused(run("explain", "bob", "center", "-o", out))


def test_a_class_stays_with_its_course(run: Run, course: Path, works: Path, tmp_path: Path) -> None:
    """Without --course it is refused under another course. Naming that course is enough, and so is that the first one is gone."""
    other, out = tmp_path / "other", tmp_path / "out"
    shutil.copytree(course, other)
    options = ("t1_means", works, "-o", out, "--accept-unsandboxed")
    assert run("grade", *options, course=other)[0] == 0
    told = f"autograder: {out} was graded with the course {other}. Add --course {other}, or --course {course}"
    with pytest.MonkeyPatch.context() as here:
        here.chdir(course)
        assert refused(run("grade", *options, course=None)).startswith(told)
        assert run("grade", *options)[0] == 0
        assert run("grade", *options, course=other)[0] == 0
        here.chdir(tmp_path)
        code, said, _ = run("grade", *options, course=None)  # where no course is at hand, it is the one of before
        assert code == 0
        assert "0 graded, 3 unchanged" in said
        assert run("grade", *options, "--preview", course=None)[0] == 0
        assert "No course here" in refused(run("grade", *options[:3], tmp_path / "new", course=None))
        here.chdir(course)
        shutil.rmtree(other)
        assert run("grade", *options, course=None)[0] == 0


def test_a_roster_and_a_due_date(run: Run, works: Path, tmp_path: Path) -> None:
    """They map, they show who is missing, they are remembered, and a bad one is a line."""
    path, out = tmp_path / "roster.csv", tmp_path / "out"
    path.write_text("id,name,email\n1,Ann,ann@x.org\n2,Zoe,zoe@x.org\n", encoding="utf-8")
    options = ("-o", out, "--accept-unsandboxed")
    code, said, told = run("grade", "t1_means", works, *options, "--roster", path, "--due", "2026-03-01")
    assert code == 0
    assert "roster: 2 people, with id, name, email\n" in said  # and so without extension, whatever its column is called
    assert "1 of 2 on the roster handed in nothing: Zoe." in told
    assert "2 of 3 submissions fit no student on the roster, or more than one: bob, eve." in told
    assert "3 handed in, and the export does not say when" in said
    assert "When 3 of the submissions came" in (out / "report.html").read_text(encoding="utf-8")
    rows = grades(out)
    assert {name: row["status"] for name, row in rows.items()} == {
        "1": "graded", "2": "not_submitted", "bob": "graded", "eve": "graded",
    }  # fmt: skip
    assert (rows["1"]["name"], rows["2"]["email"]) == ("Ann", "zoe@x.org")
    assert "0 graded, 3 unchanged" in run("grade", "t1_means", works, *options)[1]
    assert grades(out) == rows
    path.write_text("name\nAnn\n", encoding="utf-8")
    assert "names no column id" in refused(run("grade", "t1_means", works, *options, "--roster", path))
    assert "is no date" in refused(run("grade", "t1_means", works, *options, "--due", "soon"))


def test_who_is_not_among_the_submissions_any_more_is_told(run: Run, works: Path, out: Path, tmp_path: Path) -> None:
    """Whoever grades only what came late is told that everybody else has left the grades, and how to have them back."""
    latecomers, roster = tmp_path / "late", tmp_path / "roster.csv"
    latecomers.mkdir()
    roster.write_text("id\nann\nzoe\n", encoding="utf-8")
    shutil.copy(works / "eve.py", latecomers / "zoe.py")
    words = ("grade", "t1_means", latecomers, "-o", out, "--roster", roster, "--accept-unsandboxed")
    ended = run(*words, "--accept-mismatch")
    assert "3 graded before, but not among the latest submissions and so not in the grades: ann, bob, eve." in ended[2]
    assert "t1_means: 1 submission" in ended[1]
    assert "not in the grades: ann, bob, eve." in (out / "report.html").read_text(encoding="utf-8")
    assert "Every case passes." in run("explain", "ann", "center", "-o", out, "--accept-unsandboxed")[1]
    shutil.copy(latecomers / "zoe.py", works)
    ended = run("grade", "t1_means", works, "-o", out, "--accept-unsandboxed")
    assert "0 graded, 4 unchanged" in ended[1]
    assert "graded before" not in ended[2]
    again = ("--only", "bob", "--regrade", "center", "--accept-unsandboxed")
    assert "t1_means: 4 submissions" in run("grade", "t1_means", works, "-o", out, *again)[1]


def test_a_roster_that_comes_later_loses_nothing(run: Run, works: Path, out: Path, tmp_path: Path) -> None:
    """Students get new names, and keep their results and decisions."""
    run("override", "ann", "center", 1, "--because", "So.", "-o", out, course=None)
    path = tmp_path / "roster.csv"
    path.write_text("id,email\n1,ann@x.org\n", encoding="utf-8")
    _, said, _ = run("grade", "t1_means", works, "-o", out, "--roster", path, "--accept-unsandboxed")
    assert "0 graded, 3 unchanged" in said
    assert grades(out)["1"]["center"] == "1.0"
    assert not (out / "results" / "ann.json").exists()


def test_a_decision_of_a_person(run: Run, works: Path, out: Path) -> None:
    """It stands in the grades and the results, survives regrading, and can be withdrawn."""
    code, said, _ = run("override", "bob", "center", 1.5, "--because", "Right idea.", "-o", out, course=None)
    assert (code, said) == (0, "bob: center 1.5 of 2\n")
    assert grades(out)["bob"]["score"] == "6.5"
    assert entry(out, "bob")["exercises"][1]["override"]["because"] == "Right idea."
    assert "Right idea." in (out / "exports" / "moodle.csv").read_text(encoding="utf-8")
    run("grade", "t1_means", works, "-o", out, "--regrade", "center", "--accept-unsandboxed")
    assert grades(out)["bob"]["center"] == "1.5"
    assert run("override", "bob", "center", "--withdraw", "-o", out, course=None)[0] == 0
    assert grades(out)["bob"]["score"] == "5.0"


def test_a_decision_on_earlier_code_is_told(run: Run, works: Path, out: Path, assignment: Assignment) -> None:
    """It stands, since a person made it; that the student resubmitted since is said once, when the new code is graded."""
    run("override", "bob", "center", 0.5, "--because", "Half.", "-o", out, course=None)
    (works / "bob.py").write_text(assignment.reference, encoding="utf-8")
    before = run("grade", "t1_means", works, "-o", out, "--accept-unsandboxed", "--preview")
    assert "1 resubmitted after a manual override" in before[2]
    ended = run("grade", "t1_means", works, "-o", out, "--accept-unsandboxed")
    assert "1 resubmitted after a manual override" in ended[2]
    assert "bob" in ended[2]
    assert entry(out, "bob")["score"] == 5.5
    assert run("grade", "t1_means", works, "-o", out, "--accept-unsandboxed")[2] == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("bob", "center", 2.5, "--because", "x"), "center is worth 0 to 2"),
        (("bob", "center", "nan", "--because", "x"), "center is worth 0 to 2"),
        (("bob", "center", "-1", "--because", "x"), "-1 points cannot be given: center is worth 0 to 2"),
        (("bob", "center", 1), "Say why"),
        (("bob", "center", 1, "--because", " "), "Say why"),
        (("bob", "center"), "Give the points, or --withdraw"),
        (("bob", "center", 1, "--withdraw"), "Give the points, or --withdraw"),
        (("bib", "center", 1, "--because", "x"), "Did you mean bob"),
        (("bob", "centr", 1, "--because", "x"), "Did you mean center"),
    ],
)
def test_a_decision_that_cannot_be(run: Run, out: Path, arguments: tuple[object, ...], words: str) -> None:
    """It is refused in a line, and nothing changes."""
    before = (out / "grades.csv").read_bytes()
    assert words in refused(run("override", *arguments, "-o", out, course=None))
    assert (out / "grades.csv").read_bytes() == before


def test_an_appeal(run: Run, out: Path) -> None:
    """Every failing case with its inputs, hidden ones too, what came back, what was expected and what was printed."""
    code, said, _ = run("explain", "bob", "center", "-o", out, "--accept-unsandboxed")
    assert code == 0
    for words in (
        "bob, center",
        "in the gradebook: 0 of 2, FAILED",
        "centers_any_shape  FAILED",
        "yours",
        "expected",
        "x = np.array([[1.5]])",
    ):
        assert words in said, words
    assert "here\\x1b[2J" in said
    assert "You add the mean instead of taking it away. (adds_the_mean)" in said.replace("\n", " ")
    assert "\x1b" not in said
    assert "x (3,5)" not in (out / "results" / "bob.json").read_text(encoding="utf-8")
    assert "Every case passes." in run("explain", "ann", "center", "-o", out, "--accept-unsandboxed")[1]


def test_an_appeal_as_json(run: Run, out: Path) -> None:
    """The same as data, beside what the gradebook holds."""
    _, said, _ = run("explain", "bob", "center", "-o", out, "--json", "--accept-unsandboxed")
    found = json.loads(said)
    assert found["student"] == "bob"
    assert [case["status"] for case in found["exercise"]["cases"]] == ["FAILED", "FAILED", "FAILED"]
    assert "x = np.array([[1.5]])" in found["exercise"]["cases"][1]["message"]
    assert found["gradebook"]["score"] == 0.0
    assert found["differences"] == []


def test_an_appeal_shows_what_was_decided_and_what_changed(
    run: Run, course_copy: Path, works: Path, tmp_path: Path
) -> None:
    """A grader who answers a student needs to know both."""
    out = tmp_path / "out"
    run("grade", "t1_means", works, "-o", out, "--accept-unsandboxed", course=course_copy)
    run("override", "bob", "center", 1, "--because", "Half right.", "-o", out, course=None)
    path = course_copy / "solutions/t1_means/cases.py"
    path.write_text(path.read_text(encoding="utf-8").replace("(3, 5)) + 2.0", "(3, 4)) + 2.0"), encoding="utf-8")
    _, said, _ = run("explain", "bob", "center", "-o", out, "--accept-unsandboxed", course=None)  # the gradebook's own
    assert "decided by a person" in said
    assert "Half right." in said
    assert "changed since then" in said


def test_an_appeal_judges_as_the_gradebook_does(run: Run, out: Path, works: Path, assignment: Assignment) -> None:
    """What follows from another exercise is believed because of a hidden case, which is one when it is shown, too."""
    narrow = "if x.ndim == 3 or len(x) == 4:\n        raise ValueError('no')\n    return x.mean(-1)"
    old = "total = x.sum(axis=-1)\n    return total / x.shape[-1]"
    (works / "ann.py").write_text(assignment.reference.replace(old, narrow), encoding="utf-8")
    run("grade", "t1_means", works, "-o", out, "--accept-unsandboxed")
    _, said, _ = run("explain", "ann", "center", "-o", out, "--json", "--accept-unsandboxed")
    found = json.loads(said)
    assert found["gradebook"]["score"] == found["exercise"]["score"] == 2
    assert found["differences"] == []


def test_an_appeal_runs_cases_in_the_order_of_a_grading(
    run: Run, out: Path, works: Path, assignment: Assignment
) -> None:
    """Public cases before all hidden ones: code that remembers what it was called with gives the same again."""
    remembers = "global SEEN\n    SEEN = SEEN or x.shape == (3, 5)\n    total ="
    text = assignment.reference.replace("total =", remembers).replace(
        "return x - means", "return x if SEEN else x - means"
    )
    (works / "ann.py").write_text(f"SEEN = False\n{text}", encoding="utf-8")
    run("grade", "t1_means", works, "-o", out, "--accept-unsandboxed")
    _, said, _ = run("explain", "ann", "center", "-o", out, "--json", "--accept-unsandboxed")
    found = json.loads(said)
    assert [case["status"] for case in found["gradebook"]["cases"]] == ["PASSED", "FAILED", "FAILED"]
    assert found["differences"] == []


def test_an_appeal_says_where_chance_decided(run: Run, out: Path, works: Path, assignment: Assignment) -> None:
    """A case that ends otherwise than in the book is named."""
    text = assignment.reference.replace("return x - means", "return x - means if TRICK else x")
    trick = "import os, time\nTRICK = time.time_ns() // 10**9 < %d\n"
    (works / "ann.py").write_text(trick % 0 + text, encoding="utf-8")
    run("grade", "t1_means", works, "-o", out, "--accept-unsandboxed")
    with open_gradebook(out) as book:  # as if it had been lucky then
        book.db.execute(
            "UPDATE entry SET text = replace(text, '\"FAILED\"', '\"PASSED\"')"
            " WHERE digest IN (SELECT entry FROM exercise WHERE student = 'ann')"
        )
        book.db.commit()
    _, said, _ = run("explain", "ann", "center", "-o", out, "--accept-unsandboxed")
    assert "not as before: two_rows_centered: PASSED in the gradebook, FAILED now" in said


def test_appeals_that_have_nothing_to_look_at(run: Run, out: Path, works: Path, tmp_path: Path) -> None:
    """What could not be read, and whoever handed in nothing."""
    (works / "pdf.pdf").write_bytes(b"%PDF")
    roster = tmp_path / "roster.csv"
    roster.write_text("id\n77\nann\n", encoding="utf-8")
    run("grade", "t1_means", works, "-o", out, "--roster", roster, "--accept-unsandboxed")
    assert "could not be read" in refused(run("explain", "pdf", "center", "-o", out))
    assert "handed in nothing" in refused(run("explain", "77", "center", "-o", out))
    assert "no graded class" in refused(run("explain", "bob", "center", "-o", tmp_path))


def test_an_appeal_of_somebody_who_left_the_class(run: Run, out: Path, works: Path) -> None:
    """The last submissions hold nothing of bob's, but what was graded before is in the book and can be looked at."""
    (works / "bob.py").unlink()
    run("grade", "t1_means", works, "-o", out, "--accept-unsandboxed")
    code, said, _ = run("explain", "bob", "center", "-o", out, "--accept-unsandboxed")
    assert (code, "in the gradebook: 0 of 2, FAILED" in said) == (0, True)
    assert "not in the class any more" in said
    code, _, warned = run("override", "bob", "center", 1, "--because", "So.", "-o", out, course=None)
    assert (code, "not in the class any more" in warned) == (0, True)


def test_a_full_disk_is_a_line(run: Run, out: Path, works: Path, assignment: Assignment) -> None:
    """Files that cannot be written stop the command; what was graded is in the book, and the next run writes them."""
    (works / "eve.py").write_text(assignment.reference, encoding="utf-8")
    shutil.rmtree(out / "feedback")
    (out / "feedback").write_text("in the way")
    line = refused_after_output(run("grade", "t1_means", works, "-o", out, "--accept-unsandboxed"))
    assert "feedback" in line
    (out / "feedback").unlink()
    assert "0 graded, 3 unchanged" in run("grade", "t1_means", works, "-o", out, "--accept-unsandboxed")[1]
    assert entry(out, "eve")["score"] == 7.0
    assert (out / "feedback" / "ann.html").exists()


def refused_after_output(ended: tuple[int, str, str]) -> str:
    """Check that a command ended with code 2 and one line on stderr, and return that."""
    assert ended[0] == 2
    assert ended[2].count("\n") == 1
    return ended[2]


def test_the_fixture_course_is_what_the_tests_think(course: Path) -> None:
    """Its exercises and points, on which the numbers above rest."""
    assert [(e.name, e.points) for e in load_assignment(course, "t1_means").exercises] == [
        ("row_means", 2.0), ("center", 2.0), ("spread", 3.0),
    ]  # fmt: skip


def results(out: Path) -> dict[str, object]:
    """Return every result, without what differs from run to run."""
    found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (out / "results").iterdir()}
    for entry in found.values():
        entry["seconds"] = 0
        for case in (case for exercise in entry["exercises"] for case in exercise["cases"]):
            case["seconds"] = 0
    return found


def test_mistakes_made_together_are_counted_each_by_its_name(
    run: Run, tmp_path: Path, course_copy: Path, assignment: Assignment
) -> None:
    """Whatever their sentences say: in the report, and in results, where the reason is data."""
    bank = course_copy / "solutions" / "t1_means" / "misconceptions.py"
    said = "You divide by the number of rows. Also: check the axis."
    bank.write_text(bank.read_text(encoding="utf-8").replace("You divide by the number of rows.", said))
    text = assignment.reference.replace("x.sum(axis=-1)", "x[..., 1:].sum(axis=-1)")
    (tmp_path / "both.py").write_text(text.replace("total / x.shape[-1]", "total / x.shape[-2]"))
    run("grade", "t1_means", tmp_path / "both.py", "-o", tmp_path / "out", "--accept-unsandboxed", course=course_copy)
    report = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert report.count('<p class="tag"><code>divides_by_rows</code> in <code>row_means</code></p>') == 1
    assert report.count('<p class="tag"><code>skips_the_first</code> in <code>row_means</code></p>') == 1
    assert "divides_by_rows+skips_the_first" not in report
    result = json.loads((tmp_path / "out" / "results" / "both.json").read_text(encoding="utf-8"))
    case = result["exercises"][0]["cases"][0]
    (mistakes,) = case["reason"]["alternatives"]
    assert [(m["name"], m["exercise"], m["sentence"]) for m in mistakes] == [
        ("divides_by_rows", "row_means", said),
        ("skips_the_first", "row_means", "Your sum leaves out the first entry."),
    ]
    assert case["diagnosis"] == "divides_by_rows+skips_the_first"
    assert case["says"] == f"{said} Also: Your sum leaves out the first entry."


def test_shards_put_together_are_the_class(run: Run, works: Path, out: Path, tmp_path: Path) -> None:
    """Two shards, graded apart, give the grades of one grading; each by itself makes no pages and decides nothing."""
    parts = [tmp_path / "part1", tmp_path / "part2"]
    for number, part in enumerate(parts, 1):
        command = ("grade", "t1_means", works, "-o", part, "--accept-unsandboxed", "--shard", f"{number}/2")
        assert run(*command)[0] == 2  # no seed
        code, said, _ = run(*command, "--seed", 3)
        assert (code, f"in shard {number}/2" in said) == (0, True)
        assert [path.name for path in part.iterdir() if not path.name.startswith("gradebook")] == []
    assert run("override", "ann", "center", 1, "--because", "x", "-o", parts[0], course=None)[0] == 2
    assert "Put all together first: autograder merge" in run("report", parts[0], course=None)[2]
    assert "Not there: shard 2/2" in run("merge", parts[0], "-o", tmp_path / "whole", course=None)[2]
    assert "is one of the parts" in run("merge", *parts, "-o", parts[0], course=None)[2]
    code, said, _ = run("merge", *parts, "-o", tmp_path / "whole", course=None)
    assert (code, "report.html" in said) == (0, True)
    assert results(tmp_path / "whole") == results(out)
    assert (tmp_path / "whole" / "grades.csv").read_bytes() == (out / "grades.csv").read_bytes()
    assert "holds a whole class" in run(*command, "-o", tmp_path / "whole")[2]
    assert "holds shard 2/2" in run("grade", "t1_means", works, "-o", parts[1], "--accept-unsandboxed")[2]


def test_events_of_a_shard(run: Run, works: Path, tmp_path: Path) -> None:
    """The last one says which shard is done."""
    command = ("grade", "t1_means", works, "-o", tmp_path / "part", "--seed", 3, "--shard", "1/1", "--json")
    code, said, _ = run(*command, "--accept-unsandboxed")
    done = json.loads(said.splitlines()[-1])
    assert (code, done) == (0, {"event": "done", "graded": 3, "kept": 0, "shard": "1/1", "failed": 0})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--shard", "0/2"], "is no shard"),
        (["--shard", "1/2", "--only", "ann"], "Say one of them"),
        (["--resources", "GPU=1"], "--resources is about the workers of a cluster"),
        (["--cluster", "tcp://127.0.0.1:9", "--resources", "GPU"], "Write its name and how much of it"),
    ],
)
def test_wrong_use_of_shards_and_clusters(
    run: Run, works: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    """Each is one line, and nothing is written."""
    code, _, said = run("grade", "t1_means", works, "-o", tmp_path / "new", *options)
    assert (code, message in said, (tmp_path / "new").exists()) == (2, True, False)


def test_look_alikes(run: Run, works: Path, tmp_path: Path, assignment: Assignment) -> None:
    """A page beside the report names the group, last year's among it, and no grade knows of it."""
    (works / "kim.py").write_text(assignment.reference.replace("means", "averages"), encoding="utf-8")
    last_year = tmp_path / "2025"
    last_year.mkdir()
    (last_year / "zoe.py").write_text(assignment.reference, encoding="utf-8")
    out = tmp_path / "out"
    assert run("grade", "t1_means", works, "-o", out, "--seed", 3, "--accept-unsandboxed")[0] == 0
    before = results(out)
    code, said, _ = run("similarity", out, "--least", 90)
    assert (code, said) == (0, f"1 group among 3 submissions shares 90 % or more: {out / 'similarity.html'}\n")
    _, said, _ = run("similarity", out, "--least", 90, "--against", last_year)
    assert said.startswith("1 group among 3 submissions and 1 other shares 90 % or more: ")
    page = (out / "similarity.html").read_text(encoding="utf-8")
    assert "kim" in page
    assert "2025/zoe" in page
    assert results(out) == before
    assert "--against" in refused(run("similarity", out, "--against", tmp_path / "nowhere"))
    assert results(out) == before


@pytest.mark.parametrize(
    ("command", "library", "extra"),
    [
        (
            ["grade", "t1_means", "CLASS", "-o", "NEW", "--cluster", "tcp://127.0.0.1:9"],
            "distributed",
            "pip install 'sequence-autograder[cluster]'",
        ),
    ],
)
def test_what_an_extra_lacks_is_said(
    run: Run,
    out: Path,
    works: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    library: str,
    extra: str,
) -> None:
    """With the line to type."""
    for module in ("classroom.cluster", "classroom.cluster_worker"):
        monkeypatch.delitem(sys.modules, f"autograder.{module}", raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    places = {"OUT": out, "CLASS": works, "NEW": tmp_path / "new"}
    code, _, said = run(*(places.get(part, part) for part in command))
    assert (code, extra in said) == (2, True)


def test_names_that_differ_in_capitals_alone_are_told_apart_and_told(
    run: Run, works: Path, assignment: Assignment, tmp_path: Path
) -> None:
    """No page overwrites another's on a machine that takes BOB.html for bob.html; either name leads to both."""
    out, trust = tmp_path / "out", "--accept-unsandboxed"
    (works / "BOB.py").write_text(assignment.reference, encoding="utf-8")
    _, said, _ = run("grade", "t1_means", works, "-o", out, trust)
    both = [name for name in grades(out) if name.casefold().startswith("bob-")]
    assert len(both) == len({name.casefold() for name in both}) == 2
    assert "told apart" in said
    assert all(name in said for name in both)
    for again in (("grade", "t1_means", works, "-o", out, trust, "--only", "bob"), ("explain", "bob", "-o", out)):
        code, _, told = run(*again)
        assert code == 2
        assert "bob may be any of" in told
        assert all(name in told for name in both)
